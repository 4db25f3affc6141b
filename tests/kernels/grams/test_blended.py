"""The blend of spectra against counts by hand, and its map against the kernel."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft.automata import Automaton
from weft.kernels.grams.blended import END, START, BlendedSpectrumKernel

TEXTS = ["abab", "bca", "", "a", "cabba", "ab ba"]


def counts(sequence, n, sublinear=False):
    found = Counter(tuple(sequence[i : i + n]) for i in range(len(sequence) - n + 1))
    return {gram: 1 + np.log(count) if sublinear else count for gram, count in found.items()}


def cosine(x, y):
    norms = [sum(value * value for value in each.values()) for each in (x, y)]
    return sum(value * y.get(gram, 0) for gram, value in x.items()) / np.sqrt(np.prod(norms)) if all(norms) else 0.0


def by_hand(x, y, n, min_n=1, ends=True, sublinear=True):
    """Mean of the cosines of counts or their logarithms, length by length; single symbols have no marks beside them."""
    total = 0.0
    for k in range(min_n, n + 1):
        sides = [["<", *each, ">"] if ends and k > 1 and len(each) else list(each) for each in (x, y)]
        total += cosine(counts(sides[0], k, sublinear), counts(sides[1], k, sublinear))
    return total / (n - min_n + 1)


@given(
    st.lists(st.text("abc", max_size=6), min_size=2, max_size=4),
    st.integers(1, 4),
    st.integers(1, 4),
    st.booleans(),
    st.booleans(),
)
def test_values_are_means_of_cosines(texts, n, min_n, ends, sublinear):
    min_n = min(n, min_n)
    kernel = BlendedSpectrumKernel(n, min_n, ends=ends, sublinear=sublinear)
    wanted = [[by_hand(x, y, n, min_n, ends, sublinear) for y in texts] for x in texts]
    np.testing.assert_allclose(kernel.gram(texts), wanted, atol=1e-12)
    np.testing.assert_allclose(kernel.gram(texts[:1], texts), wanted[:1], atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(texts), np.diag(wanted), atol=1e-12)


def test_tokens_and_lattices_of_one_path_are_read_as_strings_are():
    for kernel in (BlendedSpectrumKernel(3), BlendedSpectrumKernel(3, sublinear=False)):
        wanted = kernel.gram(TEXTS)
        np.testing.assert_allclose(kernel.gram([list(text) for text in TEXTS]), wanted)
    np.testing.assert_allclose(kernel.gram([Automaton.from_string(text) for text in TEXTS]), wanted, atol=1e-12)


def test_a_lattice_has_the_expected_counts_of_its_marked_strings():
    lattice = Automaton.from_arcs([(0, "a", 1, 0.25), (0, "b", 1, 0.75)], final={1: 1.0})
    mapped, rows = BlendedSpectrumKernel(2, 2, sublinear=False).feature_map([lattice])
    assert mapped.names() == ["a $", "b $", "^ a", "^ b"]
    np.testing.assert_allclose(rows.toarray()[0] / rows.toarray()[0, 0], [1.0, 3.0, 1.0, 3.0])


@pytest.mark.parametrize("weights", [{}, {"idf": True}, {"sublinear": False}, {"dtype": "float32"}], ids=str)
def test_rows_of_one_sequence_and_of_many_agree_and_come_back_from_a_file(weights):
    kernel = BlendedSpectrumKernel(3, **weights)
    mapped, rows = kernel.feature_map(TEXTS)
    again = kernel.restore_feature_map(mapped.to_state())
    np.testing.assert_array_equal(mapped.transform(TEXTS).toarray(), rows.toarray())
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), rows.toarray())
    for text in [*TEXTS, "abx", "xyz"]:
        found, norms = mapped.transform_with_norms([text])
        values, columns, norm = mapped.one_row(text)
        dense = np.zeros(mapped.n_features)
        dense[columns] = values
        np.testing.assert_array_equal(dense, found.toarray()[0])
        assert norm == pytest.approx(norms[0])


def test_what_shares_no_symbol_shares_nothing():
    mapped, _ = BlendedSpectrumKernel().feature_map(TEXTS)
    assert mapped.transform(["xyz", ""]).nnz == 0


def test_names_of_marks_are_no_names_of_symbols():
    for texts, shown in ((["ab"], "^a"), (["a^"], "\N{RIGHT TACK}a"), (["^a\N{RIGHT TACK}", "b$"], "<start>b")):
        names = BlendedSpectrumKernel(2).feature_map(texts)[0].names()
        assert shown in names
        assert len(set(names)) == len(names)
    texts = ["^abc", "a$bc", "x^yz$", "x$y^w"]
    models = [
        weft.SequenceSVC(C=1.0, storage=each, random_state=0).fit(texts, [0, 0, 1, 1]) for each in ("array", "trie")
    ]
    np.testing.assert_allclose(*(model.decision_function(texts) for model in models), atol=1e-6)


def test_spans_are_places_of_the_sequence_itself():
    mapped, _ = BlendedSpectrumKernel(2).feature_map(["ab"])
    names = mapped.names()
    spans = mapped.spans("ab")
    found = {(names[column], start, stop) for start, stop, column in zip(*spans, strict=True)}
    assert found == {("a", 0, 1), ("b", 1, 2), ("^a", 0, 1), ("ab", 0, 2), ("b$", 1, 2)}
    assert all(START not in name and END not in name for name in names)


def test_columns_that_are_kept_and_that_join_keep_their_rows():
    kernel = BlendedSpectrumKernel(3)
    mapped, rows = kernel.feature_map(TEXTS)
    kept = np.arange(0, mapped.n_features, 3)
    few = mapped.selected(kept)
    assert few.names() == [mapped.names()[column] for column in kept]
    np.testing.assert_array_equal(few.transform(TEXTS).toarray(), rows.toarray()[:, kept])
    larger, places = mapped.grown(["xyzab"])
    np.testing.assert_array_equal(larger.transform(TEXTS).toarray()[:, places], rows.toarray())


def test_a_classifier_finds_prefixes_and_suffixes():
    random = np.random.default_rng(0)
    middles = ["".join(random.choice(list("abc"), 6)) for _ in range(60)]
    X = [("a" if i % 2 else "b") + middle + "c" for i, middle in enumerate(middles)]
    y = ["odd" if i % 2 else "even" for i in range(60)]
    svc = weft.SequenceSVC(random_state=0).fit(X[:40], y[:40])
    assert np.mean(svc.predict(X[40:]) == y[40:]) >= 0.95
    assert svc.top_features("odd", 1)[0][0].startswith("^a")
    without = weft.SequenceSVC(BlendedSpectrumKernel(ends=False), random_state=0).fit(X[:40], y[:40])
    assert np.mean(without.predict(X[40:]) == y[40:]) < 0.9


def test_a_stream_and_rare_features_work_as_it_comes():
    X, y = ["abab", "bca", "cabba", "ab"] * 3, ["x", "y", "x", "y"] * 3
    svc = weft.SequenceSVC(random_state=0)
    for i in range(0, 12, 4):
        svc.partial_fit(X[i : i + 4], y[i : i + 4], classes=["x", "y"])
    assert svc.predict(X).tolist() == y
    assert weft.SequenceSVC(min_count=2, random_state=0).fit(X, y).predict(X).tolist() == y


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n": 0}, "n"), ({"n": 2, "min_n": 3}, "min_n=3 is above n=2"), ({"ends": 1}, "ends=1 given")],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(options, message):
    with pytest.raises(weft.InputError, match=message):
        BlendedSpectrumKernel(**options).gram(["ab"])
