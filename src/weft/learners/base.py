"""What every learner is: parameters, the queries it needs, and `learn`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from weft.arrays import Floats, Ids
from weft.errors import InputError
from weft.learners.monitor import Monitor
from weft.parameters import Parameters
from weft.parameters.rules import is_number
from weft.state_rules import LARGEST
from weft.structures.protocol import Answers, AnswersCompiledSteps

if TYPE_CHECKING:
    from weft.sequences.corpus import Corpus
    from weft.sequences.encoder import TokenEncoder


class Learner(Parameters):
    """Turns a batch of output spaces with reference outputs into weights.

    A learner knows a structure only through its queries (methods of the batch) and names those it needs in
    `needs`, so that it works with every structure that answers them.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    needs_for_steps: ClassVar[tuple[str, ...]] = ()
    """Queries that the learner needs too unless the batch brings its own loop of steps (`AnswersCompiledSteps`)."""
    instead: ClassVar[str] = "weft.CRF() or weft.Perceptron()"
    """What to use on a structure that does not answer."""
    why_not: ClassVar[str] = ""
    """Why some structures do not, after a colon."""
    probabilistic: ClassVar[bool] = False
    """Whether weights are those of a distribution over outputs, so that expectations under it mean something."""

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights for the batch, started from `initial`."""
        raise NotImplementedError

    def extend(self, chain: Any, corpus: Corpus, labels: Ids, encoder: TokenEncoder) -> Any:
        """The structure to learn on, made from a chain of sparse features; most learners take that as it is."""
        return chain

    def check_batch(self, batch: Answers) -> None:
        """Raise unless the batch answers all the queries that this learner asks."""
        wanted = self.needs if isinstance(batch, AnswersCompiledSteps) else (*self.needs, *self.needs_for_steps)
        missing = [query for query in wanted if not hasattr(batch, query)]
        if missing:
            raise InputError(
                f"{type(self).__name__} needs {', '.join(map(repr, missing))}, which {type(batch).__name__} does not "
                f"answer{self.why_not}; use {self.instead}, or add the answer to the structure."
            )

    def _check_positive(self, **parameters: Any) -> None:
        for name, value in parameters.items():
            if not is_number(value, LARGEST):
                wanted = f"a finite number >= 0 is needed, at most {LARGEST}."
                raise InputError(f"{name} of {type(self).__name__} is {value!r:.30}; {wanted}")

    def _check_iterations(self, max_iter: Any, name: str = "max_iter") -> None:
        if not (isinstance(max_iter, int | np.integer) and max_iter >= 1):
            raise InputError(
                f"{name} of {type(self).__name__} is {max_iter!r}; a whole number of at least 1 is needed."
            )
