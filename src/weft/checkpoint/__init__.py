"""Atomic array files, which long fits resume from and model files build on."""

from weft.checkpoint.array_file import read_array_file, write_array_file
from weft.checkpoint.atomic import write_atomically
from weft.checkpoint.fit_state import Checkpoint, CheckpointState
from weft.checkpoint.journal import FitState, Journal, current_journal, journal_kept
from weft.checkpoint.packing import (
    pack_named,
    pack_strings,
    pack_symbols,
    unpack_named,
    unpack_strings,
    unpack_symbols,
)

__all__ = [
    "Checkpoint",
    "CheckpointState",
    "FitState",
    "Journal",
    "current_journal",
    "journal_kept",
    "pack_named",
    "pack_strings",
    "pack_symbols",
    "read_array_file",
    "unpack_named",
    "unpack_strings",
    "unpack_symbols",
    "write_array_file",
    "write_atomically",
]
