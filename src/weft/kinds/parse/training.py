"""`weft train parse`: parse trees under a grammar of your own."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.errors import InputError
from weft.kinds.options import (
    Dev,
    default_of,
    grids,
    held_out,
    learner_option,
    learner_settings,
    learners_of,
    make_learner,
)
from weft.kinds.parse.files import TreeFormat
from weft.kinds.parse.kind import ParseKind
from weft.kinds.recipe import Recipe
from weft.sequences.formats.text import name_of, read_lines

ParserLearner = learners_of("Parser")
UnknownToken = StrEnum("UnknownToken", ["ERROR", "WILDCARD"])

RULES = "Grammar"


def prepare(
    kind: ParseKind,
    *,
    grammar: Annotated[str, typer.Argument(metavar="GRAMMAR", help="Text file with the rules of the grammar.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="Parse trees; - for standard input, or gzip.")],
    file_format: Annotated[
        TreeFormat | None, typer.Option("--format", help="trees or jsonl; by the file's suffix if not given.")
    ] = None,
    unknown: Annotated[
        UnknownToken,
        typer.Option(
            help="Out-of-vocabulary tokens: stop, or let any rule for a token derive them.", rich_help_panel=RULES
        ),
    ] = default_of("Parser", "unknown"),
    learner: Annotated[ParserLearner, learner_option(ParserLearner)] = ParserLearner.CRF,  # type: ignore[valid-type]
    dev: Dev = None,
    **options: Any,
) -> None:
    """Learn the weights of a context-free grammar from parse trees.

    Example: `weft train parse rules.txt trees.txt -o parser.weft`

    **grammar**: rules such as S -> NP VP | VP. Names before an arrow are nonterminals, all others are tokens; quote
    tokens that begin with a capital. [name] after a right-hand side names its weight, so that rules can share one.
    Forms: A -> a, A -> B, A -> B C, A -> a B, A -> B b and A -> a B b.

    **trees**: a bracketed tree on each line, (S (NP she) (VP sleeps)); tokens with blanks or brackets are put in double
    quotes.

    **jsonl** (.jsonl): one object per line with "tree" and, optionally, "tokens".
    """
    scored = held_out(options, dev)
    method = make_learner(learner, **options)
    kind.choose_format(file, file_format, labelled=True)  # refuses before the grammar is read
    if grammar == "-" and file == "-":
        raise InputError("the grammar and the trees are both - (standard input); give one of them as a file.")
    from weft.estimators.parse.parser import Parser
    from weft.structures.grammar.structure import Grammar

    try:
        rules = Grammar("\n".join(line for _, line in read_lines(kind.open(grammar))))
    except InputError as error:
        raise InputError(f"{name_of(grammar)}: {error}") from None
    kind.read_training(file, file_format, dev)
    kind.estimator = Parser(rules, method, unknown=str(unknown), **scored)


RECIPE = Recipe(prepare, grids(ParserLearner), lambda kind: learner_settings(("svm", "perceptron", "generative")))
