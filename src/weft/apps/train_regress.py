"""`weft train regress`: a string for each input."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.apps.learner_options import LEARNING
from weft.apps.regression_files import Pair, PairLayout, iter_pairs
from weft.apps.resampling import Task
from weft.apps.scoring import string_scores
from weft.apps.tagging_files import FileFormat
from weft.apps.terminal import status
from weft.apps.text_files import Units
from weft.apps.training import train_command
from weft.errors import InputError

__all__ = ["regress"]


class PreimageName(StrEnum):
    """How counts become strings."""

    NEAREST = "nearest"
    EULER = "euler"
    CANDIDATES = "candidates"


class ApproximationName(StrEnum):
    """How basis functions are chosen."""

    GREEDY = "greedy"
    CHOLESKY = "cholesky"
    NYSTROEM = "nystroem"
    RANDOM = "random"


INPUTS, OUTPUTS = "Inputs", "Outputs"


@train_command
def regress(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Training data; - for standard input, or gzip.")],
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="tsv or jsonl; by the file's suffix if not given.")
    ] = None,
    units: Annotated[
        Units, typer.Option(help="What strings are sequences of.", rich_help_panel=INPUTS)
    ] = Units.CHARACTERS,
    n: Annotated[
        int | None,
        typer.Option("--n", help="Longest n-grams of inputs that are strings; 3 if not given.", rich_help_panel=INPUTS),
    ] = None,
    order: Annotated[int, typer.Option(help="Longest n-grams of outputs.", rich_help_panel=OUTPUTS)] = 3,
    preimage: Annotated[
        PreimageName, typer.Option(help="How counts become a string.", rich_help_panel=OUTPUTS)
    ] = PreimageName.NEAREST,
    model_order: Annotated[
        int | None, typer.Option("--language-model", help="Add n-grams of this order.", rich_help_panel=OUTPUTS)
    ] = None,
    unseen: Annotated[
        float | None, typer.Option(help="Cost of n-grams that training lacks (nearest).", rich_help_panel=OUTPUTS)
    ] = None,
    alphas: Annotated[
        list[float] | None,
        typer.Option("--alpha", help="Ridge penalty; of several the best is taken.", rich_help_panel=LEARNING),
    ] = None,
    regressors: Annotated[int, typer.Option(help="How many vote.", rich_help_panel=LEARNING)] = 1,
    approximation: Annotated[
        ApproximationName | None, typer.Option(help="Keep few examples.", rich_help_panel=LEARNING)
    ] = None,
    basis: Annotated[int | None, typer.Option(help="How many of them.", rich_help_panel=LEARNING)] = None,
    dev: str | None = None,
) -> Task:
    """Learn to write a string for each input, without an alignment; for thousands of pairs, not millions.

    Example: `weft train regress pairs.tsv -o numbers.weft --alpha 0.01 --alpha 0.1`

    **tsv**: input, tab, output.

    **jsonl** (.jsonl): one object per line with "input" (a string, a list of strings, or a list of lists of numbers
    such as the columns of an image) and "output".
    """
    from weft.estimators.string_regressor import StringRegressor
    from weft.kernels.combinators import Normalized
    from weft.kernels.grams.ngram import NGramKernel
    from weft.language_model.model import NGramLanguageModel
    from weft.sequences.formats.text import name_of

    layout = PairLayout.choose(file, file_format, units)

    def read(path: str) -> list[Pair]:
        pairs = list(iter_pairs(path, layout, labelled=True))
        if not pairs:
            raise InputError(f"{name_of(path)} holds no pairs; give a {layout.format} file with at least one.")
        return pairs

    with status(f"reading {name_of(file)}"):
        pairs = read(file)
        held_out = None if dev is None else read(dev)
    vectors = hasattr(pairs[0].input, "dtype")
    if n is not None and vectors:
        raise InputError(f"--n {n} came with inputs that are numbers, which have no n-grams; leave it out.")
    strengths: Any = alphas or [0.01]
    model = StringRegressor(
        None if vectors else Normalized(NGramKernel(n or 3, min_n=1)),
        order,
        strengths if len(strengths) > 1 else strengths[0],
        str(preimage),
        approximation=None if approximation is None else str(approximation),
        n_basis=basis,
        n_regressors=regressors,
        language_model=None if model_order is None else NGramLanguageModel(model_order),
        unseen=unseen,
    )

    def fit(model: StringRegressor, pairs: list[Pair], dev: list[Pair] | None) -> None:
        model.fit([pair.input for pair in pairs], [pair.output for pair in pairs])

    def scores(model: StringRegressor, pairs: list[Pair]) -> dict[str, float]:
        return string_scores([[pair.output] for pair in pairs], model.predict([pair.input for pair in pairs]))

    def facts(model: StringRegressor) -> dict[str, Any]:
        return {
            "pairs": len(pairs),
            "symbols": len(model.classes_),
            "n_grams": model.space_.n_grams,
            "alpha": model.regressors_[0].ridge.alpha_,
        }

    notes = {"input": {"format": str(layout.format), "units": str(layout.units)}}
    return Task(model, pairs, fit, scores, facts, notes, name_of(file), "pair", dev=held_out)
