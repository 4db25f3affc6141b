"""A de Bruijn graph and the path that reads a string from it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.plotting.axes import Drawing, new_axes
from weft.preimages.euler import DeBruijnGraph

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class DeBruijnDisplay(Drawing):
    """Picture of n-gram counts: (n-1)-grams on a circle, n-grams as arrows, numbered along the Euler path.

    Parameters
    ----------
    graph : DeBruijnGraph
    path : ndarray of int
        Edges in the order in which they are walked.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        Of the last `plot`.
    text_ : str
        What the path reads.

    Examples
    --------
    >>> from weft.preimages import DeBruijnGraph
    >>> display = DeBruijnDisplay.from_counts({"ab": 1, "bc": 2, "ca": 1, "cb": 1}, start="a")
    >>> display.text_
    'abcbca'
    """

    def __init__(self, graph: DeBruijnGraph, path: NDArray[np.int64]) -> None:
        self.graph = graph
        self.path = path
        read = graph.string(path)
        self.text_ = read if isinstance(read, str) else " ".join(map(str, read))

    @classmethod
    def from_counts(
        cls, counts: Mapping[Any, int], start: Hashable = None, stop: Hashable = None, ax: Axes | None = None
    ) -> DeBruijnDisplay:
        """Graph of n-gram counts with the path of the generalised Euler algorithm.

        Parameters
        ----------
        counts : mapping from n-grams to whole numbers
        start, stop
            See `DeBruijnGraph`.
        ax : matplotlib Axes, optional
            Draw at once; else call `plot`.
        """
        graph = DeBruijnGraph(counts, stop=stop)
        display = cls(graph, graph.path(start))
        return display if ax is None else display.plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> DeBruijnDisplay:
        """Draw the graph.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            None makes a new figure.
        """
        ax = new_axes(ax, 5.0, 5.0)
        vertices = self.graph.vertices
        angles = np.pi / 2.0 - 2.0 * np.pi * np.arange(len(vertices)) / max(1, len(vertices))
        places = np.column_stack([np.cos(angles), np.sin(angles)])
        steps: dict[int, list[int]] = {}
        for number, edge in enumerate(np.asarray(self.path).tolist(), start=1):
            steps.setdefault(edge, []).append(number)
        for edge, numbers in steps.items():
            source, target = int(self.graph.sources[edge]), int(self.graph.targets[edge])
            self._arrow(
                ax, places[source], places[target], ", ".join(map(str, numbers)), len(numbers), source == target
            )
        first = int(self.graph.sources[self.path[0]]) if len(self.path) else -1
        for i, vertex in enumerate(vertices):
            name = "".join(map(str, vertex))
            style = {"boxstyle": "circle,pad=0.35", "fc": "#fde3b3" if i == first else "white", "ec": "black"}
            ax.text(places[i][0], places[i][1], name, ha="center", va="center", bbox=style, zorder=3)
        ax.set_title(f"reads {self.text_}" if self.text_ else "no n-grams", fontsize=10)
        ax.set_xlim(-1.5, 1.5)
        ax.set_ylim(-1.5, 1.5)
        ax.set_aspect("equal")
        ax.axis("off")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _arrow(self, ax: Any, start: Any, end: Any, label: str, width: int, is_loop: bool) -> None:
        """One edge, bent to its left so that edges there and back lie apart, with the numbers of its steps."""
        style: dict[str, Any] = {"arrowstyle": "-|>", "color": "#356", "lw": 0.8 + 0.5 * width}
        if is_loop:
            side = start * 1.28 + 0.10 * np.array([-start[1], start[0]])
            other = start * 1.28 - 0.10 * np.array([-start[1], start[0]])
            ax.plot(*np.array([start, side, other, start]).T, color="#356", lw=style["lw"], zorder=1)
            ax.text(*(start * 1.42), label, ha="center", va="center", fontsize=8, color="#a30")
            return
        ax.annotate(
            "",
            end,
            start,
            arrowprops={**style, "shrinkA": 13, "shrinkB": 13, "connectionstyle": "arc3,rad=0.18"},
        )
        across = end - start
        # The middle of a quadratic curve that is bent by 0.18 of its length lies 0.09 of it aside.
        middle = (start + end) / 2.0 + 0.09 * np.array([across[1], -across[0]])
        room = {"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"}
        ax.text(*middle, label, ha="center", va="center", fontsize=8, color="#a30", bbox=room, zorder=4)
