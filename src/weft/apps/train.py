"""`weft train`: one sub-command for each kind of structure."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.apps.interrupts import check_interrupt
from weft.apps.learner_options import make_learner
from weft.apps.tagger_files import save_tagger
from weft.apps.tagging_files import Example, FileFormat, Layout, choose_format, iter_examples, read_training
from weft.apps.terminal import check_target, is_watched, print_facts, print_json, status
from weft.apps.train_align import align
from weft.apps.train_classify import classify
from weft.apps.train_fold import fold
from weft.apps.train_parse import parse
from weft.apps.train_regress import regress
from weft.apps.train_rewrite import rewrite
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.sequences.window import WindowFeatures

__all__ = ["app", "tag"]

app = typer.Typer(help="Train a model from a file.", no_args_is_help=True, rich_markup_mode="markdown")
app.command("classify")(classify)
app.command("regress")(regress)
app.command("rewrite")(rewrite)
app.command("align")(align)
app.command("fold")(fold)
app.command("parse")(parse)


@app.callback()
def _train() -> None:
    """Train a model from a file."""


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


LEARNING, TOKENS, RUNNING = "Learning", "Tokens", "Running"


@app.command("tag")
def tag(
    file: Annotated[str, typer.Argument(help="Training data; - for standard input, gzip is recognised.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    features: Annotated[
        Features | None,
        typer.Option(help="window: neighbours too; none: the token alone.", rich_help_panel=TOKENS),
    ] = None,
    width: Annotated[int | None, typer.Option(help="Neighbours on each side.", rich_help_panel=TOKENS)] = None,
    ngrams: Annotated[int | None, typer.Option(help="Longest run of neighbours.", rich_help_panel=TOKENS)] = None,
    affixes: Annotated[int | None, typer.Option(help="Longest prefix and suffix.", rich_help_panel=TOKENS)] = None,
    shape: Annotated[
        bool | None, typer.Option("--shape/--no-shape", help="Capitals, digits, ...", rich_help_panel=TOKENS)
    ] = None,
    learner: Annotated[LearnerName, typer.Option(help="How to learn.", rich_help_panel=LEARNING)] = LearnerName.CRF,
    c1: Annotated[float | None, typer.Option(help="L1 penalty of the CRF.", rich_help_panel=LEARNING)] = None,
    c2: Annotated[float | None, typer.Option(help="L2 penalty of the CRF.", rich_help_panel=LEARNING)] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Ridge strength of the moment learners.", rich_help_panel=LEARNING)
    ] = None,
    loss_weight: Annotated[
        float | None, typer.Option("--C", help="Weight of the loss of the SVM.", rich_help_panel=LEARNING)
    ] = None,
    max_iter: Annotated[int | None, typer.Option(help="Most iterations.", rich_help_panel=LEARNING)] = None,
    order: Annotated[int, typer.Option(help="Previous labels that a label sees.", rich_help_panel=LEARNING)] = 1,
    constraints: Annotated[
        Scheme | None, typer.Option(help="Never predict what breaks this scheme.", rich_help_panel=LEARNING)
    ] = None,
    held_out: Annotated[
        float, typer.Option(help="Share of the data to score each iteration on.", rich_help_panel=LEARNING)
    ] = 0.0,
    dev: Annotated[str | None, typer.Option(help="File to score each iteration on.", rich_help_panel=LEARNING)] = None,
    patience: Annotated[
        int | None,
        typer.Option(help="Stop after so many iterations without a better score.", rich_help_panel=LEARNING),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", rich_help_panel=RUNNING)] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores.", rich_help_panel=RUNNING)] = -1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the summary as JSON.", rich_help_panel=RUNNING)
    ] = False,
) -> None:
    """Learn to give each token a label.

    **conll**: one token per line, its columns separated by tabs or blanks, the last one the label; a blank line
    between sequences.

    **jsonl** (.jsonl): one object per line with "tokens" and "labels".

    **tsv** (.tsv without blank lines): tokens, tab, labels. Each side is split at blanks if it has one anywhere in
    the file, else into characters.
    """
    began = time.perf_counter()
    check_target(output)
    if dev is not None and held_out:
        raise InputError(f"--dev {dev} and --held-out {held_out} both say what to score on; give one of them.")
    from weft.estimators.tagger import Tagger
    from weft.sequences.formats.text import name_of

    with status(f"reading {name_of(file)}"):
        examples, layout = read_training(file, choose_format(file, file_format))
        held_out_data = None if dev is None else _read_dev(dev, file_format, layout)
    given = {"width": width, "ngrams": ngrams, "affixes": affixes, "shape": shape}
    tagger = Tagger(
        make_learner(learner, LEARNERS, c1=c1, c2=c2, alpha=alpha, C=loss_weight, max_iter=max_iter),
        _features(features, {key: value for key, value in given.items() if value is not None}, examples, layout),
        order=order,
        constraints=None if constraints is None else constraints.value,
        validation_fraction=held_out,
        patience=patience,
        n_jobs=jobs,
        verbose=int(is_watched()),
        random_state=seed,
    )
    X, y = _columns(examples)
    X_dev, y_dev = (None, None) if held_out_data is None else _columns(held_out_data)
    tagger.fit(X, y, X_dev=X_dev, y_dev=y_dev)
    tagger.verbose = 0
    check_interrupt()
    save_tagger(tagger, output, layout)
    last = tagger.history_[-1] if tagger.history_ else {}
    summary = {
        "model": str(output),
        "sequences": len(X),
        "tokens": sum(map(len, X)),
        "labels": len(tagger.classes_),
        "weights": len(tagger.weights_),
        "iterations": tagger.n_iter_,
        "objective": last.get("objective"),
        "held_out_accuracy": last.get("score"),
        "seconds": round(time.perf_counter() - began, 3),
        "model_bytes": output.stat().st_size,
    }
    if as_json:
        print_json(summary)
    else:
        print_facts(_readable(summary))


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


def _readable(summary: dict[str, Any]) -> list[tuple[str, str]]:
    facts = []
    for name, value in summary.items():
        if value is None:
            continue
        if name == "model_bytes":
            facts.append(("model size", f"{value / 1e6:,.1f} MB" if value >= 1e5 else f"{value / 1e3:,.1f} kB"))
        elif name == "held_out_accuracy":
            facts.append(("held-out accuracy", f"{100 * value:.2f} %"))
        elif isinstance(value, float):
            facts.append((name, f"{value:,.1f}"))
        else:
            facts.append((name, f"{value:,}" if isinstance(value, int) else str(value)))
    return facts
