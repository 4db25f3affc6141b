"""Models that parse: how they are read, asked and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from weft.errors import InputError
from weft.kinds.base import Answer, Kind, learned_facts
from weft.kinds.measures import Measure, f1_measures
from weft.kinds.parse.files import SUFFIXES, Sentence, TreeFormat, iter_sentences
from weft.sequences.formats.text import Source, name_of

Brackets = set[tuple[str, int, int]]


class ParseKind(Kind):
    """A `Parser`."""

    command = "parse"
    takes_parts = True
    input_name, reference_name = "tokens", "tree"
    task = "parses sentences by a grammar"
    doing = "parsing"
    one = "sentence"
    held = "tree"
    answer_key = "tree"
    formats = TreeFormat
    suffixes = SUFFIXES
    keeps_format = False
    unlabelled = (TreeFormat.LINES,)
    give_instead = "{} of tokens have no trees; give a bracketed tree on each line (--format trees) or jsonl."
    checked = ("f1", "precision", "recall")
    evaluated: ClassVar = {
        "precision": ("precision", "precision"),
        "recall": ("recall", "recall"),
        "f1": ("f1", "F1"),
        "tree_accuracy": ("accuracy", "trees all right"),
    }
    reported = ("f1", "recall", "precision", "accuracy")

    def recall(self) -> None:
        """Trees come as text, even if the parser was trained on tuples."""
        self.estimator.form_ = "text"

    # ---------------------------------------------------------------- reading

    def usual_format(self, labelled: bool) -> TreeFormat:
        """Trees where there must be some, and lines of tokens elsewhere."""
        return TreeFormat.TREES if labelled else TreeFormat.LINES

    def iter_examples(self, source: Source, file_format: TreeFormat, labelled: bool) -> Iterator[Sentence]:
        """Tokens, with their trees."""
        for number, sentence in enumerate(iter_sentences(source, file_format), start=1):
            if labelled and sentence.tree is None:
                raise InputError(f'{name_of(source)}, object {number}: no "tree" beside its tokens; add one.')
            yield sentence

    # --------------------------------------------------------------- learning

    def training_facts(self, estimator: Any) -> dict[str, Any]:
        """Sizes of data and model."""
        return {
            "sentences": len(self.examples),
            "tokens": sum(map(len, self.inputs(self.examples))),
            "rules": estimator.grammar.n_rules,
            **learned_facts(estimator),
        }

    # -------------------------------------------------------------- answering

    def text_lines(self, example: Sentence, answer: Answer, file_format: TreeFormat, number: int) -> Iterator[str]:
        """Trees, and what is known of them."""
        for tree, facts in self.hypotheses(answer):
            yield "\t".join([tree, *facts.values()])

    def json_item(self, example: Sentence) -> dict[str, Any]:
        """Tokens, and the tree of the file."""
        return {"tokens": example.tokens, **({} if example.tree is None else {"gold": example.tree})}

    # ---------------------------------------------------------------- scoring

    def measures(self, examples: list[Sentence], predicted: list[Any]) -> dict[str, Measure]:
        """F1, recall and precision of labelled brackets above single tokens, and trees without an error."""
        wanted, found = (list(map(brackets, side)) for side in (self.references(examples), predicted))
        return f1_measures(wanted, found, "bracket", "brackets", "trees")

    def counts(self, examples: list[Sentence], measures: Mapping[str, Measure]) -> dict[str, int]:
        """Sentences and brackets."""
        return {"sentences": len(examples), "brackets": int(sum(measures["recall"].denominators))}


def brackets(text: str) -> set[tuple[str, int, int]]:
    """Label, first and last token of each node that has a node below it.

    Examples
    --------
    >>> brackets("(S (A the) (B cat))")
    {('S', 0, 1)}
    """
    from weft.estimators.parse.trees import read_tree

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
