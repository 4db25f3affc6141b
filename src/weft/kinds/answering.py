"""Answers of a model to the examples of a file or a stream, written as they come."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

from weft.kinds.base import Kind
from weft.kinds.interrupts import check_interrupt
from weft.kinds.locations import located, noted
from weft.kinds.parted import NOWHERE, Places, asking
from weft.kinds.terminal import line_writer, printed_warnings
from weft.sequences.formats.text import expanded, name_of


def write_answers(
    kind: Kind,
    file: str,
    source: Callable[[Callable[[], None]], Any],
    output: str,
    *,
    file_format: StrEnum | None = None,
    as_json: bool = False,
    plot: Path | None = None,
    places: Places = NOWHERE,
) -> None:
    """Answer the examples of a file or a stream as they come.

    Parameters
    ----------
    kind : Kind
        Opened from its file.
    file : str
    source : callable
        Gives what to read; it gets a function to call before it waits for more input.
    output : str
        A path, or "-".
    file_format : member of the formats, optional
    as_json : bool
    plot : Path, optional
        A picture of the first answer.
    places : Places, optional
        A cluster whose workers answer.
    """
    kind.refuse_useless(confidence=kind.confidence, kbest=kind.kbest > 1, plot=plot is not None)
    if plot is not None:
        from weft.kinds.picture_files import check_picture, save_picture

        check_picture(plot, kind.model, file)
    kind.check_answers()
    kind.file = file
    pending: list[Any] = []
    n_before = 0
    waiting: deque[tuple[list[Any], Callable[[], Any]]] = deque()
    with asking(kind, places) as (ask, at_once), line_writer(output) as write:

        def write_first() -> None:
            nonlocal n_before
            examples, answered = waiting.popleft()
            with printed_warnings(), located(kind, examples, n_before):
                answers = answered()
            if plot is not None and n_before == 0:
                save_picture(kind.figure(examples[0]), plot)
            write(kind.lines(zip(examples, answers, strict=True), "jsonl" if as_json else chosen, n_before))
            for number in range(n_before, n_before + len(examples)):
                kind.lines_of.pop(number, None)  # a stream may have no end
            n_before += len(examples)

        def pass_on() -> None:
            waiting.append((list(pending), ask("answers", list(pending))))
            pending.clear()
            if len(waiting) >= at_once:
                write_first()

        def flush() -> None:
            if pending:
                pass_on()
            while waiting:
                write_first()

        data = source(flush)
        if isinstance(data, str) and (kind.looks_inside(data) or len(expanded(data)) > 1):
            data = kind.open(data)
        chosen = kind.choose_format(file, kind.own_format(file_format), labelled=False, data=data)
        for example in noted(kind, data, chosen, labelled=False):
            pending.append(example)
            if len(pending) == kind.batch:
                pass_on()
        flush()
        check_interrupt()
        if not n_before:
            with printed_warnings():
                warnings.warn(f"{name_of(file)} holds no examples; there is nothing to answer.", stacklevel=2)
