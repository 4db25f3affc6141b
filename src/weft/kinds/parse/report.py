"""Reports on models that parse."""

from __future__ import annotations

from collections import Counter
from typing import Any

from weft.estimators.parse.trees import read_tree
from weft.kinds.base import Kind
from weft.kinds.parse.files import Sentence
from weft.kinds.parse.kind import Brackets, brackets
from weft.kinds.parts import f1_of_each, rule_groups
from weft.kinds.reporting import class_scores, length_facts, worst
from weft.reports import Case, Picture
from weft.reports.calibration import calibration_of
from weft.reports.confusion import confusion_of
from weft.reports.rendering import render
from weft.reports.tree_pictures import tree_drawing

NO_BRACKET = "no bracket"


def sections(kind: Kind, examples: list[Sentence], predicted: list[Any]) -> dict[str, Any]:
    """Labels of brackets, probabilities, wrong trees, rules."""
    parser = kind.estimator
    wanted = [brackets(str(each.tree)) for each in examples]
    found = list(map(brackets, predicted))
    X = [each.tokens for each in examples]
    sure = parser.confidence(X).tolist()
    confidences: list[float] = []
    right: list[bool] = []
    cases = []
    for k, own in enumerate(parser.predict_marginals(X)):
        judged = sorted(found[k])
        confidences += [min(own.get(bracket, 0.0), 1.0) for bracket in judged]
        right += [bracket in wanted[k] for bracket in judged]
        if wanted[k] != found[k]:
            cost = sum(own.get(bracket, 0.0) for bracket in found[k] - wanted[k])
            cases.append(_case(examples[k], predicted[k], wanted[k], found[k], cost, sure[k]))
    calibrations = [
        calibration_of(confidences, right, "brackets"),
        calibration_of(sure, [a == b for a, b in zip(wanted, found, strict=True)], "whole trees"),
    ]
    labels = [
        [Counter(label for label, _, _ in each) for each in side]
        for side in (wanted, found, [a & b for a, b in zip(wanted, found, strict=True)])
    ]
    return {
        "data": [*length_facts("tokens", [len(x) for x in X]), ("brackets", f"{sum(map(len, wanted)):,}")],
        "classes": class_scores(*labels)[0],
        "class_name": "label",
        "confusion": confusion_of(_confusions(wanted, found), "brackets"),
        "calibrations": [each for each in calibrations if each is not None],
        "cases": worst(cases),
        "cases_note": "Ordered by the sum of the probabilities that the model gave to its wrong brackets. Nodes "
        "that only one of the two trees has are orange and underlined.",
        "features": rule_groups(parser, " rules"),
        "pictures": _pictures(examples, predicted, wanted, found),
    }


def _pictures(
    examples: list[Sentence], predicted: list[Any], wanted: list[Brackets], found: list[Brackets]
) -> list[Picture]:
    """A sentence in the middle of the scores."""
    quality = f1_of_each(wanted, found)
    k = sorted(range(len(quality)), key=lambda k: (quality[k], -len(examples[k].tokens)))[(len(quality) - 1) // 2]
    text = f"Predicted tree of sentence {k + 1}, whose F1 of {100 * quality[k]:.0f} % is the median of all."
    figure = tree_drawing(read_tree(predicted[k]), wanted[k], text)
    caption = f"{text} Nodes that the reference has not are orange and underlined."
    numbers = {"sentence": k + 1, "f1": quality[k], "predicted": predicted[k], "reference": str(examples[k].tree)}
    return [Picture("A tree as predicted", caption, figure, numbers, wide=True)]


def _confusions(wanted: list[Brackets], found: list[Brackets]) -> Counter[tuple[str, str]]:
    """Labels of brackets that stand over the same tokens."""
    counts = Counter[tuple[str, str]]()
    for a, b in zip(wanted, found, strict=True):
        counts.update((label, label) for label, _, _ in a & b)
        guessed: dict[tuple[int, int], list[str]] = {}
        for label, first, last in sorted(b - a):
            guessed.setdefault((first, last), []).append(label)
        for label, first, last in sorted(a - b):
            others = guessed.get((first, last))
            counts[label, others.pop(0) if others else NO_BRACKET] += 1
        counts.update((NO_BRACKET, label) for rest in guessed.values() for label in rest)
    return counts


def _case(sentence: Sentence, guess: str, wanted: Brackets, found: Brackets, cost: float, sure: float) -> Case:
    missed, extra = wanted - found, found - wanted
    verdict = f"{len(missed)} of {len(wanted)} brackets missed, {len(extra)} of {len(found)} predicted are wrong"
    both = {"reference": (str(sentence.tree), found), "predicted": (guess, wanted)}
    trees = [
        (name, tree_drawing(read_tree(tree), right, f"{name} tree: {tree}")) for name, (tree, right) in both.items()
    ]
    figure = render("trees.html", trees=trees)
    return Case(" ".join(map(str, sentence.tokens)), verdict, sure, cost, [], figure)
