"""The types of arrays that annotations name."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
BoolArray = NDArray[np.bool_]
Float32Array = NDArray[np.float32]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
