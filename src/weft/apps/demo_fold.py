"""The demo of folds: which bases of an RNA pair, learned from made-up RNAs and tried on a real one."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from weft.apps.demo_parts import percents, print_table, trained
from weft.estimators.fold.folder import Folder
from weft.kinds.fold.kind import fold_figure
from weft.metrics.structures import base_pair_scores
from weft.sequences.formats.dotbracket import FoldedSequence, write_dot_bracket
from weft.structures.grammar.structure import Grammar

N_TRAIN, N_TEST, N_SAMPLE = 150, 100, 20
PAIRS, PAIR_WEIGHTS = ("GC", "CG", "AU", "UA", "GU", "UG"), (0.29, 0.29, 0.16, 0.16, 0.05, 0.05)
LOOP_WEIGHTS = {"A": 0.38, "C": 0.15, "G": 0.22, "U": 0.25}

TRNA = FoldedSequence(
    "tRNA-Phe of yeast",
    "GCGGAUUUAGCUCAGUUGGGAGAGCGCCAGACUGAAGAUCUGGAGGUCCUGUGUUCGAUCCACAGAAUUCGCACCA",
    "(((((((..((((........)))).(((((.......))))).....(((((.......))))))))))))....",
)
"""A transfer RNA whose fold is known from crystals; modified bases are written as those they are made from."""


class FoldData(NamedTuple):
    """RNAs and their structures."""

    X_train: list[str]
    y_train: list[str]
    X_test: list[str]
    y_test: list[str]


def make_data(seed: int) -> FoldData:
    """Stems with loops, side by side or around a junction, drawn letter by letter."""
    random = np.random.default_rng(seed)
    folds = [_fold(random) for _ in range(N_TRAIN + N_TEST)]
    X, y = [sequence for sequence, _ in folds], [structure for _, structure in folds]
    return FoldData(X[:N_TRAIN], y[:N_TRAIN], X[N_TRAIN:], y[N_TRAIN:])


def _loop(random: np.random.Generator, low: int, high: int) -> tuple[str, str]:
    n = int(random.integers(low, high + 1))
    return "".join(random.choice(list(LOOP_WEIGHTS), n, p=list(LOOP_WEIGHTS.values()))), "." * n


def _stem(random: np.random.Generator, inside: tuple[str, str]) -> tuple[str, str]:
    n = int(random.integers(4, 8))
    pairs = random.choice(PAIRS, n, p=PAIR_WEIGHTS)
    left, right = "".join(pair[0] for pair in pairs), "".join(pair[1] for pair in reversed(pairs))
    return left + inside[0] + right, "(" * n + inside[1] + ")" * n


def _fold(random: np.random.Generator) -> tuple[str, str]:
    """One to three stems in a row, and half of the time a stem around them."""
    parts = [_loop(random, 0, 3)]
    for _ in range(int(random.integers(1, 4))):
        parts += [_stem(random, _loop(random, 4, 8)), _loop(random, 0, 4)]
    row = "".join(part[0] for part in parts), "".join(part[1] for part in parts)
    if random.random() < 0.5:
        return row
    before, after, closed = _loop(random, 0, 2), _loop(random, 0, 4), _stem(random, row)
    return before[0] + closed[0] + after[0], before[1] + closed[1] + after[1]


def train(data: FoldData) -> tuple[dict[str, Folder], float]:
    """A folder that has learned, and one that takes as many pairs as there can be; seconds of learning."""
    models, seconds = trained(
        lambda seed: Folder("g6", decode="best", random_state=seed).fit(data.X_train, data.y_train), {"learned": 0}
    )
    learned = models["learned"]
    counting = copy(learned)
    grammar = learned.grammar_
    assert isinstance(grammar, Grammar), "G6 is one"
    rules = grammar.productions[: grammar.n_rules]
    counting.weights_ = np.array([float(rule.is_pair) for rule in rules])  # G6 has a weight for each rule
    return {"pairs": counting, "learned": learned}, seconds


def figures(data: FoldData, models: dict[str, Folder]) -> dict[str, Any]:
    """Scores of the base pairs of other RNAs, and of the real one."""
    facts: dict[str, Any] = {
        "train_rnas": len(data.X_train),
        "test_rnas": len(data.X_test),
        "weights": len(models["learned"].weights_),
    }
    for name, folder in models.items():
        scores = base_pair_scores(data.y_test, folder.predict(data.X_test))
        real = base_pair_scores([TRNA.structure], folder.predict([TRNA.sequence]))
        facts[name] = {
            "sensitivity": scores.sensitivity,
            "precision": scores.ppv,
            "f1": scores.f1,
            "trna_f1": real.f1,
        }
    return facts


def write_sample(data: FoldData, path: Path) -> None:
    """Write some test RNAs."""
    others = zip(data.X_test[: N_SAMPLE - 1], data.y_test, strict=False)
    records = [FoldedSequence(f"made-up {k}", x, y) for k, (x, y) in enumerate(others, start=1)]
    write_dot_bracket([TRNA, *records], path)


def draw(folder: Folder, data: FoldData) -> Any:
    """Picture of the real RNA."""
    return fold_figure(folder, TRNA.sequence, TRNA.structure)


# ------------------------------------------------------------------ printing


def introduce(data: FoldData) -> None:
    """Say what is going to happen."""
    print(
        f"{len(data.X_train)} made-up RNAs of {min(map(len, data.X_train))} to {max(map(len, data.X_train))} letters: "
        "stems of pairs (brackets) and\nloops (dots).\n"
    )
    for sequence, structure in sorted(zip(data.X_train, data.y_train, strict=True), key=lambda pair: len(pair[0]))[:2]:
        print(f"{sequence}\n{structure}\n")


def show(data: FoldData, folder: Folder) -> None:
    """Fold the real RNA, with alternatives."""
    console = Console(highlight=False)
    console.print(f"The {TRNA.name}, which it never saw: the truth, and its three best folds.", style="bold")
    console.print(f"{TRNA.sequence}\n{TRNA.structure}", soft_wrap=True, markup=False)
    for structure, probability in folder.predict_kbest([TRNA.sequence], 3)[0]:
        console.print(f"{structure} {f'{probability:.2f}'[1:]}", soft_wrap=True, markup=False)
    console.print()


def report(facts: dict[str, Any], seconds: float) -> None:
    """Print the figures side by side."""
    titles = {"pairs": "as many pairs as possible", "learned": f"{facts['weights']} weights, learned"}
    columns = [f"base pairs of {facts['test_rnas']} other RNAs", "found", "right", "F1", "F1 of the tRNA"]
    print_table(columns, [[title, *percents(*facts[name].values())] for name, title in titles.items()])
    print(f"Training took {seconds:.1f} s, compilation included.\n")
