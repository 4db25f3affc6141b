"""What demos share: a clock, and a table of figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from weft.kinds.terminal import console_and_table

Setting = TypeVar("Setting")
Model = TypeVar("Model")


def trained(learn: Callable[[Setting], Model], settings: Mapping[str, Setting]) -> tuple[dict[str, Model], float]:
    """A model of each setting by name; seconds that the last one took."""
    models, seconds = {}, 0.0
    for name, setting in settings.items():
        began = time.perf_counter()
        models[name] = learn(setting)
        seconds = time.perf_counter() - began
    return models, seconds


def percents(*shares: float) -> list[str]:
    """Shares as a table shows them.

    Examples
    --------
    >>> percents(0.5)
    ['50.0 %']
    """
    return [f"{100 * share:.1f} %" for share in shares]


def print_table(titles: Sequence[str], rows: Sequence[Sequence[str]], n_best: int = 1) -> None:
    """Print figures side by side, the last rows in bold: names at the left, numbers at the right."""
    console, table = console_and_table(*titles)
    for number, row in enumerate(rows):
        table.add_row(*row, style="bold" if number >= len(rows) - n_best else None)
    console.print(table)
