"""Questions about all secondary structures of one sequence, answered on the chart of its loops.

A structure comes as its pairs, an array of shape (n_pairs, 2) sorted by the first position.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.complex_step import exponential, step_along
from weft.core.memory import require_memory
from weft.core.semirings import Log, MaxPlus, Real
from weft.errors import InputError
from weft.structures.rna.loops.inside import N_PLANES, inside_loops
from weft.structures.rna.loops.outside import outside_loops
from weft.structures.rna.loops.places import special_places
from weft.structures.rna.loops.rows import N_KINDS
from weft.structures.rna.loops.tracebacks import best_pairs, trace_loops
from weft.structures.rna.tables import N_VALUES, NO_LETTER, consumed_bases

Symbols = NDArray[np.int32]
Pairs = NDArray[np.int32]
Codes = NDArray[np.int64]

NO_CODES = np.empty(0, dtype=np.int64)
"""No hairpin has a value by its letters."""
NO_BONUS = np.empty((0, 0))
_NO_BONUS_COMPLEX = np.empty((0, 0), dtype=np.complex128)
CONSUMED = consumed_bases()


def require_planes(n: int, n_bytes: int = 8, n_planes: int = N_PLANES) -> None:
    """Refuse n bases whose chart of numbers of so many bytes would not fit into memory."""
    require_memory(
        n_planes * (n + 2) ** 2 * n_bytes,
        f"tables for the structures of {n:,} bases",
        "fold it in windows, or on a machine with more",
    )


def fill_chart(
    algebra: Any,
    symbols: Symbols,
    values: Any,
    bonus: Any,
    least: int,
    codes: Codes = NO_CODES,
    has_numbers: bool = False,
) -> tuple[Any, Any, Any, Any]:
    """Value of the whole sequence, places of hairpins (`special_places`), the chart, and the values of its suffixes."""
    return _inside(algebra, symbols, values, bonus, least, codes, counting=False, has_numbers=has_numbers)[:4]


def _inside(
    algebra: Any,
    symbols: Symbols,
    values: Any,
    bonus: Any,
    least: int,
    codes: Codes,
    counting: bool,
    has_numbers: bool = False,
) -> tuple[Any, Any, Any, Any, Any]:
    """As `fill_chart`, and if parts are to be counted the sums of loops between two pairs."""
    n = len(symbols)
    check_parts(symbols, values, bonus, is_log=not (has_numbers or isinstance(algebra, Real)))
    empty, one = (0.0, 1.0) if isinstance(algebra, Real) else (-np.inf, 0.0)
    n_planes = N_PLANES + (N_KINDS + 2 if counting else 0)
    require_planes(n, values.dtype.itemsize, n_planes)
    shapes = (N_PLANES, n + 2, n + 2), (N_KINDS, n, n) if counting else (0, 0, 0), n + 1
    chart, sums, suffixes = tables = [np.empty(shape, dtype=values.dtype) for shape in shapes]
    for table in tables:
        table.fill(empty)
    special = special_places(symbols, codes)
    total = inside_loops(algebra, values.dtype.type(one), symbols, special, values, bonus, least, chart, sums, suffixes)
    return total, special, chart, suffixes, sums


def check_parts(symbols: Symbols, values: Any, bonus: Any, is_log: bool) -> None:
    """Refuse what the passes over loops cannot index: foreign letters, too few values, scores that are NaN or inf."""
    n = len(symbols)
    if symbols.dtype != np.int32 or n == 0 or symbols[symbols.argmin()] < 0 or symbols[symbols.argmax()] > NO_LETTER:
        raise InputError(
            f"symbols given as {n} numbers of type {symbols.dtype}; need int32 from 0 to {NO_LETTER}, at least one: "
            "use LoopModel.encode"
        )
    if values.shape != (N_VALUES,) or bonus.shape not in ((0, 0), (n, n)):
        raise InputError(
            f"values of shape {values.shape} and a bonus of {bonus.shape} given; need ({N_VALUES},), and ({n}, {n}) or "
            "none: give one value per part, one bonus per pair"
        )
    # Scores of -inf forbid a part; NaN and inf would make impossible states look possible.
    if is_log and not (values.real.max() < np.inf and bonus.real.max(initial=0.0) < np.inf):
        raise InputError("scores of parts hold NaN or inf; need numbers, or -inf to forbid: use smaller weights")


def best_structure(
    symbols: Symbols,
    scores: Floats,
    least: int,
    bonus: Floats = NO_BONUS,
    codes: Codes = NO_CODES,
    has_numbers: bool = False,
) -> tuple[Pairs, float]:
    """Best structure and its score.

    Parameters
    ----------
    symbols : ndarray of int32
        Numbers of the letters a, c, g, u; 4 for others.
    scores : ndarray of shape (N_VALUES,)
        Of the parts, as `weft.structures.rna.tables` has them.
    least : int
        Least number of bases in a hairpin.
    bonus : ndarray of shape (n, n), optional
        Added for each pair; ``-inf`` forbids it.
    codes : ndarray of int64, optional
        Hairpins with a value by their letters, as `LoopModel.codes` has them.
    has_numbers : bool
        Whether scores and bonus are known to hold neither NaN nor inf: a look at all scores for each sequence takes
        longer than all other checks together.
    """
    score, special, chart, suffixes = fill_chart(MaxPlus(), symbols, scores, bonus, least, codes, has_numbers)
    pairs, _ = best_pairs(symbols, special, scores, bonus, least, chart, suffixes)
    if is_lost(pairs):
        raise no_structure()
    return pairs, float(score)


def is_lost(pairs: Pairs) -> bool:
    """Whether `trace_loops` came to a state without a choice."""
    return len(pairs) == 1 and int(pairs[0, 0]) < 0


def no_structure() -> InputError:
    """Error for scores under which no structure has a finite one."""
    return InputError(
        "no structure of the sequence has a finite score under these weights; need weights whose sums are finite: "
        "use smaller ones, or train again"
    )


def expected_parts(
    symbols: Symbols,
    scores: Floats,
    least: int,
    rate: float | None = None,
    codes: Codes = NO_CODES,
    counting: bool = True,
) -> tuple[float, Floats, Floats]:
    """Log partition, how often each part is expected to occur, and the probability of each pair.

    The pass uses weights scaled by ``exp(-rate)`` per base, and logarithms only if those over- or underflow.

    Parameters
    ----------
    symbols, scores, least
        As in `best_structure`.
    rate : float, optional
        A guess at the log partition per base; by default the best score per base.
    codes : ndarray of int64, optional
        As in `best_structure`.
    counting : bool
        Whether parts are wanted, or pairs alone, which is quicker.

    Returns
    -------
    log_partition : float
    counts : ndarray of shape (N_VALUES,)
        Meaningless without `counting`.
    probabilities : ndarray of shape (n, n)
        Of pairs (i, j) with i < j; the rest is zero.
    """
    n = len(symbols)
    for attempt in (rate, None):
        if attempt is None:
            attempt = float(fill_chart(MaxPlus(), symbols, scores, NO_BONUS, least, codes)[0]) / n
            if not np.isfinite(attempt):
                raise no_structure()
        with np.errstate(over="ignore"):
            values = np.exp(scores - attempt * CONSUMED)
        total, counts, paired = _both_passes(Real(), symbols, values, NO_BONUS, least, codes, counting)
        if total > 0.0 and np.isfinite(counts).all():
            return float(np.log(total) + attempt * n), counts / total, paired / total
        if rate is None:
            break
    log_total, log_counts, log_paired = _both_passes(Log(), symbols, scores, NO_BONUS, least, codes, counting)
    return float(log_total), np.exp(log_counts - log_total), np.exp(log_paired - log_total)


def covariance_of_parts(
    symbols: Symbols,
    scores: Floats,
    least: int,
    direction: Floats,
    rate: float,
    bonus: Floats = NO_BONUS,
    codes: Codes = NO_CODES,
) -> tuple[float, Floats] | None:
    """Mean of a linear function of the structure, and its covariance with the counts of the parts.

    When the scores move along v, the derivative of the log partition is the mean of v, and that of the expected counts
    their covariance with v. A pass over complex numbers ``exp(score + i h v)`` computes both at once.

    Parameters
    ----------
    symbols, scores, least
        As in `best_structure`.
    direction : ndarray of shape (N_VALUES,)
        Value of the linear function on each part.
    rate : float
        Log partition per base.
    bonus : ndarray of shape (n, n), optional
        What the function gains for each pair.
    codes : ndarray of int64, optional
        As in `best_structure`.

    Returns
    -------
    mean : float
    covariances : ndarray of shape (N_VALUES,)
        None in place of both if the weights, scaled by the rate, over- or underflow.
    """
    step = step_along(direction, bonus)
    with np.errstate(over="ignore", invalid="ignore"):
        values = exponential(scores - rate * CONSUMED + 1j * step * direction)
    factors = _NO_BONUS_COMPLEX if bonus is NO_BONUS else 1.0 + 1j * step * bonus
    total, counts, _ = _both_passes(Real(), symbols, values, factors, least, codes)
    if not (total.real > 0.0 and np.isfinite(counts).all()):
        return None
    return float(total.imag / total.real / step), (counts / total).imag / step


def _both_passes(
    algebra: Any, symbols: Symbols, values: Any, bonus: Any, least: int, codes: Codes, counting: bool = True
) -> tuple[Any, Any, Any]:
    """Values of all structures, of those with each part, and of those with each pair."""
    n = len(symbols)
    total, special, chart, suffixes, sums = _inside(algebra, symbols, values, bonus, least, codes, counting)
    empty, one = (0.0, 1.0) if isinstance(algebra, Real) else (-np.inf, 0.0)
    prefixes = np.full(n + 1, empty, dtype=values.dtype)
    counts = np.full(len(values), empty, dtype=values.dtype)
    paired = np.full((n, n), empty, dtype=values.dtype)
    neutral = values.dtype.type(one)
    outside_loops(
        algebra, neutral, symbols, special, values, bonus, least, chart, sums, suffixes, prefixes, counts, paired
    )
    return total, counts, paired


def draw_structures(
    symbols: Symbols,
    values: Floats,
    least: int,
    n_samples: int,
    generator: np.random.Generator,
    codes: Codes = NO_CODES,
) -> list[Pairs]:
    """Random structures in proportion to the product of the values of their parts; empty if those overflow."""
    total, special, chart, suffixes = fill_chart(Real(), symbols, values, NO_BONUS, least, codes)
    if not (0.0 < total < np.inf and np.isfinite(values).all()):
        return []
    draws = (generator.random(8 * len(symbols)) for _ in range(n_samples))
    fixed = Real(), symbols, special, values, NO_BONUS, least, chart, suffixes
    drawn = [trace_loops(*fixed, own, 0.0)[0] for own in draws]
    return [] if any(map(is_lost, drawn)) else drawn
