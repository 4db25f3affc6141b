"""Which parts of a sequence speak for a class: contributions of its features, shown in the text."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.kernels.feature_map import FeatureMap

LEVELS = 4
GREENS, REDS = (194, 157, 120, 82), (224, 217, 210, 203)
"""Colours of a terminal, from faint to strong."""


@dataclass(frozen=True)
class Highlight:
    """A sequence, and what each of its symbols adds to a decision.

    Attributes
    ----------
    sequence : str or list of tokens
    label : class that the contributions speak for
    decision : float
        Their sum, and the bias.
    contributions : ndarray of shape (len(sequence),)
        A feature's contribution is spread evenly over the symbols it covers.
    features : list of (start, stop, name, contribution)
        Occurrences of features, the strongest first.

    Examples
    --------
    >>> shown = Highlight("abc", "good", 1.0, np.array([1.0, 0.0, -1.0]), [])
    >>> print(shown)
    [a]b(c)
    >>> print(shown.to_html())
    <mark style="background: rgba(46, 160, 67, 0.80)">a</mark>b<mark style="...">c</mark>
    """

    sequence: Any
    label: Any
    decision: float
    contributions: NDArray[np.float64]
    features: list[tuple[int, int, str, float]]

    def levels(self) -> NDArray[np.int64]:
        """How strongly each symbol speaks, from -4 (against the label) to 4 (for it)."""
        largest = float(np.abs(self.contributions).max(initial=0.0))
        if largest == 0.0:
            return np.zeros(len(self.contributions), dtype=np.int64)
        return np.asarray(np.rint(LEVELS * self.contributions / largest), dtype=np.int64)

    def _runs(self) -> Iterator[tuple[int, str]]:
        """Stretches of one level, as text."""
        between = "" if isinstance(self.sequence, str) else " "
        levels = self.levels().tolist()
        runs = [(level, [i for i, _ in group]) for level, group in groupby(enumerate(levels), key=lambda pair: pair[1])]
        for number, (level, places) in enumerate(runs):
            text = between.join(str(self.sequence[i]) for i in places)
            yield level, text
            if between and number + 1 < len(runs):
                yield 0, between

    def to_text(self, threshold: int = 2) -> str:
        """Plain text: ``[for]`` the label and ``(against)`` it, where symbols speak at least this strongly (1 to 4)."""
        result, open_sign = [], 0
        for level, text in [*self._runs(), (0, "")]:
            sign = int(np.sign(level)) if abs(level) >= threshold else 0
            if sign != open_sign:
                result.append({1: "]", -1: ")", 0: ""}[open_sign] + {1: "[", -1: "(", 0: ""}[sign])
                open_sign = sign
            result.append(text)
        return "".join(result)

    def to_ansi(self) -> str:
        """Text for a terminal: green speaks for the label, red against it."""
        return "".join(
            f"\x1b[30;48;5;{(GREENS if level > 0 else REDS)[abs(level) - 1]}m{text}\x1b[0m" if level else text
            for level, text in self._runs()
        )

    def to_html(self) -> str:
        """Text for a page, escaped: green speaks for the label, red against it."""
        colours = {True: "46, 160, 67", False: "248, 81, 73"}
        return "".join(
            f'<mark style="background: rgba({colours[level > 0]}, {0.2 * abs(level):.2f})">{html.escape(text)}</mark>'
            if level
            else html.escape(text)
            for level, text in self._runs()
        )

    def _repr_html_(self) -> str:
        return f'<div style="white-space: pre-wrap">{self.to_html()}</div>'

    def __str__(self) -> str:
        return self.to_text()


def highlight_features(
    mapped: FeatureMap, sequence: Any, weights: NDArray[np.float64], label: Any, bias: float, names: list[str]
) -> Highlight:
    """Contributions of the features of one sequence to ``weights @ features + bias``.

    Examples
    --------
    >>> from weft.kernels.grams.ngram import NGramKernel
    >>> mapped, _ = NGramKernel(2).feature_map(["abb"])
    >>> shown = highlight_features(mapped, "abb", np.array([1.0, -0.5]), "x", 0.0, mapped.names())
    >>> shown.decision, shown.contributions
    (0.5, array([ 0.5 ,  0.25, -0.25]))
    """
    row = mapped.transform([sequence])
    values = np.zeros(len(weights))
    values[row.indices] = row.data * weights[row.indices]
    start, stop, column = mapped.spans(sequence)
    # A value may be a sum over occurrences: each has an equal share.
    counts = np.bincount(column, minlength=len(weights))
    shares = values[column] / counts[column]
    contributions = np.zeros(len(sequence) + 1)
    per_symbol = shares / np.maximum(stop - start, 1)
    np.add.at(contributions, start, per_symbol)
    np.subtract.at(contributions, stop, per_symbol)
    order = np.argsort(-np.abs(shares), kind="stable")
    columns = (start[order].tolist(), stop[order].tolist(), column[order].tolist(), shares[order].tolist())
    features = [(first, last, names[place], share) for first, last, place, share in zip(*columns, strict=True)]
    decision = float(values[row.indices].sum()) + bias
    return Highlight(sequence, label, decision, np.cumsum(contributions)[:-1], features)
