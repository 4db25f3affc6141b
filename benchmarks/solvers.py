"""The two solvers of weft's CRF against each other: Newton steps stand where the peer stands elsewhere."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks import data, templates
from benchmarks.harness import Entry, Side
from benchmarks.tagging import QUICK_TRAIN, TaggingData

if TYPE_CHECKING:
    from benchmarks.measure import Meter

SENTENCES = 2_000


def prepare(quick: bool) -> TaggingData:
    """The first training sentences of CoNLL-2000 with the chunking template."""
    sentences, _ = data.conll2000()
    part = sentences[: QUICK_TRAIN if quick else SENTENCES]
    return TaggingData(
        [templates.chunking(sentence) for sentence in part], [[row[-1] for row in s] for s in part], [], [], chunks=True
    )


def run(data: TaggingData, meter: Meter, solver: str) -> dict[str, float]:
    import weft

    tagger = weft.Tagger(weft.CRF(c2=1.0, solver=solver))
    with meter.phase("fit", tokens=data.train_tokens):
        tagger.fit(data.train_X, data.train_y)
    return {"objective": tagger.history_[-1]["objective"], "iterations": float(tagger.n_iter_)}


def warm_up(solver: str) -> None:
    import weft

    weft.Tagger(weft.CRF(solver=solver, max_iter=3)).fit([[["a", "b"], ["b"]], [["a"]]], [["B-X", "O"], ["O"]])


ENTRIES = [
    Entry(
        name="solvers",
        description="weft's CRF by Newton steps against its default, L-BFGS; 2,000 sentences of CoNLL-2000",
        prepare=prepare,
        peer=Side("newton", partial(run, solver="newton"), partial(warm_up, "newton")),
        weft=Side("lbfgs", partial(run, solver="lbfgs"), partial(warm_up, "lbfgs")),
    )
]
