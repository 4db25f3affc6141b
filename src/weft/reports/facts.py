"""What a report holds, as plain values: sections turn it into HTML, and `as_json` into numbers for machines."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from markupsafe import Markup


@dataclass(frozen=True)
class Score:
    """A share between nothing and all, and its 95 % interval.

    Attributes
    ----------
    name : str
    value, low, high : float
    method : str
        How the interval was found.
    is_error : bool
        Whether lower is better.
    meaning : str
        What it is a share of.
    """

    name: str
    value: float
    low: float
    high: float
    method: str
    is_error: bool = False
    meaning: str = ""


@dataclass(frozen=True)
class ClassScore:
    """Scores of one label, class, or kind of part."""

    name: str
    precision: float
    recall: float
    f1: float
    low: float
    high: float
    support: int


@dataclass(frozen=True)
class Confusion:
    """Counts of references (rows) by predictions (columns), cut to the names that matter most.

    Attributes
    ----------
    what : str
        What is counted, in the plural.
    rows, columns : list of str
    counts : list of list of int
    right : list of (int, int)
        Cells that are no error.
    n_names : int
        Names before the cut.
    n_outside : int
        What is counted in no cell.
    commonest : list of (str, str, int)
        The most frequent errors: reference, prediction, count.
    """

    what: str
    rows: list[str]
    columns: list[str]
    counts: list[list[int]]
    right: list[tuple[int, int]]
    n_names: int
    n_outside: int
    commonest: list[tuple[str, str, int]]


@dataclass(frozen=True)
class Calibration:
    """How often predictions of each confidence are right.

    Attributes
    ----------
    what : str
        What is predicted, in the plural.
    confidences, shares : list of float
        Mean confidence, and share that is right, of each bin.
    intervals : list of (float, float)
        Of the shares.
    counts : list of int
    error : float
        Expected calibration error: the mean distance between both, over predictions.
    honest_error : float
        What that would be on average if every confidence were true: so many predictions cannot tell less.
    """

    what: str
    confidences: list[float]
    shares: list[float]
    intervals: list[tuple[float, float]]
    counts: list[int]
    error: float
    honest_error: float

    @property
    def mean_confidence(self) -> float:
        """Of all predictions."""
        return sum(c * n for c, n in zip(self.confidences, self.counts, strict=True)) / sum(self.counts)

    @property
    def share_right(self) -> float:
        """Of all predictions."""
        return sum(c * n for c, n in zip(self.shares, self.counts, strict=True)) / sum(self.counts)


@dataclass(frozen=True)
class Curve:
    """Something against iterations, or against the size of the training data."""

    title: str
    x_name: str
    y_name: str
    x: list[float]
    y: list[float]
    intervals: list[tuple[float, float]] = field(default_factory=list)
    is_share: bool = False


@dataclass(frozen=True)
class Block:
    """Rows of symbols that stand below each other.

    Attributes
    ----------
    caption : str
    row_names : tuple of str
    columns : list of (tuple of str, str)
        A symbol for each row, and how it is marked: "" or "wrong".
    strong : bool
        Show levels instead: marks are whole numbers from -4 to 4 as text, against and for a class.
    """

    caption: str
    row_names: tuple[str, ...]
    columns: list[tuple[tuple[str, ...], str]]
    strong: bool = False


@dataclass(frozen=True)
class Case:
    """One prediction that is wrong.

    Attributes
    ----------
    title : str
        What it is about.
    verdict : str
        What is wrong, in a few words.
    confidence : float or None
        Probability that the model gave to it.
    cost : float
        What cases are ordered by.
    blocks : list of Block
    figure : Markup or None
        A drawing, if there is one.
    """

    title: str
    verdict: str
    confidence: float | None
    cost: float
    blocks: list[Block]
    figure: Markup | None = None


@dataclass(frozen=True)
class FeatureGroup:
    """Names and weights, those that say most."""

    title: str
    items: list[tuple[str, float]]


@dataclass(frozen=True)
class Picture:
    """A drawing of what was learned, its explanation, and the numbers in it."""

    title: str
    caption: str
    figure: Markup
    values: dict[str, Any]
    wide: bool = False


@dataclass(frozen=True)
class Report:
    """Everything on a page, in the order in which it stands there; empty parts are explained by `missing`.

    Attributes
    ----------
    title, lead : str
    model, data : list of (str, str)
        Facts.
    scores : list of Score
    classes : list of ClassScore
    class_name : str
        What `classes` are scores of.
    confusion : Confusion or None
    calibrations : list of Calibration
    curves : list of Curve
    cases : list of Case
    cases_note : str
        How cases are chosen and marked.
    features : list of FeatureGroup
    pictures : list of Picture
    missing : dict of str to str
        Section by section, why it is empty, or what was left out.
    """

    title: str
    lead: str
    model: list[tuple[str, str]]
    data: list[tuple[str, str]]
    scores: list[Score]
    classes: list[ClassScore] = field(default_factory=list)
    class_name: str = "label"
    confusion: Confusion | None = None
    calibrations: list[Calibration] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    cases_note: str = ""
    features: list[FeatureGroup] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)


def as_json(value: object) -> Any:
    """The numbers of a report without its drawings, as `json.dumps` takes them.

    Examples
    --------
    >>> as_json(FeatureGroup("N", [("cat", 1.5)]))
    {'title': 'N', 'items': [['cat', 1.5]]}
    """
    if is_dataclass(value):
        pairs = ((each.name, getattr(value, each.name)) for each in fields(value))
        return {name: as_json(each) for name, each in pairs if not isinstance(each, Markup)}
    if isinstance(value, dict):
        return {str(key): as_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
