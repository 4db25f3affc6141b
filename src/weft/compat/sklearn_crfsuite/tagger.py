"""What ``tagger_`` of a `CRF` answers: one sequence at a time, under the names of python-crfsuite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.errors import InputError
from weft.estimators.tag.tagger import Tagger


@dataclass(frozen=True)
class ModelInfo:
    """What a model has learned.

    Attributes
    ----------
    header : dict of str to str
        ``size`` (bytes of the model file), ``num_labels`` and ``num_attrs``.
    labels, attributes : dict of str to str
        Number of each label, and of each attribute with a weight that is not zero.
    transitions : dict of (label, label) to float
        Weights that are not zero.
    state_features : dict of (attribute, label) to float
        Weights that are not zero.
    """

    header: dict[str, str]
    labels: dict[Any, str]
    attributes: dict[Any, str]
    transitions: dict[tuple[Any, ...], float]
    state_features: dict[tuple[Any, Any], float]


class SequenceTagger:
    """Asks a `weft.Tagger` about one sequence at a time.

    Parameters
    ----------
    estimator : weft.Tagger
        Fitted.
    size : int
        Bytes of its model file.

    Examples
    --------
    >>> import weft
    >>> tagger = SequenceTagger(weft.Tagger().fit(["ab", "ba"], ["xy", "yx"]), 1000)
    >>> tagger.tag("ab")
    ['x', 'y']
    >>> round(tagger.probability(["x", "y"]), 2) > 0.25
    True
    """

    def __init__(self, estimator: Tagger, size: int) -> None:
        self.estimator = estimator
        self.size = size
        self._sequence: Any = None

    def labels(self) -> list[Any]:
        """Labels, sorted."""
        return list(self.estimator.classes_)

    def set(self, xseq: Any) -> None:
        """Take the sequence that later questions are about."""
        self._sequence = xseq

    def _taken(self) -> Any:
        if self._sequence is None:
            raise InputError("there is no sequence to ask about; call set(xseq) or tag(xseq) first.")
        return self._sequence

    def tag(self, xseq: Any = None) -> list[Any]:
        """Predicted labels of a sequence."""
        if xseq is not None:
            self.set(xseq)
        sequence = self._taken()
        return list(self.estimator.predict([sequence])[0]) if len(sequence) else []

    def marginal(self, y: Any, pos: int) -> float:
        """Probability of label `y` at position `pos` of the sequence."""
        names = self.labels()
        if y not in names:
            raise InputError(f"{y!r} is not a label of the model; it has {', '.join(map(str, names))}.")
        rows = self.estimator.predict_proba([self._taken()])[0]
        if not 0 <= pos < len(rows):
            raise InputError(f"pos is {pos!r}; the sequence has positions 0 to {len(rows) - 1}.")
        return float(rows[pos, names.index(y)])

    def probability(self, yseq: Any) -> float:
        """Probability of all labels of the sequence together."""
        batch = self.estimator.bind([self._taken()], [list(yseq)])
        weights = self.estimator.weights_
        log_probability = batch.scores(weights, batch.reference())[0] - batch.log_partitions(weights)[0]
        return float(np.exp(min(log_probability, 0.0)))

    def info(self) -> ModelInfo:
        """Weights of the model by name; those that are zero are left out."""
        states = {name: weight for name, weight in self.estimator.state_features_.items() if weight}
        steps = {name: weight for name, weight in self.estimator.transition_features_.items() if weight}
        attributes = dict.fromkeys(attribute for attribute, _ in states)
        labels = self.labels()
        return ModelInfo(
            {"size": str(self.size), "num_labels": str(len(labels)), "num_attrs": str(len(attributes))},
            {label: str(number) for number, label in enumerate(labels)},
            {attribute: str(number) for number, attribute in enumerate(attributes)},
            steps,
            states,
        )

    def close(self) -> None:
        """Forget the sequence; there is no file to close."""
        self._sequence = None
