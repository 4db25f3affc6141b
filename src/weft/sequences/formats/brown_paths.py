"""Classes of words as programs for Brown clustering write them: ``0110<TAB>word<TAB>17``, one word to a line."""

from __future__ import annotations

import re

from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of, read_lines

__all__ = ["is_brown_paths", "read_brown_paths"]

NAME = re.compile(r"(^|[/\\.])paths(\.gz)?$", re.IGNORECASE)
PATH = re.compile("[01]+")


def is_brown_paths(name: str) -> bool:
    """Whether a file is named as such files are: ``paths``, or ``NAME.paths``.

    Examples
    --------
    >>> is_brown_paths("news-c1000-p1.out/paths"), is_brown_paths("news.paths.gz"), is_brown_paths("news.txt")
    (True, True, False)
    """
    return bool(NAME.search(name))


def read_brown_paths(source: Source) -> dict[str, str]:
    r"""Path of each word in the tree of classes.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
        Lines of a path of 0 and 1, a word and perhaps how often it occurred, separated by tabs.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> import io
    >>> read_brown_paths(io.StringIO("0110\tMonday\t17\n0110\tTuesday\t12\n010\tsleep\t9\n"))
    {'Monday': '0110', 'Tuesday': '0110', 'sleep': '010'}
    """
    found: dict[str, str] = {}
    for number, line in read_lines(source):
        if not line.strip():
            continue
        path, *words = line.rstrip("\r\n").split("\t")
        if not PATH.fullmatch(path) or len(words) not in (1, 2) or not words[0]:
            raise InputError(
                f"{name_of(source)}, line {number}: {line[:40]!r}, needed a path of 0 and 1, a tab and a word; fix the "
                "line"
            )
        if words[0] in found:
            raise InputError(f"{name_of(source)}, line {number}: {words[0][:40]!r} has a path already; remove one")
        found[words[0]] = path
    if not found:
        raise InputError(f"{name_of(source)} has no words; need lines such as 0110<TAB>Monday")
    return found
