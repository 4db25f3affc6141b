"""Answers to a file or a stream, some at a time: memory stays bounded, and a stream is answered as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from weft.apps.interrupts import check_interrupt
from weft.apps.terminal import line_writer

__all__ = ["write_answers"]

Example = TypeVar("Example")


def write_answers(
    output: str,
    read: Callable[[Callable[[], None]], Iterable[Example]],
    lines: Callable[[list[Example]], Iterable[str]],
    size: int = 200,
) -> None:
    """Write the lines that answer the examples.

    Parameters
    ----------
    output : str
        A path, or "-".
    read : function
        Gives the examples; it gets a function to call before it waits for more input.
    lines : function
        Lines for a list of examples.
    size : int
        Examples that are read before they are answered together.

    Examples
    --------
    >>> write_answers("-", lambda before_waiting: ["a", "b"], lambda batch: [each.upper() for each in batch])
    A
    B
    """
    pending: list[Example] = []
    with line_writer(output) as write:

        def flush() -> None:
            if pending:
                write(lines(pending))
                pending.clear()

        for example in read(flush):
            pending.append(example)
            if len(pending) == size:
                flush()
        flush()
        check_interrupt()
