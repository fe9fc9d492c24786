"""The former name of antaeus.numerics; the next release has it no more."""

import warnings

from antaeus.numerics import *  # noqa: F403

warnings.warn("antaeus.conditioning is antaeus.numerics now", DeprecationWarning, stacklevel=2)
