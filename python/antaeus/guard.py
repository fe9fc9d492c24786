"""The former name of antaeus.trust; the next release has it no more."""

import warnings

from antaeus.trust import *  # noqa: F403

warnings.warn("antaeus.guard is antaeus.trust now", DeprecationWarning, stacklevel=2)
