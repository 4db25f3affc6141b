"""Ingest: 200,000 tokens of 40 attributes each, from Python lists to what a learner trains on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import crfsuite, data, templates
from benchmarks.harness import Entry, Side
from benchmarks.tagging import TaggingData

if TYPE_CHECKING:
    from benchmarks.measure import Meter

TOKENS, QUICK_TOKENS = 200_000, 5_000


def prepare(quick: bool) -> TaggingData:
    """Training sentences of CoNLL-2000 up to the number of tokens; the last one is cut to fit."""
    sentences, _ = data.conll2000()
    left = QUICK_TOKENS if quick else TOKENS
    X, y = [], []
    for sentence in sentences:
        part = sentence[:left]
        if not part:
            break
        X.append(templates.rich_chunking(part))
        y.append([row[-1] for row in part])
        left -= len(part)
    return TaggingData(X, y, [], [], chunks=True)


def peer_run(data: TaggingData, meter: Meter) -> dict[str, float]:
    with meter.phase("ingest", tokens=data.train_tokens):
        crfsuite.append_all(data, "lbfgs")
    return {"attributes": float(sum(len(item) for items in data.train_X for item in items))}


def weft_ingest(X: list[templates.Attributes], y: list[list[str]]) -> Any:
    """Feature matrix, labels and the (attribute, label) pairs that occur: what CRFsuite's append collects."""
    from weft.sequences.encoder import TokenEncoder
    from weft.sequences.labels import encode_labels, label_classes
    from weft.structures.chain.batch import sparse_tokens
    from weft.structures.chain.features import ChainFeatures

    corpus = TokenEncoder().encode_training(X)
    classes = label_classes(y)
    labels = encode_labels(X, y, classes)
    return ChainFeatures.collect(sparse_tokens(corpus), labels, corpus.offsets, len(classes))


def weft_warm_up() -> None:
    weft_ingest([[["a", "b"], ["b"]], [["a"]]], [["B-X", "O"], ["O"]])


def weft_run(data: TaggingData, meter: Meter) -> dict[str, float]:
    with meter.phase("ingest", tokens=data.train_tokens):
        weft_ingest(data.train_X, data.train_y)
    return {"attributes": float(sum(len(item) for items in data.train_X for item in items))}


ENTRIES = [
    Entry(
        name="ingest",
        description="200,000 tokens of 40 attributes: CRFsuite's append against weft's encoding",
        prepare=prepare,
        peer=Side("CRFsuite", peer_run),
        weft=Side("weft", weft_run, weft_warm_up),
    )
]
