"""The best structure that a beam finds: for sequences that are too long for a chart."""

from __future__ import annotations

import numpy as np

from weft.arrays import Floats
from weft.core.memory import require_memory
from weft.core.semirings import MaxPlus
from weft.structures.rna.loops.beam import beam_loops
from weft.structures.rna.loops.places import special_places
from weft.structures.rna.queries import NO_BONUS, NO_CODES, Codes, Pairs, Symbols, check_parts, no_structure

STATE_BYTES = 24
"""Of a state that is kept, of which there are two kinds."""


def beam_structure(
    symbols: Symbols, scores: Floats, least: int, width: int, codes: Codes = NO_CODES
) -> tuple[Pairs, float]:
    """A structure of high score, and that score; nothing proves that it is the best.

    Time and memory grow with the length of the sequence. With a width of at least its length, the structure is the best
    one of those whose multiloops begin with at most 30 unpaired bases.

    Parameters
    ----------
    symbols, scores, least, codes
        As in `best_structure`.
    width : int
        How many states of a kind are kept that end with a base.

    Examples
    --------
    >>> from weft.structures.rna.model import LoopModel
    >>> model = LoopModel()
    >>> beam_structure(model.encode("gggaaaaccc"), model.scores(model.prior), 3, width=10)[0].tolist()
    [[0, 9], [1, 8], [2, 7]]
    """
    n = len(symbols)
    check_parts(symbols, scores, NO_BONUS, is_log=True)
    width = min(width, n)
    require_memory(2 * n * width * STATE_BYTES, f"{width:,} states for each of {n:,} bases", "use a narrower beam")
    pairs, score = beam_loops(MaxPlus(), symbols, special_places(symbols, codes), scores, least, width)
    if not np.isfinite(score):
        raise no_structure()
    return pairs, float(score)
