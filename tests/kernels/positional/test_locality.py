"""Tests of `weft.kernels.positional.locality`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import InputError, LocalityImprovedKernel, Normalized, SequenceSVC
from weft.kernels.positive import check_positive_semidefinite

TEXTS = st.lists(st.text("abé", max_size=9), min_size=1, max_size=5)
KERNELS = [
    LocalityImprovedKernel(0, 1),
    LocalityImprovedKernel(1, 2),
    LocalityImprovedKernel(3, 3, 2),
    LocalityImprovedKernel(n_jobs=1),
]


def by_definition(kernel, x, y):
    """The formula of the paper, with a window around each place that both have."""
    weights = {j: kernel.width + 1 - abs(j) for j in range(-kernel.width, kernel.width + 1)}
    shared = dict(enumerate(a == b for a, b in zip(x, y, strict=False)))
    windows = [sum(weights[j] * shared.get(p + j, 0) for j in weights) / sum(weights.values()) for p in shared]
    return sum(window**kernel.inner for window in windows) ** kernel.outer


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@given(X=TEXTS, Y=TEXTS)
@settings(max_examples=25)
def test_values_are_those_of_the_formula(kernel, X, Y):
    wanted = np.array([[by_definition(kernel, x, y) for y in Y] for x in X], dtype=float)
    np.testing.assert_allclose(kernel.gram(X, Y), wanted, atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), [by_definition(kernel, x, x) for x in X], atol=1e-12)
    gram = kernel.gram(X)
    np.testing.assert_array_equal(gram, gram.T)
    check_positive_semidefinite(gram)


def test_a_value_worked_out_by_hand():
    # Places 0, 1 and 3 agree; weights 1/4, 1/2, 1/4: windows 3/4, 3/4, 1/2, 1/2.
    assert LocalityImprovedKernel(1, 2).gram(["GATT"], ["GACT"])[0, 0] == 2 * (3 / 4) ** 2 + 2 * (1 / 2) ** 2


def test_threads_change_nothing():
    X = ["abcabéa", "ccba", "", "abc", "éabéabéab"] * 5
    one, two = (LocalityImprovedKernel(2, 3, n_jobs=n).gram(X) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.filterwarnings("ignore:.*has no feature that the model knows")
def test_a_classifier_is_the_same_after_saving(tmp_path):
    X, y = ["gattaca", "gattcca", "cattaga", "cagtaga", "gataaca", "catgaga"], list("ababab")
    files = []
    for n_jobs in (1, 2):
        kernel = Normalized(LocalityImprovedKernel(1, 2, n_jobs=n_jobs))
        svc = SequenceSVC(kernel, C=1.0, random_state=0, n_jobs=n_jobs).fit(X, y)
        weft.save(svc, tmp_path / "one.weft")
        again = weft.load(tmp_path / "one.weft")
        np.testing.assert_array_equal(again.decision_function([*X, "", "x"]), svc.decision_function([*X, "", "x"]))
        weft.save(again, tmp_path / "two.weft")
        files += [(tmp_path / name).read_bytes() for name in ("one.weft", "two.weft")]
    assert all(file == files[0] for file in files)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"width": -1}, "width=-1 given"),
        ({"inner": 0}, "inner=0 given"),
        ({"outer": 1.5}, "outer=1.5 given"),
        ({"inner": 1000}, "need at most 100"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings_, message):
    for use in ("gram", "diagonal"):
        with pytest.raises(InputError, match=message):
            getattr(LocalityImprovedKernel(**settings_), use)(["ab"])


def test_lattices_have_no_places():
    with pytest.raises(InputError, match="automata, whose symbols have no places"):
        LocalityImprovedKernel(2).gram([weft.automata.Automaton.from_string("ab")])
