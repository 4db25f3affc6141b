"""How far the graphs that any structure compiles to are from loops written for one: a chain both ways."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Entry, Side

if TYPE_CHECKING:
    from benchmarks.measure import Meter

N_LABELS, N_SYMBOLS, LENGTH = 10, 50, 20
N_SEQUENCES, N_QUICK = 2_000, 100
REPEATS = 10


@dataclass(frozen=True)
class ChainData:
    """Sequences of symbols, and weights in the order of `weft.structures.Chain`."""

    symbols: Any
    weights: Any


def prepare(quick: bool) -> ChainData:
    """Random symbols and weights, always the same."""
    import numpy as np

    random = np.random.default_rng(0)
    symbols = random.integers(0, N_SYMBOLS, size=(N_QUICK if quick else N_SEQUENCES, LENGTH))
    return ChainData(symbols, random.normal(size=N_LABELS * (N_SYMBOLS + N_LABELS)))


def graph_batch(data: ChainData) -> tuple[Any, Any]:
    """The chain as graphs, and its weights."""
    from weft.structures import Chain, GraphBatch

    chain = Chain(N_LABELS, N_SYMBOLS)
    graphs = [chain.compile(LENGTH) for _ in data.symbols]
    return GraphBatch(graphs, [chain.part_features(x) for x in data.symbols], n_jobs=1), data.weights


def chain_batch(data: ChainData) -> tuple[Any, Any]:
    """The chain as its own loops have it; they want the weights of emissions by symbol."""
    import numpy as np

    from weft.sequences.corpus import Corpus, SparseTokens
    from weft.structures.chain.batch import ChainBatch
    from weft.structures.chain.features import ChainFeatures
    from weft.structures.chain.label_grams import LabelGrams

    n_sequences, n_tokens = len(data.symbols), data.symbols.size
    ids = data.symbols.ravel().astype(np.int32)
    corpus = Corpus(
        np.arange(n_sequences + 1) * LENGTH, SparseTokens(np.arange(n_tokens + 1), ids, np.empty(0), N_SYMBOLS)
    )
    labels = np.tile(np.arange(N_LABELS, dtype=np.int32), N_SYMBOLS)
    features = ChainFeatures(np.arange(N_SYMBOLS + 1) * N_LABELS, labels, LabelGrams.build(N_LABELS, 1))
    emissions, steps = np.split(data.weights, [N_LABELS * N_SYMBOLS])
    by_symbol = emissions.reshape(N_LABELS, N_SYMBOLS).T.ravel()
    return ChainBatch(features, corpus, n_jobs=1), np.concatenate([by_symbol, steps])


BATCHES = {"graph": graph_batch, "chain": chain_batch}


def warm_up(kind: str) -> None:
    """Compile what is measured."""
    batch, weights = BATCHES[kind](prepare(quick=True))
    batch.log_partition_and_mean(weights)
    batch.argmax(weights)


def run(data: ChainData, meter: Meter, kind: str) -> dict[str, float]:
    """Sums and maxima over all outputs, in one thread, several times over."""
    with meter.phase("bind"):
        batch, weights = BATCHES[kind](data)
    tokens = REPEATS * data.symbols.size
    with meter.phase("log_partition_and_mean", tokens=tokens):
        for _ in range(REPEATS):
            total, mean = batch.log_partition_and_mean(weights)
    with meter.phase("argmax", tokens=tokens):
        for _ in range(REPEATS):
            _, scores = batch.argmax(weights)
    return {"log partition": total, "score of the mean": float(mean @ weights), "best scores": float(scores.sum())}


ENTRIES = [
    Entry(
        name="graph-batch",
        description=f"a chain of {N_LABELS} labels, {LENGTH} symbols each: GraphBatch against ChainBatch, one thread",
        prepare=prepare,
        peer=Side("ChainBatch", partial(run, kind="chain"), partial(warm_up, "chain")),
        weft=Side("GraphBatch", partial(run, kind="graph"), partial(warm_up, "graph")),
    ),
]
