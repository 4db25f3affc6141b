"""Small RNA structures and their parts."""

import numpy as np

from weft.losses import base_pairs


def as_pairs(structure):
    return np.array(sorted(base_pairs(structure)), dtype=np.int32).reshape(-1, 2)
