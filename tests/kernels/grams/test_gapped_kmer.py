"""Tests of `weft.kernels.grams.gapped_kmer`."""

from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import GappedKMerKernel, InputError
from weft.kernels.grams.gapped_kmer import estimated_counts
from weft.kernels.positive import check_positive_semidefinite


def test_the_other_strand_gives_the_same_features():
    kernel = GappedKMerKernel(5, 3, reverse_complement=True)
    strand = "GATTACANGGC"
    other = strand[::-1].translate(str.maketrans("ACGT", "TGCA"))
    rows = kernel.features([strand, other, "TTTTTTTTTTT"]).toarray()
    np.testing.assert_array_equal(rows[0], rows[1])
    assert rows.sum(axis=1).tolist() == [70, 70, 70]
    assert GappedKMerKernel(5, 3, reverse_complement=True).gram(["GATTA"], ["TAATC"]) == 10
    assert GappedKMerKernel(5, 3).gram(["GATTA"], ["TAATC"]) < 10
    assert GappedKMerKernel(4, 4, reverse_complement=True).gram(["GAUU"], ["AAUC"]) == 1


def other_strand(text):
    return text[::-1].translate(str.maketrans("ACGT", "TGCA"))


def windows(text, g, half_life):
    """Each window with its weight: half as much for each half-life that the centres are apart."""
    for i in range(len(text) - g + 1):
        distance = abs((i + g / 2) - len(text) / 2)
        yield text[i : i + g], 1.0 if half_life is None else 2.0 ** (-distance / half_life)


def by_pairs(kernel, x, y):
    """Sum over all pairs of windows: C(g - m, k), or the squared filter, for m mismatches."""
    g, k = kernel.g, kernel.k
    total = 0.0
    for u, a in windows(x, g, kernel.half_life):
        for v, b in windows(y, g, kernel.half_life):
            if not kernel.filtered:
                total += a * b * comb(sum(s == t for s, t in zip(u, v, strict=True)), k)
            elif set(u + v) <= set("ACGT"):
                total += a * b * sum(filtered(g, k, z, u) * filtered(g, k, z, v) for z in product("ACGT", repeat=g))
    return total


@cache
def projection(g, k):
    """Smallest counts with the same counts of gapped k-mers, from a pseudo-inverse of the whole incidence matrix."""
    grams = list(product("ACGT", repeat=g))
    kept = list(combinations(range(g), k))
    columns = {each: i for i, each in enumerate(product(kept, product("ACGT", repeat=k)))}
    incidence = np.zeros((len(columns), len(grams)))
    for j, gram in enumerate(grams):
        for positions in kept:
            incidence[columns[positions, tuple(gram[p] for p in positions)], j] = 1
    return grams, np.linalg.pinv(incidence) @ incidence


@cache
def filter_of(g, k):
    grams, whole = projection(g, k)
    row = whole[0] / whole[0, 0]
    found = {
        sum(a != b for a, b in zip(grams[0], gram, strict=True)): value for gram, value in zip(grams, row, strict=True)
    }
    values = [found[m] for m in range(g + 1)]
    first = next((m for m, value in enumerate(values) if value < 1e-9), g + 1)
    return values, values[:first]


def filtered(g, k, z, u):
    kept = filter_of(g, k)[1]
    m = sum(a != b for a, b in zip(z, u, strict=True))
    return kept[m] if m < len(kept) else 0.0


@pytest.mark.parametrize(("g", "k"), [(4, 2), (4, 3), (3, 1), (3, 3)])
def test_estimated_counts_are_the_projection(g, k):
    np.testing.assert_allclose(estimated_counts(g, k), filter_of(g, k)[0], atol=1e-9)


DNA = st.lists(st.text("ACGTN", max_size=8), min_size=1, max_size=3)


@pytest.mark.parametrize(
    "kernel",
    [
        GappedKMerKernel(3, 2, half_life=2.0),
        GappedKMerKernel(3, 2, filtered=True),
        GappedKMerKernel(3, 1, filtered=True, half_life=1.5),
    ],
    ids=str,
)
@given(X=DNA, Y=DNA)
@settings(max_examples=15)
def test_weighted_windows_give_the_sum_over_pairs(kernel, X, Y):
    X, Y = ["ACGT", *X], ["ACGT", *Y]  # a filter is for DNA, and refuses what has no letter of it
    wanted = [[by_pairs(kernel, x, y) for y in Y] for x in X]
    np.testing.assert_allclose(kernel.gram(X, Y), wanted, atol=1e-9)
    np.testing.assert_allclose(kernel.diagonal(X), [by_pairs(kernel, x, x) for x in X], atol=1e-9)
    check_positive_semidefinite(kernel.gram(X))


@pytest.mark.parametrize("options", [{"half_life": 3.0}, {"filtered": True}, {"filtered": True, "half_life": 3.0}])
def test_both_strands_of_weighted_windows(options):
    kernel = GappedKMerKernel(5, 3, reverse_complement=True, n_jobs=1, **options)
    X = ["GATTACAGGC", "CATTTGACA", "ACGNACTTGA"]
    gram = kernel.gram(X)
    np.testing.assert_allclose(kernel.gram(X, [other_strand(x) for x in X]), gram)
    # g is odd: no window is its own reverse complement, so that both strands just add.
    one = GappedKMerKernel(5, 3, **options)
    if options == {"filtered": True}:
        np.testing.assert_allclose(gram, one.gram(X) + one.gram(X, [other_strand(x) for x in X]))
    two = GappedKMerKernel(5, 3, reverse_complement=True, n_jobs=2, **options)
    np.testing.assert_array_equal(gram, two.gram(X))


def shared_estimate(m, g, kept):
    """Sum over all windows z of what two windows that differ in m places count for it, by counting places.

    Of the m places, z has the letter of the one in a, of the other in b, and one of two more letters in the rest; of
    the g - m places it differs from both in e, by one of three letters.
    """
    total = 0.0
    for a in range(m + 1):
        for b in range(m - a + 1):
            for e in range(g - m + 1):
                rest = m - a - b
                first, second = b + rest + e, a + rest + e
                if max(first, second) < len(kept):
                    ways = comb(m, a) * comb(m - a, b) * 2**rest * comb(g - m, e) * 3**e
                    total += ways * kept[first] * kept[second]
    return total


def test_the_kernel_of_ls_gkm_as_it_is_defined():
    """Its default: windows of 11, 7 letters, both strands, truncated filter, weights that halve every 50 letters.

    Pairs of windows that differ in 4 places, which it leaves out (d = 3), count here, a two-thousandth of equal ones.
    """
    g, k = 11, 7
    estimates = estimated_counts(g, k)
    kept = estimates[: next(m for m, value in enumerate(estimates) if value <= 0)]
    np.testing.assert_allclose(kept, [1.0, 0.2182, 0.0145], atol=5e-5)
    table = [shared_estimate(m, g, kept) for m in range(g + 1)]
    assert 0 < table[4] / table[0] < 0.0005
    assert not any(table[5:])
    random = np.random.default_rng(0)
    site = "CCACCAGGGGGCGC"
    X = ["".join(random.choice(list("ACGT"), size=30)) for _ in range(4)]
    X += [X[0][:8] + site + X[0][22:], X[1][:10] + other_strand(site) + X[1][24:]]
    wanted = np.zeros((len(X), len(X)))
    for i, x in enumerate(X):
        for j, y in enumerate(X):
            for u, a in windows(x, g, 50.0):
                for v, b in windows(y, g, 50.0):
                    for each in (v, other_strand(v)):
                        wanted[i, j] += a * b * table[sum(s != t for s, t in zip(u, each, strict=True))]
    kernel = GappedKMerKernel(g, k, reverse_complement=True, filtered=True, half_life=50.0, n_jobs=1)
    np.testing.assert_allclose(kernel.gram(X), wanted, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:.*has no feature that the model knows")
def test_a_classifier_of_weighted_windows_is_the_same_after_saving(tmp_path):
    X, y = ["GATTACAGG", "CATTTGACA", "ACGNACTTG", "GATTGCAGG"], list("abba")
    kernel = weft.Normalized(GappedKMerKernel(4, 3, reverse_complement=True, filtered=True, half_life=4.0))
    files = []
    for n_jobs in (1, 2):
        svc = weft.SequenceSVC(kernel, C=1.0, random_state=0, n_jobs=n_jobs).fit(X, y)
        weft.save(svc, tmp_path / "one.weft")
        again = weft.load(tmp_path / "one.weft")
        np.testing.assert_array_equal(again.decision_function([*X, "", "NX"]), svc.decision_function([*X, "", "NX"]))
        weft.save(again, tmp_path / "two.weft")
        files += [(tmp_path / name).read_bytes() for name in ("one.weft", "two.weft")]
    assert all(file == files[0] for file in files)


@pytest.mark.parametrize(
    ("options", "X", "message"),
    [
        ({"half_life": 0}, ["ACGT"], "half_life=0 given"),
        ({"half_life": "x"}, ["ACGT"], "half_life='x' given"),
        ({"filtered": 1}, ["ACGT"], "filtered=1 given"),
        ({"filtered": True}, ["acgt"], "need DNA in upper case"),
        ({"filtered": True, "g": 16, "k": 4}, ["ACGT"], "take a larger k"),
        ({"half_life": 2.0}, [weft.automata.Automaton.from_string("ACGT")], "leave them out"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, X, message):
    with pytest.raises(InputError, match=message):
        GappedKMerKernel(**{"g": 3, "k": 2, **options}).gram(X)
