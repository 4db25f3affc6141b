"""What is taken for what: a table of counts, shaded by the share of its row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from weft.reports.facts import Confusion
from weft.reports.rendering import Markup, render

MOST_NAMES = 20
N_COMMONEST = 10
LONG_NAME = 5


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
    right = set(confusion.right)
    rows = []
    n_wrong = 0
    for i, (name, counts) in enumerate(zip(confusion.rows, confusion.counts, strict=True)):
        cells = []
        for j, n in enumerate(counts):
            share = n / (sum(counts) or 1)
            # A single error among thousands must still be seen.
            strength = max(0.12, share if (i, j) in right else share**0.5)
            cells.append((n, "right" if (i, j) in right else "wrong", min(strength, 1.0)))
            n_wrong += n * ((i, j) not in right)
        rows.append((name, cells))
    return render(
        "confusion.html",
        confusion=confusion,
        rows=rows,
        is_long=any(len(name) > LONG_NAME for name in confusion.columns) and len(confusion.columns) > 4,
        # Errors outside the table are errors too, but only the table's are known here one by one.
        n_wrong=0 if confusion.n_outside else n_wrong,
    )
