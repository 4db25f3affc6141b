"""Whether a model that is 80 % sure is right four times in five: the reliability diagram."""

from __future__ import annotations

from collections.abc import Sequence

from weft.metrics.calibration import calibration_bins, expected_calibration_error, honest_calibration_error
from weft.metrics.intervals import wilson_interval
from weft.reports.axes import Frame
from weft.reports.facts import Calibration, Picture
from weft.reports.numbers import count, percent
from weft.reports.rendering import shape

TENTHS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
HISTOGRAM = 0.16
"""Height of the bars that show how many predictions a bin has, as a share of the frame."""


def calibration_of(confidences: Sequence[float], right: Sequence[bool | int], what: str) -> Calibration | None:
    """Bins of equal width, their shares of right predictions and the expected calibration error; None without any.

    Examples
    --------
    >>> round(calibration_of([0.95, 0.95], [1, 0], "tokens").error, 3)
    0.45
    """
    if not len(confidences):
        return None
    bins = calibration_bins(confidences, right)
    return Calibration(
        what,
        [each.confidence for each in bins],
        [each.share for each in bins],
        [wilson_interval(round(each.share * each.n), each.n) for each in bins],
        [each.n for each in bins],
        expected_calibration_error(confidences, right),
        honest_calibration_error(confidences),
    )


def reliability_diagram(calibration: Calibration) -> Picture:
    """Share that is right against confidence; on the diagonal a model knows what it knows.

    Examples
    --------
    >>> shown = reliability_diagram(calibration_of([0.95, 0.95], [1, 0], "tokens"))
    >>> "expected calibration error 45.0 %" in shown.caption
    True
    """
    frame = Frame((0.0, 1.0), (0.0, 1.0), 360.0, 330.0)
    largest = max(calibration.counts)
    parts = frame.axes(TENTHS, TENTHS, "confidence", "share that is right")
    for confidence, n in zip(calibration.confidences, calibration.counts, strict=True):
        place = min(int(confidence * 10), 9) / 10
        x0, y0 = frame.at(place + 0.01, HISTOGRAM * n / largest)
        x1, y1 = frame.at(place + 0.09, 0.0)
        parts.append(
            shape("rect", x=x0, y=y0, width=round(x1 - x0, 1), height=round(max(y1 - y0, 1.0), 1), fill="var(--line)")
        )
    parts.append(frame.line([0, 1], [0, 1], stroke="var(--soft)", stroke_dasharray="4 4"))
    for x, (low, high) in zip(calibration.confidences, calibration.intervals, strict=True):
        (left, y0), (_, y1) = frame.at(x, low), frame.at(x, high)
        parts.append(shape("line", x1=left, x2=left, y1=y0, y2=y1, stroke="rgb(var(--right) / .45)", stroke_width=3))
    parts.append(frame.line(calibration.confidences, calibration.shares, stroke="rgb(var(--right))", stroke_width=2))
    for x, y in zip(calibration.confidences, calibration.shares, strict=True):
        left, up = frame.at(x, y)
        parts.append(shape("circle", cx=left, cy=up, r=4, fill="rgb(var(--right))", stroke="var(--paper)"))
    gap = calibration.mean_confidence - calibration.share_right
    leaning = "overconfident" if gap > 0.01 else "underconfident" if gap < -0.01 else "neither over- nor underconfident"
    text = (
        f"{count(sum(calibration.counts), 'prediction')} ({calibration.what}): expected calibration error "
        f"{percent(calibration.error)} % ({percent(calibration.honest_error)} % on average for a perfectly calibrated "
        f"model); mean confidence {percent(calibration.mean_confidence)} %, right "
        f"{percent(calibration.share_right)} %, so the model is {leaning} on the whole."
    )
    figure = frame.drawing(parts, f"reliability diagram of {calibration.what}. {text}")
    return Picture(f"Confidence of {calibration.what}", text, figure, {})
