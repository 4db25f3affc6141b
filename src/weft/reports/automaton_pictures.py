"""The smallest automaton of a few strings, drawn from left to right."""

from __future__ import annotations

from collections.abc import Sequence

from weft.reports.rendering import Markup, drawing, shape

ACROSS, DOWN = 92.0, 40.0
RADIUS = 9.0

State = tuple[bool, tuple[tuple[str, int], ...]]


def gram_automaton(grams: Sequence[tuple[str, float]], text: str) -> Markup:
    """States as circles, symbols on arrows; double circles are ends of strings.

    Parameters
    ----------
    grams : sequence of (str, float)
        Strings; the weight is the thickness of the arrows that spell them.
    text : str
        What it shows, for those who do not see it.

    Examples
    --------
    >>> gram_automaton([("ab", 1.0), ("cb", 2.0)], "two strings").count("<circle")  # three states, one of them final
    4
    """
    states, start = _minimal([name for name, _ in grams])
    strength = _strengths(states, start, grams)
    places, height = _places(states, start)
    largest = max(strength.values(), default=1.0) or 1.0
    parts = []
    for (source, symbol), weight in sorted(strength.items()):
        target = dict(states[source][1])[symbol]
        (x0, y0), (x1, y1) = places[source], places[target]
        # Several symbols between the same states stand on one arrow.
        same = [s for s, t in states[source][1] if t == target]
        if symbol != same[0]:
            continue
        weight = max(strength[source, s] for s in same)
        middle = (x0 + x1) / 2
        curve = (
            f"M{x0 + RADIUS:.0f},{y0:.0f} C{middle:.0f},{y0:.0f} {middle:.0f},{y1:.0f} {x1 - RADIUS - 3:.0f},{y1:.0f}"
        )
        width = f"{1 + 2.5 * weight / largest:.1f}"
        parts.append(shape("path", d=curve, fill="none", stroke="rgb(var(--right) / .55)", stroke_width=width))
        shown = " ".join(same) if len(same) <= 4 else " ".join(same[:3]) + " …"
        # Arrows from one state have parted near their targets, arrows to one state have not met near their sources.
        x_share, y_share = (0.75, 0.9) if len(states[source][1]) > 1 else (0.25, 0.1)
        y = y0 + (y1 - y0) * y_share
        parts.append(
            shape("text", shown, class_="mono halo", x=f"{x0 + (x1 - x0) * x_share:.0f}", y=f"{y - 4:.0f}",
                text_anchor="middle")
        )  # fmt: skip
    for state, (x, y) in places.items():
        parts.append(shape("circle", cx=f"{x:.0f}", cy=f"{y:.0f}", r=RADIUS, fill="var(--paper)", stroke="var(--ink)"))
        if states[state][0]:
            parts.append(shape("circle", cx=f"{x:.0f}", cy=f"{y:.0f}", r=RADIUS - 3, fill="none", stroke="var(--ink)"))
    width_all = max(x for x, _ in places.values()) + 24
    return drawing(parts, round(width_all), round(height), text)


def _minimal(strings: Sequence[str]) -> tuple[list[State], int]:
    """States from the ends of the strings: those with the same continuations are one."""
    trie: dict[str, dict[str, None]] = {"": {}}
    for string in strings:
        for k in range(len(string)):
            trie.setdefault(string[:k], {})[string[k]] = None
            trie.setdefault(string[: k + 1], {})
    ends = set(strings)
    known: dict[State, int] = {}
    number: dict[str, int] = {}
    for prefix in sorted(trie, key=len, reverse=True):
        state = (prefix in ends, tuple(sorted((symbol, number[prefix + symbol]) for symbol in trie[prefix])))
        number[prefix] = known.setdefault(state, len(known))
    return list(known), number[""]


def _strengths(states: list[State], start: int, grams: Sequence[tuple[str, float]]) -> dict[tuple[int, str], float]:
    """The largest weight of a string that each arc spells."""
    strength: dict[tuple[int, str], float] = {}
    for name, weight in grams:
        state = start
        for symbol in name:
            strength[state, symbol] = max(strength.get((state, symbol), 0.0), weight)
            state = dict(states[state][1])[symbol]
    return strength


def _places(states: list[State], start: int) -> tuple[dict[int, tuple[float, float]], float]:
    """Columns by the longest way from the start, rows by the middle of the states before."""
    column = {start: 0}
    order = [start]
    # States are numbered from the ends, so that every arc leads to a smaller number.
    for state in sorted(range(len(states)), reverse=True):
        if state not in column:
            continue
        for _, target in states[state][1]:
            if target not in column:
                order.append(target)
            column[target] = max(column.get(target, 0), column[state] + 1)
    rows: dict[int, list[int]] = {}
    for state in order:
        rows.setdefault(column[state], []).append(state)
    tallest = max(map(len, rows.values()))
    height = DOWN * tallest + 20
    places: dict[int, tuple[float, float]] = {}
    for number in sorted(rows):
        if number:
            before = {
                state: [places[s][1] for s in places if any(t == state for _, t in states[s][1])]
                for state in rows[number]
            }
            rows[number].sort(key=lambda state: sum(before[state]) / max(len(before[state]), 1))
        step = height / len(rows[number])
        for k, state in enumerate(rows[number]):
            places[state] = (24 + ACROSS * number, step * (k + 0.5))
    return places, height
