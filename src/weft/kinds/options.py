"""Options that several kinds share, and the defaults of all: those of the estimators, read from their signatures.

`OWN` is the one table of options whose default is deliberately another than in Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import weft
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.kinds.settings import Setting

CHECKING, LEARNING, RESULTS, RUNNING = "Checking and tuning", "Learning", "Results", "Running"
PARTS = "Large data"
"""Headlines of groups of options."""

LEARNERS = {
    "crf": "CRF",
    "perceptron": "Perceptron",
    "svm": "StructuredSVM",
    "zscore": "ZScore",
    "soda": "SODA",
    "margin": "MarginRegression",
    "loss": "LossRegression",
    "moments": "MomentLearner",
    "steps": "MomentSteps",
    "expected": "ExpectedLoss",
    "generative": "Generative",
    "em": "EM",
    "spectral": "Spectral",
}
"""Class of each learner, by the name that users give."""

UNNORMALISED = "counts of this structure have no normalised form"
REFUSED = {
    "EM": (UNNORMALISED, {"loops", "graph", "Rewriter"}),
    "Generative": (UNNORMALISED, {"loops", "graph", "Rewriter"}),
    "RecurrentNetwork": (
        "it is a part of a `Rewriter`, given as `network=`",
        {"Tagger", "Aligner", "Folder", "loops", "Parser", "graph", "Rewriter"},
    ),
    "Spectral": (
        "it needs chains: windows of symbols and labels",
        {"Aligner", "Folder", "loops", "Parser", "graph"},
    ),
}
"""For learners that do not work on every structure: why, and on which; a test fits all others (loops are a grammar)."""


def learners_of(estimator: str) -> Any:
    """Names of the learners that an estimator works with, the usual one first.

    Examples
    --------
    >>> [name.value for name in learners_of("Parser")][-2:], "em" in list(learners_of("Rewriter"))
    (['generative', 'em'], False)
    """
    able = [name for name, each in LEARNERS.items() if estimator not in REFUSED.get(each, ("", ()))[1]]
    return StrEnum(f"{estimator}Learner", {name.upper(): name for name in able})


class Own(NamedTuple):
    """A default of the command line that Python does not have, and why."""

    value: Any
    reason: str


OWN = {
    "train --random-state": Own(0, "a command that is typed twice writes the same file; Python draws a new seed"),
    "tag --width": Own({"words": 2, "characters": 4}, "letters say little one by one, so their window is wider"),
    "tag --ngrams": Own({"words": 2, "characters": 4}, "and has longer runs"),
    "tag --affixes": Own({"words": 5}, "words have affixes"),
    "tag --shape": Own({"words": True}, "and shapes"),
    "tag --lower": Own({"words": True}, "and a word that begins a sentence is the same word"),
    "rewrite --max-iter": Own({"perceptron": 8, "crf": 60, "svm": 20}, "8 as in Rewriter, 60 as in its experiments"),
    "rewrite --c2": Own(0.3, "as in the experiments on rewriting"),
    "rewrite --learner spectral": Own(
        2, "order of the windows: 3 gave the same errors in cross-validation and took 5 times as long"
    ),
    "align --alphabet": Own(None, "all letters of the data, since a fold may lack one that another has"),
    "fold --grammar": Own("loops", "what None means in Python; an option needs a name"),
    "classify --m": Own("n // 3", "of gkm: in Python you say how many letters are looked at"),
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
    >>> default_of("CRF", "c1"), default_of("SODA", "alpha"), default_of("Aligner", "gaps")
    (0.0, 0.01, 'affine')
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
    """Values that --tune tries for each class of learner, the default first if it is a number.

    Examples
    --------
    >>> grids(["crf"])
    {'CRF': {'c2': (1.0, 0.01, 0.1, 10.0)}}
    """
    others: dict[str, tuple[str, tuple[Any, ...]]] = {
        "CRF": ("c2", (1.0, 0.01, 0.1, 10.0)),
        "Perceptron": ("max_iter", (5, 20)),
        "StructuredSVM": ("C", (0.01, 0.1, 10.0)),
        "MomentSteps": ("c2", (0.01, 0.1, 10.0)),
        "ExpectedLoss": ("c2", (0.1, 10.0, 100.0)),
        "Generative": ("smoothing", (0.1, 10.0)),
        "EM": ("smoothing", (0.01, 1.0)),
    } | dict.fromkeys(("ZScore", "SODA", "MarginRegression", "LossRegression"), ("alpha", (0.001, 0.1, 1.0)))
    wanted = set(learners)
    chosen = {part: others[part] for learner, part in LEARNERS.items() if learner in wanted and part in others}
    usual = {name: default_of(name, option) for name, (option, _) in chosen.items()}
    return {
        name: {option: values if usual[name] is None else (usual[name], *values)}
        for name, (option, values) in chosen.items()
    }


Decode = StrEnum("Decode", ["BEST", "EXPECTED"])


def _number(name: str, parameter: str) -> str:
    return f"{default_of(name, parameter):g} if not given"


HOW = {
    "crf": "crf is the usual choice",
    "perceptron": "perceptron is quick",
    "svm": "svm has a margin",
    "steps": "steps approaches crf in less time",
    "zscore": "zscore, soda, margin and loss solve one linear system",
    "moments": "moments chooses one of these four",
    "expected": "expected minimises the expected loss",
    "generative": "generative estimates probabilities from counts",
    "em": "em learns without references",
    "spectral": "spectral has latent states",
}
"""What there is to say about learners."""


def learner_option(names: Iterable[str], usual: str = "") -> Any:
    """The option that chooses one of some learners; `usual` is what no choice means, if the signature does not say."""
    text = "; ".join(HOW[name] for name in HOW if name in set(names))
    text += f"; {usual} if not given" * bool(usual)
    return typer.Option("--learner", help=f"{text}.", rich_help_panel=LEARNING)


Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NAMES",
        help="Columns or keys of input and answer, such as text,label or 3,1.",
        rich_help_panel=RUNNING,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="NAME",
        help="For a table with one token per row: the column that identifies the sequence.",
        rich_help_panel=RUNNING,
    ),
]
Dev = Annotated[
    str | None,
    typer.Option(
        "--dev", metavar="FILE", help="Development data, for tuning and early stopping.", rich_help_panel=CHECKING
    ),
]


Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, metavar="N", help="Start a Dask cluster of N processes here.", rich_help_panel=PARTS
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Join the Dask cluster of this scheduler, such as tcp://10.0.0.1:8786.",
        rich_help_panel=PARTS,
    ),
]
SchedulerFile = Annotated[
    Path | None,
    typer.Option(
        "--scheduler-file",
        metavar="FILE",
        help="The same, given the file that the scheduler wrote.",
        rich_help_panel=PARTS,
    ),
]


def _option(kind: Any, name: str, text: str, panel: str = LEARNING) -> Any:
    return Annotated[kind | None, typer.Option(f"--{name.replace('_', '-')}", help=text, rich_help_panel=panel)]


LEARNER_OPTIONS = {
    "c1": _option(float, "c1", f"L1 penalty of crf; {_number('CRF', 'c1')}."),
    "c2": _option(
        float,
        "c2",
        f"L2 penalty of crf (by task if not given), of steps and expected ({_number('MomentSteps', 'c2')}), and of "
        "spectral.",
    ),
    "alpha": _option(float, "alpha", f"Ridge strength of soda, zscore, margin, loss; {_number('SODA', 'alpha')}."),
    "C": _option(float, "C", f"Weight of the loss of svm; {_number('StructuredSVM', 'C')}."),
    "smoothing": _option(float, "smoothing", "Count added to each event (generative, em)."),
    "margin_constraints": _option(bool, "margin_constraints", "Also require that references score best (zscore)."),
    "tau": _option(float, "tau", "Regularisation of spectral; chosen if not given."),
    "max_iter": _option(int, "max_iter", "Maximum number of iterations; by learner if not given."),
}
"""Options that learners have: of every command with a `learner`."""
OF_LEARNERS = frozenset({"learner", *(name.replace("_", "-") for name in LEARNER_OPTIONS)})
"""What a setting of --tune auto sets back that has another learner."""
HELD_OUT_OPTIONS = {
    "validation_fraction": _option(
        float, "validation_fraction", "Share of the data held out to score each iteration.", CHECKING
    ),
    "patience": _option(int, "patience", "Stop after this many iterations without a better held-out score.", CHECKING),
}
"""Options of every command that learns in iterations."""


def held_out(options: dict[str, Any], dev: str | None) -> dict[str, Any]:
    """Take parameters of an estimator out of `options`.

    Examples
    --------
    >>> held_out({"validation_fraction": 0.1, "patience": None, "c2": 1.0}, None)
    {'validation_fraction': 0.1}
    """
    found = {name: options.pop(name) for name in HELD_OUT_OPTIONS}
    share = found["validation_fraction"]
    if dev is not None and share:
        raise InputError(f"--dev {dev} and --validation-fraction {share} both say what to score on; give one of them.")
    return {name: value for name, value in found.items() if value is not None}


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
        raise InputError(f"{', '.join(unknown)} given with --learner {name}, which has no such option; leave it out.")
    return kind(**{**(usual or {}), **chosen})


def learner_settings(
    names: Iterable[str], usual: Mapping[str, Mapping[str, Any]] | None = None, now: str = "crf"
) -> list[Setting]:
    """Settings with other learners, for --tune auto.

    Parameters
    ----------
    names : iterable of str
    usual : dict, optional
        Parameters of a learner that suit the task.
    now : str
        The learner that the command has if none is given.

    Examples
    --------
    >>> [dict(each.options) for each in learner_settings(["crf", "svm"])]
    [{'learner': 'svm'}]
    """
    from weft.kinds.settings import Setting

    found = []
    for name in names:
        if name != now:
            learner = make_learner(name, (usual or {}).get(name))
            own = {each.replace("_", "-") for each in learner.get_params(deep=False)}
            void = OF_LEARNERS - own - {"learner"}
            found.append(Setting({"learner": name}, {"learner": learner}, void, OF_LEARNERS))
    return found
