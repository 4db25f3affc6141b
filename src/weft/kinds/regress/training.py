"""`weft train regress`: a string for each input."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.errors import InputError
from weft.kinds.options import LEARNING, Dev, default_of
from weft.kinds.recipe import Recipe
from weft.kinds.regress.kind import RegressKind
from weft.kinds.texts import FileFormat, Units

PreimageName = StrEnum("PreimageName", ["NEAREST", "EULER", "CANDIDATES"])
ApproximationName = StrEnum("ApproximationName", ["GREEDY", "CHOLESKY", "NYSTROEM", "RANDOM"])

INPUTS, OUTPUTS = "Inputs", "Outputs"


def prepare(
    kind: RegressKind,
    *,
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
    output_order: Annotated[
        int | None, typer.Option(help="Longest n-grams of outputs; chosen if not given.", rich_help_panel=OUTPUTS)
    ] = default_of("StringRegressor", "output_order"),
    preimage: Annotated[
        PreimageName | None,
        typer.Option(help="How counts become a string; chosen if not given.", rich_help_panel=OUTPUTS),
    ] = default_of("StringRegressor", "preimage"),
    language_model: Annotated[
        int | None,
        typer.Option(
            "--language-model", help="Length of the n-grams of a language model of outputs.", rich_help_panel=OUTPUTS
        ),
    ] = None,
    new_gram_cost: Annotated[
        float | None, typer.Option(help="Cost of n-grams unseen in training (nearest).", rich_help_panel=OUTPUTS)
    ] = None,
    alphas: Annotated[
        list[float] | None,
        typer.Option("--alpha", help="Ridge penalty; if repeated, the best is chosen.", rich_help_panel=LEARNING),
    ] = None,
    n_regressors: Annotated[
        int, typer.Option(help="Number of regressors that vote.", rich_help_panel=LEARNING)
    ] = default_of("StringRegressor", "n_regressors"),
    approximation: Annotated[
        ApproximationName | None,
        typer.Option(help="How to choose the few examples that are kept.", rich_help_panel=LEARNING),
    ] = None,
    n_basis: Annotated[
        int | None, typer.Option(help="Number of examples that are kept.", rich_help_panel=LEARNING)
    ] = None,
    dev: Dev = None,
) -> None:
    """Learn to write a string for each input, without an alignment; for thousands of pairs, or more by parts.

    Example: `weft train regress pairs.tsv -o numbers.weft --alpha 0.01 --alpha 0.1`

    **tsv**: input, tab, output.

    **jsonl** (.jsonl): one object per line with "input" (a string, a list of strings, or a list of lists of numbers
    such as the columns of an image) and "output".

    With --spill DIR or a cluster and --approximation nystroem, tsv and jsonl files are read part by part.
    """
    kind.units, kind.facts = units, {"units": str(units)}
    kind.read_training(file, file_format, dev)
    kind.doubt_first_line(kind.facts["format"])
    vectors = hasattr(kind.examples[0].input, "dtype")
    if n is not None and vectors:
        raise InputError(f"--n {n} given with inputs that are numbers, which have no n-grams; leave it out.")
    from weft.estimators.regress.string_regressor import StringRegressor
    from weft.kernels.combinators import Normalized
    from weft.kernels.grams.ngram import NGramKernel
    from weft.language_model.model import NGramLanguageModel

    strengths: Any = alphas or [default_of("StringRegressor", "alpha")]
    kind.estimator = StringRegressor(
        None if n is None else Normalized(NGramKernel(n, min_n=1)),
        output_order,
        strengths if len(strengths) > 1 else strengths[0],
        None if preimage is None else str(preimage),
        approximation=None if approximation is None else str(approximation),
        n_basis=n_basis,
        n_regressors=n_regressors,
        language_model=None if language_model is None else NGramLanguageModel(language_model),
        new_gram_cost=new_gram_cost,
    )


RECIPE = Recipe(prepare, {"StringRegressor": {"alpha": (0.01, 0.001, 0.1, 1.0)}})
