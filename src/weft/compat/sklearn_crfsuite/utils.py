"""Lists of lists as one list."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any


def flatten(y: Iterable[Iterable[Any]]) -> list[Any]:
    """Items of all sequences in one list.

    Examples
    --------
    >>> flatten([[1, 2], [3]])
    [1, 2, 3]
    """
    return list(chain.from_iterable(y))
