"""`weft train rewrite`: one string for another."""

from __future__ import annotations

import sys
import time
import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.apps.interrupts import check_interrupt
from weft.apps.learner_options import Jobs, Seed, SummaryAsJson
from weft.apps.rewrite_files import RewriteExample, iter_rewrite_examples, read_rewrite_training
from weft.apps.summaries import print_summary
from weft.apps.terminal import check_target, is_watched, status
from weft.errors import InputError

__all__ = ["rewrite"]


class ChainLearner(StrEnum):
    """How the weights of the chain are found."""

    PERCEPTRON = "perceptron"
    CRF = "crf"


class Impossible(StrEnum):
    """What to do with pairs that have no alignment."""

    SKIP = "skip"
    ERROR = "error"


LEARNING = "Learning"


def rewrite(
    file: Annotated[str, typer.Argument(help="Training pairs; - for standard input, gzip is recognised.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    tags: Annotated[bool, typer.Option("--tags", help="The second column holds tags, as V;PST.")] = False,
    dev: Annotated[str | None, typer.Option(help="Pairs to tune on.", rich_help_panel=LEARNING)] = None,
    learner: Annotated[
        ChainLearner, typer.Option(help="How to learn.", rich_help_panel=LEARNING)
    ] = ChainLearner.PERCEPTRON,
    c2: Annotated[float | None, typer.Option(help="L2 penalty of the CRF.", rich_help_panel=LEARNING)] = None,
    max_iter: Annotated[int | None, typer.Option(help="Most iterations.", rich_help_panel=LEARNING)] = None,
    max_chunk: Annotated[int, typer.Option(help="Most symbols of a chunk.", rich_help_panel=LEARNING)] = 2,
    max_output: Annotated[
        int | None, typer.Option(help="Most symbols of an output chunk.", rich_help_panel=LEARNING)
    ] = None,
    context: Annotated[int, typer.Option(help="Symbols on each side to look at.", rich_help_panel=LEARNING)] = 5,
    language_model: Annotated[
        int, typer.Option(help="Order of a language model of outputs; 0 for none.", rich_help_panel=LEARNING)
    ] = 0,
    models: Annotated[int, typer.Option(help="Models that vote.", rich_help_panel=LEARNING)] = 1,
    impossible: Annotated[
        Impossible, typer.Option(help="Pairs without an alignment.", rich_help_panel=LEARNING)
    ] = Impossible.SKIP,
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: SummaryAsJson = False,
) -> None:
    """Learn to rewrite strings: spelling to sounds, one script to another, lemmas to forms.

    **tsv**: input, tab, output, and perhaps more tabs and outputs. A side is split at blanks if it has one anywhere
    in the file, else into characters. Nothing needs to be aligned.
    """
    began = time.perf_counter()
    check_target(output)
    import weft
    from weft.estimators.rewriter import Rewriter
    from weft.model_file import save
    from weft.sequences.formats.text import name_of

    if c2 is not None and learner != ChainLearner.CRF:
        raise InputError(f"--c2 came with --learner {learner}, which has no such option; leave it out.")
    given: dict[str, Any] = {key: value for key, value in (("c2", c2), ("max_iter", max_iter)) if value is not None}
    chain: Any = weft.CRF(**{"c2": 0.3, "max_iter": 60, **given}) if learner == ChainLearner.CRF else None
    if learner == ChainLearner.PERCEPTRON and given:
        chain = weft.Perceptron(**given)
    with status(f"reading {name_of(file)}"):
        examples, layout = read_rewrite_training(file, tags)
        held_out = [] if dev is None else list(iter_rewrite_examples(dev, layout, labelled=True))
    rewriter = Rewriter(
        chain,
        (max_chunk, max_output or max_chunk),
        context,
        weft.NGramLanguageModel(language_model) if language_model else None,
        seed,
        n_models=models,
        impossible=str(impossible),
        n_jobs=jobs,
        verbose=int(is_watched()),
    )
    X, y, bundles = _columns(examples)
    X_dev, y_dev, bundles_dev = _columns(held_out) if held_out else (None, None, None)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", UserWarning)
        rewriter.fit(X, y, tags=bundles, X_dev=X_dev, y_dev=y_dev, tags_dev=bundles_dev)
    for note in notes:
        print(f"weft: {note.message}", file=sys.stderr)
    rewriter.verbose = 0
    check_interrupt()
    save(rewriter, output, notes={"input": {"format": "tsv"}})
    summary = {
        "model": str(output),
        "pairs": len(X),
        "skipped": len(rewriter.skipped_),
        "input_symbols": len(rewriter.input_side_),
        "output_symbols": len(rewriter.output_side_),
        "weights": sum(len(model.weights) for model in rewriter.models_),
        "seconds": round(time.perf_counter() - began, 3),
        "model_bytes": output.stat().st_size,
    }
    print_summary(summary, as_json)


def _columns(examples: list[RewriteExample]) -> tuple[list[Any], list[Any], list[str] | None]:
    """Inputs, outputs and tags; an input with several outputs several times."""
    rows = [(example.input, output, example.tags) for example in examples for output in example.outputs]
    has_tags = bool(rows) and rows[0][2] is not None
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] or "" for row in rows] if has_tags else None
