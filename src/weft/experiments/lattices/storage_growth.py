"""How the costs of W' grow by representation: the orders of Lattice kernels, Table 3, measured.

Table 3 says how long a gradient (2) and an update (3) take and how much room W' needs. Here random strings of few
symbols are added to W' one after the other, and costs are measured once for more and more examples in W', once for
longer and longer strings. An order of growth is the slope of a straight line through logarithms.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from weft.experiments.report import Measurement, Report
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.kinds import WeightStorage, new_storage, sorted_rows
from weft.kernels.grams.ngram import NGramKernel

Example = tuple[int, NDArray[np.uint32], NDArray[np.float32]]
"""Its number, columns and values."""

KINDS = {"naive": "naive", "trie": "trie", "minimal": "minimal automaton"}
WIDTH, SYMBOLS = 5, "abcdefghijkl"
SECONDS = 0.01
"""A cost is measured over at least this long, three times; the least counts."""

# Table 3 for n-grams: gradient, update and room by the number of examples in W', and by the symbols of an example.
# All n-grams of a random string are new at first, so that the trie grows like the data.
PUBLISHED: dict[tuple[str, str], dict[str, int | None]] = {
    ("examples", "naive"): {"gradient": 1, "update": 0, "room": 1},
    ("examples", "trie"): {"gradient": 0, "update": 0, "room": 1},
    ("examples", "minimal"): {"gradient": 0, "update": None, "room": 1},
    ("symbols", "naive"): {"gradient": 2, "update": 0, "room": 0},
    ("symbols", "trie"): {"gradient": 1, "update": 1, "room": 1},
    ("symbols", "minimal"): {"gradient": 1, "update": None, "room": 1},
}
COSTS = {
    "gradient": "microseconds",
    "update": "microseconds",
    "gradient, one example": "microseconds",
    "update, one example": "microseconds",
    "room": "bytes",
}
"""What is measured, and its unit: of examples in turn, and of one again and again, for which caches always suffice."""


def order_of_growth(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Slope of costs over sizes, both as logarithms.

    Examples
    --------
    >>> round(order_of_growth([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def costs_of(kind: str, n_examples: int, length: int, random: np.random.Generator) -> list[float]:
    """What `COSTS` names, of a W' of some random strings."""
    texts = ["".join(random.choice(list(SYMBOLS), size=length)) for _ in range(n_examples)]
    mapped, matrix = NGramKernel(WIDTH).feature_map(texts)
    keys = KeySet.from_names(mapped.names())
    rows = sorted_rows(matrix, keys)
    storage: WeightStorage = new_storage(kind, keys, rows)
    cuts = [slice(rows.indptr[i], rows.indptr[i + 1]) for i in range(n_examples)]
    examples: list[Example] = [(i, rows.columns[cut], rows.values[cut]) for i, cut in enumerate(cuts)]
    for example in examples:
        storage.add(*example, float(random.normal()))
    found = []
    for met in (examples, examples[:1]):
        found.append(_microseconds(partial(_gradient, storage, met)))
        found.append(_microseconds(partial(_update, storage, met)))
    return [*found, float(storage.size().bytes)]


def _gradient(storage: WeightStorage, examples: Sequence[Example], k: int) -> None:
    storage.dot(*examples[k % len(examples)][1:])


def _update(storage: WeightStorage, examples: Sequence[Example], k: int) -> None:
    storage.add(*examples[k % len(examples)], 1e-3)


def _microseconds(call: Callable[[int], object]) -> float:
    """Processor time of one call: the least of three averages."""
    call(0)
    least, n_calls = np.inf, 1
    for _ in range(3):
        spent = 0.0
        while spent < SECONDS:
            began = time.process_time()
            for k in range(n_calls):
                call(k)
            spent = time.process_time() - began
            if spent < SECONDS:
                n_calls *= 2
        least = min(least, spent / n_calls)
    return 1e6 * float(least)


def run(*, quick: bool, n_replicates: int | None, seed: int, progress: Callable[[str], None]) -> Report:
    """Costs by the number of examples and by their length, and the orders of growth."""
    n_replicates = n_replicates or (1 if quick else 5)
    sizes = {
        "examples": (20, 80, 320) if quick else (50, 100, 200, 400, 800, 1600),
        "symbols": (50, 200, 800) if quick else (50, 100, 200, 400, 800, 1600),
    }
    fixed = {"examples": 50, "symbols": 100}
    measurements = []
    for what, many in sizes.items():
        other = "symbols" if what == "examples" else "examples"
        for kind, name in KINDS.items():
            found: list[list[list[float]]] = []
            for replicate in range(n_replicates):
                random = np.random.default_rng(seed * 1000 + replicate)
                found.append([])
                for size in many:
                    progress(f"{name}, {size} {what}, run {replicate + 1} of {n_replicates}")
                    size_of = {what: size, other: fixed[other]}
                    found[-1].append(costs_of(kind, size_of["examples"], size_of["symbols"], random))
            for k, (cost, unit) in enumerate(COSTS.items()):
                orders = tuple(order_of_growth(many, [costs[k] for costs in one]) for one in found)
                measurements.append(
                    Measurement(
                        cost, name, orders, PUBLISHED[what, kind][cost.split(",")[0]], f"order of growth in {what}"
                    )
                )
                measurements += [
                    Measurement(
                        str(size), f"{name}, {cost}", tuple(one[at][k] for one in found), None, f"{unit}, {what}"
                    )
                    for at, size in enumerate(many)
                ]
    return Report(
        "storage-growth",
        "W' as a sum, a trie and a minimal automaton: how costs grow",
        "order",
        measurements,
        notes=[
            f"Random strings over {len(SYMBOLS)} symbols, {WIDTH}-grams: {fixed['symbols']} symbols each where the "
            f"examples grow, {fixed['examples']} examples where symbols grow. A fixed cost of each call lowers slopes.",
            "Examples come in turn, and a large W' leaves the caches of a processor; one example again and again finds "
            "its part of W' there, and shows how many operations it takes.",
            "Published orders are those of Table 3 for n-grams, whose length is constant: 1 is linear, 0 constant, and "
            "the update of the minimal automaton is left open. A gradient of the sum is quadratic in symbols there; "
            "here an example is spread out once and then met by all others.",
        ],
        facts={
            "n_replicates": n_replicates,
            "seed": seed,
            "sizes": {name: list(many) for name, many in sizes.items()},
            "fixed": fixed,
            "n": WIDTH,
            "symbols": len(SYMBOLS),
        },
        style="lines",
        axis="examples, or symbols of each",
    )
