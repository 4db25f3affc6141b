"""Whether `fit` got examples in parts, which have their outputs with them and alone can be kept elsewhere."""

from __future__ import annotations

from typing import Any

from weft.errors import InputError
from weft.scale.examples import Examples, as_examples


def given_parts(X: Any, client: Any, spill: Any, **beside: Any) -> Examples | None:
    """Examples in parts if X is these, else None.

    Parameters
    ----------
    X, client, spill
        As `fit` got them; the last two say where to keep examples in parts, and are for these alone.
    **beside
        Arguments, two at least, that must be None beside examples in parts.

    Examples
    --------
    >>> parts = Examples.from_lists(["ab", "ba"], ["xy", "yx"], n_parts=2)
    >>> given_parts(["ab"], None, None, y=["xy"]), given_parts(parts, None, "folder", y=None, groups=None).names
    (None, ['part 0', 'part 1'])
    >>> given_parts(parts, None, None, y=["xy"], groups=None)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X has its outputs with it; pass no y and no groups beside examples in parts.
    """
    examples = as_examples(X)
    if examples is None:
        if client is not None or spill is not None:
            raise InputError("client and spill need examples in parts; pass weft.scale.Examples or a Dask bag as X.")
        return None
    if any(value is not None for value in beside.values()):
        *names, last = (f"no {name}" for name in beside)
        raise InputError(f"X has its outputs with it; pass {', '.join(names)} and {last} beside examples in parts.")
    return examples
