"""Drawing of an RNA secondary structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.plotting.axes import Drawing, new_axes
from weft.plotting.rna_layout import rna_layout
from weft.sequences.formats.dotbracket import base_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weft.estimators.fold.folder import Folder

COLOURS = {"A": "#f2c14e", "C": "#5fa8d3", "G": "#e07a5f", "U": "#81b29a", "T": "#81b29a"}
LETTERS_UP_TO = 150
NUMBER_EVERY = 10


class RNAStructureDisplay(Drawing):
    """Bases as dots, the backbone as a line, pairs as bars: dark where the model is sure, pale where it is not.

    Parameters
    ----------
    sequence : str
    structure : str
        Dot-bracket string.
    probabilities : ndarray of shape (length, length), optional
        Of the base pairs; without them all bars are dark.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        Of the last `plot`.

    Examples
    --------
    >>> display = RNAStructureDisplay("GGGAAACCC", "(((...)))").plot()
    >>> display.ax_.get_title()
    '9 bases, 3 pairs'
    """

    def __init__(self, sequence: str, structure: str, probabilities: NDArray[np.float64] | None = None) -> None:
        if len(sequence) != len(structure):
            raise InputError(
                f"the sequence has {len(sequence)} bases but the structure {len(structure)} symbols; they must agree."
            )
        self.sequence = sequence
        self.structure = structure
        self.probabilities = probabilities

    @classmethod
    def from_estimator(cls, folder: Folder, sequence: str, ax: Axes | None = None) -> RNAStructureDisplay:
        """Fold a sequence and draw it."""
        [structure], [probabilities] = folder.predict([sequence]), folder.predict_marginals([sequence])
        return cls(sequence, structure, probabilities).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> RNAStructureDisplay:
        """Draw the structure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            None makes a new figure.
        """
        places = rna_layout(self.structure)
        pairs = base_pairs(self.structure)
        span = np.ptp(places, axis=0) + 2.0 if len(places) else np.ones(2)
        scale = 6.0 / float(span.max())
        ax = new_axes(ax, max(2.5, scale * span[0]), max(2.5, scale * span[1]) + 0.4)
        ax.plot(places[:, 0], places[:, 1], color="0.7", lw=1.2, zorder=1)
        for i, j in pairs:
            sure = 1.0 if self.probabilities is None else float(self.probabilities[i, j])
            shade = 0.15 + 0.85 * min(max(sure, 0.0), 1.0)
            ax.plot(*places[[i, j]].T, color="#234", alpha=shade, lw=1.8, zorder=2)
        colours = [COLOURS.get(base.upper(), "#cccccc") for base in self.sequence]
        size = max(4.0, min(160.0, (40.0 * scale) ** 2))
        ax.scatter(places[:, 0], places[:, 1], s=size, c=colours, ec="white", lw=0.5, zorder=3)
        if len(self.sequence) <= LETTERS_UP_TO:
            font = max(4.0, min(9.0, 28.0 * scale))
            for base, place in zip(self.sequence, places, strict=True):
                ax.text(place[0], place[1], base, ha="center", va="center", fontsize=font, zorder=4)
        self._number(ax, places, min(0.9, 0.22 / scale))
        ax.set_title(f"{len(self.sequence)} bases, {len(pairs)} pairs", fontsize=10)
        ax.set_aspect("equal")
        ax.margins(0.08)
        ax.axis("off")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _number(self, ax: Any, places: NDArray[np.float64], distance: float) -> None:
        """Write every tenth position beside its base, away from the middle of its neighbours."""
        for k in range(NUMBER_EVERY - 1, len(places), NUMBER_EVERY):
            near = np.linalg.norm(places - places[k], axis=1) < 3.0
            away = places[k] - places[near].mean(axis=0)
            length = float(np.linalg.norm(away))
            offset = away / length if length > 1e-9 else np.array([0.0, 1.0])
            at = places[k] + distance * offset
            ax.text(*at, str(k + 1), ha="center", va="center", fontsize=7, color="0.4")
