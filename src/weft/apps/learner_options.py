"""Options that choose a learner and its parameters, alike for all structures."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.errors import InputError

__all__ = [
    "C1",
    "C2",
    "LEARNERS",
    "LEARNING",
    "Alpha",
    "Constraints",
    "Cost",
    "LearnerOption",
    "MaxIter",
    "Smoothing",
    "StructureLearner",
    "make_learner",
]


class StructureLearner(StrEnum):
    """How weights are found."""

    CRF = "crf"
    SODA = "soda"
    ZSCORE = "zscore"
    LOSS = "loss"
    EXPECTED = "expected"
    PERCEPTRON = "perceptron"
    SVM = "svm"
    GENERATIVE = "generative"


LEARNERS = {
    StructureLearner.CRF: "CRF",
    StructureLearner.SODA: "SODA",
    StructureLearner.ZSCORE: "ZScore",
    StructureLearner.LOSS: "LossRegression",
    StructureLearner.EXPECTED: "ExpectedLoss",
    StructureLearner.PERCEPTRON: "Perceptron",
    StructureLearner.SVM: "StructuredSVM",
    StructureLearner.GENERATIVE: "Generative",
}

LEARNING = "Learning"

HOW = "crf is the usual choice; perceptron is quick; svm has a margin; soda, zscore, loss solve one linear system."
LearnerOption = Annotated[StructureLearner, typer.Option("--learner", help=HOW, rich_help_panel=LEARNING)]
C1 = Annotated[float | None, typer.Option("--c1", help="L1 penalty of crf; 0 if not given.", rich_help_panel=LEARNING)]
C2 = Annotated[
    float | None, typer.Option("--c2", help="L2 penalty of crf and its kin; 1 if not given.", rich_help_panel=LEARNING)
]
Alpha = Annotated[
    float | None,
    typer.Option("--alpha", help="Ridge strength of soda, zscore, loss; 0.01 if not given.", rich_help_panel=LEARNING),
]
Cost = Annotated[
    float | None, typer.Option("--C", help="Weight of the loss of svm; 1 if not given.", rich_help_panel=LEARNING)
]
Smoothing = Annotated[
    float | None,
    typer.Option("--smoothing", help="Count added to each event (generative, em).", rich_help_panel=LEARNING),
]
Constraints = Annotated[
    bool,
    typer.Option("--constraints", help="Let references also score best (zscore).", rich_help_panel=LEARNING),
]
MaxIter = Annotated[
    int | None, typer.Option("--max-iter", help="Most iterations; by learner if not given.", rich_help_panel=LEARNING)
]


def make_learner(name: str, classes: Mapping[Any, str] = LEARNERS, **given: Any) -> Any:
    """A learner with the parameters that were given; one that it does not have is refused.

    `classes` has the name of the class for each name of an option.

    Examples
    --------
    >>> make_learner(StructureLearner.CRF, c2=0.5, alpha=None)
    CRF(c2=0.5)
    """
    import weft

    kind: type[Any] = getattr(weft, classes[name])
    chosen = {key: value for key, value in given.items() if value is not None and value is not False}
    unknown = [f"--{key.replace('_', '-')}" for key in chosen if key not in kind().get_params()]
    if unknown:
        raise InputError(f"{', '.join(unknown)} came with --learner {name}, which has no such option; leave it out.")
    return kind(**chosen)
