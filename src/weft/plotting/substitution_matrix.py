"""A substitution matrix as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.plotting.axes import Drawing, new_axes, new_figure
from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from weft.estimators.align.aligner import Aligner

NUMBERS_UP_TO = 26
"""Larger matrices have no room for their numbers."""


class SubstitutionMatrixDisplay(Drawing):
    """Heat map of the score of each pair of symbols: red for pairs that go together, blue for those that do not.

    Parameters
    ----------
    matrix : SubstitutionMatrix
    title : str, optional

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        Of the last `plot`.

    Examples
    --------
    >>> import numpy as np
    >>> from weft.structures.alignment.substitution_matrix import SubstitutionMatrix
    >>> matrix = SubstitutionMatrix(("A", "C"), np.array([[2.0, -1.0], [-1.0, 3.0]]), -2.5, -0.5)
    >>> SubstitutionMatrixDisplay(matrix).plot().ax_.get_title()
    'gap open -2.50, extend -0.50'
    """

    def __init__(self, matrix: SubstitutionMatrix, title: str | None = None) -> None:
        self.matrix = matrix
        self.title = title

    @classmethod
    def from_estimator(cls, aligner: Aligner, ax: Axes | None = None) -> SubstitutionMatrixDisplay:
        """Draw what an `Aligner` has learned."""
        return cls(aligner.substitution_matrix_).plot(ax=ax)

    @classmethod
    def compare(cls, matrices: dict[str, SubstitutionMatrix]) -> Figure:
        """Figure with several matrices side by side, named; each has a colour scale of its own (MM Figure 8).

        Examples
        --------
        >>> import numpy as np
        >>> from weft.structures.alignment.substitution_matrix import SubstitutionMatrix
        >>> matrix = SubstitutionMatrix(("A", "C"), np.eye(2), -1.0, -1.0)
        >>> figure = SubstitutionMatrixDisplay.compare({"given": matrix, "learned": matrix})
        >>> [ax.get_title() for ax in figure.axes[:2]]
        ['given', 'learned']
        """
        figure: Figure = new_figure(5.0 * len(matrices), 4.6)
        panels = np.ravel(figure.subplots(1, len(matrices)))
        for ax, (title, matrix) in zip(panels, matrices.items(), strict=True):
            cls(matrix, title).plot(ax=ax)
        return figure

    def plot(self, ax: Axes | None = None) -> SubstitutionMatrixDisplay:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            None makes a new figure.
        """
        names = [str(symbol) for symbol in self.matrix.alphabet]
        values = np.asarray(self.matrix.values)
        size = min(9.0, max(3.2, 0.34 * len(names)))
        ax = new_axes(ax, size + 0.9, size)
        reach = float(np.abs(values).max(initial=0.0)) or 1.0
        image = ax.imshow(values, cmap="RdBu_r", vmin=-reach, vmax=reach)
        ax.set_xticks(range(len(names)), names)
        ax.set_yticks(range(len(names)), names)
        ax.tick_params(length=0)
        if len(names) <= NUMBERS_UP_TO:
            whole = bool((values == np.round(values)).all())
            for i, j in np.ndindex(*values.shape):
                text = f"{values[i, j]:.0f}" if whole else f"{round(float(values[i, j]), 1) + 0.0:.1f}"  # no -0.0
                colour = "white" if abs(values[i, j]) > 0.6 * reach else "black"
                ax.text(j, i, text, ha="center", va="center", fontsize=6, color=colour)
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label="score")
        gaps = f"gap open {self.matrix.gap_open:.2f}, extend {self.matrix.gap_extend:.2f}"
        ax.set_title(gaps if self.title is None else self.title, fontsize=10)
        self.ax_, self.figure_ = ax, ax.figure
        return self
