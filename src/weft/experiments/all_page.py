"""The page of all experiments: what was published, what was measured, and what could not be."""

from __future__ import annotations

import base64
from typing import Any

from weft.experiments.published import DRAWING, WORKED
from weft.experiments.report import p_value_text
from weft.experiments.run_settings import command_of
from weft.reports.numbers import count
from weft.reports.page import page
from weft.reports.rendering import Markup, render

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
    >>> from weft.experiments.run_settings import run_settings
    >>> nothing = {"settings": run_settings(True, None, 0), "documents": {}, "published": []}
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
    end = (
        f"weft {settings['weft']} (source {settings['source']}), seed {settings['seed']}; made by: weft reproduce --all"
    )
    return page("Published experiments, run again", lead, sections, end)


def _published(everything: dict[str, Any]) -> Markup:
    """A table of all tables and figures for each document."""
    states = {each["name"]: STATUS[each["status"]] for each in everything["experiments"]}
    rows = [
        (item, [(name, states[name]) for name in item["experiments"] if name in states])
        for item in everything["published"]
    ]
    documents = [
        (key, title, [row for row in rows if row[0]["document"] == key])
        for key, title in everything["documents"].items()
    ]
    return render("published.html", documents=documents)


def _open(everything: dict[str, Any]) -> Markup:
    """What failed or lacks data now, and what has no experiment at all."""
    entries = [(each["name"], _state(each)) for each in everything["experiments"] if each["status"] != "done"]
    entries += [
        (f"{item['document']} {item['name']}", item["note"])
        for item in everything["published"]
        if item["note"] not in ("", DRAWING, WORKED)
    ]
    return render("entries.html", entries=entries)


def _state(each: dict[str, Any]) -> str:
    return ": ".join(part for part in (STATUS[each["status"]], each.get("reason")) if part)


def _experiment(each: dict[str, Any], picture: bytes | None) -> Markup:
    if each["status"] != "done":
        return render("experiment.html", each=each, report=None, state=_state(each))
    report = each["report"]
    quantities = dict.fromkeys(m["quantity"] for m in report["measurements"])
    facts = [f"{name} {value}" for name, value in report["facts"].items() if isinstance(value, int | float | str)]
    return render(
        "experiment.html",
        each=each,
        report=report,
        tables=[_measured(report, quantity) for quantity in quantities],
        tests=list(map(p_value_text, report["p_values"])),
        picture=None if picture is None else base64.b64encode(picture).decode("ascii"),
        facts="; ".join(facts),
        command=command_of(each["name"], each["settings"]),
    )


def _measured(report: dict[str, Any], quantity: str) -> tuple[str, list[str], list[tuple[str, list[str]]]]:
    """Methods below each other, settings side by side; the other way round if there are many settings."""
    measurements = [m for m in report["measurements"] if m["quantity"] == quantity]
    methods = list(dict.fromkeys(m["method"] for m in measurements))
    settings = list(dict.fromkeys(m["setting"] for m in measurements))
    found = {(m["method"], m["setting"]): m for m in measurements}
    turned = len(settings) > len(methods)
    rows, columns = (settings, methods) if turned else (methods, settings)
    decimals = report.get("decimals", 2)
    cells = [
        (row, [_cell(found.get((column, row) if turned else (row, column)), decimals) for column in columns])
        for row in rows
    ]
    return quantity, columns, cells


def _cell(measurement: dict[str, Any] | None, decimals: int) -> str:
    if measurement is None:
        return ""
    text = f"{measurement['mean']:.{decimals}f}"
    if measurement["n_runs"] > 1:
        text += f" ± {measurement['standard_deviation']:.{decimals}f}"
    return text if measurement["published"] is None else f"{text} [{measurement['published']:g}]"
