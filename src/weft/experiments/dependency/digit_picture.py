"""A picture of digits, rows by method, beside the bars of a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.plotting.axes import new_figure

if TYPE_CHECKING:
    from weft.experiments.report import Report


def draw_digits(report: Report, images: dict[str, Any], path: Path) -> None:
    """Draw rows of images of 16 x 16 pixels, and the means of a report's methods below them.

    Parameters
    ----------
    report : Report
    images : dict of name to array of shape (n, 256)
    path : Path
    """
    figure = new_figure(8.0, 7.0)
    above, below = figure.subplots(2, 1, height_ratios=(3, 2))
    framed = [[np.pad(image.reshape(16, 16), 1, constant_values=1.0) for image in row] for row in images.values()]
    rows = [np.hstack(row) for row in framed]
    above.imshow(np.vstack(rows), cmap="gray_r", vmin=-1.0, vmax=1.0, interpolation="nearest")
    above.set_yticks([18 * i + 8.5 for i in range(len(rows))], list(images))
    above.set_xticks([])
    found = report.measurements
    below.barh(range(len(found)), [m.mean for m in found], xerr=[m.deviation for m in found], color="0.7", capsize=2)
    printed = [(m.published, i) for i, m in enumerate(found) if m.published is not None]
    below.plot([x for x, _ in printed], [i for _, i in printed], "o", mfc="none", mec="black", label="published")
    below.set_yticks(range(len(found)), [m.method for m in found])
    below.invert_yaxis()
    below.set_xlabel(report.unit)
    below.legend(fontsize=8)
    figure.suptitle(report.heading, wrap=True)
    figure.savefig(path, dpi=120)
