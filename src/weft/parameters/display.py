"""Parameters as text, and as a table in notebooks."""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Iterable
from typing import Any

from weft.parameters.fitted import is_fitted
from weft.parameters.learned import learned_html

WIDTH = 80
"""Characters in a line of text."""
MOST_ITEMS = 30
"""Items that are shown of a list that does not fit into one line."""
MOST_CHARACTERS = 700
"""Characters of a whole text, spaces not counted; longer ones lose their middle."""
MOST_IN_CELL = 200
"""Characters of a value in a table."""


def _has_parameters(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def changed_parameters(owner: Any) -> dict[str, Any]:
    """Parameters that differ from the defaults of the constructor.

    Examples
    --------
    >>> from weft.learners.crf import CRF
    >>> changed_parameters(CRF(c2=0.5))
    {'c2': 0.5}
    """
    defaults = {name: each.default for name, each in inspect.signature(type(owner)).parameters.items()}
    return {
        name: value
        for name, value in owner.get_params(deep=False).items()
        if _differs(value, defaults.get(name, inspect.Parameter.empty))
    }


def _differs(value: Any, default: Any) -> bool:
    if default is inspect.Parameter.empty or (_has_parameters(value) and type(value) is not type(default)):
        return True
    if isinstance(value, float) and isinstance(default, float) and value != value and default != default:
        return False
    # Arrays and others have no plain answer to ==; their texts have.
    return repr(value) != repr(default)


# ------------------------------------------------------------------------ text


def parameters_text(owner: Any) -> str:
    """Write as a call with the parameters that differ from their defaults; long ones go over several lines.

    Examples
    --------
    >>> from weft.learners.crf import CRF
    >>> parameters_text([CRF(c2=0.5), CRF()])
    '[CRF(c2=0.5), CRF()]'
    """
    text = _wrapped(owner, 0, 0)
    if len("".join(text.split())) <= MOST_CHARACTERS:
        return text
    half = rf"^(\s*\S){{{MOST_CHARACTERS // 2}}}"
    left, right = _end_of(half, text), _end_of(half, text[::-1])
    if "\n" in text[left:-right]:
        right = _end_of(half + r"[^\n]*\n", text[::-1])  # the rest begins with a whole line
    return f"{text[:left]}...{text[-right:]}" if left + 3 < len(text) - right else text


def _end_of(pattern: str, text: str) -> int:
    found = re.match(pattern, text)
    return len(text) if found is None else found.end()


def _parts(value: Any) -> tuple[str, list[tuple[str, Any]], str] | None:
    """How a value opens, what it holds with the text before each, and how it closes; None when it is one piece."""
    if _has_parameters(value):
        changed = changed_parameters(value).items()
        return f"{type(value).__name__}(", [(f"{name}=", each) for name, each in sorted(changed)], ")"
    kind = type(value)
    if kind is list:
        return "[", [("", each) for each in value], "]"
    if kind is tuple:
        return "(", [("", each) for each in value], ",)" if len(value) == 1 else ")"
    if kind is dict:
        return "{", [(f"{_line(name)}: ", each) for name, each in _in_order(value.items())], "}"
    return None


def _in_order(items: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    listed = list(items)
    try:
        return sorted(listed, key=lambda item: item[0])
    except TypeError:
        return listed


def _line(value: Any) -> str:
    """All of a value in one line."""
    parts = _parts(value)
    if parts is None:
        return repr(value)
    opening, items, closing = parts
    return opening + ", ".join(before + _line(each) for before, each in items) + closing


def _wrapped(value: Any, indent: int, allowance: int) -> str:
    """A value that begins in column `indent`, and has `allowance` characters behind it in its last line."""
    line = _line(value)
    parts = _parts(value)
    if parts is None or len(line) <= WIDTH - indent - allowance:
        return line
    opening, items, closing = parts
    column = indent + len(opening)
    text, divider = opening, ""
    room = most = WIDTH - column + 1
    for number, (before, each) in enumerate(items):
        if number == MOST_ITEMS:
            return f"{text}, ...{closing}"
        behind = allowance + len(closing) if number == len(items) - 1 else 1
        if number == len(items) - 1:
            room, most = room - behind, most - behind
        shown = before + _line(each)
        if room < len(shown) + 2:
            room = most
            divider = divider and ",\n" + " " * column
        if room >= len(shown) + 2:
            text += divider + shown
            room, divider = room - len(shown) - 2, ", "
        else:
            text += divider + before + _wrapped(each, column + len(before), behind)
            divider = ",\n" + " " * column
    return text + closing


# ----------------------------------------------------------------------- table


def parameters_html(owner: Any) -> str:
    """A table of all parameters, those that differ from their defaults in bold; of a fitted one what it has learned.

    Examples
    --------
    >>> from weft.kernels.vectors.products import LinearKernel
    >>> parameters_html(LinearKernel())
    '<div class="weft-parameters"><details open><summary><b>LinearKernel</b></summary></details></div>'
    """
    learned = learned_html(owner) if is_fitted(owner) else ""
    return f'<div class="weft-parameters">{_table(owner, " open")}{learned}</div>'


def _table(owner: Any, state: str = "") -> str:
    learned = f" ({'fitted' if is_fitted(owner) else 'not fitted'})" if hasattr(owner, "fit") else ""
    summary = f"<summary><b>{html.escape(type(owner).__name__)}</b>{learned}</summary>"
    changed = changed_parameters(owner)
    rows = [_row(name, value, name in changed) for name, value in owner.get_params(deep=False).items()]
    table = f"<table>{''.join(rows)}</table>" if rows else ""
    return f"<details{state}>{summary}{table}</details>"


def _row(name: str, value: Any, changed: bool) -> str:
    shown = html.escape(name)
    cell = _table(value) if _has_parameters(value) else html.escape(_cut(repr(value)))
    return f"<tr><td>{f'<b>{shown}</b>' if changed else shown}</td><td>{cell}</td></tr>"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_IN_CELL else text[: MOST_IN_CELL - 3] + "..."
