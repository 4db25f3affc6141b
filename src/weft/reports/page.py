"""One HTML page without anything from elsewhere: head, contents, sections."""

from __future__ import annotations

from collections.abc import Sequence

from weft.reports.calibration import reliability_diagram
from weft.reports.confusion import confusion_table
from weft.reports.curves import curve_chart
from weft.reports.errors import error_list
from weft.reports.facts import Picture, Report
from weft.reports.rendering import Markup, render


def page(title: str, lead: str, sections: Sequence[tuple[str, str, Markup]], end: str = "") -> str:
    """A whole page.

    Parameters
    ----------
    title, lead : str
        Headline, and what stands below it.
    sections : list of (str, str, Markup)
        Key, headline and content of each.
    end : str
        What stands at the foot.

    Examples
    --------
    >>> "<title>a &amp; b</title>" in page("a & b", "", [])
    True
    """
    return f"{render('page.html', title=title, lead=lead, sections=sections, end=end)}\n"


def report_page(report: Report, end: str = "") -> str:
    """The page of a report; sections without content say why, or are left out.

    Examples
    --------
    >>> from weft.reports.facts import Score
    >>> shown = report_page(Report("tags", "", [], [], [Score("accuracy", 0.5, 0.4, 0.6, "bootstrap")]))
    >>> shown.startswith("<!DOCTYPE html>")
    True
    """
    methods = " and ".join(sorted({score.method for score in report.scores}))
    cards = [("Model", report.model), ("Data", report.data)]
    contents: list[tuple[str, str, str, Markup | None]] = [
        (
            "scores",
            "Scores",
            f"In percent; 95 % intervals {methods}.",
            render("scores.html", scores=report.scores, classes=report.classes, name=report.class_name),
        ),
        ("model", "Model and data", "", render("facts.html", cards=cards)),
        (
            "confusion",
            "Confusions",
            "References (rows) by prediction (columns). Blue cells are right, orange ones are errors.",
            None if report.confusion is None else confusion_table(report.confusion),
        ),
        (
            "calibration",
            "Calibration of confidence",
            "On the dashed line, predictions of 80 % confidence are right four times in five; below it a model is "
            "overconfident. Grey bars show how many predictions there are, blue ones the 95 % interval.",
            _figures([reliability_diagram(each) for each in report.calibrations]),
        ),
        ("learning", "Learning", "", _figures([curve_chart(each) for each in report.curves])),
        ("errors", "Worst errors", report.cases_note, error_list(report.cases) if report.cases else None),
        (
            "features",
            "Most telling features",
            "Weights by name, strongest first: blue counts in favour, orange against.",
            feature_cards(report) if report.features else None,
        ),
        ("structure", "What the structure looks like", "", _figures(report.pictures)),
    ]
    sections = [
        (key, headline, render("section.html", note=note, content=content, missing=report.missing.get(key)))
        for key, headline, note, content in contents
        if content is not None or key in report.missing
    ]
    return page(report.title, report.lead, sections, end)


def feature_cards(report: Report) -> Markup:
    """A list of bars for each group of features; all bars have one scale."""
    largest = max((abs(weight) for group in report.features for _, weight in group.items), default=1.0) or 1.0
    return render("features.html", groups=report.features, largest=largest)


def _figures(figures: Sequence[Picture]) -> Markup | None:
    return render("figures.html", figures=figures) if figures else None
