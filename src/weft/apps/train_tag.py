"""`weft train tag`: a label for each token."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.apps.learner_options import C1, C2, LEARNING, Alpha, Cost, MaxIter, make_learner
from weft.apps.resampling import Task
from weft.apps.scoring import label_scores
from weft.apps.tagging_files import Example, FileFormat, Layout, choose_format, iter_examples, read_training
from weft.apps.terminal import status
from weft.apps.training import CHECKING, train_command
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.sequences.window import WindowFeatures

__all__ = ["tag"]


class Features(StrEnum):
    """What describes a token."""

    NONE = "none"
    WINDOW = "window"


class LearnerName(StrEnum):
    """How weights are found."""

    CRF = "crf"
    PERCEPTRON = "perceptron"
    SVM = "svm"
    ZSCORE = "zscore"
    SODA = "soda"
    MARGIN = "margin"
    LOSS = "loss"
    STEPS = "steps"


LEARNERS = {
    LearnerName.CRF: "CRF",
    LearnerName.PERCEPTRON: "Perceptron",
    LearnerName.SVM: "StructuredSVM",
    LearnerName.ZSCORE: "ZScore",
    LearnerName.SODA: "SODA",
    LearnerName.MARGIN: "MarginRegression",
    LearnerName.LOSS: "LossRegression",
    LearnerName.STEPS: "MomentSteps",
}


class Scheme(StrEnum):
    """Tagging schemes that forbid steps between labels."""

    BIO = "BIO"
    BIOES = "BIOES"


TOKENS = "Tokens"


@train_command
def tag(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Training data; - for standard input, or gzip.")],
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    features: Annotated[
        Features | None,
        typer.Option(
            "--features",
            help="window: neighbours too (if they are text); none: the token alone.",
            rich_help_panel=TOKENS,
        ),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option("--width", help="Neighbours on each side: words 2, characters 4.", rich_help_panel=TOKENS),
    ] = None,
    ngrams: Annotated[
        int | None,
        typer.Option("--ngrams", help="Longest run of neighbours: words 2, characters 4.", rich_help_panel=TOKENS),
    ] = None,
    affixes: Annotated[
        int | None, typer.Option("--affixes", help="Longest prefix and suffix: words 3.", rich_help_panel=TOKENS)
    ] = None,
    shape: Annotated[
        bool | None,
        typer.Option("--shape/--no-shape", help="Capitals, digits, ...: words yes.", rich_help_panel=TOKENS),
    ] = None,
    order: Annotated[
        int, typer.Option("--order", min=1, help="Previous labels that a label sees.", rich_help_panel=LEARNING)
    ] = 1,
    constraints: Annotated[
        Scheme | None,
        typer.Option("--constraints", help="Never predict what breaks this scheme.", rich_help_panel=LEARNING),
    ] = None,
    learner: Annotated[
        LearnerName,
        typer.Option(
            "--learner",
            help="crf is the usual choice; perceptron is quick; steps is near crf in less time; svm has a margin; the "
            "others solve one linear system.",
            rich_help_panel=LEARNING,
        ),
    ] = LearnerName.CRF,
    c1: C1 = None,
    c2: C2 = None,
    alpha: Alpha = None,
    cost: Cost = None,
    max_iter: MaxIter = None,
    held_out: Annotated[
        float,
        typer.Option("--held-out", help="Share of the data to score each iteration on.", rich_help_panel=CHECKING),
    ] = 0.0,
    patience: Annotated[
        int | None,
        typer.Option(
            "--patience", help="Stop after so many iterations without a better score.", rich_help_panel=CHECKING
        ),
    ] = None,
    dev: str | None = None,
) -> Task:
    """Learn to give each token a label.

    Example: `weft train tag train.conll -o names.weft --constraints BIO`

    **conll**: one token per line, its columns separated by tabs or blanks, the last one the label; a blank line
    between sequences.

    **jsonl** (.jsonl): one object per line with "tokens" and "labels".

    **tsv** (.tsv without blank lines): tokens, tab, labels. Each side is split at blanks if it has one anywhere in
    the file, else into characters.
    """
    if dev is not None and held_out:
        raise InputError(f"--dev {dev} and --held-out {held_out} both say what to score on; give one of them.")
    method = make_learner(learner, LEARNERS, c1=c1, c2=c2, alpha=alpha, C=cost, max_iter=max_iter)
    from weft.estimators.tagger import Tagger
    from weft.sequences.formats.text import name_of

    with status(f"reading {name_of(file)}"):
        examples, layout = read_training(file, choose_format(file, file_format))
        held_out_data = None if dev is None else _read_dev(dev, file_format, layout)
    given = {"width": width, "ngrams": ngrams, "affixes": affixes, "shape": shape}
    tagger = Tagger(
        method,
        _features(features, {key: value for key, value in given.items() if value is not None}, examples, layout),
        order=order,
        constraints=None if constraints is None else constraints.value,
        validation_fraction=held_out,
        patience=patience,
    )

    def fit(tagger: Tagger, examples: list[Example], dev: list[Example] | None) -> None:
        X_dev, y_dev = (None, None) if dev is None else _columns(dev)
        tagger.fit(*_columns(examples), X_dev=X_dev, y_dev=y_dev)

    def scores(tagger: Tagger, examples: list[Example]) -> dict[str, float]:
        X, y = _columns(examples)
        return label_scores(y, tagger.predict(X))

    def facts(tagger: Tagger) -> dict[str, Any]:
        last = tagger.history_[-1] if tagger.history_ else {}
        return {
            "sequences": len(examples),
            "tokens": sum(len(example.tokens) for example in examples),
            "labels": len(tagger.classes_),
            "weights": len(tagger.weights_),
            "iterations": tagger.n_iter_,
            "objective": last.get("objective"),
            "held_out_accuracy": last.get("score"),
        }

    return Task(tagger, examples, fit, scores, facts, {"input": layout.to_facts()}, name_of(file), dev=held_out_data)


def _columns(examples: list[Example]) -> tuple[list[Any], list[Any]]:
    return [example.tokens for example in examples], [example.labels for example in examples]


def _read_dev(path: str, file_format: FileFormat | None, layout: Layout) -> list[Example]:
    examples = list(iter_examples(path, choose_format(path, file_format, layout), layout, labelled=True))
    if not examples:
        raise InputError(f"--dev {path} holds no sequences; give a file with at least one.")
    return examples


def _features(
    wanted: Features | None, given: dict[str, Any], examples: list[Example], layout: Layout
) -> WindowFeatures | None:
    """Window features with defaults for words or for characters, or None for tokens that are features already."""
    from weft.sequences.window import WindowFeatures

    if layout.columns is None:
        if wanted == Features.WINDOW or given:
            raise InputError(
                "window features need tokens that are strings or rows of equally many strings; "
                "the data has feature dicts, attribute lists or numbers: leave the window options out."
            )
        return None
    if wanted == Features.NONE:
        if given:
            names = ", ".join(f"--{key}" for key in given)
            raise InputError(f"{names} came with --features none; leave one of the two out.")
        # Columns need names of their own, or a word could pass for a part of speech.
        return None if layout.columns == 1 else WindowFeatures(width=0, ngrams=1)
    characters = layout.columns == 1 and all(len(token) == 1 for example in examples for token in example.tokens)
    # Letters say little one by one, so their window is wider and has longer runs; words have affixes and shapes.
    if characters:
        defaults: dict[str, Any] = {"width": 4, "ngrams": 4}
    else:
        defaults = {"width": 2, "ngrams": 2, "affixes": 3, "shape": True}
    return WindowFeatures(**{**defaults, **given})
