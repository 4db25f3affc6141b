import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import brute_force_grams as oracle
from gram_dictionaries import as_dictionaries
from weft import GappedKMerKernel, GappyKernel, InputError, MismatchKernel, NGramKernel

TEXTS = st.lists(st.text("abcé", max_size=9), min_size=1, max_size=5)
PROPERTIES = settings(max_examples=25)

KERNELS = [
    (NGramKernel(1), lambda text: oracle.ngrams(text, 1)),
    (NGramKernel(3, dtype="float32"), lambda text: oracle.ngrams(text, 3)),
    (NGramKernel(3, min_n=2), lambda text: oracle.ngrams(text, 2) + oracle.ngrams(text, 3)),
    (GappyKernel(1, 0.5), lambda text: oracle.gappy(text, 1, 0.5)),
    (GappyKernel(3, 0.5), lambda text: oracle.gappy(text, 3, 0.5)),
    (GappyKernel(2, 0.7, max_gap=2), lambda text: oracle.gappy(text, 2, 0.7, 2)),
    (GappyKernel(3, 0.7, max_gap=0), lambda text: oracle.gappy(text, 3, 0.7, 0)),
    (MismatchKernel(3, 0, "abcé"), lambda text: oracle.ngrams(text, 3)),
    (MismatchKernel(3, 1, "abcé"), lambda text: oracle.mismatches(text, 3, 1, "abcé")),
    (MismatchKernel(3, 2, "abcé"), lambda text: oracle.mismatches(text, 3, 2, "abcé")),
    (GappedKMerKernel(4, 2), lambda text: oracle.gapped_kmers(text, 4, 2)),
    (GappedKMerKernel(3, 3), lambda text: oracle.ngrams(text, 3)),
]
EACH_KERNEL = pytest.mark.parametrize(("kernel", "count"), KERNELS, ids=[str(kernel) for kernel, _ in KERNELS])


def by_name(found):
    return {"".join(gram): weight for gram, weight in found.items()}


@EACH_KERNEL
@given(X=TEXTS, Y=TEXTS)
@PROPERTIES
def test_features_equal_enumeration(kernel, count, X, Y):
    mapped, rows = kernel.feature_map(X)
    assert rows.dtype == kernel.dtype
    found, wanted = as_dictionaries(mapped, rows), [by_name(count(x)) for x in X]
    for own, right in zip(found, wanted, strict=True):
        assert own == pytest.approx(right)
    seen = set(mapped.names())
    assert seen == {name for each in wanted for name in each}
    others = as_dictionaries(mapped, mapped.transform(Y))
    for own, y in zip(others, Y, strict=True):
        assert own == pytest.approx({name: weight for name, weight in by_name(count(y)).items() if name in seen})
    gram = [[oracle.inner(count(x), count(y)) for y in Y] for x in X]
    np.testing.assert_allclose(kernel.gram(X, Y), gram, rtol=1e-6)
    np.testing.assert_allclose(kernel.diagonal(X), [oracle.inner(count(x), count(x)) for x in X], rtol=1e-6)


@EACH_KERNEL
def test_spans_lie_where_the_features_are(kernel, count):
    mapped, _ = kernel.feature_map(["abcabéa", "ccba"])
    text = "xabcbéab"
    spans, names = mapped.spans(text), mapped.names()
    assert len(spans.start) > 0
    counted = np.zeros(mapped.n_features)
    for start, stop, column in zip(*spans, strict=True):
        name, piece = names[column], text[start:stop]
        assert len(piece) >= len(name)
        if isinstance(kernel, GappyKernel):
            skipped = len(piece) - len(name)
            counted[column] += kernel.decay**skipped
            assert (piece[0], piece[-1]) == (name[0], name[-1])
        else:
            counted[column] += 1
            changes = sum(a != b for a, b in zip(name, piece, strict=True) if a != "·")
            assert changes <= (kernel.m if isinstance(kernel, MismatchKernel) else 0)
    np.testing.assert_allclose(counted, mapped.transform([text]).toarray()[0], rtol=1e-6)


@EACH_KERNEL
def test_maps_survive_their_state_and_pickle(kernel, count):
    mapped, rows = kernel.feature_map(["abcabéa", "ccba"])
    text = ["bacabé", "zz", ""]
    settings, arrays = mapped.to_state()
    for other in (kernel.restore_feature_map((settings, arrays)), pickle.loads(pickle.dumps(mapped))):
        assert other.names() == mapped.names()
        assert (other.transform(text) != mapped.transform(text)).nnz == 0
    assert rows.shape == (2, mapped.n_features)


def test_published_values():
    # LK section 2.2 with decay 1/2, by hand.
    gappy = GappyKernel(2, 0.5)
    assert gappy.gram(["aba"], ["aba"]) == 9 / 4
    assert gappy.gram(["abca"], ["aca"]) == 13 / 8
    assert gappy.gram(["cat"], ["cart"]) == 13 / 8
    assert GappyKernel(3, 0.5).gram(["abca"], ["abca"]) == 5 / 2
    assert NGramKernel(2).gram(["ababa"], ["ababa"]) == 8
    # The worked example of LK: ababa, abaab, abbab.
    np.testing.assert_array_equal(NGramKernel(2).diagonal(["ababa", "abaab", "abbab"]), [8, 6, 6])


def test_tokens_and_numbers_are_symbols():
    mapped, rows = NGramKernel(2).feature_map([["to", "be", "or"], ["be", "or"], ["x"]])
    assert mapped.names() == ["be or", "to be"]
    assert rows.toarray().tolist() == [[1, 1], [1, 0], [0, 0]]
    assert NGramKernel(1).gram([[1, 2, 2]], [[2, 3]]) == 2


@pytest.mark.parametrize(
    ("kernel", "X", "message"),
    [
        (NGramKernel(2), ["ab", ["a"]], r"X\[0\] is a string, but X\[1\] is a list"),
        (NGramKernel(2), "ab", "X is one string"),
        (NGramKernel(2), {"a": 1}, "X is a dict"),
        (NGramKernel(2), [b"ab"], "is a bytes"),
        (NGramKernel(2), [3], "is a int"),
        (NGramKernel(2), [[["a"]]], "not hashable"),
        (NGramKernel(0), ["ab"], "n=0 given"),
        (NGramKernel(2, min_n=3), ["ab"], "min_n=3 is above n=2"),
        (NGramKernel(2, dtype="int8"), ["ab"], "dtype='int8' given"),
        (GappyKernel(2, 1.5), ["ab"], "decay=1.5 given"),
        (GappyKernel(2, 0.5, -1), ["ab"], "max_gap=-1 given"),
        (GappyKernel(9, 0.5), ["ab" * 200], "set max_gap"),
        (MismatchKernel(3, 3), ["abc"], "m=3 given with n=3"),
        (MismatchKernel(8, 7, "abcdefghijklmnopqrst"), ["abc"], "take a smaller m"),
        (GappedKMerKernel(3, 4), ["abc"], "k=4 is above g=3"),
        (GappedKMerKernel(40, 4), ["abc"], "take shorter grams"),
    ],
)
def test_errors_say_what_came(kernel, X, message):
    with pytest.raises(InputError, match=message):
        kernel.features(X)


def test_a_map_wants_the_form_it_was_learned_on():
    mapped, _ = NGramKernel(2).feature_map(["abc"])
    with pytest.raises(InputError, match="X holds lists of tokens, but the columns were learned on strings"):
        mapped.transform([["a", "b"]])
    assert mapped.transform([]).shape == (0, 2)


def test_nothing_in_nothing_out():
    for kernel, _ in KERNELS:
        rows = kernel.features(["", "a"][:1])
        assert rows.shape[0] == 1
        assert rows.nnz == 0
        assert kernel.gram([], []).shape == (0, 0)
