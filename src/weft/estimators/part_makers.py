"""How examples in parts become batches in parts, for any estimator with a structure.

Three steps, so that nobody needs all examples at once. Whoever reads a part says what is in it (`survey`); one process
hears all of that and decides what the structure is (`agree`); whoever keeps some sequences binds them (`bind`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.parameters import clone


class Piece(NamedTuple):
    """Some neighbouring sequences of a part: what was kept of it, how its numbers are to be read, and which."""

    kept: Any
    numbers: Any
    begin: int
    end: int


class PartMaker:
    """Surveys, agrees and binds for an estimator whose structure does not follow from the data, or can be merged.

    Parameters
    ----------
    estimator : StructuredEstimator
    learner : Learner
    """

    def __init__(self, estimator: Any, learner: Any) -> None:
        self.estimator, self.learner = clone(estimator).set_params(n_jobs=1), learner

    def survey(self, X: Any, y: Any, name: str) -> tuple[Any, Any]:
        """What is kept of a part, and what all parts have to agree on."""
        try:
            X, y = self.estimator._as_examples(X, y, self.learner)
            return (X, y), self.estimator._collect(X, y, self.learner)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None

    def agree(self, surveys: Iterable[Any], asked: Any) -> tuple[Any, list[Any]]:
        """The structure of all parts, and for each part how its numbers are to be read; surveys come one by one.

        ``asked(work, arguments)`` gives ``work(kept, *own)`` of each part, for what else there is to know.
        """
        structures = list(surveys)
        return self.estimator._merged(structures), [None] * len(structures)

    def costs(self, structure: Any, kept: Any, numbers: Any) -> tuple[Floats, int]:
        """What each sequence of a part costs, and how many numbers a sum over sequences has."""
        batch = self.estimator._bind(structure, kept[0])
        return batch.costs, batch.n_sums

    def bind(self, structure: Any, pieces: Sequence[Piece], shards: list[list[slice]]) -> Any:
        """The batch of some sequences, cut into these shards."""
        X = [x for piece in pieces for x in piece.kept[0][piece.begin : piece.end]]
        references = None
        if pieces[0].kept[1] is not None:
            y = [each for piece in pieces for each in piece.kept[1][piece.begin : piece.end]]
            references = self.estimator._references(structure, X, y)[0]
        batch = self.estimator._bind(structure, X, references, np.ones(len(X)))
        batch.set_shards(shards)
        return batch
