"""What storages of weights say about their size."""

from __future__ import annotations

from typing import NamedTuple


class StorageSize(NamedTuple):
    """What a storage holds; a plain vector has neither states nor transitions."""

    states: int
    transitions: int
    bytes: int
