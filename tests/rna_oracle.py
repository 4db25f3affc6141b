"""All secondary structures of short sequences."""

from functools import cache

import numpy as np

from weft.structures.rna.tables import (
    PAIR_CODES,
)


def structures(symbols, least, allowed=None):
    """All structures, each as a sorted array of pairs."""

    @cache
    def within(i, j):
        if i > j:
            return [()]
        found = list(within(i + 1, j))
        for k in range(i + 1 + least, j + 1):
            if PAIR_CODES[symbols[i], symbols[k]] >= 0 if allowed is None else allowed[i, k]:
                found += [((i, k), *a, *b) for a in within(i + 1, k - 1) for b in within(k + 1, j)]
        return found

    return [np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2) for pairs in within(0, len(symbols) - 1)]
