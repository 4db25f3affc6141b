"""What an experiment measured, beside what was published: as a table, as JSON and as a plot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from weft.experiments.files import write_json
from weft.plotting.axes import new_figure

WIDE = 10.0
"""Settings that grow by this factor are drawn on a logarithmic axis."""

WIDEST = 30.0
"""Inches that panels side by side may take; more go below."""


@dataclass(frozen=True)
class Measurement:
    """Results of one method in one setting, one value per run.

    Attributes
    ----------
    setting, method : str
    values : tuple of float
    published : float, optional
        The number that the paper prints.
    quantity : str
        What was measured, if a report has more than one quantity; each has a table and a plot of its own.
    """

    setting: str
    method: str
    values: tuple[float, ...]
    published: float | None = None
    quantity: str = ""

    @property
    def mean(self) -> float:
        """Mean over the runs."""
        return float(np.mean(self.values))

    @property
    def deviation(self) -> float:
        """Standard deviation over the runs; zero for a single one."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else 0.0


@dataclass(frozen=True)
class Report:
    """All measurements of an experiment.

    Attributes
    ----------
    name, title, unit : str
    measurements : list of Measurement
    p_values : list of dict
        Paired t-tests: ``setting``, ``first``, ``second``, ``measured`` and ``published``; where signs matter also
        ``difference``, the mean of the first minus that of the second, and ``published_lower``, which was lower.
    notes : list of str
        What a reader must know to compare.
    facts : dict
        Sizes, seeds and parameters of the runs.
    run : dict
        Which state of weft made it and what was asked for, as `run_experiment` notes it.
    style : {"bars", "lines", "histogram"}
        Bars per setting; lines over settings that are numbers, named by `axis`; or how often each value occurred.
    axis : str
    decimals : int
        Digits after the point in tables.

    Examples
    --------
    >>> report = Report("toy", "A toy", "%", [Measurement("noise 0", "SODA", (5.0, 6.0), published=5.4)])
    >>> report.to_dict()["measurements"][0]["mean"]
    5.5
    """

    name: str
    title: str
    unit: str
    measurements: list[Measurement]
    p_values: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    style: str = "bars"
    axis: str = ""
    decimals: int = 2
    run: dict[str, Any] = field(default_factory=dict)

    @property
    def is_quick(self) -> bool:
        """Whether the runs were few and small, so that no number means what its published neighbour does."""
        return bool(self.run.get("quick"))

    @property
    def heading(self) -> str:
        """The title, and that of a quick run says so."""
        return f"QUICK RUN, fewer and smaller than published: {self.title}" if self.is_quick else self.title

    @property
    def quantities(self) -> list[str]:
        """Quantities in the order of measurement; one without a name is the report's unit."""
        return list(dict.fromkeys(m.quantity for m in self.measurements))

    @property
    def settings(self) -> list[str]:
        """Settings in the order of measurement."""
        return list(dict.fromkeys(m.setting for m in self.measurements))

    def settings_of(self, quantity: str) -> list[str]:
        """Settings in which a quantity was measured."""
        return list(dict.fromkeys(m.setting for m in self.measurements if m.quantity == quantity))

    @property
    def methods(self) -> list[str]:
        """Methods in the order of measurement."""
        return list(dict.fromkeys(m.method for m in self.measurements))

    def find(self, setting: str, method: str, quantity: str = "") -> Measurement | None:
        """The measurement of a method in a setting, if there is one."""
        wanted = (setting, method, quantity)
        return next((m for m in self.measurements if (m.setting, m.method, m.quantity) == wanted), None)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, as JSON can hold them."""
        return {
            "experiment": self.name,
            "title": self.heading,
            "run": self.run,
            "unit": self.unit,
            "facts": self.facts,
            "decimals": self.decimals,
            "measurements": [
                {
                    "setting": m.setting,
                    "method": m.method,
                    "quantity": m.quantity or self.unit,
                    "n_runs": len(m.values),
                    "mean": m.mean,
                    "standard_deviation": m.deviation,
                    "published": m.published,
                    "values": list(m.values),
                }
                for m in self.measurements
            ],
            "p_values": self.p_values,
            "notes": self.notes,
        }

    def write(self, folder: Path) -> list[Path]:
        """Write ``NAME.json`` and ``NAME.png`` into a folder; return their paths."""
        paths = [folder / f"{self.name}.json", folder / f"{self.name}.png"]
        write_json(paths[0], self.to_dict())
        self.plot(paths[1])
        return paths

    def print(self, console: Any) -> None:
        """Print mean, deviation and, in brackets, the published number of each method and setting."""
        for quantity in self.quantities:
            here = [m for m in self.measurements if m.quantity == quantity]
            shown = [quantity or self.unit]
            shown += ["mean ± deviation"] if any(len(m.values) > 1 for m in here) else []
            published = "published, for full runs, in \\[]" if self.is_quick else "published in \\[]"
            shown += [published] if any(m.published is not None for m in here) else []
            console.print(f"{self.heading} ({', '.join(shown)})", style="italic", highlight=False)
            table = self._table(quantity, console.width)
            console.print(table)
        for test in self.p_values:
            console.print(p_value_text(test), markup=False)
        for note in self.notes:
            console.print(note, soft_wrap=True)

    def _table(self, quantity: str, width: int) -> Any:
        """A table of a quantity that cuts no number: side by side if there is room, else one row per measurement."""
        from rich.table import Table
        from rich.text import Text

        rows = self._rows(quantity)
        turned = [list(row) for row in zip(*rows, strict=True)]
        turned[0][0] = corner = rows[0][0].replace("method", "setting")
        n_names = 1
        chosen = next((each for each in (rows, turned) if _width(each) <= width), None)
        if chosen is None:
            chosen, n_names = [[corner, "method", "measured"], *self._measured(quantity)], 2
        table = Table()
        for number, name in enumerate(chosen[0]):
            if number < n_names:  # may take several lines, broken where a word is too long
                table.add_column(Text(name), overflow="fold")
            else:
                table.add_column(Text(name), justify="right", no_wrap=True)
        for row in chosen[1:]:
            if n_names == 2 and row[0]:
                table.add_section()
            table.add_row(*map(Text, row))
        return table

    def _measured(self, quantity: str) -> Iterator[list[str]]:
        """Setting, method and figures of each measurement; a setting is named once."""
        for setting in self.settings_of(quantity):
            name = setting
            for method in self.methods:
                if (found := self.find(setting, method, quantity)) is not None:
                    yield [name, method, self._cell(found)]
                    name = ""

    def _rows(self, quantity: str) -> list[list[str]]:
        """A table of a quantity: the head, and a row for each method."""
        settings = self.settings_of(quantity)
        rows = [["method, quick run" if self.is_quick else "method", *settings]]
        for method in self.methods:
            found = [self.find(setting, method, quantity) for setting in settings]
            if any(found):
                rows.append([method, *map(self._cell, found)])
        return rows

    def _cell(self, measurement: Measurement | None) -> str:
        if measurement is None:
            return ""
        text = f"{measurement.mean:.{self.decimals}f}"
        if len(measurement.values) > 1:
            text += f" ± {measurement.deviation:.{self.decimals}f}"
        return text if measurement.published is None else f"{text} [{measurement.published:g}]"

    def plot(self, path: Path) -> None:
        """One picture with a panel per quantity; circles are published numbers."""
        n_panels = len(self.quantities)
        width = 1.5 + 2.2 * len(self.settings) if self.style == "bars" else (7.5 if n_panels == 1 else 5.5)
        n_columns = int(np.clip(WIDEST // width, 1, n_panels))
        n_rows = -(-n_panels // n_columns)
        figure = new_figure(n_columns * width, 4.5 * n_rows)
        draw = {"bars": self._bars, "lines": self._lines, "histogram": self._histogram}
        panels = np.ravel(figure.subplots(n_rows, n_columns))
        for axes in panels[n_panels:]:
            axes.set_axis_off()
        panels = panels[:n_panels]
        for axes, quantity in zip(panels, self.quantities, strict=True):
            named = self.style == "lines" and not all(map(_is_number, self.settings_of(quantity)))
            draw["bars" if named else self.style](axes, quantity)
        # One legend for all panels, below them: as many columns as the longest name leaves room for.
        entries = {
            label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        columns = int(np.clip(14 * figure.get_figwidth() / (8 + max(map(len, entries))), 1, len(entries)))
        figure.legend(entries.values(), entries, loc="outside lower center", ncols=columns, fontsize=7)
        figure.suptitle(self.heading, wrap=True)
        figure.savefig(path, dpi=120)

    def _bars(self, axes: Any, quantity: str) -> None:
        settings = self.settings_of(quantity)
        methods = [method for method in self.methods if any(self.find(s, method, quantity) for s in settings)]
        width = 0.85 / len(methods)
        for i, method in enumerate(methods):
            found = [(j, m) for j, s in enumerate(settings) if (m := self.find(s, method, quantity)) is not None]
            places = [j + (i - (len(methods) - 1) / 2) * width for j, _ in found]
            means, deviations = [m.mean for _, m in found], [m.deviation for _, m in found]
            # A method has one look in all panels; after ten colours they come again, striped.
            number = self.methods.index(method)
            look = {"color": f"C{number % 10}", "hatch": "///" if number >= 10 else None}
            axes.bar(places, means, width, yerr=deviations, label=method, capsize=1.5, **look)
            printed = [(x, m.published) for x, (_, m) in zip(places, found, strict=True) if m.published is not None]
            axes.plot([x for x, _ in printed], [v for _, v in printed], "o", mfc="none", mec="black", ms=5)
        axes.set_xticks(range(len(settings)), settings)
        axes.set_ylabel(quantity or self.unit)

    def _lines(self, axes: Any, quantity: str) -> None:
        for number, method in enumerate(self.methods):  # after ten colours they come again, dashed
            found = [m for s in self.settings if (m := self.find(s, method, quantity)) is not None]
            if found:
                places = [float(m.setting) for m in found]
                axes.errorbar(
                    places,
                    [m.mean for m in found],
                    yerr=[m.deviation for m in found],
                    marker="o",
                    ms=3,
                    capsize=2,
                    color=f"C{number % 10}",
                    linestyle="--" if number >= 10 else "-",
                    label=method,
                )
        places = sorted(map(float, self.settings_of(quantity)))
        if places[0] > 0 and places[-1] >= WIDE * places[0]:
            axes.set_xscale("log")
            axes.set_xticks(places, [f"{place:,g}" for place in places])
            axes.minorticks_off()
        axes.set_xlabel(self.axis)
        axes.set_ylabel(quantity or self.unit)

    def _histogram(self, axes: Any, quantity: str) -> None:
        values = [m.values for m in self.measurements if m.quantity == quantity]
        # A few runs may lie far out: the last bin holds them all.
        last = float(np.ceil(1.5 * np.quantile(np.concatenate(values), 0.9))) + 1.0
        labels = [m.method for m in self.measurements if m.quantity == quantity]
        axes.hist([np.minimum(each, last) for each in values], bins=np.linspace(0.0, last, 25), label=labels)
        axes.set_xlabel(f"{quantity or self.unit} (last: {last:g} and more)")
        axes.set_ylabel("runs")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _width(rows: list[list[str]]) -> int:
    """Characters that a table with these cells takes."""
    return 1 + sum(3 + max(map(len, column)) for column in zip(*rows, strict=True))


def p_value_text(test: dict[str, Any]) -> str:
    """A paired test in one line, the published one in brackets.

    Examples
    --------
    >>> p_value_text({"setting": "noise 0", "first": "SODA", "second": "CRF", "measured": 0.031, "published": 0.05,
    ...               "difference": -0.2, "published_lower": "CRF"})
    'noise 0: SODA against CRF: p = 0.031, SODA lower [0.05, CRF lower]'
    """
    text = f"{test['setting']}: {test['first']} against {test['second']}: p = {test['measured']:.2g}"
    if test.get("difference"):
        text += f", {test['first'] if test['difference'] < 0 else test['second']} lower"
    if test.get("published") is None:
        return text
    lower = f", {test['published_lower']} lower" if test.get("published_lower") else ""
    return f"{text} [{test['published']:.2g}{lower}]"


def paired_p_value(first: Any, second: Any) -> float:
    """Two-sided p-value of a paired t-test; 1 if there are fewer than two runs or no difference at all.

    Examples
    --------
    >>> round(paired_p_value([1.0, 2.0, 3.0], [2.0, 4.0, 3.5]), 4)
    0.1181
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if len(differences) < 2 or not differences.any():
        return 1.0
    spread = float(differences.std(ddof=1)) / float(np.sqrt(len(differences)))
    if spread == 0.0:
        return 0.0
    return float(2.0 * stats.t.sf(abs(float(differences.mean())) / spread, len(differences) - 1))
