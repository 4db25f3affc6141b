"""`weft train rewrite`: one string for another."""

from __future__ import annotations

import sys
import warnings
from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.errors import InputError
from weft.kinds.locations import noted
from weft.kinds.options import (
    LEARNERS,
    LEARNING,
    OWN,
    Dev,
    default_of,
    held_out,
    learner_option,
    learner_settings,
    learners_of,
    make_learner,
)
from weft.kinds.parted import PAIR_CUTS, head_of
from weft.kinds.recipe import Recipe
from weft.kinds.rewrite.files import RewriteFormat, column_like_tags, read_rewrite_training, tags_beside
from weft.kinds.rewrite.kind import RewriteKind
from weft.kinds.rewrite.units import SideUnits, warn_of_split
from weft.kinds.settings import Setting
from weft.kinds.terminal import is_watched, status
from weft.sequences.formats.text import name_of

RewriterLearner = learners_of("Rewriter")
TagColumn = StrEnum("TagColumn", ["AUTO", "SECOND", "THIRD", "NONE"])
Effort = StrEnum("Effort", ["FAST", "BALANCED", "BEST"])
Impossible = StrEnum("Impossible", ["SKIP", "ERROR"])
Unseen = StrEnum("Unseen", ["COPY", "DROP", "ERROR"])


class NormalForm(StrEnum):
    """Forms of Unicode, by the names that it gives them."""

    AUTO = "auto"
    NFC = "NFC"
    NFD = "NFD"
    NFKC = "NFKC"
    NFKD = "NFKD"
    NONE = "none"


MOST = OWN["rewrite --max-iter"].value
USUAL: dict[str, dict[str, Any]] = {
    "perceptron": {"max_iter": MOST["perceptron"]},
    "crf": {"c2": OWN["rewrite --c2"].value, "max_iter": MOST["crf"]},
    "svm": {"C": default_of("StructuredSVM", "C"), "max_iter": MOST["svm"]},
    "spectral": {"order": OWN["rewrite --learner spectral"].value},
}
"""Parameters that suit this task, where they are not given."""
TRIED: dict[str, dict[str, tuple[Any, ...]]] = {
    "perceptron": {"max_iter": (16,)},
    "crf": {"c2": (0.1, 1.0)},
    "svm": {"C": (0.01, 0.1)},
}
"""What --tune tries beside them."""


def prepare(
    kind: RewriteKind,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Training pairs; - for standard input, or gzip.")],
    file_format: Annotated[
        RewriteFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    tags: Annotated[
        TagColumn,
        typer.Option("--tags", help="Column of tags such as V;PST; auto finds them in the third, after the form."),
    ] = TagColumn.AUTO,
    input_units: Annotated[
        SideUnits | None,
        typer.Option("--input-units", help="What inputs are split into, or at; by the file if not given."),
    ] = None,
    output_units: Annotated[SideUnits | None, typer.Option("--output-units", help="The same of outputs.")] = None,
    normal_form: Annotated[
        NormalForm,
        typer.Option(
            "--normal-form",
            help="Unicode normal form of all text; auto: NFC, or NFD if inputs have far fewer symbols then.",
        ),
    ] = NormalForm.AUTO,
    effort: Annotated[
        Effort | None,
        typer.Option(
            help="A combination of learner, networks, voting and reranking, instead of these options: fast "
            "is their defaults, balanced takes about 10 times as long (with few pairs 35), best longer.",
            rich_help_panel=LEARNING,
        ),
    ] = default_of("Rewriter", "effort"),
    learner: Annotated[RewriterLearner | None, learner_option(RewriterLearner, "perceptron")] = None,  # type: ignore[valid-type]
    c2: Annotated[
        float | None,
        typer.Option(
            help=f"L2 penalty of crf ({USUAL['crf']['c2']:g} if not given), steps, expected and spectral.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    max_chunk: Annotated[
        int | None,
        typer.Option(help="Maximum symbols of a chunk; chosen from the data if not given.", rich_help_panel=LEARNING),
    ] = default_of("Rewriter", "max_chunk"),
    max_output: Annotated[
        int | None, typer.Option(help="Maximum symbols of an output chunk.", rich_help_panel=LEARNING)
    ] = None,
    context: Annotated[
        int, typer.Option(help="Symbols on each side to look at.", rich_help_panel=LEARNING)
    ] = default_of("Rewriter", "context"),
    language_model: Annotated[
        int,
        typer.Option(
            help="Length of the n-grams of a language model of outputs; 0 for none.", rich_help_panel=LEARNING
        ),
    ] = 0,
    n_networks: Annotated[
        int,
        typer.Option(help="Number of recurrent networks that also score labels; 0 for none.", rich_help_panel=LEARNING),
    ] = 0,
    n_models: Annotated[int, typer.Option(help="Number of models that vote.", rich_help_panel=LEARNING)] = default_of(
        "Rewriter", "n_models"
    ),
    rerank: Annotated[
        int,
        typer.Option(
            help="Number of folds of the data for learning to rerank outputs; 0 for no reranking.",
            rich_help_panel=LEARNING,
        ),
    ] = default_of("Rewriter", "rerank"),
    invalid: Annotated[
        Impossible, typer.Option(help="What to do with pairs that have no alignment.", rich_help_panel=LEARNING)
    ] = default_of("Rewriter", "invalid"),
    unknown: Annotated[
        Unseen,
        typer.Option(
            help="What to do with input symbols unseen in training; copy needs outputs that contain input symbols.",
            rich_help_panel=LEARNING,
        ),
    ] = default_of("Rewriter", "unknown"),
    dev: Dev = None,
    **options: Any,
) -> None:
    """Learn to rewrite strings: spelling to sounds, one script to another, lemmas to forms.

    Example: `weft train rewrite words.tsv -o sounds.weft --dev more_words.tsv`

    **tsv**: input, tab, output; further outputs may follow, separated by tabs. A column is split at blanks if at least
    half of its texts have some, else into characters; --input-units and --output-units say it. No alignment is needed.
    Three columns, the last with tags such as V;PST, are a lemma, its form and the tags of the form; weft predict then
    takes lemmas and tags.

    With --spill DIR or a cluster, alignments and contexts of tsv and cmudict files are kept there.

    **csv** (.csv): the same with commas. **cmudict** (.dict): a word, blanks, its sounds, as in the file of CMUdict.
    """
    scored = held_out(options, dev)
    chain = None
    if effort is None:
        chosen_learner = learner or RewriterLearner.PERCEPTRON
        chain = make_learner(chosen_learner, USUAL.get(chosen_learner), c2=c2, **options)
    else:
        numbers = {"language_model": language_model, "n_networks": n_networks, "n_models": n_models - 1}
        given = {name: value or None for name, value in {**numbers, "rerank": rerank}.items()}
        refuse_beside_effort(effort, learner=learner, c2=c2, **given, **options)
    chosen = kind.choose_format(file, file_format, labelled=True)
    kind.file, kind.units = file, (input_units, output_units)
    with status(f"reading {name_of(file)}"):
        if kind.in_parts and kind.columns is not None:
            raise InputError("--columns names a line of one file; leave it out, or --spill and clusters.")
        data = head_of(file, chosen, PAIR_CUTS) if kind.in_parts else kind.open(file)
        kind.examples, kind.layout = read_rewrite_training(
            data, str(tags), chosen, kind.columns, lambda lines: noted(kind, data, chosen, True, lines), kind.units
        )
        kind.doubt_first_line(chosen)
        _warn_of_tags(kind, tags, name_of(file))
        if kind.layout.tags != "third" and chosen != RewriteFormat.CMUDICT:  # whose units are known
            for units, (side, texts) in zip(kind.units, kind.sides(kind.examples).items(), strict=True):
                if units is None:
                    warn_of_split(texts, side, name_of(file))
        if kind.in_parts and kind.layout.tags != "none":
            raise InputError(
                f"{name_of(file)} has tags, which models of edits learn from in one place; leave --spill and clusters "
                "out, or say --tags none."
            )
        kind.notes = {"input": kind.with_columns({"format": str(chosen), "tags": kind.layout.tags})}
        if dev is not None:
            lines_of = kind.lines_of
            kind.dev = kind.read(dev, file_format)
            kind.lines_of = lines_of
    import weft
    from weft.estimators.rewrite.efforts import planned

    kind.estimator = weft.Rewriter(
        chain,
        _chunks(max_chunk, max_output),
        context,
        weft.NGramLanguageModel(language_model) if language_model else None,
        network=weft.RecurrentNetwork(n_networks) if n_networks else None,
        n_models=n_models,
        rerank=rerank,
        invalid=str(invalid),
        unknown=str(unknown),
        normal_form=None if normal_form == NormalForm.NONE else str(normal_form),
        effort=None if effort is None else str(effort),
        **scored,
    )
    if effort is not None and not kind.in_parts and not is_watched():  # else the fit says it
        n_pairs, has_tags = len(kind.entries(kind.examples)), kind.layout.tags != "none"
        print(f"weft: {planned(str(effort), n_pairs, has_tags).summary(str(effort), n_pairs)}", file=sys.stderr)


def refuse_beside_effort(effort: str, **given: Any) -> None:
    """Refuse options that an effort stands for.

    Examples
    --------
    >>> refuse_beside_effort("best", c2=None, n_networks=2)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: --effort best and --n-networks given, but the effort chooses that; leave one out.
    """
    for name, value in given.items():
        if value is not None and value is not False:
            option = name.replace("_", "-")
            raise InputError(f"--effort {effort} and --{option} given, but the effort chooses that; leave one out.")


def _warn_of_tags(kind: RewriteKind, given: TagColumn, name: str) -> None:
    """Say that a column may have tags: not in capitals, or not where they are looked for or said to be."""
    found = column_like_tags(kind.examples) or (tags_beside(kind.examples) if kind.layout.tags != "none" else None)
    if found is None or kind.layout.tags == found[0] or given == TagColumn.NONE:
        return
    column, n_texts = found
    has = f"the {column} of three columns has {n_texts:,} different texts in {len(kind.examples):,} lines, as tags have"
    if kind.layout.tags == "none":
        learned = f"but is learned as an output; say --tags {column} if it has tags of the form, else --tags none."
    else:
        learned = f"but --tags {given} given: it is learned as an output, the form as tags; say --tags {column}."
    warnings.warn(f"{name}: {has}, {learned}", stacklevel=2)


def _chunks(max_chunk: int | None, max_output: int | None) -> Any:
    if max_chunk is None and max_output is not None:
        raise InputError(f"--max-output {max_output} given without --max-chunk; give both, or neither.")
    return None if max_chunk is None else (max_chunk, max_output or max_chunk)


def wholes(kind: RewriteKind) -> list[Setting]:
    """Other learners of the chain, unless an effort chooses it; and a language model of outputs."""
    if kind.estimator.effort is not None:
        return []
    import weft

    model = Setting({"language-model": 6}, {"language_model": weft.NGramLanguageModel(6)})
    now = next(name for name, each in LEARNERS.items() if each == type(kind.estimator.learner).__name__)
    return [*learner_settings(TRIED, USUAL, now), model]


RECIPE = Recipe(
    prepare,
    {
        "Rewriter": {"context": (default_of("Rewriter", "context"), 3)},
        **{
            LEARNERS[name]: {option: (USUAL[name][option], *values) for option, values in tried.items()}
            for name, tried in TRIED.items()
        },
    },
    wholes,
)
