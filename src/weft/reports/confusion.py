"""What is taken for what: a table of counts, shaded by the share of its row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from weft.reports.facts import Confusion
from weft.reports.markup import Markup, join, percent, tag

__all__ = ["confusion_of", "confusion_table"]

MOST_NAMES = 20
N_COMMONEST = 10
LONG_NAME = 5
STRONG = 0.55
"""Share of a row from which on a cell is so dark that its text is light."""


def confusion_of(counts: Mapping[tuple[str, str], int], what: str, most: int = MOST_NAMES) -> Confusion:
    """Count references against predictions, cut to the names with most errors, and of those the most frequent.

    Parameters
    ----------
    counts : mapping of (reference, prediction) to how often
    what : str
        What is counted, in the plural.
    most : int
        Names to keep.

    Examples
    --------
    >>> found = confusion_of({("N", "N"): 5, ("N", "V"): 2, ("V", "V"): 4}, "tokens")
    >>> found.rows, found.counts, found.commonest
    (['N', 'V'], [[5, 2], [0, 4]], [('N', 'V', 2)])
    """
    errors, uses = Counter[str](), Counter[str]()
    for (gold, guess), n in counts.items():
        for name in {gold, guess}:
            uses[name] += n
            errors[name] += n * (gold != guess)
    ranked = sorted(uses, key=lambda name: (-errors[name], -uses[name], name))[:most]
    names = sorted(ranked, key=lambda name: (-uses[name], name)) if len(uses) > most else sorted(ranked)
    table = [[counts.get((gold, guess), 0) for guess in names] for gold in names]
    wrong = [(gold, guess, n) for (gold, guess), n in counts.items() if gold != guess and n]
    return Confusion(
        what,
        names,
        names,
        table,
        [(i, i) for i in range(len(names))],
        len(uses),
        sum(counts.values()) - sum(map(sum, table)),
        sorted(wrong, key=lambda each: (-each[2], each[0], each[1]))[:N_COMMONEST],
    )


def confusion_table(confusion: Confusion) -> Markup:
    """The table, what is not in it, and the commonest errors as a list.

    Examples
    --------
    >>> shown = confusion_table(confusion_of({("<b>", "V"): 2, ("V", "V"): 3}, "tokens"))
    >>> "&lt;b&gt;" in shown, "<b>" in shown
    (True, False)
    """
    parts = []
    if confusion.n_outside:
        parts.append(
            tag(
                "p",
                f"Shown are {len(confusion.rows)} of {confusion.n_names} names, those with most errors; "
                f"{confusion.n_outside:,} {confusion.what} fall outside the table.",
                class_="note",
            )
        )
    note = f"Counts of {confusion.what}; the darker, the larger the share of the row."
    sides = [_headed("References against predictions", note, _table(confusion))]
    if confusion.commonest:
        sides.append(_headed("The commonest errors", "", _commonest(confusion)))
    return join([*parts, tag("div", *sides, class_="side")])


def _headed(headline: str, note: str, table: Markup) -> Markup:
    return tag(
        "div",
        tag("h3", headline),
        tag("p", note, class_="note") if note else None,
        tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=headline),
    )


def _table(confusion: Confusion) -> Markup:
    is_long = any(len(name) > LONG_NAME for name in confusion.columns) and len(confusion.columns) > 4
    corner = tag("th", "reference\N{NO-BREAK SPACE}↓ predicted\N{NO-BREAK SPACE}→", class_="corner", scope="col")
    head = [tag("th", tag("span", name), scope="col", class_="long" if is_long else None) for name in confusion.columns]
    right = set(confusion.right)
    rows = []
    for i, (name, row) in enumerate(zip(confusion.rows, confusion.counts, strict=True)):
        total = sum(row) or 1
        cells = [_cell(n, n / total, (i, j) in right) for j, n in enumerate(row)]
        rows.append(tag("tr", tag("th", name, scope="row"), *cells))
    return tag("table", tag("thead", tag("tr", corner, *head)), tag("tbody", *rows), class_="confusion")


def _cell(n: int, share: float, is_right: bool) -> Markup:
    if not n:
        return tag("td", "0", class_="zero")
    colour = "right" if is_right else "wrong"
    # A single error among thousands must still be seen.
    strength = max(0.12, share if is_right else share**0.5)
    return tag(
        "td",
        f"{n:,}",
        class_="strong" if strength > STRONG else None,
        style=f"background:rgb(var(--{colour}) / {min(strength, 1.0):.2f})",
    )


def _commonest(confusion: Confusion) -> Markup:
    n_wrong = sum(
        n for i, row in enumerate(confusion.counts) for j, n in enumerate(row) if (i, j) not in set(confusion.right)
    )
    # Errors outside the table are errors too, but only the table's are known here one by one.
    whole = n_wrong if not confusion.n_outside else None
    titles = ["reference", "predicted", "count", *(["of all errors"] if whole else [])]
    head = tag(
        "tr", *(tag("th", title, scope="col", class_="text" if title == "predicted" else None) for title in titles)
    )
    body = join(
        tag(
            "tr",
            tag("th", tag("code", gold), scope="row"),
            tag("td", tag("code", guess), class_="text"),
            tag("td", f"{n:,}"),
            tag("td", f"{percent(n / whole)} %") if whole else None,
        )
        for gold, guess, n in confusion.commonest
    )
    return tag("table", tag("thead", head), tag("tbody", body), class_="plain")
