"""Forbidden steps between labels, by the name of a tagging scheme or as a list of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.annotations import Constraints
from weft.errors import InputError
from weft.sequences.checks import locate
from weft.structures.chain.features import ForbiddenLabels

SCHEMES = ("BIO", "BIOES")


def _parts(label: Any) -> tuple[str, str]:
    prefix, _, kind = str(label).partition("-")
    return prefix, kind


def forbidden_labels(constraints: Constraints | None, classes: Sequence[Any]) -> ForbiddenLabels | None:
    """Which steps between labels a constraint forbids.

    Parameters
    ----------
    constraints : {"BIO", "BIOES"}, list of (label, label) pairs, or None
        A scheme by name, or the forbidden steps themselves; None as first member of a pair means the start of a
        sequence, as second member its end.
    classes : sequence of labels

    Examples
    --------
    >>> forbidden_labels("BIO", ["B-X", "I-X", "O"]).steps.astype(int)
    array([[0, 0, 0],
           [0, 0, 0],
           [0, 1, 0]])
    """
    if constraints is None:
        return None
    n_labels = len(classes)
    if isinstance(constraints, str) or not np.iterable(constraints):
        if constraints not in SCHEMES:
            raise InputError(
                f"constraints is {constraints!r}; use 'BIO', 'BIOES', or a list of forbidden (label, label) pairs."
            )
        return _scheme(constraints, classes)
    index = {label: i for i, label in enumerate(classes)}
    forbidden = ForbiddenLabels(
        np.zeros((n_labels, n_labels), dtype=bool),
        np.zeros(n_labels, dtype=bool),
        np.zeros(n_labels, dtype=bool),
    )
    for pair in constraints:
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise InputError(f"constraints holds {pair!r}; pairs (label, label) of forbidden steps are needed.")
        for label in pair:
            if label is not None and label not in index:
                raise InputError(
                    f"constraints names the label {label!r}, which is not in the training labels; remove it."
                )
        before, after = pair
        if before is None and after is not None:
            forbidden.start[index[after]] = True
        elif after is None and before is not None:
            forbidden.end[index[before]] = True
        elif before is not None:
            forbidden.steps[index[before], index[after]] = True
    return forbidden


def _scheme(name: str, classes: Sequence[Any]) -> ForbiddenLabels:
    parts = [_parts(label) for label in classes]
    continuing = "I" if name == "BIO" else "IE"
    must_go_on = "" if name == "BIO" else "BI"
    for label, (prefix, kind) in zip(classes, parts, strict=True):
        if prefix not in [*name, "O"] or (prefix != "O" and not kind):
            raise InputError(
                f"the label {label!r} does not fit constraints={name!r}; labels are 'O' or a prefix of {name} "
                "with a type, such as 'B-PER': use another scheme or none."
            )
    size = len(parts)
    steps = np.zeros((size, size), dtype=bool)
    for p, (prefix, kind) in enumerate(parts):
        for z, (next_prefix, next_kind) in enumerate(parts):
            opened = prefix in "BI" and prefix != "O"
            goes_on = next_prefix in continuing and opened and kind == next_kind
            steps[p, z] = (next_prefix in continuing and not goes_on) or (prefix in must_go_on and not goes_on)
    start = np.array([prefix in continuing for prefix, _ in parts])
    end = np.array([bool(must_go_on) and prefix in must_go_on for prefix, _ in parts])
    return ForbiddenLabels(steps, start, end)


def check_allowed(
    labels: NDArray[np.int32],
    offsets: NDArray[np.int64],
    forbidden: ForbiddenLabels | None,
    classes: Sequence[Any],
) -> None:
    """Raise if a reference label sequence takes a forbidden step."""
    if forbidden is None:
        return
    bad = np.zeros(len(labels), dtype=bool)
    bad[1:] = forbidden.steps[labels[:-1], labels[1:]]
    bad[offsets[:-1]] = forbidden.start[labels[offsets[:-1]]]
    ends = offsets[1:] - 1
    bad_end = ends[forbidden.end[labels[ends]]]
    if bad.any() or len(bad_end):
        place = int(np.flatnonzero(bad)[0]) if bad.any() else int(bad_end[0])
        sequence, position = locate(place, np.diff(offsets).tolist())
        label = classes[labels[place]]
        if not bad.any():
            step = f"{label!r} at the end"
        elif position == 0:
            step = f"{label!r} at the start"
        else:
            step = f"{classes[labels[place - 1]]!r} before {label!r}"
        raise InputError(
            f"y[{sequence}][{position}] breaks the constraints: {step} is forbidden; fix the labels or drop "
            "constraints."
        )
