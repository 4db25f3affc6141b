"""The page of all experiments: what was published, what was measured, and what could not be."""

from __future__ import annotations

import base64
from typing import Any

from weft.experiments.published import DRAWING, WORKED
from weft.reports.markup import Markup, count, join, tag
from weft.reports.page import page

__all__ = ["all_page"]

PICTURE = "width:100%;min-width:38rem;height:auto;display:block;background:#fff"
"""Plots keep a size that can be read; on a phone they scroll."""
STATUS = {"done": "measured", "no data": "data set missing", "failed": "failed", "not run yet": "not run yet"}


def all_page(everything: dict[str, Any], pictures: dict[str, bytes]) -> str:
    """One self-contained HTML page.

    Parameters
    ----------
    everything : dict
        As `run_all` returns it.
    pictures : dict from str to bytes
        PNG files of the experiments that are done.

    Examples
    --------
    >>> nothing = {"settings": {"weft": "0", "quick": True, "seed": 0}, "documents": {}, "published": []}
    >>> all_page({**nothing, "experiments": []}, {}).startswith("<!DOCTYPE html>")
    True
    """
    experiments = everything["experiments"]
    settings = everything["settings"]
    states = [each["status"] for each in experiments]
    lead = f"{count(states.count('done'), 'experiment')} of {len(states)} measured beside what was published. "
    if settings["quick"]:
        lead += "Quick runs: few and small, they show that all works and not what the numbers are. "
    sections = [
        ("published", "Tables and figures", _published(everything)),
        ("open", "What could not be measured or compared", _open(everything)),
        *((each["name"], each["name"], _experiment(each, pictures.get(each["name"]))) for each in experiments),
    ]
    end = f"weft {settings['weft']}, seed {settings['seed']}; made by: weft reproduce --all"
    return page("Published experiments, run again", lead, sections, end)


def _published(everything: dict[str, Any]) -> Markup:
    """A table of all tables and figures for each document."""
    states = {each["name"]: each["status"] for each in everything["experiments"]}
    parts = []
    for key, title in everything["documents"].items():
        rows = []
        for item in everything["published"]:
            if item["document"] != key:
                continue
            links = [
                join([tag("a", name, href=f"#{name}"), f" ({STATUS[states[name]]})"])
                for name in item["experiments"]
                if name in states
            ]
            answer = [*links, item["note"], f"tests/{item['test']}" if item["test"] else ""]
            cells = join((part for part in answer if part), "; ")
            rows.append(
                tag(
                    "tr",
                    tag("th", item["name"], scope="row", style="white-space:normal"),
                    _wide(item["what"]),
                    _wide(cells),
                )
            )
        titles = ("item", "what it shows", "answer")
        head = tag("tr", *(tag("th", name, scope="col", style="text-align:left") for name in titles))
        parts.append(tag("h3", f"{key}: {title}"))
        parts.append(_scrolled(tag("table", tag("thead", head), tag("tbody", *rows), class_="plain"), key))
    return join(parts)


def _wide(content: Any) -> Markup:
    return tag("td", content, class_="text", style="white-space:normal;overflow-wrap:anywhere;min-width:6.5rem")


def _scrolled(content: Markup, text: str) -> Markup:
    return tag("div", content, class_="scroll", tabindex="0", role="region", aria_label=text)


def _open(everything: dict[str, Any]) -> Markup:
    """What failed or lacks data now, and what has no experiment at all."""
    entries = [
        join([tag("dt", each["name"]), tag("dd", _state(each))])
        for each in everything["experiments"]
        if each["status"] != "done"
    ]
    entries += [
        join([tag("dt", f"{item['document']} {item['name']}"), tag("dd", item["note"])])
        for item in everything["published"]
        if item["note"] not in ("", DRAWING, WORKED)
    ]
    return tag("dl", *entries)


def _state(each: dict[str, Any]) -> str:
    return ": ".join(part for part in (STATUS[each["status"]], each.get("reason")) if part)


def _experiment(each: dict[str, Any], picture: bytes | None) -> Markup:
    if each["status"] != "done":
        return join([tag("p", each["description"]), tag("p", _state(each), class_="note")])
    report = each["report"]
    parts = [tag("p", f"{report['title']}. Mean ± deviation over the runs; published numbers in brackets.")]
    for quantity in dict.fromkeys(m["quantity"] for m in report["measurements"]):
        own = [m for m in report["measurements"] if m["quantity"] == quantity]
        parts.append(_scrolled(_measured(own, quantity, report.get("decimals", 2)), quantity))
    if report["p_values"]:
        parts.append(tag("ul", *(tag("li", _test(test)) for test in report["p_values"]), class_="note"))
    if picture is not None:
        source = "data:image/png;base64," + base64.b64encode(picture).decode("ascii")
        image = tag("img", src=source, alt=report["title"], style=PICTURE)
        parts.append(tag("figure", _scrolled(image, report["title"]), class_="card"))
    parts += [tag("p", note.replace("\\[", "["), class_="note") for note in report["notes"]]
    facts = [f"{name} {value}" for name, value in report["facts"].items() if isinstance(value, int | float | str)]
    took = f"{each['seconds']:,.0f} seconds. " if each["seconds"] >= 1 else ""
    command = f"weft reproduce {each['name']}{' --quick' if each['settings']['quick'] else ''}"
    parts.append(tag("p", took, "; ".join(facts), ". " if facts else "", tag("code", command), class_="note"))
    return join(parts)


def _measured(measurements: list[dict[str, Any]], quantity: str, decimals: int) -> Markup:
    """Methods below each other, settings side by side; the other way round if there are many settings."""
    methods = list(dict.fromkeys(m["method"] for m in measurements))
    settings = list(dict.fromkeys(m["setting"] for m in measurements))
    found = {(m["method"], m["setting"]): m for m in measurements}
    turned = len(settings) > len(methods)
    rows, columns = (settings, methods) if turned else (methods, settings)
    head = tag("tr", tag("th", quantity, scope="col"), *(tag("th", name, scope="col") for name in columns))
    body = [
        tag(
            "tr",
            tag("th", row, scope="row"),
            *(tag("td", _cell(found.get((column, row) if turned else (row, column)), decimals)) for column in columns),
        )
        for row in rows
    ]
    return tag("table", tag("thead", head), tag("tbody", *body), class_="plain")


def _cell(measurement: dict[str, Any] | None, decimals: int) -> str:
    if measurement is None:
        return ""
    text = f"{measurement['mean']:.{decimals}f}"
    if measurement["n_runs"] > 1:
        text += f" ± {measurement['standard_deviation']:.{decimals}f}"
    return text if measurement["published"] is None else f"{text} [{measurement['published']:g}]"


def _test(test: dict[str, Any]) -> str:
    published = "" if test.get("published") is None else f" [{test['published']:.2g}]"
    return f"{test['setting']}: {test['first']} against {test['second']}: p = {test['measured']:.2g}{published}"
