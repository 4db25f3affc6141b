"""Kernels for binding sites in DNA, for `SequenceSVC` to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.errors import InputError
from weft.kernels.base import Kernel
from weft.kernels.combinators import Normalized
from weft.kernels.grams.gapped_kmer import GappedKMerKernel
from weft.kernels.grams.window_pairs import WindowPairKernel, may_have_window
from weft.kernels.symbols import as_coded, form_of

HALF_LIVES = (None, 50.0)
WINDOW = 11
"""Length of the windows with estimated counts."""
MOST_LETTERS = 300_000
"""With more letters estimated counts are not offered: matrices of many sequences take long, and folds prefer these
kernels on sets that hold near copies, where test parts do not."""


def dna_kernels(
    X: Sequence[Any], *, half_life: float | None = None, dtype: str = "float32", n_jobs: int | None = -1
) -> list[Kernel]:
    """Kernels that did best on some training data of binding sites, for ``SequenceSVC(kernel=...)`` to choose from.

    All are of gapped k-mers on both strands, and normalised: windows of ten letters of which six count, and the same
    with windows near the centre counting more. Of training data of at most 300,000 letters also the kernel of LS-GKM,
    with estimated counts of windows of eleven letters (`WindowPairKernel`), near the centre or not, and the sum of
    both kinds near the centre. Which of them is best depends on the protein; that the counts help is seen on some,
    and that they harm on others. They are matrices, of which the model keeps its training sequences.

    Parameters
    ----------
    X : list of sequences
        What will be learned from.
    half_life : float, optional
        How fast the weight of windows falls from the centre on; None for 50 letters, and for equal weights too.
    dtype : {"float64", "float32"}
    n_jobs : int
        As in `GappedKMerKernel`.

    Returns
    -------
    list of Kernel

    Examples
    --------
    >>> import weft
    >>> len(weft.dna_kernels(["ACGTACGTACGT"])), len(weft.dna_kernels(["ACGTACGTACGT"], half_life=20.0))
    (5, 3)
    """

    def normalized(half: float | None, **windows: Any) -> Kernel:
        return Normalized(
            GappedKMerKernel(reverse_complement=True, half_life=half, dtype=dtype, n_jobs=n_jobs, **windows)
        )

    halves = HALF_LIVES if half_life is None else (half_life,)
    plain = [normalized(half) for half in halves]
    if isinstance(X, str):
        raise InputError(f"X is a string, {X[:40]!r}; a list of sequences is needed, such as [{X[:40]!r}].")
    sequences = as_coded(X)
    if len(sequences) and form_of(sequences) == "automata":
        return plain
    lengths = [len(x) for x in sequences]
    if sum(lengths) > MOST_LETTERS or not any(may_have_window(x, WINDOW) for x in sequences):
        return plain
    estimated = [Normalized(WindowPairKernel(WINDOW, 7, half_life=half, n_jobs=n_jobs)) for half in halves]
    return [*plain, *estimated, normalized(halves[-1]) + estimated[-1]]
