"""Layouts that come from files: read as those that are made in memory, and refused if a number is out of range."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.structures.chain.layouts import TokenLayouts, checked_layout, lay_out
from weft.structures.online import PerceptronState

RANDOM = np.random.default_rng(4)
ROWS = [
    [{f"w{j}": 1.5, f"rare{j}{i}": 1.0, "bias": 1.0} for j in RANDOM.integers(9, size=RANDOM.integers(1, 6))]
    for i in range(30)
]
LABELS = [["ABCDEFGHIJKLMNOPQ"[int(RANDOM.integers(17))] for _ in row] for row in ROWS]


@pytest.fixture(scope="module")
def batch():
    found = weft.Tagger(weft.CRF(max_iter=2), pairs="observed")
    with pytest.warns(UserWarning, match="max_iter"):
        found.fit(ROWS, LABELS)
    found = found.bind(ROWS, LABELS)
    found.set_shards([[slice(0, 7), slice(7, 8)], [slice(8, 30)]])
    return found


def test_chunks_are_slices_of_one_layout(batch):
    weights = RANDOM.normal(size=batch.n_features)
    wanted = batch.log_partition_and_mean(weights), batch.argmax(weights, loss=1.0)
    arrays = lay_out(batch.features, batch.sparse_tokens)
    assert min(len(arrays["rows"]), len(arrays["entries"])) > 0
    layout = checked_layout(batch.features, batch.corpus.n_tokens, arrays)
    batch.layouts = TokenLayouts(batch.features, batch.corpus, batch.sparse_tokens, layout)
    found = batch.log_partition_and_mean(weights), batch.argmax(weights, loss=1.0)
    for (left, right), (own, other) in zip(wanted, found, strict=True):
        assert np.array_equal(left, own)
        assert np.array_equal(right, other)


def test_one_sequence_alone_has_the_answer_of_the_batch(batch, monkeypatch):
    few, rows = [], TokenLayouts.model_of_few
    monkeypatch.setattr(
        TokenLayouts, "model_of_few", lambda *given: few.append(rows(*given)[3][1].shape) or rows(*given)
    )
    weights = RANDOM.normal(size=batch.n_features)
    labels, scores = batch.argmax(weights)
    assert not few  # all attributes come
    for i, wanted in enumerate(batch.split(labels)):
        found, score = batch.select([i]).argmax(weights)
        assert np.array_equal(found, wanted)
        assert score[0] == scores[i]  # to the last bit
    assert few
    assert all(n < batch.features.n_rows for n, _ in few)


def test_steps_on_a_part_need_the_rows_of_its_attributes_alone(batch):
    part = batch.select([0, 1, 2])
    start = RANDOM.integers(-3, 4, size=(2, batch.n_features)).astype(float)
    few, layout = part.layouts.with_rows_here(), lay_out(part.features, part.sparse_tokens)
    assert 0 < few.features.n_rows < part.features.n_rows
    assert few.features.with_rows_of(part.sparse_tokens) is few.features
    every = part.select([0, 1, 2])
    arrays = checked_layout(part.features, part.corpus.n_tokens, layout)
    every.layouts = TokenLayouts(part.features, part.corpus, part.sparse_tokens, arrays)
    assert every.layouts.with_rows_here() is every.layouts  # what is laid out counts rows of all
    passes = [each.perceptron_passes(PerceptronState(*start), np.random.default_rng(0)) for each in (part, every)]
    for _ in range(3):
        (mine, n_mine), (wanted, n_wanted) = map(next, passes)
        assert n_mine == n_wanted > 0
        assert np.array_equal(mine.weights, wanted.weights)
        assert np.array_equal(mine.totals, wanted.totals)


@pytest.mark.parametrize(
    ("name", "place", "value", "said"),
    [
        ("rows", 3, 999, r"rows\[3\] is 999; need 0 to"),
        ("entries", 0, -1, r"entries\[0\] is -1; need 0 to"),
        ("row_offsets", -1, 10**9, "row_offsets goes from 0 to"),
        ("entry_offsets", 1, 10**9, "entry_offsets falls at place"),
    ],
)
def test_a_number_out_of_range_is_refused(batch, name, place, value, said):
    arrays = {key: array.copy() for key, array in lay_out(batch.features, batch.sparse_tokens).items()}
    arrays[name][place] = value
    with pytest.raises(InputError, match=said):
        checked_layout(batch.features, batch.corpus.n_tokens, arrays)
    arrays = lay_out(batch.features, batch.sparse_tokens)
    with pytest.raises(InputError, match="entry_values of shape"):
        checked_layout(batch.features, batch.corpus.n_tokens, {**arrays, "entry_values": np.empty(1)})
    with pytest.raises(InputError, match="row_offsets has"):
        checked_layout(batch.features, batch.corpus.n_tokens + 1, arrays)
