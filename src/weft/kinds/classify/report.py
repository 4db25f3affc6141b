"""Reports on models that put texts into classes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from weft.kinds.classify.kind import ClassExample, ClassifyKind
from weft.kinds.reporting import class_scores, length_facts, worst
from weft.kinds.texts import Units
from weft.reports import Block, Case, FeatureGroup, Picture
from weft.reports.automaton_pictures import gram_automaton
from weft.reports.calibration import calibration_of
from weft.reports.confusion import confusion_of
from weft.reports.numbers import percent

N_CLASSES = 9
N_FEATURES = 10
MOST_SYMBOLS = 1500
"""Of a text that is shown."""

N_GRAMS = 10
"""N-grams in the picture of an automaton."""


def sections(kind: ClassifyKind, examples: list[ClassExample], predicted: list[Any]) -> dict[str, Any]:
    """Confusions of classes, probabilities, texts in the wrong class, n-grams."""
    return _ClassReport(kind.estimator, kind.units).sections(examples, predicted)


class _ClassReport:
    """Sections of a report on a `SequenceSVC` whose texts are sequences of `units`."""

    def __init__(self, estimator: Any, units: Units) -> None:
        self.estimator, self.units = estimator, units

    def sections(self, examples: list[ClassExample], predicted: list[Any]) -> dict[str, Any]:
        """All of them."""
        gold = [str(each.label) for each in examples]
        right = [a == b for a, b in zip(gold, predicted, strict=True)]
        sure = self._confidences(examples, predicted)
        missing = {}
        calibration = None if sure is None else calibration_of(sure, right, "classes")
        if sure is None:
            missing["calibration"] = "The model gives no probabilities; train it with --probability to see them."
        classes, n_classes = class_scores(
            [Counter([a]) for a in gold],
            [Counter([b]) for b in predicted],
            [Counter([a] if is_right else []) for a, is_right in zip(gold, right, strict=True)],
        )
        if n_classes > len(classes):
            missing["scores"] = f"Shown are the {len(classes)} most frequent of {n_classes} classes."
        support = Counter(gold)
        features = self._features(support)
        if not features:
            missing["features"] = "This kernel has no explicit features to name."
        shares = ", ".join(f"{name} {percent(n / len(gold), 0)} %" for name, n in support.most_common(8))
        return {
            "data": [*length_facts(self.units.value, [len(each.sequence) for each in examples]), ("classes", shares)],
            "classes": classes,
            "class_name": "class",
            "confusion": confusion_of(Counter(zip(gold, predicted, strict=True)), "texts"),
            "calibrations": [] if calibration is None else [calibration],
            "cases": worst(self._cases(examples, predicted, sure)),
            "cases_note": "Ordered by how far the text lies on the wrong side. Blue parts of a text count for the "
            "class that was predicted, orange dotted ones against it.",
            "features": features,
            "pictures": self._pictures(support),
            "missing": missing,
        }

    def _confidences(self, examples: list[ClassExample], predicted: list[str]) -> list[float] | None:
        if self.estimator.calibration_ is None:
            return None
        places = {str(name): k for k, name in enumerate(self.estimator.classes_)}
        rows = self.estimator.predict_proba([each.sequence for each in examples])
        return [float(row[places[guess]]) for row, guess in zip(rows, predicted, strict=True)]

    def _cases(self, examples: list[ClassExample], predicted: list[str], sure: list[float] | None) -> list[Case]:
        names = {str(name): name for name in self.estimator.classes_}
        wrong = [k for k, (x, guess) in enumerate(zip(examples, predicted, strict=True)) if str(x.label) != guess]
        if not wrong:
            return []
        decisions = self.estimator.decision_function([examples[k].sequence for k in wrong])
        places = {str(name): k for k, name in enumerate(self.estimator.classes_)}
        cases = []
        for k, row in zip(wrong, decisions, strict=True):
            gold, guess = str(examples[k].label), predicted[k]
            # Of two classes one number is the distance; of several, what the wrong class is ahead by.
            margin = abs(float(row)) if row.ndim == 0 else float(row[places[guess]])
            if row.ndim and gold in places:
                margin -= float(row[places[gold]])
            verdict = f"is {gold}, taken for {guess}; ahead by {margin:.2f}"
            cases.append((margin, k, Case(f"text {k + 1}", verdict, None if sure is None else sure[k], margin, [])))
        chosen = sorted(cases, key=lambda each: -each[0])[:12]
        return [
            Case(case.title, case.verdict, case.confidence, case.cost, [self._told(examples[k], names[predicted[k]])])
            for _, k, case in chosen
        ]

    def _told(self, example: ClassExample, label: Any) -> Block:
        """The text, and how strongly each part of it speaks for a class."""
        between = "" if isinstance(example.sequence, str) else " "
        symbols = [f"{symbol}{between}" for symbol in example.sequence[:MOST_SYMBOLS]]
        levels = [0] * len(symbols)
        if self.estimator.features_ is not None:
            levels = self.estimator.highlight(example.sequence, label).levels().tolist()[: len(symbols)]
        # Neighbours of one level make one stretch.
        columns: list[tuple[tuple[str, ...], str]] = []
        for symbol, level in zip(symbols, levels, strict=True):
            mark = str(level) if level else ""
            if columns and columns[-1][1] == mark:
                columns[-1] = ((columns[-1][0][0] + symbol,), mark)
            else:
                columns.append(((symbol,), mark))
        if len(example.sequence) > MOST_SYMBOLS:
            columns.append((("…",), ""))
        return Block("", ("text",), columns, strong=True)

    def _features(self, support: Counter[str]) -> list[FeatureGroup]:
        if self.estimator.features_ is None:
            return []
        frequent = {label for label, _ in support.most_common(N_CLASSES)}
        return [
            FeatureGroup(
                str(label), [(_seen(name), weight) for name, weight in self.estimator.top_features(label, N_FEATURES)]
            )
            for label in self.estimator.classes_
            if str(label) in frequent or len(self.estimator.classes_) <= N_CLASSES
        ]

    def _pictures(self, support: Counter[str]) -> list[Picture]:
        """The smallest automaton that reads the strongest n-grams of a class."""
        if self.estimator.features_ is None or self.units.value != "characters":
            return []
        label = support.most_common(1)[0][0]
        names = {str(name): name for name in self.estimator.classes_}
        if label not in names:
            return []
        grams = [(_seen(name), weight) for name, weight in self.estimator.top_features(names[label], N_GRAMS)]
        figure = gram_automaton(grams, f"automaton of the strongest n-grams of class {label}")
        caption = (
            f"The smallest automaton that reads the {len(grams)} n-grams that speak most for {label}: from the left, "
            "each path to a double circle spells one. Weights of all n-grams are kept in such an automaton when a "
            "model is trained with --storage minimal."
        )
        return [Picture("Automaton of n-grams", caption, figure, {"class": label, "grams": grams}, wide=True)]


def _seen(name: str) -> str:
    """Blanks so that they can be seen."""
    return name.replace(" ", "␣").replace("\n", "↵").replace("\t", "⇥")
