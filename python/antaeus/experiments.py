"""The former name of antaeus.studies; the next release has it no more."""

import warnings

from antaeus.studies import *  # noqa: F403

warnings.warn("antaeus.experiments is antaeus.studies now", DeprecationWarning, stacklevel=2)
