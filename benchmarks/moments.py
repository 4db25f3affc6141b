"""Moment learners: against CRFsuite's L-BFGS, and against themselves on an eighth of the data."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import psutil

from benchmarks import crfsuite, data, templates
from benchmarks.harness import Entry, Side
from benchmarks.tagging import TaggingData, prepare

if TYPE_CHECKING:
    from benchmarks.measure import Meter

SPANISH_SENTENCES = 1_500
SMALL, LARGE = 1_000, 8_000
PRODUCTS = 30


def spanish_part() -> tuple[data.Sentences, data.Sentences]:
    """1,500 training sentences, always the same, and testb."""
    train, test = data.conll2002_es()
    return random.Random(0).sample(train, SPANISH_SENTENCES), test


def learner(name: str, **settings: Any) -> Any:
    """A moment learner, with its defaults if nothing is set."""
    import weft

    return {"steps": weft.MomentSteps, "loss": weft.LossRegression, "soda": weft.SODA}[name](**settings)


def warm_up(name: str) -> None:
    """Compile all that is measured; many attributes are looked up by other code than a few."""
    import weft

    many = [str(number) for number in range(6_000)]
    X = [[["a", "b"], ["b"], ["c"]], [["c", *many], ["a"]]] * 4
    y = [["B-X", "I-X", "O"], ["O", "B-X"]] * 4
    weft.Tagger(learner(name)).fit(X, y).predict(X)


def run(data: TaggingData, meter: Meter, name: str) -> dict[str, float]:
    """Fit, ingest included, and score."""
    import weft

    tagger = weft.Tagger(learner(name))
    with meter.phase("fit", tokens=data.train_tokens):
        tagger.fit(data.train_X, data.train_y)
    with meter.phase("decode from lists", tokens=data.test_tokens):
        predicted = [list(labels) for labels in tagger.predict(data.test_X)]
    return {"features": float(tagger.weights_.size), **data.scores(predicted)}


def growing(data: TaggingData, meter: Meter, name: str, n_sentences: int) -> dict[str, float]:
    """Learn from the first sentences, already encoded, with as many products whatever their number; watch the memory.

    How many products a tolerance takes depends on the data; it is a score of its own.
    """
    import numpy as np

    import weft
    from weft.learners.base import Learner
    from weft.learners.monitor import Monitor

    class Keep(Learner):
        """Keeps the batch, so that learning can be measured without the ingest."""

        def learn(self, batch: Any, initial: Any, monitor: Any, random: Any) -> Any:
            self.batch_ = batch
            return initial

    tagger = weft.Tagger(Keep()).fit(data.train_X[:n_sentences], data.train_y[:n_sentences])
    batch = tagger.learner_.batch_
    tokens = batch.corpus.tokens
    matrix = (tokens.offsets.nbytes + tokens.ids.nbytes + tokens.values.nbytes) / 2**20
    vector = 8 * batch.n_features / 2**20
    with peak_growth() as growth, Monitor() as monitor, meter.phase("learn", tokens=batch.corpus.n_tokens):
        fixed = learner(name, tol=0.0, **({} if name == "steps" else {"max_iter": PRODUCTS}))
        fixed.learn(batch, np.zeros(batch.n_features), monitor, np.random.default_rng(0))
    products = {}
    if name != "steps":
        free = learner(name)
        with Monitor() as quiet:
            free.learn(batch, np.zeros(batch.n_features), quiet, np.random.default_rng(0))
        products["products at the default tolerance"] = float(free.n_products_)
    return {
        "sentences": float(batch.n_sequences),
        **products,
        "feature matrix MB": matrix,
        "weight vector MB": vector,
        "growth while learning MB": growth[0],
        "matrix and growth / (3 matrices + 10 vectors)": (matrix + growth[0]) / (3 * matrix + 10 * vector),
    }


@contextmanager
def peak_growth() -> Iterator[list[float]]:
    """Highest resident memory during the body above that at its begin, in MB, sampled every few milliseconds."""
    process = psutil.Process()
    before = process.memory_info().rss
    result, stop = [0.0], threading.Event()

    def sample() -> None:
        while not stop.wait(0.003):
            result[0] = max(result[0], (process.memory_info().rss - before) / 2**20)

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    try:
        yield result
    finally:
        stop.set()
        sampler.join()


Prepare = Callable[[bool], TaggingData]

CHUNKING: Prepare = partial(prepare, data.conll2000, templates.chunking, True)
SPANISH: Prepare = partial(prepare, spanish_part, templates.neighbours, True)
NEW, OLD = "weft", "CRFsuite"

ENTRIES = [
    Entry(
        name="moments-conll2000",
        description="CoNLL-2000 chunking, the 19-attribute CRF++ template; MomentSteps against L-BFGS, c2 = 1",
        prepare=CHUNKING,
        peer=Side(OLD, partial(crfsuite.run, algorithm="lbfgs")),
        weft=Side(NEW, partial(run, name="steps"), partial(warm_up, "steps")),
    ),
    Entry(
        name="moments-spanish",
        description="1,500 sentences of CoNLL-2002, the word and its neighbours; LossRegression against L-BFGS, c2 = 1",
        prepare=SPANISH,
        peer=Side(OLD, partial(crfsuite.run, algorithm="lbfgs")),
        weft=Side(NEW, partial(run, name="loss"), partial(warm_up, "loss")),
    ),
    *(
        Entry(
            name=f"moments-growth-{name}",
            description=f"{title} on {SMALL:,} and on {LARGE:,} sentences of CoNLL-2000, encoded",
            prepare=CHUNKING,
            peer=Side(f"{SMALL:,}", partial(growing, name=name, n_sentences=SMALL), partial(warm_up, name)),
            weft=Side(f"{LARGE:,}", partial(growing, name=name, n_sentences=LARGE), partial(warm_up, name)),
        )
        for name, title in (("loss", "LossRegression"), ("soda", "SODA"), ("steps", "MomentSteps"))
    ),
]
