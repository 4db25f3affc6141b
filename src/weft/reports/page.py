"""One HTML page without anything from elsewhere: head, contents, sections."""

from __future__ import annotations

from collections.abc import Sequence

from weft.reports.calibration import reliability_diagram
from weft.reports.confusion import confusion_table
from weft.reports.curves import curve_chart
from weft.reports.errors import error_list
from weft.reports.facts import Picture, Report
from weft.reports.features import feature_cards
from weft.reports.markup import Markup, join, tag
from weft.reports.scores import class_table, score_tiles
from weft.reports.style import STYLE

__all__ = ["page", "report_page"]

# Nothing is fetched and nothing runs, whatever the data says.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


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
    links = [tag("li", tag("a", headline, href=f"#{key}")) for key, headline, _ in sections]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("title", title),
        tag("style", Markup(STYLE)),
    )
    body = tag(
        "body",
        tag("a", "Skip to the scores", class_="skip", href="#main"),
        tag(
            "header",
            tag("h1", title),
            tag("p", lead, class_="lead"),
            tag("nav", tag("ul", *links), aria_label="contents"),
        ),
        tag("main", *(_section(*section) for section in sections), id="main"),
        tag("footer", end),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _section(key: str, headline: str, content: Markup) -> Markup:
    return tag("section", tag("h2", headline, id=key), content, aria_labelledby=key)


def report_page(report: Report, end: str = "") -> str:
    """The page of a report; sections without content say why, or are left out.

    Examples
    --------
    >>> from weft.reports.facts import Score
    >>> shown = report_page(Report("tags", "", [], [], [Score("accuracy", 0.5, 0.4, 0.6, "bootstrap")]))
    >>> shown.startswith("<!DOCTYPE html>")
    True
    """
    contents: list[tuple[str, str, str, Markup | None]] = [
        ("scores", "Scores", _scores_note(report), _scores(report)),
        ("model", "Model and data", "", _facts(report)),
        (
            "confusion",
            "Confusions",
            "What is taken for what. Blue cells are right, orange ones are errors.",
            None if report.confusion is None else confusion_table(report.confusion),
        ),
        (
            "calibration",
            "Calibration of confidence",
            "On the dashed line, predictions of 80 % confidence are right four times in five; below it a model is too "
            "sure. Grey bars show how many predictions there are, blue ones the 95 % interval.",
            _figures([reliability_diagram(each) for each in report.calibrations]),
        ),
        ("learning", "Learning", "", _figures([curve_chart(each) for each in report.curves])),
        ("errors", "Worst errors", report.cases_note, error_list(report.cases) if report.cases else None),
        (
            "features",
            "Most telling features",
            "Weights by name, the strongest first: blue speaks for, orange against.",
            feature_cards(report.features) if report.features else None,
        ),
        ("structure", "What the structure looks like", "", _figures([_picture(each) for each in report.pictures])),
    ]
    sections = []
    for key, headline, note, content in contents:
        missing = report.missing.get(key)
        if content is None and missing is None:
            continue
        parts = [tag("p", note, class_="note") if note and content is not None else None, content]
        parts.append(tag("p", missing, class_="note") if missing else None)
        sections.append((key, headline, join(parts)))
    return page(report.title, report.lead, sections, end)


def _scores_note(report: Report) -> str:
    methods = sorted({score.method for score in report.scores})
    return f"In percent; 95 % intervals {' and '.join(methods)}."


def _scores(report: Report) -> Markup:
    parts = [score_tiles(report.scores)]
    if report.classes:
        parts += [tag("br"), class_table(report.classes, report.class_name)]
    return join(parts)


def _facts(report: Report) -> Markup:
    cards = []
    for title, facts in (("Model", report.model), ("Data", report.data)):
        rows = join(join([tag("dt", name), tag("dd", value)]) for name, value in facts)
        cards.append(tag("div", tag("h3", title), tag("dl", rows), class_="card"))
    return tag("div", *cards, class_="grid")


def _figures(figures: list[Markup]) -> Markup | None:
    return tag("div", *figures, class_="grid figures") if figures else None


def _picture(picture: Picture) -> Markup:
    drawing = picture.figure
    if picture.wide:
        drawing = tag("div", drawing, class_="scroll", tabindex="0", role="region", aria_label=picture.title)
    return tag(
        "figure",
        tag("h3", picture.title),
        drawing,
        tag("figcaption", picture.caption),
        class_="card wide" if picture.wide else "card",
        style="grid-column:1/-1" if picture.wide else None,
    )
