"""The network of a rewriting model: it learns the labels that the alignment gave."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers, Mask
from weft.learners.monitor import Monitor
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.model import RewriteModel
from weft.rewriting.network.learner import LabelledSymbols, RecurrentNetwork
from weft.rewriting.network.recurrent import Networks
from weft.rewriting.tuning import HeldOut, share_right

NETWORK_ALONE = (0.0, 0.0, 0.0, 0.0, 1.0)
WITH_JOINT = (0.0, 1.0, 0.0, 0.0, 1.0)
"""A network that reads what was written orders what another part finds."""


def train_network(
    model: RewriteModel,
    symbols: Ids,
    offsets: Integers,
    candidates: Integers,
    sample_weight: Floats | None,
    settings: RecurrentNetwork,
    random: np.random.Generator,
    *,
    output_names: Sequence[Any] | None,
    n_jobs: int | None,
    scored: HeldOut | None = None,
    patience: int | None = None,
    verbose: int = 0,
) -> Networks:
    """Learn which candidate each symbol has, in the direction in which the model reads.

    Passes are scored on the words `scored`, if there are any; `patience` stops them.
    """
    n_labels = len(model.label_offsets) - 2  # but for that of symbols unseen in training
    written = [model.label_symbols[a:b].tolist() for a, b in pairwise(model.label_offsets[:-1].tolist())]
    names = [[str(s if output_names is None else output_names[s]) for s in each] for each in written]
    data = LabelledSymbols(
        symbols, model.chain.labels[candidates], offsets, allowed_labels(model.chain, n_labels), shared_traits(names),
        sample_weight,
    )  # fmt: skip
    score = None
    if scored is not None:

        def score(weights: Floats) -> float:
            alone = replace(model, network=settings.networks(data, weights))
            return share_right(alone, scored, WITH_JOINT if alone.reads_outputs else NETWORK_ALONE, n_jobs)

    with Monitor(verbose, score, patience) as monitor:
        return settings.learn(data, monitor, random, n_jobs)


def allowed_labels(chain: CandidateChain, n_labels: int) -> Mask:
    """Whether each symbol may have each label; all of them if it has no candidates or is one unseen in training."""
    n_candidates = np.diff(chain.first)
    allowed = np.zeros((len(n_candidates), n_labels), dtype=bool)
    owners = np.repeat(np.arange(len(n_candidates)), n_candidates)
    allowed[owners[:-1], chain.labels[:-1]] = True
    allowed[n_candidates == 0] = True
    allowed[-1] = True
    return allowed


def shared_traits(labels: Sequence[Sequence[str]]) -> NDArray[np.float32]:
    """Which traits labels have: their length, their symbols, the first and the last, and the characters of these.

    Examples
    --------
    >>> shared_traits([["t"], ["t", "s"]]).astype(int)
    array([[1, 1, 1, 1, 1, 0, 0, 0, 0],
           [0, 1, 1, 1, 0, 1, 1, 1, 1]])
    """
    numbers: dict[tuple[str, Any], int] = {}
    found = []
    for label in labels:
        characters = unicodedata.normalize("NFD", "".join(label))
        traits: list[tuple[str, Any]] = [("length", len(label))]
        traits += [("symbol", symbol) for symbol in label] + [("character", c) for c in characters]
        traits += [("first", symbol) for symbol in label[:1]] + [("last", symbol) for symbol in label[-1:]]
        found.append([numbers.setdefault(each, len(numbers)) for each in traits])
    matrix = np.zeros((len(found), len(numbers)), dtype=np.float32)
    for row, traits_of_label in zip(matrix, found, strict=True):
        row[traits_of_label] = 1.0
    return matrix
