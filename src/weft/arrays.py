"""Names for arrays by what they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Ids = NDArray[np.int32]
"""Numbers of symbols, labels or parts."""
Mask = NDArray[np.bool_]
