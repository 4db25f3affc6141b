import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.corpus import Corpus, SparseTokens, column_sums


@st.composite
def corpora(draw):
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = rng.integers(0, 2, size=(sum(lengths), 3)) * rng.normal(size=(sum(lengths), 3))
    offsets = np.cumsum([0, *lengths])
    rows, columns = np.nonzero(table)
    starts = np.searchsorted(rows, np.arange(sum(lengths) + 1))
    values = table[rows, columns] if draw(st.booleans()) else np.empty(0)
    dense = table if len(values) or not len(rows) else (table != 0).astype(float)
    sparse = SparseTokens(starts, columns.astype(np.int32), values, 3)
    return Corpus(offsets, sparse, "key"), Corpus(offsets, dense, "key")


def to_dense(corpus):
    tokens = corpus.tokens
    table = np.zeros((len(tokens), tokens.n_columns))
    values = tokens.values if len(tokens.values) else np.ones(len(tokens.ids))
    table[np.repeat(np.arange(len(tokens)), np.diff(tokens.offsets)), tokens.ids] = values
    return table


@given(corpora(), st.data())
def test_select_copies_whole_sequences(pair, data):
    sparse, dense = pair
    chosen = np.array(data.draw(st.lists(st.integers(0, len(sparse) - 1), min_size=1, max_size=6)))
    few = sparse.select(chosen)
    expected = np.concatenate([dense.split(dense.tokens)[i] for i in chosen])
    np.testing.assert_array_equal(to_dense(few), expected)
    np.testing.assert_array_equal(dense.select(chosen).tokens, expected)
    assert few.lengths.tolist() == [dense.lengths[i] for i in chosen]
    assert (len(few), few.n_tokens, few.n_columns) == (len(chosen), len(expected), 3)
    assert few.encoder_key == dense.select(chosen).encoder_key == "key"


@given(corpora())
def test_split_inverts_concatenation(pair):
    corpus, _ = pair
    flat = list(range(corpus.n_tokens))
    pieces = corpus.split(flat)
    assert [len(piece) for piece in pieces] == corpus.lengths.tolist()
    assert [value for piece in pieces for value in piece] == flat


def test_selecting_nothing_is_an_error():
    with pytest.raises(InputError, match="at least one is needed"):
        Corpus(np.array([0, 1]), np.zeros((1, 1))).select(np.array([], dtype=np.int64))


@given(st.lists(st.lists(st.integers(-1, 4), max_size=4), max_size=5), st.booleans())
def test_unknown_ids_are_left_out(rows, weighted):
    ids = np.array([number for row in rows for number in row], dtype=np.int32)
    values = np.arange(1.0, len(ids) + 1.0) if weighted else np.empty(0)
    places = np.array([len(row) for row in rows], dtype=np.int64)
    found = SparseTokens.of_found(ids.copy(), values, places, 5)
    known = [[number for number in row if number >= 0] for row in rows]
    wanted = SparseTokens(np.cumsum([0, *map(len, known)]), ids[ids >= 0], values[ids[: len(values)] >= 0], 5)
    for name in ("offsets", "ids", "values"):
        mine, other = getattr(found, name), getattr(wanted, name)
        assert mine.dtype == other.dtype
        assert np.array_equal(mine, other)
    assert (len(found), found.n_columns) == (len(rows), 5)


@pytest.mark.parametrize(
    ("ids", "counts"),
    [([0, 5], [1, 1]), ([0, 1], [3]), ([0, 1], [1]), ([0, 1], [-1, 3]), ([0, 1], [3, -1])],
)
def test_ids_that_fit_no_column_or_row_are_refused(ids, counts):
    with pytest.raises(InputError, match="do not fit 5 columns"):
        SparseTokens.of_found(np.array(ids, dtype=np.int32), np.empty(0), np.array(counts), 5)


def test_lengths_have_all_tokens():
    tokens = np.zeros((3, 1))
    assert Corpus.of_lengths(np.array([1, 2]), tokens, "key").offsets.tolist() == [0, 1, 3]
    with pytest.raises(InputError, match="2 tokens in sequences, 3 with features"):
        Corpus.of_lengths(np.array([1, 1]), tokens, "key")


def test_columns_are_counted_part_by_part(monkeypatch):
    ids = np.random.default_rng(1).integers(5, size=100).astype(np.int32)
    whole = column_sums(ids, None, 7)
    monkeypatch.setattr("weft.sequences.corpus.AT_ONCE", 9)
    np.testing.assert_array_equal(column_sums(ids, None, 7), whole)
    np.testing.assert_array_equal(column_sums(ids, np.ones(100), 7), whole)
    assert whole.tolist() == [ids.tolist().count(column) for column in range(7)]
