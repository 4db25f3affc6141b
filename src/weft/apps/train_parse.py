"""`weft train parse`: parse trees under a grammar of your own."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.apps.learner_options import (
    C1,
    C2,
    Alpha,
    Constraints,
    Cost,
    LearnerOption,
    MaxIter,
    Smoothing,
    StructureLearner,
    make_learner,
)
from weft.apps.resampling import Task
from weft.apps.scoring import tree_scores
from weft.apps.terminal import status
from weft.apps.training import train_command
from weft.apps.tree_files import Sentence, TreeFormat, choose_tree_format, read_trees
from weft.errors import InputError

__all__ = ["parse"]


class UnknownToken(StrEnum):
    """What to do about tokens that the grammar does not have."""

    ERROR = "error"
    WILDCARD = "wildcard"


RULES = "Grammar"


@train_command
def parse(
    grammar: Annotated[str, typer.Argument(metavar="GRAMMAR", help="Text file with the rules of the grammar.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="Parse trees; - for standard input, or gzip.")],
    file_format: Annotated[
        TreeFormat | None, typer.Option("--format", help="trees or jsonl; by the file's suffix if not given.")
    ] = None,
    unknown: Annotated[
        UnknownToken,
        typer.Option(help="Tokens that the grammar lacks: stop, or let any rule derive them.", rich_help_panel=RULES),
    ] = UnknownToken.ERROR,
    learner: LearnerOption = StructureLearner.CRF,
    c1: C1 = None,
    c2: C2 = None,
    alpha: Alpha = None,
    cost: Cost = None,
    smoothing: Smoothing = None,
    constraints: Constraints = False,
    max_iter: MaxIter = None,
    dev: str | None = None,
) -> Task:
    """Learn the weights of a context-free grammar from parse trees.

    Example: `weft train parse rules.txt trees.txt -o parser.weft`

    **grammar**: rules such as S -> NP VP | VP. Names before an arrow are nonterminals, all others are tokens; quote
    tokens that begin with a capital. [name] after a right side names its weight, so that rules can share one. Forms:
    A -> a, A -> B, A -> B C, A -> a B, A -> B b and A -> a B b.

    **trees**: a bracketed tree on each line, (S (NP she) (VP sleeps)); tokens with blanks or brackets stand in double
    quotes.

    **jsonl** (.jsonl): one object per line with "tree" and, if you like, "tokens".
    """
    method = make_learner(
        learner, c1=c1, c2=c2, alpha=alpha, C=cost, smoothing=smoothing, constraints=constraints, max_iter=max_iter
    )
    chosen = choose_tree_format(file, file_format, labelled=True)
    from weft.apps.parsing import brackets
    from weft.estimators.parser import Parser
    from weft.sequences.formats import read_lines
    from weft.sequences.formats.text import name_of
    from weft.structures.grammar.structure import Grammar

    if grammar == "-" and file == "-":
        raise InputError("the grammar and the trees are both - (standard input); give one of them as a file.")
    try:
        rules = Grammar("\n".join(line for _, line in read_lines(grammar)))
    except InputError as error:
        raise InputError(f"{name_of(grammar)}: {error}") from None
    with status(f"reading {name_of(file)}"):
        sentences = read_trees(file, chosen)
        held_out = None if dev is None else read_trees(dev, choose_tree_format(dev, file_format, labelled=True))

    def fit(parser: Parser, sentences: list[Sentence], dev: list[Sentence] | None) -> None:
        parser.fit([sentence.tokens for sentence in sentences], [sentence.tree for sentence in sentences])

    def scores(parser: Parser, sentences: list[Sentence]) -> dict[str, float]:
        predicted = parser.predict([sentence.tokens for sentence in sentences])
        return tree_scores([brackets(str(sentence.tree)) for sentence in sentences], list(map(brackets, predicted)))

    def facts(parser: Parser) -> dict[str, Any]:
        return {
            "sentences": len(sentences),
            "tokens": sum(len(sentence.tokens) for sentence in sentences),
            "rules": rules.n_rules,
            "weights": len(parser.weights_),
            "iterations": parser.n_iter_,
            "objective": (parser.history_[-1] if parser.history_ else {}).get("objective"),
        }

    parser = Parser(rules, method, unknown=str(unknown))
    notes = {"input": {"format": str(chosen)}}
    return Task(parser, sentences, fit, scores, facts, notes, name_of(file), "sentence", dev=held_out)
