"""`weft train parse`: parse trees under a grammar of your own."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from weft.apps.interrupts import check_interrupt
from weft.apps.learner_options import (
    C1,
    C2,
    Alpha,
    Constraints,
    Cost,
    Jobs,
    LearnerOption,
    MaxIter,
    Seed,
    Smoothing,
    StructureLearner,
    SummaryAsJson,
    make_learner,
)
from weft.apps.locations import located
from weft.apps.summaries import print_summary
from weft.apps.terminal import check_target, is_watched, status
from weft.apps.tree_files import TreeFormat, choose_tree_format, read_trees
from weft.errors import InputError

__all__ = ["parse"]


class UnknownToken(StrEnum):
    """What to do about tokens that the grammar does not have."""

    ERROR = "error"
    WILDCARD = "wildcard"


RULES = "Grammar"


def parse(
    grammar: Annotated[str, typer.Argument(help="Text file with the rules of the grammar.")],
    file: Annotated[str, typer.Argument(help="Parse trees; - for standard input, gzip is recognised.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
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
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: SummaryAsJson = False,
) -> None:
    """Learn the weights of a context-free grammar from parse trees.

    **grammar**: rules such as S -> NP VP | VP. Names before an arrow are nonterminals, all others are tokens; quote
    tokens that begin with a capital. [name] after a right side names its weight, so that rules can share one. Forms:
    A -> a, A -> B, A -> B C, A -> a B, A -> B b and A -> a B b.

    **trees**: a bracketed tree on each line, (S (NP she) (VP sleeps)); tokens with blanks or brackets stand in double
    quotes.

    **jsonl** (.jsonl): one object per line with "tree" and, if you like, "tokens".
    """
    began = time.perf_counter()
    check_target(output)
    method = make_learner(
        learner, c1=c1, c2=c2, alpha=alpha, C=cost, smoothing=smoothing, constraints=constraints, max_iter=max_iter
    )
    chosen = choose_tree_format(file, file_format, labelled=True)
    from weft.estimators.parser import Parser
    from weft.model_file import save
    from weft.sequences.formats import read_lines
    from weft.sequences.formats.text import name_of
    from weft.structures.grammar import Grammar

    if grammar == "-" and file == "-":
        raise InputError("the grammar and the trees are both - (standard input); give one of them as a file.")
    try:
        rules = Grammar("\n".join(line for _, line in read_lines(grammar)))
    except InputError as error:
        raise InputError(f"{name_of(grammar)}: {error}") from None
    with status(f"reading {name_of(file)}"):
        sentences = read_trees(file, chosen)
    parser = Parser(rules, method, unknown=str(unknown), n_jobs=jobs, verbose=int(is_watched()), random_state=seed)
    with located(name_of(file), "sentence", [""] * len(sentences)):
        parser.fit([sentence.tokens for sentence in sentences], [sentence.tree for sentence in sentences])
    parser.verbose = 0
    check_interrupt()
    save(parser, output, notes={"input": {"format": str(chosen)}})
    summary = {
        "model": str(output),
        "sentences": len(sentences),
        "tokens": sum(len(sentence.tokens) for sentence in sentences),
        "rules": rules.n_rules,
        "weights": len(parser.weights_),
        "iterations": parser.n_iter_,
        "objective": (parser.history_[-1] if parser.history_ else {}).get("objective"),
        "seconds": round(time.perf_counter() - began, 3),
        "model_bytes": output.stat().st_size,
    }
    print_summary(summary, as_json)
