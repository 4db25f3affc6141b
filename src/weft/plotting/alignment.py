"""An aligned pair of sequences, shaded by how sure the model is of each column."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.plotting.axes import Drawing, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weft.estimators.align.aligner import Aligner


class AlignmentDisplay(Drawing):
    """Two gapped rows in blocks; the darker a column, the more probable is the pair in it.

    Parameters
    ----------
    first, second : str or list of symbols
        Gapped rows of equal length, gaps as ``"-"``.
    posterior : ndarray of shape (len(ungapped first), len(ungapped second))
        Probability of each aligned pair, as `Aligner.predict_marginals` gives it.
    width : int
        Columns in a block.

    Attributes
    ----------
    column_probabilities_ : ndarray
        Probability of the pair of each column; not a number beside a gap.
    figure_, ax_ : matplotlib Figure and Axes
        Of the last `plot`.

    Examples
    --------
    >>> import numpy as np
    >>> display = AlignmentDisplay("AC-G", "A-TG", np.array([[0.9, 0.1, 0.0], [0.0, 0.3, 0.1], [0.0, 0.0, 0.8]]))
    >>> display.column_probabilities_
    array([0.9, nan, nan, 0.8])
    """

    def __init__(
        self, first: Sequence[Hashable], second: Sequence[Hashable], posterior: NDArray[np.float64], width: int = 60
    ) -> None:
        if len(first) != len(second):
            raise InputError(f"the rows have {len(first)} and {len(second)} columns; aligned rows are equally long.")
        wanted = tuple(sum(symbol != "-" for symbol in row) for row in (first, second))
        if np.shape(posterior) != wanted:
            raise InputError(f"posterior has shape {np.shape(posterior)}; {wanted} is needed for these rows.")
        if width < 1:
            raise InputError(f"width is {width!r}; a whole number >= 1 is needed.")
        self.first, self.second = first, second
        self.posterior = np.asarray(posterior, dtype=np.float64)
        self.width = width
        self.column_probabilities_ = self._columns()

    @classmethod
    def from_estimator(
        cls, aligner: Aligner, pair: tuple[Any, Any], ax: Axes | None = None, width: int = 60
    ) -> AlignmentDisplay:
        """Align two sequences and draw them."""
        [(first, second)], [posterior] = aligner.predict([pair]), aligner.predict_marginals([pair])
        return cls(first, second, posterior, width).plot(ax=ax)

    def _columns(self) -> NDArray[np.float64]:
        """Probability of the pair in each column."""
        is_symbol = np.array([[symbol != "-" for symbol in row] for row in (self.first, self.second)])
        at = np.cumsum(is_symbol, axis=1) - 1
        both = is_symbol.all(axis=0)
        probabilities = np.full(len(self.first), np.nan)
        probabilities[both] = self.posterior[at[0, both], at[1, both]]
        return probabilities

    def plot(self, ax: Axes | None = None) -> AlignmentDisplay:
        """Draw the rows.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            None makes a new figure.
        """
        from matplotlib import colormaps

        n = len(self.first)
        n_blocks = max(1, -(-n // self.width))
        columns = min(n, self.width)
        ax = new_axes(ax, 0.8 + 0.14 * columns, 0.7 + 0.62 * n_blocks)
        colours = colormaps["Greens"]
        for k in range(n):
            x, y = k % self.width, -3 * (k // self.width)
            sure = self.column_probabilities_[k]
            if not np.isnan(sure):
                shade = colours(0.05 + 0.7 * float(np.clip(sure, 0.0, 1.0)))
                ax.fill_between([x - 0.5, x + 0.5], y - 1.5, y + 0.5, color=shade, lw=0)
            for row, offset in ((self.first, 0), (self.second, -1)):
                ax.text(x, y + offset, str(row[k]), ha="center", va="center", fontsize=7, family="monospace")
        for block in range(n_blocks):
            number = str(block * self.width + 1)
            ax.text(-1.5, -3 * block - 0.5, number, ha="right", va="center", fontsize=6, color="0.4")
        ax.set_xlim(-4.0, columns + 0.5)
        ax.set_ylim(-3 * n_blocks + 0.5, 1.2)
        ax.axis("off")
        mean = float(np.nanmean(self.column_probabilities_)) if np.isfinite(self.column_probabilities_).any() else 0.0
        ax.set_title(f"{n} columns; green: probability of the pair, {mean:.2f} on average", fontsize=9)
        self.ax_, self.figure_ = ax, ax.figure
        return self
