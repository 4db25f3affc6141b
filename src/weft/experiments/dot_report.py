"""Reports with many methods or sets: a line for each, a dot for what was measured, a circle for what was published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from weft.experiments.report import Measurement, Report
from weft.plotting.axes import new_figure

WIDE = 30.0
"""Values that differ by more than this factor get a logarithmic axis."""


class DotReport(Report):
    """A report whose picture has a line for each method and a colour for each setting.

    Examples
    --------
    >>> report = DotReport("toy", "A toy", "%", [Measurement("3", "trie", (5.0,), published=7.0)])
    >>> report.lines("")
    ['trie']
    """

    def lines(self, quantity: str) -> list[str]:
        """Methods that were measured by a quantity."""
        return list(dict.fromkeys(m.method for m in self.measurements if m.quantity == quantity))

    def plot(self, path: Path) -> None:
        """One picture with a panel per quantity; circles are published numbers."""
        tallest = max(len(self.lines(quantity)) for quantity in self.quantities)
        figure = new_figure(5.5 * len(self.quantities), 1.8 + 0.22 * tallest)
        entries: dict[str, Any] = {}
        for axes, quantity in zip(np.ravel(figure.subplots(1, len(self.quantities))), self.quantities, strict=True):
            entries.update(self._dots(axes, quantity))
        figure.legend(entries.values(), entries, loc="outside lower center", ncols=len(entries), fontsize=8)
        figure.suptitle(f"{self.heading}; circles: published", wrap=True)
        figure.savefig(path, dpi=120)

    def _dots(self, axes: Any, quantity: str) -> dict[str, Any]:
        lines, entries = self.lines(quantity), {}
        for k, setting in enumerate(self.settings):
            found = [m for m in self.measurements if m.quantity == quantity and m.setting == setting]
            places = [lines.index(m.method) for m in found]
            if found:
                name = f"{self.axis} = {setting}" if self.axis else setting
                entries[name] = axes.plot([m.mean for m in found], places, "o", color=f"C{k}", ms=4)[0]
                printed = [(m.published, y) for m, y in zip(found, places, strict=True) if m.published is not None]
                axes.plot([v for v, _ in printed], [y for _, y in printed], "o", mfc="none", mec=f"C{k}", ms=8)
        _stretch(axes, [m for m in self.measurements if m.quantity == quantity])
        axes.set_yticks(range(len(lines)), lines, fontsize=7)
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.grid(axis="y", alpha=0.3)
        axes.set_xlabel(quantity or self.unit)
        return entries


class SetReport(Report):
    """A report whose picture has a panel for each quantity, in it a line for each set and a colour for each method.

    Examples
    --------
    >>> SetReport("toy", "A toy", "%", [Measurement("words", "weft", (5.0,), quantity="F1")]).settings_of("F1")
    ['words']
    """

    def plot(self, path: Path) -> None:
        """One picture; circles are published numbers."""
        heights = [len(self.settings_of(quantity)) + 2.5 for quantity in self.quantities]
        figure = new_figure(9.0, 1.0 + 0.28 * sum(heights) + 0.08 * len(self.methods))
        panels = np.ravel(figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False))
        entries: dict[str, Any] = {}
        for axes, quantity in zip(panels, self.quantities, strict=True):
            entries.update(self._dots(axes, quantity))
        figure.legend(entries.values(), entries, loc="outside lower center", ncols=2, fontsize=8)
        figure.suptitle(f"{self.heading}; circles: published", wrap=True)
        figure.savefig(path, dpi=120)

    def _dots(self, axes: Any, quantity: str) -> dict[str, Any]:
        sets, entries = self.settings_of(quantity), {}
        for k, method in enumerate(self.methods):
            found = [(m, y) for y, each in enumerate(sets) if (m := self.find(each, method, quantity)) is not None]
            if found:
                means, places = [m.mean for m, _ in found], [y for _, y in found]
                entries[method] = axes.plot(means, places, "o", color=f"C{k % 10}", ms=5)[0]
            printed = [(m.published, y) for m, y in found if m.published is not None]
            axes.plot([v for v, _ in printed], [y for _, y in printed], "o", mfc="none", mec="black", ms=9)
        _stretch(axes, [m for m in self.measurements if m.quantity == quantity])
        axes.set_yticks(range(len(sets)), sets, fontsize=8)
        axes.set_ylim(len(sets) - 0.5, -0.5)
        axes.grid(axis="y", alpha=0.3)
        axes.set_xlabel(quantity or self.unit, fontsize=8)
        return entries


def _stretch(axes: Any, measurements: list[Measurement]) -> None:
    """A logarithmic axis where values differ widely."""
    values = [v for m in measurements for v in (m.mean, m.published) if v]
    if values and min(values) > 0 and max(values) > WIDE * min(values):
        axes.set_xscale("log")
