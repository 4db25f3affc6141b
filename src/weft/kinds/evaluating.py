"""A run of weft evaluate: scores of a model on a file with references, for people or as JSON."""

from __future__ import annotations

from enum import StrEnum

from weft.kinds.base import Kind
from weft.kinds.locations import located
from weft.kinds.parted import Places, predicted_elsewhere
from weft.kinds.terminal import print_json, printed_warnings, status
from weft.sequences.formats.text import name_of


def evaluate(
    kind: Kind,
    file: str,
    file_format: StrEnum | None,
    allow_unknown: bool,
    as_json: bool,
    places: Places | None = None,
) -> None:
    """Print scores of the model on a file with references; workers of a cluster predict, if there are places."""
    kind.refuse_useless(allow_unknown=allow_unknown)
    with status(f"{kind.doing} {name_of(file)}"), printed_warnings():
        examples, kind.file = kind.read_scored(file, file_format, allow_unknown), file
        with located(kind, examples):
            predicted = (
                predicted_elsewhere(kind, examples, places) if places else kind.predict(kind.estimator, examples)
            )
        measures = kind.measures(examples, predicted)
        facts = {**kind.counts(examples, measures), **kind.more_scores(examples, predicted, measures)}
    if as_json:
        print_json({"model": str(kind.model), "file": file, **facts})
    else:
        kind.print_scores(file, facts, measures)
