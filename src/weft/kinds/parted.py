"""Training on data in parts: on the workers of a cluster, or spilled into files of a folder."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from weft.errors import InputError
from weft.sequences.formats.text import NamedBytes, expanded

if TYPE_CHECKING:
    from weft.kinds.base import Kind
    from weft.scale import Examples
    from weft.scale.pieces import Cut

PLACES = ("workers", "cluster", "scheduler_file", "spill")
OPTIONS = tuple(name.replace("_", "-") for name in PLACES)
"""Options that say where parts of the data lie."""
CUTS: Mapping[str, Cut] = {"conll": "blank lines", "crfsuite": "blank lines", "jsonl": "lines", "fasttext": "lines"}
"""Formats of large files, and where examples end in them."""
PAIR_CUTS: Mapping[str, Cut] = {"tsv": "lines", "cmudict": "lines"}
"""The same of pairs of strings, whose sides are split as the first of them say."""
N_PARTS = 64
"""Most parts that data in memory are cut into, for a cluster."""


class Places(NamedTuple):
    """Where parts of the data lie."""

    workers: int | None = None
    cluster: str | None = None
    scheduler_file: Path | None = None
    spill: Path | None = None

    @property
    def asked_for(self) -> bool:
        """Whether data are in parts at all."""
        return any(each is not None for each in self)

    def check(self, file: str, **needs_all: Any) -> None:
        """Refuse what does not go together, before anything is read."""
        given = [f"--{name}" for name, value in zip(OPTIONS, self, strict=True) if value is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} given; parts of the data lie in one place: give one of them.")
        for option, value in needs_all.items():
            if value:
                shown = f"--{option.replace('_', '-')}"
                raise InputError(f"{shown} needs all examples in one place; leave it out, or {given[0]}.")
        if file == "-":
            raise InputError(f"{given[0]} reads parts of the data again, and - is a stream; give files.")

    @contextmanager
    def opened(self) -> Iterator[dict[str, Any]]:
        """What `fit` of an estimator gets."""
        if self.spill is not None:
            yield {"spill": self.spill}
            return
        from weft.scale.cluster import n_workers
        from weft.scale.connect import connected

        with connected(self.workers, self.cluster, self.scheduler_file) as client:
            print(f"weft: {n_workers(client)} workers; see {client.dashboard_link}", file=sys.stderr)
            yield {"client": client}


NOWHERE = Places()
"""Data are in memory."""

Ask = Callable[[str, list[Any]], Callable[[], Any]]
"""Puts a question of a kind about some examples; what comes back waits for the answer."""


@contextmanager
def asking(kind: Kind, places: Places = NOWHERE) -> Iterator[tuple[Ask, int]]:
    """Who answers about examples, and how many questions it takes at once: this process one, workers two each."""
    if not places.asked_for:
        yield lambda question, examples: partial(getattr(kind, question), examples), 1
        return
    places.check(kind.file)
    from weft.scale.cluster import check_workers, gathered, n_workers, submitted

    with places.opened() as opened:
        client = opened["client"]
        check_workers(client)
        there = submitted(client, _same, kind)  # once to each worker

        def ask(question: str, examples: list[Any]) -> Callable[[], Any]:
            future = submitted(client, _asked, there, question, examples)
            return lambda: gathered(client, [future])[0]

        yield ask, 2 * n_workers(client)


def predicted_elsewhere(kind: Kind, examples: list[Any], places: Places) -> list[Any]:
    """What workers of a cluster predict for each example."""
    with asking(kind, places) as (ask, _):
        begins = range(0, len(examples), kind.batch)
        asked = [ask("predictions", examples[begin : begin + kind.batch]) for begin in begins]
        return [each for answered in asked for each in answered()]


def _same(kind: Kind) -> Kind:
    return kind


def _asked(kind: Kind, question: str, examples: list[Any]) -> Any:
    from weft.core.threads import core_share

    with core_share(1):
        return getattr(kind, question)(examples)


def head_of(file: str, chosen: Any, cuts: Mapping[str, Cut] = CUTS) -> NamedBytes:
    """The first examples of the first file: enough to see how data are laid out."""
    from weft.scale.pieces import first_piece

    if str(chosen) not in cuts:
        *most, last = cuts
        raise InputError(
            f"{file} is read as {chosen}, whose layout follows from all lines together; give {', '.join(most)} or "
            f"{last}, which can be read in parts."
        )
    return first_piece(Path(expanded(file)[0]), cuts[str(chosen)]).open()


def examples_in_files(kind: Kind, file: str, chosen: Any, cuts: Mapping[str, Cut] = CUTS) -> Examples:
    """The examples of all files in pieces of bounded size, read when they are needed, here or elsewhere.

    Parameters
    ----------
    kind : Kind
        Prepared for training: it knows how the data are laid out.
    file : str
        Path or pattern.
    chosen : format
    cuts : mapping, optional
        Where examples end in files of each format.
    """
    from weft.scale import Examples

    reader = copy.copy(kind)
    reader.estimator, reader.examples, reader.dev = None, [], None
    return Examples.from_files(expanded(file), partial(_read, reader, chosen), cuts[str(chosen)])


def examples_in_memory(kind: Kind) -> Examples:
    """What was read, in parts for a cluster: of structures whose work is much and whose data are few."""
    from weft.scale import Examples

    X, y = kind.learned_from(kind.examples)
    return Examples.from_lists(X, y, min(len(X), N_PARTS))


def _read(kind: Kind, file_format: Any, source: NamedBytes) -> tuple[list[Any], list[Any]]:
    examples = list(kind.iter_examples(source, file_format, labelled=True))
    kind.check_part(examples, source.name)
    return kind.learned_from(examples)
