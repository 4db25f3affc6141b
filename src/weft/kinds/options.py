"""Options that several kinds share, and the defaults of all: those of the estimators, read from their signatures.

`OWN` is the one table of options whose default is deliberately another than in Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

import weft
from weft.errors import InputError

__all__ = [
    "C1",
    "C2",
    "CHECKING",
    "LEARNERS",
    "LEARNING",
    "OWN",
    "RESULTS",
    "RUNNING",
    "Alpha",
    "Cost",
    "Dev",
    "LearnerOption",
    "MarginConstraints",
    "MaxIter",
    "Own",
    "Smoothing",
    "StructureLearner",
    "default_of",
    "grids",
    "make_learner",
]

CHECKING, LEARNING, RESULTS, RUNNING = "Checking and tuning", "Learning", "Results", "Running"
"""Headlines of groups of options."""

LEARNERS = {
    "crf": "CRF",
    "perceptron": "Perceptron",
    "svm": "StructuredSVM",
    "zscore": "ZScore",
    "soda": "SODA",
    "margin": "MarginRegression",
    "loss": "LossRegression",
    "steps": "MomentSteps",
    "expected": "ExpectedLoss",
    "generative": "Generative",
    "em": "EM",
    "spectral": "Spectral",
}
"""Class of each learner, by the name that users give."""


class Own(NamedTuple):
    """A default of the command line that Python does not have, and why."""

    value: Any
    reason: str


KEPT = "no measurement says why; kept, since another value would change results"

OWN = {
    "train --random-state": Own(0, "a command that is typed twice writes the same file; Python draws a new seed"),
    "tag --width": Own({"words": 2, "characters": 4}, "letters say little one by one, so their window is wider"),
    "tag --ngrams": Own({"words": 2, "characters": 4}, "and has longer runs"),
    "tag --affixes": Own({"words": 3}, "words have affixes"),
    "tag --shape": Own({"words": True}, "and shapes"),
    "rewrite --max-iter": Own({"perceptron": 8, "crf": 60, "svm": 20}, "8 as in Rewriter, 60 as in its experiments"),
    "rewrite --c2": Own(0.3, "as in the experiments on rewriting"),
    "rewrite --C": Own(0.1, KEPT),
    "rewrite --learner spectral": Own(2, f"order of the windows: {KEPT}"),
    "align --alphabet": Own(None, "all letters of the data, since a fold may lack one that another has"),
    "fold --grammar": Own("g6", "what None means in Python; an option needs a name"),
    "classify --normalize": Own(True, "makes long texts no louder; in Python you wrap the kernel"),
    "classify --bias": Own(True, KEPT),
    "classify --m": Own("n // 3", "of gkm: in Python you say how many letters are looked at"),
    "regress --n": Own(3, "strings need a kernel, which you give in Python"),
    "regress --output-order": Own(3, KEPT),
}
"""Command and option, to its default."""


@cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    source = Path(weft.__file__).parent.joinpath(*module.split(".")[1:]).with_suffix(".py")
    found = ast.parse(source.read_text(encoding="utf-8")).body
    return {each.name: each for each in found if isinstance(each, ast.ClassDef)}


def default_of(name: str, parameter: str) -> Any:
    """Default of a parameter of a public class; its file is looked at, not run: help must not wait for NumPy.

    Examples
    --------
    >>> default_of("CRF", "c2"), default_of("SODA", "alpha"), default_of("Aligner", "gaps")
    (1.0, 0.01, 'affine')
    """
    classes = _classes(weft._EXPORTS[name])
    while True:
        made = next((each for each in classes[name].body if getattr(each, "name", "") == "__init__"), None)
        if isinstance(made, ast.FunctionDef):
            break
        name = next(base.id for base in classes[name].bases if isinstance(base, ast.Name))
    arguments = made.args
    defaults = dict(zip([each.arg for each in arguments.args][::-1], arguments.defaults[::-1], strict=False))
    defaults |= {
        each.arg: value for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
    }
    return ast.literal_eval(defaults[parameter])


def grids(learners: Iterable[str]) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Values that --tune tries for each class of learner, the default first.

    Examples
    --------
    >>> grids(["crf"])
    {'CRF': {'c2': (1.0, 0.01, 0.1, 10.0)}}
    """
    others: dict[str, tuple[str, tuple[Any, ...]]] = {
        "CRF": ("c2", (0.01, 0.1, 10.0)),
        "Perceptron": ("max_iter", (5, 20)),
        "StructuredSVM": ("C", (0.01, 0.1, 10.0)),
        "MomentSteps": ("c2", (0.01, 0.1, 10.0)),
        "ExpectedLoss": ("c2", (0.1, 10.0, 100.0)),
        "Generative": ("smoothing", (0.1, 10.0)),
    } | dict.fromkeys(("ZScore", "SODA", "MarginRegression", "LossRegression"), ("alpha", (0.001, 0.1, 1.0)))
    wanted = set(learners)
    chosen = {part: others[part] for learner, part in LEARNERS.items() if learner in wanted}
    return {name: {option: (default_of(name, option), *values)} for name, (option, values) in chosen.items()}


Decode = StrEnum("Decode", ["BEST", "EXPECTED"])
StructureLearner = StrEnum(
    "StructureLearner", ["CRF", "SODA", "ZSCORE", "LOSS", "EXPECTED", "PERCEPTRON", "SVM", "GENERATIVE"]
)


def _number(name: str, parameter: str) -> str:
    return f"{default_of(name, parameter):g} if not given"


HOW = "crf is the usual choice; perceptron is quick; svm has a margin; soda, zscore, loss solve one linear system."
LearnerOption = Annotated[StructureLearner, typer.Option("--learner", help=HOW, rich_help_panel=LEARNING)]
C1 = Annotated[
    float | None, typer.Option("--c1", help=f"L1 penalty of crf; {_number('CRF', 'c1')}.", rich_help_panel=LEARNING)
]
C2 = Annotated[
    float | None,
    typer.Option("--c2", help=f"L2 penalty of crf and its kin; {_number('CRF', 'c2')}.", rich_help_panel=LEARNING),
]
Alpha = Annotated[
    float | None,
    typer.Option(
        "--alpha", help=f"Ridge strength of soda, zscore, loss; {_number('SODA', 'alpha')}.", rich_help_panel=LEARNING
    ),
]
Cost = Annotated[
    float | None,
    typer.Option("--C", help=f"Weight of the loss of svm; {_number('StructuredSVM', 'C')}.", rich_help_panel=LEARNING),
]
Smoothing = Annotated[
    float | None,
    typer.Option("--smoothing", help="Count added to each event (generative, em).", rich_help_panel=LEARNING),
]
MarginConstraints = Annotated[
    bool,
    typer.Option(
        "--margin-constraints", help="Also ask that references score best (zscore).", rich_help_panel=LEARNING
    ),
]
MaxIter = Annotated[
    int | None, typer.Option("--max-iter", help="Most iterations; by learner if not given.", rich_help_panel=LEARNING)
]
Dev = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="Other data, to tune and stop on.", rich_help_panel=CHECKING),
]


def make_learner(name: str, usual: Mapping[str, Any] | None = None, **given: Any) -> Any:
    """A learner with the parameters that were given, else the usual ones; one that it does not have is refused.

    Examples
    --------
    >>> make_learner("crf", c2=0.5, alpha=None)
    CRF(c2=0.5)
    """
    kind: type[Any] = getattr(weft, LEARNERS[name])
    chosen = {key: value for key, value in given.items() if value is not None and value is not False}
    unknown = [f"--{key.replace('_', '-')}" for key in chosen if key not in kind().get_params()]
    if unknown:
        raise InputError(f"{', '.join(unknown)} came with --learner {name}, which has no such option; leave it out.")
    return kind(**{**(usual or {}), **chosen})
