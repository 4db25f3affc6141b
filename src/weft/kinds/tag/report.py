"""Reports on models that label tokens."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from weft.kinds.base import Kind
from weft.kinds.reporting import class_scores, length_facts, strongest, worst
from weft.kinds.tag.files import Example
from weft.kinds.tag.kind import chunk_counts
from weft.reports import Block, Case, ClassScore, FeatureGroup, Picture
from weft.reports.calibration import calibration_of
from weft.reports.confusion import confusion_of
from weft.reports.numbers import count
from weft.reports.pictures import heat_map, spectrum_chart
from weft.structures.hankel.chain import HankelChain

N_LABELS = 9
MOST_LABELS = 24
RANK_SHARE = 1e-6
"""Singular values below this share of the largest do not count as states."""


def sections(kind: Kind, examples: list[Example], predicted: list[Any]) -> dict[str, Any]:
    """Confusions of labels, marginals, wrong sequences, weights, transitions."""
    tagger = kind.estimator
    gold = [[str(label) for label in each.labels or []] for each in examples]
    guess = [[str(label) for label in labels] for labels in predicted]
    pairs = list(zip(gold, guess, strict=True))
    X = tagger.encode([each.tokens for each in examples])
    places = {label: k for k, label in enumerate(tagger.classes_)}
    marginals = [
        [float(row[places[label]]) for row, label in zip(rows, labels, strict=True)]
        for rows, labels in zip(tagger.predict_proba(X), predicted, strict=True)
    ]
    sure = tagger.confidence(X).tolist()
    right = [[a == b for a, b in zip(x, y, strict=True)] for x, y in pairs]
    classes, class_name, n_classes = _classes(pairs)
    support = Counter(label for labels in gold for label in labels)
    confusions = Counter(pair for x, y in pairs for pair in zip(x, y, strict=True))
    calibrations = [
        calibration_of([p for row in marginals for p in row], [r for row in right for r in row], "tokens"),
        calibration_of(sure, [all(row) for row in right], "whole sequences"),
    ]
    missing = {}
    if n_classes > len(classes):
        missing["scores"] = f"Shown are the {len(classes)} most frequent of {n_classes} {class_name}s."
    if not _is_probabilistic(tagger):
        missing["calibration"] = (
            f"Scores of {type(tagger.learner_).__name__} are read as log-weights here; such a model is not "
            "trained to give probabilities."
        )
    features, pictures = _weights(tagger, support)
    return {
        "data": [*length_facts("tokens", [len(x) for x in gold]), ("labels", f"{len(support):,}")],
        "classes": classes,
        "class_name": class_name,
        "confusion": confusion_of(confusions, "tokens"),
        "calibrations": [each for each in calibrations if each is not None],
        "cases": worst(_cases(examples, pairs, marginals, sure)),
        "cases_note": "Ordered by the sum of the probabilities that the model gave to its wrong labels; a wrong "
        "label is marked, and stands below the reference.",
        "features": features,
        "pictures": pictures,
        "missing": missing,
    }


def _is_probabilistic(tagger: Any) -> bool:
    return "log_partition_and_mean" in getattr(tagger.learner_, "needs", ())


def _classes(pairs: list[tuple[list[str], list[str]]]) -> tuple[list[ClassScore], str, int]:
    """Scores of chunk types, or of labels."""
    counts = chunk_counts(pairs)
    if counts is not None:
        rows, n = class_scores(*counts)
        return rows, "chunk type", n
    wanted, found = [Counter(x) for x, _ in pairs], [Counter(y) for _, y in pairs]
    right = [Counter(a for a, b in zip(x, y, strict=True) if a == b) for x, y in pairs]
    rows, n = class_scores(wanted, found, right)
    return rows, "label", n


def _cases(
    examples: list[Example], pairs: list[tuple[list[str], list[str]]], marginals: list[list[float]], sure: list[float]
) -> list[Case]:
    cases = []
    for number, (example, (gold, guess), row) in enumerate(zip(examples, pairs, marginals, strict=True)):
        wrong = [k for k, (a, b) in enumerate(zip(gold, guess, strict=True)) if a != b]
        if not wrong:
            continue
        columns: list[tuple[tuple[str, ...], str]] = [
            ((_token(token, k), a, b), "wrong" if a != b else "")
            for k, (token, a, b) in enumerate(zip(example.tokens, gold, guess, strict=True))
        ]
        block = Block("", ("token", "reference", "predicted"), columns)
        verdict = f"{len(wrong)} of {count(len(gold), 'label')} wrong"
        cost = sum(row[k] for k in wrong)
        cases.append(Case(f"sequence {number + 1}", verdict, sure[number], cost, [block]))
    return cases


def _token(token: Any, place: int) -> str:
    """A token as it may be shown: itself, its first column, a few of its features, or its place."""
    if isinstance(token, str):
        return token
    if isinstance(token, dict):
        return ", ".join(f"{key}={value}" for key, value in list(token.items())[:2])
    if isinstance(token, list | tuple) and token and isinstance(token[0], str):
        return token[0]
    return str(token) if np.ndim(token) == 0 else str(place + 1)


# ---------------------------------------------------------------- weights


def _weights(tagger: Any, support: Counter[str]) -> tuple[list[FeatureGroup], list[Picture]]:
    """Weights of the most frequent labels, and the table of transitions or the spectrum."""
    n_pairs = tagger.chain_.n_pairs
    groups: list[FeatureGroup] = []
    frequent = [label for label, _ in support.most_common(N_LABELS)]
    if n_pairs:
        chosen: dict[str, list[tuple[str, float]]] = {label: [] for label in frequent}
        names, weights = tagger.feature_names_, tagger.weights_.tolist()
        for (attribute, label), weight in zip(names[:n_pairs], weights[:n_pairs], strict=True):
            if str(label) in chosen:
                chosen[str(label)].append((str(attribute), weight))
        groups = [strongest(label, items, 6, 2) for label, items in chosen.items()]
    if isinstance(tagger.chain_, HankelChain):
        states, pictures = _spectral(tagger)
        return [*groups, *states], pictures
    steps = tagger.transition_features_
    if steps:
        shown = [(" → ".join(map(str, labels)), weight) for labels, weight in steps.items()]
        groups.append(strongest("Transitions", shown, 6, 4))
    return [group for group in groups if group.items], _transitions(steps, support)


def _transitions(steps: dict[tuple[Any, ...], float], support: Counter[str]) -> list[Picture]:
    two = {(str(pair[0]), str(pair[1])): weight for pair, weight in steps.items() if len(pair) == 2}
    if not two:
        return []
    used = {label for pair in two for label in pair}
    labels = sorted(used, key=lambda label: (-support[label], label))[:MOST_LABELS]
    labels = sorted(labels) if len(labels) == len(used) else labels
    values = np.array([[two.get((a, b), np.nan) for b in labels] for a in labels])
    cut = "" if len(labels) == len(used) else f" The {len(labels)} most frequent of {len(used)} labels are shown."
    caption = (
        "Weight of each step from a label (row) to the next (column): blue steps are sought, orange ones avoided, "
        f"empty ones have no weight.{cut}"
    )
    table = {"labels": labels, "weights": values.tolist()}
    figure = heat_map(values, labels, labels, "weights of transitions between labels", "from ↓ to →")
    return [Picture("Transitions between labels", caption, figure, table, wide=True)]


def _spectral(tagger: Any) -> tuple[list[FeatureGroup], list[Picture]]:
    """Singular values of the Hankel matrix, and what the strongest latent states encode."""
    from weft.learners.spectral.states import latent_states, spectrum

    chain = tagger.chain_
    values = spectrum(chain, tagger.weights_)
    rank = int(np.count_nonzero(values > RANK_SHARE * values.max(initial=np.finfo(float).tiny)))
    text = f"{count(rank, 'singular value')} of {len(values)} count: the model has {count(rank, 'latent state')}."
    shown = values[: min(len(values), max(rank + 5, 20), 60)].tolist()
    first = "" if len(shown) == len(values) else f" The first {len(shown)} are shown."
    caption = (
        f"{text}{first} A steep fall means that a few states explain most of what windows of symbols and labels score."
    )
    picture = Picture(
        "Singular spectrum of the Hankel matrix", caption, spectrum_chart(shown, rank, text),
        {"singular_values": values.tolist(), "n_states": rank},
    )  # fmt: skip
    pairs = chain.pairs.names(tagger.encoder_.feature_names, list(tagger.classes_))
    groups = []
    for number, state in enumerate(latent_states(chain, tagger.weights_, pairs, 4, 4), start=1):
        items = [(f"… {_bi_symbol(symbol)}", load) for symbol, load in [*state.suffixes, *state.opposite_suffixes]]
        groups.append(
            FeatureGroup(f"Latent state {number}: suffixes, {100 * state.share:.0f} % of the spectrum", items)
        )
    return groups, [picture]


def _bi_symbol(symbol: Any) -> str:
    return "/".join("·" if part is None else str(part) for part in symbol)
