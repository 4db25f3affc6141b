"""Tests of `weft.kernels.positional.weighted_degree`."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import InputError, Normalized, SequenceSVC, WeightedDegreeKernel
from weft.kernels.positive import check_positive_semidefinite

TEXTS = st.lists(st.text("abcé", max_size=9), min_size=1, max_size=5)
PROPERTIES = settings(max_examples=25)
KERNELS = [
    WeightedDegreeKernel(1),
    WeightedDegreeKernel(3),
    WeightedDegreeKernel(4, min_n=2),
    WeightedDegreeKernel(3, shift=1),
    WeightedDegreeKernel(2, shift=7),
    WeightedDegreeKernel(3, shift=2, anchor="centre"),
    WeightedDegreeKernel(3, shift=2, anchor="end"),
]
EACH_KERNEL = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def places(text, k, anchor):
    """All grams of k symbols with the place where each begins."""
    zero = {"start": 0, "centre": len(text) // 2, "end": len(text)}[anchor]
    return [(text[i : i + k], i - zero) for i in range(len(text) - k + 1)]


def by_definition(kernel, x, y):
    """The double sum of the papers, in fractions."""
    total, n = Fraction(0), kernel.n
    for k in range(kernel.min_n, n + 1):
        weight = Fraction(2 * (n - k + 1), n * (n + 1))
        for gram, i in places(x, k, kernel.anchor):
            for other, j in places(y, k, kernel.anchor):
                if gram == other and abs(i - j) <= kernel.shift:
                    total += weight * (1 if i == j else Fraction(1, 2 * (abs(i - j) + 1)))
    return float(total)


@EACH_KERNEL
@given(X=TEXTS, Y=TEXTS)
@PROPERTIES
def test_values_are_those_of_the_double_sum(kernel, X, Y):
    wanted = np.array([[by_definition(kernel, x, y) for y in Y] for x in X])
    np.testing.assert_allclose(kernel.gram(X, Y), wanted, atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), [by_definition(kernel, x, x) for x in X], atol=1e-12)
    gram = kernel.gram(X)
    np.testing.assert_array_equal(gram, gram.T)
    check_positive_semidefinite(gram)


def test_a_value_worked_out_by_hand():
    # Symbols have weight 2/3, pairs 1/3: G, A, T and T in place; GA and TT, and AT that the other lacks.
    assert WeightedDegreeKernel(2).gram(["GATT"], ["GACT"])[0, 0] == pytest.approx(3 * 2 / 3 + 1 / 3)
    # A one place apart, and T two places: 1/4 and 1/6 of 2/3.
    assert WeightedDegreeKernel(2, shift=2).gram(["AT"], ["CAGT"])[0, 0] == pytest.approx(2 / 3 * (1 / 4 + 1 / 6))


@EACH_KERNEL
def test_threads_change_nothing(kernel):
    X = ["abcabéa", "ccba", "", "abc", "éabéabéab"] * 20
    one, two = (kernel.__class__(**{**kernel.get_params(), "n_jobs": n}).features(X) for n in (1, 2))
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@EACH_KERNEL
def test_spans_and_names_say_where_a_gram_stands(kernel):
    mapped, _ = kernel.feature_map(["abcabéa", "ccba"])
    text, names = "xabcbéab", mapped.names()
    zero = {"start": 0, "centre": 4, "end": 8}[kernel.anchor]
    spans = mapped.spans(text)
    assert len(spans.start) > 0
    for start, stop, column in zip(*spans, strict=True):
        gram, place = names[column].split("@")
        assert gram == text[start:stop]
        assert 0 <= start - zero - int(place) <= kernel.shift


def test_symbols_that_training_lacks_count_for_lengths_only():
    kernel = WeightedDegreeKernel(2, shift=1)
    mapped, _ = kernel.feature_map(["abab"])
    rows, norms = mapped.transform_with_norms(["xyxy", "", "abab"])
    assert rows[[0]].nnz == 0
    assert rows[[1]].nnz == 0
    np.testing.assert_allclose(norms, [by_definition(kernel, x, x) for x in ["xyxy", "", "abab"]])


def test_tokens_are_symbols():
    kernel = WeightedDegreeKernel(2)
    assert kernel.gram([["to", "be"]], [["to", "be"], ["be", "to"]]).round(6).tolist() == [[1.666667, 0.0]]
    assert kernel.feature_map([["to", "be"]])[0].names() == ["to@0", "to be@0", "be@1"]


@pytest.mark.parametrize(
    "kernel", [Normalized(WeightedDegreeKernel(3, shift=2, anchor="end")), WeightedDegreeKernel(2)]
)
def test_a_classifier_is_the_same_after_saving_and_for_any_threads(kernel, tmp_path):
    X, y = ["gattaca", "gattcca", "cattaga", "cagtaga", "gataaca", "catgaga"], list("ababab")
    files = []
    for n_jobs in (1, 2):
        svc = SequenceSVC(kernel, C=1.0, random_state=0, n_jobs=n_jobs).fit(X, y)
        weft.save(svc, tmp_path / f"{n_jobs}.weft")
        files.append((tmp_path / f"{n_jobs}.weft").read_bytes())
        again = weft.load(tmp_path / f"{n_jobs}.weft")
        np.testing.assert_array_equal(again.decision_function(X), svc.decision_function(X))
        weft.save(again, tmp_path / "again.weft")
        files.append((tmp_path / "again.weft").read_bytes())
    assert all(file == files[0] for file in files)


@pytest.mark.parametrize("anchor", ["start", "centre", "end"])
def test_a_stream_with_new_symbols_keeps_what_was_learned(anchor):
    kernel = WeightedDegreeKernel(2, shift=1, anchor=anchor)
    mapped, rows = kernel.feature_map(["abba"])
    grown, places_ = mapped.grown(["xaab", "zz"])
    np.testing.assert_array_equal(grown.transform(["abba"]).toarray()[:, places_], rows.toarray())
    assert [grown.names()[place] for place in places_] == mapped.names()
    assert set(grown.names()) == set(kernel.feature_map(["abba", "xaab", "zz"])[0].names())


@pytest.mark.parametrize(
    ("settings_", "X", "message"),
    [
        ({"n": 0}, ["ab"], "n=0 given"),
        ({"n": 2, "min_n": 3}, ["ab"], "min_n=3 is above n=2"),
        ({"shift": -1}, ["ab"], "shift=-1 given"),
        ({"shift": 1.5}, ["ab"], "shift=1.5 given"),
        ({"anchor": "middle"}, ["ab"], "anchor='middle' given"),
        ({"n": 24}, ["ACGT" * 10], "take a smaller n"),
        ({"n": 40}, ["ACGT" * 10], "take shorter grams"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings_, X, message):
    with pytest.raises(InputError, match=message):
        WeightedDegreeKernel(**settings_).gram(X)
    with pytest.raises(InputError, match=message):
        WeightedDegreeKernel(**settings_).diagonal(X)


def test_lattices_have_no_places():
    with pytest.raises(InputError, match="automata, whose symbols have no places"):
        WeightedDegreeKernel(2).gram([weft.automata.Automaton.from_string("ab")])
