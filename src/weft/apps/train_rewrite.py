"""`weft train rewrite`: one string for another."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.apps.learner_options import LEARNING, MaxIter, make_learner
from weft.apps.resampling import Task
from weft.apps.rewrite_files import RewriteExample, iter_rewrite_examples, join_references, read_rewrite_training
from weft.apps.scoring import string_scores
from weft.apps.terminal import status
from weft.apps.training import train_command

__all__ = ["rewrite"]


class ChainLearner(StrEnum):
    """How the weights of the chain are found."""

    PERCEPTRON = "perceptron"
    CRF = "crf"
    SVM = "svm"
    SPECTRAL = "spectral"


LEARNERS = {
    ChainLearner.PERCEPTRON: "Perceptron",
    ChainLearner.CRF: "CRF",
    ChainLearner.SVM: "StructuredSVM",
    ChainLearner.SPECTRAL: "Spectral",
}
USUAL: dict[ChainLearner, dict[str, Any]] = {
    ChainLearner.PERCEPTRON: {"max_iter": 8},
    ChainLearner.CRF: {"c2": 0.3, "max_iter": 60},
    ChainLearner.SVM: {"C": 0.1, "max_iter": 20},
    ChainLearner.SPECTRAL: {"order": 2},
}
"""Parameters that suit this task, where they are not given."""


class Impossible(StrEnum):
    """What to do with pairs that have no alignment."""

    SKIP = "skip"
    ERROR = "error"


class Unseen(StrEnum):
    """What becomes of input symbols that training did not have."""

    COPY = "copy"
    DROP = "drop"
    ERROR = "error"


@train_command
def rewrite(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Training pairs; - for standard input, or gzip.")],
    tags: Annotated[bool, typer.Option("--tags", help="The second column holds tags, as V;PST.")] = False,
    learner: Annotated[
        ChainLearner, typer.Option(help="How to learn.", rich_help_panel=LEARNING)
    ] = ChainLearner.PERCEPTRON,
    c2: Annotated[
        float | None,
        typer.Option("--c2", help="L2 penalty of crf (0.3 if not given) and spectral.", rich_help_panel=LEARNING),
    ] = None,
    cost: Annotated[
        float | None, typer.Option("--C", help="Weight of the loss of svm; 0.1 if not given.", rich_help_panel=LEARNING)
    ] = None,
    tau: Annotated[
        float | None, typer.Option(help="Strength of spectral; found if not given.", rich_help_panel=LEARNING)
    ] = None,
    max_iter: MaxIter = None,
    max_chunk: Annotated[int, typer.Option(help="Most symbols of a chunk.", rich_help_panel=LEARNING)] = 2,
    max_output: Annotated[
        int | None, typer.Option(help="Most symbols of an output chunk.", rich_help_panel=LEARNING)
    ] = None,
    context: Annotated[int, typer.Option(help="Symbols on each side to look at.", rich_help_panel=LEARNING)] = 5,
    language_model: Annotated[
        int, typer.Option(help="Order of a language model of outputs; 0 for none.", rich_help_panel=LEARNING)
    ] = 0,
    networks: Annotated[
        int, typer.Option(help="Recurrent networks that score labels too; 0 for none.", rich_help_panel=LEARNING)
    ] = 0,
    models: Annotated[int, typer.Option(help="Models that vote.", rich_help_panel=LEARNING)] = 1,
    rerank: Annotated[
        int,
        typer.Option(help="Order outputs anew, learned from so many parts; 0 for not.", rich_help_panel=LEARNING),
    ] = 0,
    impossible: Annotated[
        Impossible, typer.Option(help="Pairs without an alignment.", rich_help_panel=LEARNING)
    ] = Impossible.SKIP,
    unseen: Annotated[
        Unseen,
        typer.Option(
            help="Input symbols that training did not have; copied if outputs have them.", rich_help_panel=LEARNING
        ),
    ] = Unseen.COPY,
    dev: str | None = None,
) -> Task:
    """Learn to rewrite strings: spelling to sounds, one script to another, lemmas to forms.

    Example: `weft train rewrite words.tsv -o sounds.weft --dev more_words.tsv`

    **tsv**: input, tab, output, and perhaps more tabs and outputs. A side is split at blanks if it has one anywhere
    in the file, else into characters. Nothing needs to be aligned.
    """
    import weft
    from weft.estimators.rewrite_inputs import normalised
    from weft.estimators.rewriter import Rewriter
    from weft.sequences.formats.text import name_of

    given = {"c2": c2, "C": cost, "tau": tau, "max_iter": max_iter}
    given = USUAL[learner] | {key: value for key, value in given.items() if value is not None}
    chain = make_learner(learner, LEARNERS, **given)
    with status(f"reading {name_of(file)}"):
        examples, layout = read_rewrite_training(file, tags)
        held_out = None if dev is None else list(iter_rewrite_examples(dev, layout, labelled=True))
    rewriter = Rewriter(
        chain,
        (max_chunk, max_output or max_chunk),
        context,
        weft.NGramLanguageModel(language_model) if language_model else None,
        network=weft.RecurrentNetwork(networks) if networks else None,
        n_models=models,
        rerank=rerank,
        impossible=str(impossible),
        unseen=str(unseen),
    )

    def fit(rewriter: Rewriter, examples: list[RewriteExample], dev: list[RewriteExample] | None) -> None:
        X, y, bundles = _columns(examples)
        X_dev, y_dev, bundles_dev = _columns(dev) if dev else (None, None, None)
        rewriter.fit(X, y, tags=bundles, X_dev=X_dev, y_dev=y_dev, tags_dev=bundles_dev)

    def scores(rewriter: Rewriter, examples: list[RewriteExample]) -> dict[str, float]:
        examples = join_references(iter(examples))
        bundles = [example.tags or "" for example in examples] if tags else None
        predicted = rewriter.predict([example.input for example in examples], bundles)
        return string_scores([normalised(e.outputs, rewriter.output_side_.form) for e in examples], predicted)

    def facts(rewriter: Rewriter) -> dict[str, Any]:
        return {
            "pairs": sum(len(example.outputs) for example in examples),
            "skipped": len(rewriter.skipped_),
            "input_symbols": len(rewriter.input_side_),
            "output_symbols": len(rewriter.output_side_),
            "weights": sum(model.n_weights for model in rewriter.models_),
        }

    return Task(
        rewriter,
        examples,
        fit,
        scores,
        facts,
        {"input": {"format": "tsv"}},
        name_of(file),
        "pair",
        dev=held_out,
        group=lambda example: str((example.input, example.tags)),  # of one input all outputs in one fold
    )


def _columns(examples: list[RewriteExample]) -> tuple[list[Any], list[Any], list[str] | None]:
    """Inputs, outputs and tags; an input with several outputs several times."""
    rows = [(example.input, output, example.tags) for example in examples for output in example.outputs]
    has_tags = bool(rows) and rows[0][2] is not None
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] or "" for row in rows] if has_tags else None
