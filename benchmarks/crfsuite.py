"""The CRFsuite side of the tagging benchmarks, through python-crfsuite."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.measure import Meter
    from benchmarks.tagging import TaggingData

# c2 = 1 and c1 = 0 are CRFsuite's own defaults for lbfgs; they are set so that the reader sees them.
# The perceptrons of both sides make weft's default number of passes. CRFsuite's default of 100 takes ten
# times as long; its F1 on the test part of CoNLL-2000 is 0.933 after 100 passes and 0.935 after 10.
EPOCHS = 10
PARAMETERS: dict[str, dict[str, float]] = {
    "lbfgs": {"c1": 0.0, "c2": 1.0},
    "ap": {"max_iterations": EPOCHS},
}

# A corpus is decoded in a fraction of a second, so the decoding of encoded data is repeated.
DECODE_PASSES = 5


def append_all(data: TaggingData, algorithm: str, **changed: float) -> Any:
    """Give the training data to a new trainer; parameters may be changed."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm=algorithm, params={**PARAMETERS[algorithm], **changed}, verbose=False)
    for attributes, labels in zip(data.train_X, data.train_y, strict=True):
        trainer.append(attributes, labels)
    return trainer


def run(data: TaggingData, meter: Meter, algorithm: str, **changed: float) -> dict[str, float]:
    """Append, train, decode from lists, decode from prebuilt item sequences; return the scores.

    Lists are decoded first, so that neither side meets strings that it has seen before.
    """
    import pycrfsuite

    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model.crfsuite"))
        with meter.phase("fit", tokens=data.train_tokens):
            with meter.phase("append"):
                trainer = append_all(data, algorithm, **changed)
            with meter.phase("train"):
                trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        with meter.phase("decode from lists", tokens=data.test_tokens):
            predicted = [tagger.tag(attributes) for attributes in data.test_X]
        prebuilt = [pycrfsuite.ItemSequence(attributes) for attributes in data.test_X]
        with meter.phase("decode encoded", tokens=data.test_tokens * DECODE_PASSES):
            for _ in range(DECODE_PASSES):
                again = [tagger.tag(items) for items in prebuilt]
        tagger.close()
    if again != predicted:
        raise AssertionError("CRFsuite decodes lists and item sequences differently")
    return {**training_scores(trainer), **data.scores(predicted)}


def training_scores(trainer: Any) -> dict[str, float]:
    """Features, iterations and the last objective, from the log of the trainer.

    The perceptron logs the share of wrongly tagged tokens as its loss, so it has no objective.
    """
    log = trainer.logparser
    scores = {"features": float(log.featgen_num_features), "iterations": float(len(log.iterations))}
    if trainer.get_params().get("c2") is not None and log.last_iteration is not None:
        scores["objective"] = float(log.last_iteration["loss"])
    return scores
