"""`weft train tag`: a label for each token."""

from __future__ import annotations

import warnings
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.errors import InputError
from weft.kinds.options import (
    LEARNING,
    OWN,
    PARTS,
    Dev,
    Group,
    default_of,
    grids,
    held_out,
    learner_option,
    learner_settings,
    learners_of,
    make_learner,
)
from weft.kinds.parted import head_of
from weft.kinds.recipe import Recipe
from weft.kinds.tag.files import TagFormat, read_training
from weft.kinds.tag.kind import TagKind
from weft.kinds.tag.long_tables import read_long_training
from weft.kinds.terminal import status

if TYPE_CHECKING:
    from weft.sequences.window import WindowFeatures
    from weft.sequences.word_classes import WordClasses

Features = StrEnum("Features", ["NONE", "WINDOW"])
TagLearner = learners_of("Tagger")
Scheme = StrEnum("Scheme", {"BIO": "BIO", "BIOES": "BIOES"})

TOKENS = "Tokens"


def _usual(option: str) -> str:
    return ", ".join(f"{what} {value}" for what, value in OWN[f"tag --{option}"].value.items())


def prepare(
    kind: TagKind,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Training data; - for standard input, or gzip.")],
    file_format: Annotated[
        TagFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    features: Annotated[
        Features | None,
        typer.Option(
            "--features",
            help="window: the token and its neighbours (the default for text); none: the token alone.",
            rich_help_panel=TOKENS,
        ),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option("--width", help=f"Neighbours on each side: {_usual('width')}.", rich_help_panel=TOKENS),
    ] = None,
    ngrams: Annotated[
        int | None,
        typer.Option("--ngrams", help=f"Longest run of neighbours: {_usual('ngrams')}.", rich_help_panel=TOKENS),
    ] = None,
    joined: Annotated[
        int,
        typer.Option(
            "--joined",
            help="Longest run across columns, such as a word after a part of speech; 1: within a token; 0: none.",
            rich_help_panel=TOKENS,
        ),
    ] = default_of("WindowFeatures", "joined"),
    affixes: Annotated[
        int | None,
        typer.Option("--affixes", help=f"Longest prefix and suffix: {_usual('affixes')}.", rich_help_panel=TOKENS),
    ] = None,
    shape: Annotated[
        bool | None,
        typer.Option(
            "--shape/--no-shape",
            help="Describe capitals, digits and the like; the default for words.",
            rich_help_panel=TOKENS,
        ),
    ] = None,
    lower: Annotated[
        bool | None,
        typer.Option(
            "--lower/--no-lower",
            help="Read neighbours, prefixes and suffixes in lower case; the default for words.",
            rich_help_panel=TOKENS,
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="TEXT",
            help="Learn word classes from this text (.txt: one sentence per line; else like FILE, or FILE itself), or "
            "read them (.paths: lines of a path such as 0110, a tab and a word).",
            rich_help_panel=TOKENS,
        ),
    ] = None,
    n_classes: Annotated[
        int | None,
        typer.Option(
            "--n-classes",
            min=1,
            help=f"Number of word classes: {default_of('WordClasses', 'n_classes')} with --classes.",
            rich_help_panel=TOKENS,
        ),
    ] = None,
    class_prefixes: Annotated[
        str | None,
        typer.Option(
            "--class-prefixes",
            metavar="N,N,...",
            help="With --classes: tell the first N steps to a class in the tree of classes too, such as 4,6,10.",
            rich_help_panel=TOKENS,
        ),
    ] = None,
    order: Annotated[
        int,
        typer.Option(
            "--order", min=1, help="Number of previous labels that a label depends on.", rich_help_panel=LEARNING
        ),
    ] = default_of("Tagger", "order"),
    twice: Annotated[
        bool,
        typer.Option(
            "--twice",
            help="Tag twice: a second tagger reads the answers of a first one, for chunks. Trains seven taggers.",
            rich_help_panel=LEARNING,
        ),
    ] = False,
    constraints: Annotated[
        Scheme | None,
        typer.Option("--constraints", help="Never predict labels that violate this scheme.", rich_help_panel=LEARNING),
    ] = None,
    min_count: Annotated[
        int,
        typer.Option(
            "--min-count",
            min=1,
            help="Leave out attributes that occur at fewer tokens: for data with many rare words.",
            rich_help_panel=PARTS,
        ),
    ] = default_of("Tagger", "min_count"),
    n_features: Annotated[
        int | None,
        typer.Option(
            "--n-features",
            min=1,
            help="Hash attributes to this many columns, such as 4194304, and keep no names.",
            rich_help_panel=PARTS,
        ),
    ] = default_of("Tagger", "n_features"),
    learner: Annotated[TagLearner, learner_option(TagLearner)] = TagLearner.CRF,  # type: ignore[valid-type]
    dev: Dev = None,
    group: Group = None,
    **options: Any,
) -> None:
    """Learn to give each token a label.

    Example: `weft train tag train.conll -o names.weft --constraints BIO`

    **conll**: one token per line, its columns separated by tabs or blanks, the last one the label; a blank line
    between sequences. --columns 1,4 selects columns; the last is the label.

    **crfsuite** (.crfsuite, or recognised by content): a label, a tab and attributes per line, as `crfsuite learn`
    reads them, weights and escapes included; a blank line between sequences.

    **jsonl** (.jsonl): one object per line with "tokens" and "labels".

    **tsv** (.tsv without blank lines): tokens, tab, labels. Each side is split at blanks if it has one anywhere in
    the file, else into characters.

    **tsv**, **csv** with --group NAME: one token per row, with the label in the last column; column NAME identifies the
    sequence, in every row or in the first row of each sequence. --columns Word,Tag selects other columns.
    """
    kind.choose_group(group)
    scored = held_out(options, dev)
    if learner == "spectral" and order > 1:  # it has an order of its own, of 2 at least
        options["order"], order = order, 1
    method = make_learner(learner, **options)
    from weft.estimators.tag.tagger import Tagger
    from weft.sequences.formats.text import name_of

    kind.file = file
    with status(f"reading {name_of(file)}"):
        if kind.in_parts:
            chosen = kind.choose_format(file, file_format, labelled=True)
            data = head_of(file, chosen)
        else:
            data = kind.open(file)
            chosen = kind.choose_format(file, file_format, labelled=True, data=data)
        kind.check_columns(file, chosen)
        if kind.grouped_by is None:
            kind.examples, kind.layout = read_training(data, chosen, kind.columns)
        else:
            comma = chosen == TagFormat.CSV
            kind.examples, kind.layout, kind.columns = read_long_training(data, comma, kind.grouped_by, kind.columns)
        kind.facts = kind.layout.to_facts()
        kind.notes = {"input": kind.with_columns(kind.facts)}
        if dev is not None:
            kind.dev = kind.read(dev, file_format)
        kind.lines_of = {number: each.line for number, each in enumerate(kind.examples) if each.line is not None}
    given = {"width": width, "ngrams": ngrams, "affixes": affixes, "shape": shape, "lower": lower}
    window: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    kind.characters_only = (
        kind.in_parts and features is not Features.NONE and len(window) < len(given) and _characters(kind)
    )
    if joined:
        window["joined"] = joined
    if classes is not None:
        window["classes"] = _classes(classes, n_classes, file_format, kind)
        _warn_of_foreign(window["classes"], classes, kind)
        window |= {} if class_prefixes is None else {"class_prefixes": _lengths(class_prefixes)}
    elif n_classes is not None or class_prefixes is not None:
        given_alone = f"--n-classes {n_classes}" if class_prefixes is None else f"--class-prefixes {class_prefixes}"
        raise InputError(f"{given_alone} given without --classes; name a text to learn word classes from.")
    settings: dict[str, Any] = {
        "order": order,
        "pairs": "all" if learner in ("generative", "em") else None,  # counts need all
        "constraints": None if constraints is None else constraints.value,
        "min_count": min_count,
        **scored,
    }
    described = _features(features, window, kind)
    if not twice:
        kind.estimator = Tagger(method, described, n_features=n_features, **settings)
        return
    _check_twice(kind, n_features)
    from weft.estimators.tag.stacked_tagger import StackedTagger

    kind.estimator = StackedTagger(method, described, **settings)


def _check_twice(kind: TagKind, n_features: int | None) -> None:
    """Refuse what a tagger that tags twice does not do."""
    if n_features is not None:
        raise InputError(f"--n-features {n_features} given with --twice, which keeps names; leave one of the two out.")
    if kind.in_parts:
        raise InputError("--twice learns in memory; leave out --workers, --cluster, --scheduler-file and --spill.")


def _classes(file: str, n_classes: int | None, file_format: TagFormat | None, kind: TagKind) -> WordClasses:
    """Classes of the words of a text, or of a file that is laid out as the training data are; or as a file has them."""
    from weft.sequences.formats.brown_paths import is_brown_paths, read_brown_paths
    from weft.sequences.formats.text import name_of, read_lines
    from weft.sequences.word_classes import WordClasses

    if is_brown_paths(file):
        if n_classes is not None:
            raise InputError(f"--n-classes {n_classes} given, but {name_of(file)} has its classes; leave it out.")
        return WordClasses.from_paths(read_brown_paths(kind.open(file)))
    with status(f"learning classes of words from {name_of(file)}"):
        if file.lower().removesuffix(".gz").endswith(".txt"):
            lines = (line.split() for _, line in read_lines(kind.open(file)))
            sentences = kind.some([words for words in lines if words], file, "txt")
        else:
            sentences = kind.inputs(kind.read(file, file_format))
        return WordClasses(default_of("WordClasses", "n_classes") if n_classes is None else n_classes).fit(sentences)


def _warn_of_foreign(classes: WordClasses, file: str, kind: TagKind) -> None:
    """Say so if hardly any token of the training data has a class: then classes tell nothing."""
    from weft.sequences.word_classes import words_of

    if kind.layout is None or kind.layout.columns is None:
        return  # tokens are no words, which is said elsewhere
    words = [word for sentence in words_of(kind.inputs(kind.examples)) for word in sentence]
    n_known = sum(word in classes.classes_ for word in words)
    if 20 * n_known < len(words):
        warnings.warn(
            f"{n_known} of {len(words)} tokens have a class in {file}; is it of the same language, split into words "
            "alike?",
            stacklevel=2,
        )


def _lengths(text: str) -> list[int]:
    """Numbers between commas."""
    found = [int(each) for each in text.split(",") if each.strip().isdecimal()]
    if len(found) != text.count(",") + 1:
        raise InputError(f"--class-prefixes is {text!r:.40}; give numbers such as 4,6,10.")
    return found


def _characters(kind: TagKind) -> bool:
    """Whether all tokens are single characters."""
    is_plain = kind.layout is not None and kind.layout.columns == 1
    return is_plain and all(len(token) == 1 for example in kind.examples for token in example.tokens)


def _features(wanted: Features | None, given: dict[str, Any], kind: TagKind) -> WindowFeatures | None:
    """Window features with defaults for words or for characters, or None for tokens that are features already."""
    from weft.sequences.window import WindowFeatures

    columns = None if kind.layout is None else kind.layout.columns
    if columns is None:
        if wanted == Features.WINDOW or given:
            raise InputError(
                "window features need tokens that are strings or rows of equally many strings; "
                "the data has feature dicts, attribute lists or numbers: leave the window options out."
            )
        return None
    if wanted == Features.NONE:
        if given:
            names = ", ".join(f"--{key}" for key in given)
            raise InputError(f"{names} given with --features none; leave one of the two out.")
        # Columns need names of their own, or a word could pass for a part of speech.
        return None if columns == 1 else WindowFeatures(width=0, ngrams=1)
    what = "characters" if _characters(kind) else "words"
    own = {name: OWN[f"tag --{name}"].value for name in ("width", "ngrams", "affixes", "shape", "lower")}
    return WindowFeatures(**{**{name: each[what] for name, each in own.items() if what in each}, **given})


TRIED = ("svm", "perceptron", "expected")
"""Learners that --tune auto tries: those that did best on some set of the table of learners."""

RECIPE = Recipe(prepare, grids(TagLearner), lambda kind: learner_settings(TRIED))
