"""What was meant by a name that does not exist."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """The known name that is most like `name`; None when none is like it.

    Examples
    --------
    >>> did_you_mean("Taggr", ["Aligner", "Tagger"])
    'Tagger'
    """
    import difflib  # only mistakes need it

    spelt = {each.lower(): each for each in reversed(known)}
    near = difflib.get_close_matches(name, known, 1)
    if not near:
        near = [spelt[each] for each in difflib.get_close_matches(name.lower(), list(spelt), 1)]
    return near[0] if near else None


def with_article(name: str) -> str:
    """A name as a sentence has it.

    Examples
    --------
    >>> with_article("Tagger"), with_article("Aligner")
    ('a Tagger', 'an Aligner')
    """
    return f"{'an' if name[:1] in set('AEIOU') else 'a'} {name}"


def no_such_name(module: str, name: str, known: Sequence[str]) -> AttributeError:
    """The error for a name that a module lacks, with the one that is like it."""
    # Tools ask for names with underscores to find out what a module is; they have mistaken nothing.
    near = None if name.startswith("_") else did_you_mean(name, known)
    return AttributeError(
        f"module {module!r} has no attribute {name!r}" + (f"; did you mean {near!r}?" if near else "")
    )


def suggest_names(module: str) -> None:
    """Let a module say, when it is asked for a name that it lacks, which one of its ``__all__`` is like it.

    It is no ``__getattr__`` in the module, for type checkers would then take every name for one that exists.

    Examples
    --------
    >>> import weft.metrics
    >>> weft.metrics.chunk_f2
    Traceback (most recent call last):
    ...
    AttributeError: module 'weft.metrics' has no attribute 'chunk_f2'; did you mean 'chunk_f1'?
    """
    export_names(module, {})


def export_names(module: str, places: Mapping[str, str]) -> None:
    """Let a module import what it exports when it is first asked for it, and suggest names as `suggest_names` does.

    Parameters
    ----------
    module : str
    places : dict of str to str
        Module that defines each name.

    Examples
    --------
    >>> import weft.structures
    >>> weft.structures.Chain.__module__
    'weft.structures.chain.structure'
    """
    known: Any = sys.modules[module]

    def find(name: str) -> Any:
        if name not in places:
            raise no_such_name(module, name, known.__all__)
        return getattr(importlib.import_module(places[name]), name)

    known.__getattr__ = find
