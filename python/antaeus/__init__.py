"""Forces between a robot and the world, and how far each number can be trusted.

The names are those of the C++ library: what is a function there is a function here, what is a field there is an
attribute here. SI units; frames are in the names (J_WF_W: the Jacobian of F's origin in W's axes); linear part before
angular part; quaternions x y z w. `Sign` says who exerts a wrench on whom.

Functions return new arrays. Attributes that are arrays are read-only. Bad input to `Dynamics` raises `StatusError`;
estimators never raise: their results carry a status, a verdict and reasons, and NaN where nothing is known.
"""

from antaeus._antaeus import *  # noqa: F403
from antaeus._antaeus import __version__ as __version__
