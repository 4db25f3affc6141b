"""Predictions on a cluster are those of one machine, part by part."""

import pytest

import weft
from weft.errors import InputError
from weft.scale import Examples, evaluate, predict

distributed = pytest.importorskip("distributed")

WORDS = [[f"w{(i * j) % 7}" for j in range(1, 2 + i % 4)] for i in range(20)]
LABELS = [["xyz"[int(word[1:]) % 3] for word in words] for words in WORDS]


@pytest.fixture(scope="module")
def client():
    # Threads are enough here: what processes change is tested with fits.
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0"
    ) as found:
        yield found


@pytest.mark.filterwarnings("ignore")
def test_parts_in_parts_out(client):
    tagger = weft.Tagger().fit(WORDS, LABELS)
    examples = Examples.from_lists(WORDS, LABELS, 3)
    found = predict(tagger, examples, client)
    assert [len(part) for part in found] == [len(reader()[0]) for reader in examples.readers]
    assert [each for part in found for each in part] == tagger.predict(WORDS)
    bag = pytest.importorskip("dask.bag").from_sequence(WORDS, npartitions=4)
    predicted = predict(tagger, bag)
    assert predicted.npartitions == bag.npartitions
    assert predicted.compute(scheduler="synchronous") == tagger.predict(WORDS)


@pytest.mark.filterwarnings("ignore")
def test_a_metric_says_what_it_says_on_one_machine(client):
    tagger = weft.Tagger(weft.CRF(max_iter=1)).fit(WORDS, LABELS)
    found = evaluate(tagger, Examples.from_lists(WORDS, LABELS, 4), weft.metrics.token_accuracy, client)
    assert found == weft.metrics.token_accuracy(LABELS, tagger.predict(WORDS))


def test_what_cannot_be_meant_is_refused(client):
    with pytest.raises(InputError, match=r"a list given; need weft\.scale\.Examples"):
        predict(weft.Tagger(), WORDS, client)
    with pytest.raises(InputError, match="client is None"):
        predict(weft.Tagger(), Examples.from_lists(WORDS, LABELS, 2))
