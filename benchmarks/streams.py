"""The same data in 64 calls of partial_fit and in one: what a stream costs above a pass over all of it."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

from benchmarks import tagging
from benchmarks.harness import Entry, Side

if TYPE_CHECKING:
    from benchmarks.measure import Meter


def stream(data: tagging.TaggingData, meter: Meter, n_calls: int) -> dict[str, float]:
    """One pass over the training sentences, in so many parts."""
    import weft

    tagger = weft.Tagger(weft.Perceptron(), random_state=0)
    classes = sorted({label for labels in data.train_y for label in labels})
    bounds = [len(data.train_X) * k // n_calls for k in range(n_calls + 1)]
    with meter.phase("partial_fit", tokens=data.train_tokens):
        for begin, end in itertools.pairwise(bounds):
            tagger.partial_fit(data.train_X[begin:end], data.train_y[begin:end], classes)
    return {"features": float(tagger.weights_.size), **data.scores([list(own) for own in tagger.predict(data.test_X)])}


def warm_up() -> None:
    """Compile, for few attributes and for many."""
    import weft

    many = [str(number) for number in range(6_000)]
    tagger = weft.Tagger(weft.Perceptron(), random_state=0)
    for own in (["a", "b"], ["c", *many], ["d"]):
        tagger.partial_fit([[own, ["b"]]] * 4, [["X", "Y"]] * 4, ["X", "Y"])
    tagger.predict([[["a"]]])


ENTRIES = [
    Entry(
        name="stream-partial-fit",
        description="CoNLL-2000, one perceptron pass: 64 calls of partial_fit beside one",
        prepare=tagging.CORPORA[0][2],
        peer=Side("weft, 1 call", partial(stream, n_calls=1), warm_up),
        weft=Side("weft, 64 calls", partial(stream, n_calls=64), warm_up),
    )
]
