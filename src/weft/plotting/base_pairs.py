"""Dot plot of base pairs: how probable each is, and which were predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.plotting.axes import Drawing, new_axes
from weft.sequences.formats.dotbracket import base_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weft.estimators.fold.folder import Folder

SMALLEST = 1e-3
"""Pairs less probable than this are not drawn."""


class BasePairDisplay(Drawing):
    """Base-pair probabilities above the diagonal, a structure below it.

    The area of a square is the probability of its pair.

    Parameters
    ----------
    sequence : str
    probabilities : ndarray of shape (length, length)
        As `Folder.predict_marginals` gives them.
    structure : str
        Dot-bracket string drawn below the diagonal.
    reference : str, optional
        Another dot-bracket string, drawn as circles there.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        Of the last `plot`.

    Examples
    --------
    >>> import weft
    >>> folder = weft.Folder().fit(["GGGAAACCC"], ["(((...)))"])
    >>> display = BasePairDisplay.from_estimator(folder, "GGGAAACCC")
    >>> display.structure
    '(((...)))'
    """

    def __init__(
        self, sequence: str, probabilities: NDArray[np.float64], structure: str, reference: str | None = None
    ) -> None:
        n = len(sequence)
        for name, text in (("structure", structure), ("reference", reference)):
            if text is not None and len(text) != n:
                raise InputError(f"{name} has {len(text)} symbols but the sequence has {n}; give one symbol for each.")
        if np.shape(probabilities) != (n, n):
            raise InputError(f"probabilities have shape {np.shape(probabilities)}; ({n}, {n}) is needed.")
        self.sequence = sequence
        self.probabilities = np.asarray(probabilities, dtype=np.float64)
        self.structure = structure
        self.reference = reference

    @classmethod
    def from_estimator(
        cls, folder: Folder, sequence: str, reference: str | None = None, ax: Axes | None = None
    ) -> BasePairDisplay:
        """Fold a sequence and draw it."""
        [probabilities], [structure] = folder.predict_marginals([sequence]), folder.predict([sequence])
        return cls(sequence, probabilities, structure, reference).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> BasePairDisplay:
        """Draw the pairs.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            None makes a new figure.
        """
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Rectangle

        ax = new_axes(ax, 5.2, 5.2)
        n = len(self.sequence)
        i, j = np.nonzero(np.triu(np.maximum(self.probabilities, self.probabilities.T), 1) > SMALLEST)
        sides = np.sqrt(np.clip(np.maximum(self.probabilities[i, j], self.probabilities[j, i]), 0.0, 1.0))
        squares = [Rectangle((y - s / 2, x - s / 2), s, s) for x, y, s in zip(i, j, sides, strict=True)]
        squares += [Rectangle((x - 0.5, y - 0.5), 1.0, 1.0) for x, y in base_pairs(self.structure)]
        ax.add_collection(PatchCollection(squares, facecolor="#234", edgecolor="none"))
        if self.reference is not None:
            true = np.array(base_pairs(self.reference)).reshape(-1, 2)
            ax.scatter(true[:, 0], true[:, 1], s=14, fc="none", ec="#d60", lw=0.9, zorder=3)
        ax.plot([-0.5, n - 0.5], [-0.5, n - 0.5], color="0.75", lw=0.8, zorder=0)
        ax.set_xlim(-0.5, n - 0.5)
        ax.set_ylim(n - 0.5, -0.5)
        ax.set_aspect("equal")
        if n <= 60:
            size = 9 if n <= 30 else 6
            ax.set_xticks(range(n), self.sequence, fontsize=size)
            ax.set_yticks(range(n), self.sequence, fontsize=size)
        circles = "" if self.reference is None else ", circles: reference"
        ax.set_title(f"above: probabilities; below: prediction{circles}", fontsize=9)
        self.ax_, self.figure_ = ax, ax.figure
        return self
