"""`weft predict` and `weft evaluate` for models that parse."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from weft.apps.locations import TRAINING, located
from weft.apps.ranked_answers import make_answers, readings
from weft.apps.streaming import write_answers
from weft.apps.summaries import print_ratios, ratio
from weft.apps.terminal import print_json, status
from weft.apps.tree_files import Sentence, TreeFormat, choose_tree_format, iter_sentences, load_parser, read_trees

__all__ = ["brackets", "evaluate_trees", "predict_trees"]


def predict_trees(
    model: Path,
    file: str,
    source: Callable[[Callable[[], None]], Any],
    output: str,
    file_format: TreeFormat | None,
    kbest: int,
    confidence: bool,
    as_json: bool,
) -> None:
    """Write the tree of each sentence; `source` calls back before it waits for more input, see `weft.apps.predict`."""
    from weft.sequences.formats.text import name_of

    parser = load_parser(model)
    chosen = choose_tree_format(file, file_format, labelled=False)
    n_before = 0

    def lines(sentences: list[Sentence]) -> Iterator[str]:
        nonlocal n_before
        with located(name_of(file), "sentence", [""] * len(sentences), n_before, TRAINING):
            answers = make_answers(parser, [sentence.tokens for sentence in sentences], "tree", kbest, confidence)
        for sentence, answer in zip(sentences, answers, strict=True):
            if as_json or chosen == TreeFormat.JSONL:
                gold = {} if sentence.tree is None else {"gold": sentence.tree}
                yield json.dumps({"tokens": sentence.tokens, **gold, **answer}, ensure_ascii=False)
            else:
                yield from ("\t".join([tree, *facts.values()]) for tree, facts in readings(answer, "tree"))
        n_before += len(sentences)

    write_answers(output, lambda flush: iter_sentences(source(flush), chosen), lines)


def evaluate_trees(model: Path, file: str, file_format: TreeFormat | None, as_json: bool) -> None:
    """Print precision, recall and F1 of the labelled brackets above single tokens."""
    from weft.sequences.formats.text import name_of

    parser = load_parser(model)
    with status(f"parsing {name_of(file)}"):
        sentences = read_trees(file, choose_tree_format(file, file_format, labelled=True))
        with located(name_of(file), "sentence", [""] * len(sentences), command=TRAINING):
            predicted = parser.predict([sentence.tokens for sentence in sentences])
    wanted = [brackets(str(sentence.tree)) for sentence in sentences]
    found = [brackets(tree) for tree in predicted]
    right = [len(a & b) for a, b in zip(wanted, found, strict=True)]
    whole = [int(a == b) for a, b in zip(wanted, found, strict=True)]
    n_wanted, n_found = ([len(brackets) for brackets in each] for each in (wanted, found))
    scores: dict[str, Any] = {
        "model": str(model),
        "file": file,
        "sentences": len(sentences),
        "brackets": sum(n_wanted),
        "precision": ratio(right, n_found),
        "recall": ratio(right, n_wanted),
        # F1 = 2 right / (wanted + found): a ratio of sums over sentences.
        "f1": ratio([2 * n for n in right], [a + b for a, b in zip(n_wanted, n_found, strict=True)]),
        "tree_accuracy": ratio(whole, [1] * len(whole)),
    }
    if as_json:
        print_json(scores)
        return
    print_ratios(
        f"{file}: {len(sentences):,} sentences, {scores['brackets']:,} brackets",
        {
            "precision": scores["precision"],
            "recall": scores["recall"],
            "F1": scores["f1"],
            "trees all right": scores["tree_accuracy"],
        },
    )


def brackets(text: str) -> set[tuple[str, int, int]]:
    """Label, first and last token of each node that has a node below it.

    Examples
    --------
    >>> brackets("(S (A the) (B cat))")
    {('S', 0, 1)}
    """
    from weft.estimators.trees import read_tree

    found = set()
    n_tokens = 0
    # A node is looked at twice: before what is below it and, with the place of its first token, after it.
    stack: list[tuple[Any, int | None]] = [(read_tree(text), None)]
    while stack:
        item, first = stack.pop()
        if not isinstance(item, tuple):
            n_tokens += 1
        elif first is not None:
            found.add((str(item[0]), first, n_tokens - 1))
        else:
            if any(isinstance(part, tuple) for part in item[1:]):
                stack.append((item, n_tokens))
            stack += [(part, None) for part in reversed(item[1:])]
    return found
