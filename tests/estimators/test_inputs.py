"""What estimators do to their arguments."""

import numpy as np
import pytest
from sklearn.utils import check_random_state

import weft
from weft.errors import InputError
from weft.estimators.inputs import check_shared, generator


def theirs(random_state):
    return np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max))


@pytest.mark.parametrize("make", [lambda: 0, lambda: np.int64(7), lambda: True, lambda: np.random.RandomState(3)])
def test_random_states_are_read_as_by_scikit_learn(make):
    assert generator(make()).integers(2**40) == theirs(make()).integers(2**40)


@pytest.mark.parametrize("random_state", [None, np.random])
def test_the_global_state_of_numpy_is_used_as_by_scikit_learn(random_state):
    of_all = check_random_state(None)
    before = of_all.get_state()
    try:
        drawn = []
        for read in (generator, theirs):
            of_all.seed(5)
            drawn.append([read(random_state).integers(2**40) for _ in range(2)])
        assert drawn[0] == drawn[1]
        assert drawn[0][0] != drawn[0][1]
    finally:
        of_all.set_state(before)


@pytest.mark.parametrize("random_state", ["0", 0.5, -1, 2**32, np.random.default_rng(0)])
def test_what_is_no_random_state_is_refused(random_state):
    with pytest.raises(ValueError):
        check_random_state(random_state)
    with pytest.raises(InputError, match=r"random_state is .*; use a whole number from 0"):
        generator(random_state)


@pytest.mark.parametrize(
    ("name", "values", "wanted"),
    [
        ("n_jobs", ["2", 1.0, np.nan, True, [], 0, 10**30], "a number of threads up to 4096 is needed"),
        ("verbose", ["no", -1, 0.5, None, []], "0 for silence or 1 for a progress bar is needed"),
        ("random_state", ["0", -1, 10**30], "use a whole number from 0"),
        ("validation_fraction", ["0.1", "", [], -0.1, 1, 1.5, np.nan, True], "a number between 0 and 1 is needed"),
        ("patience", ["3", 0, -1, 1.5, True], "a whole number of at least 1 is needed, or None"),
    ],
)
def test_what_no_estimator_can_mean_is_refused_by_all(name, values, wanted):
    grammar = weft.structures.Grammar("S -> S S | a")
    X, y = ["aaaa", "bbbb"], ["aaaa", "bbbb"]
    estimators = [
        weft.Tagger(), weft.SpectralTagger(), weft.StackedTagger(), weft.Aligner(), weft.ChunkAligner(), weft.Folder(),
        weft.Parser(grammar), weft.SequenceSVC(), weft.StringRegressor(), weft.KernelDependencyEstimator(),
        weft.Rewriter(),
    ]  # fmt: skip
    having = [each for each in estimators if name in each.get_params(deep=False)]
    assert len(having) >= 8
    for estimator in having:
        for value in values:
            with pytest.raises(InputError, match=rf"^{name} is .*; {wanted}"):
                estimator.set_params(**{name: value}).fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_jobs": None, "verbose": True},
        {"n_jobs": np.int64(-1), "verbose": np.bool_(False)},
        {"patience": np.int64(3)},
    ],
)
def test_every_form_of_what_can_be_meant_is_taken(parameters):
    check_shared(weft.Tagger(validation_fraction=np.float32(0.5), **parameters))


@pytest.mark.parametrize("estimator", [weft.Tagger(), weft.SequenceSVC(), weft.Rewriter(), weft.Aligner()], ids=repr)
def test_held_out_outputs_alone_are_refused(estimator):
    with pytest.raises(InputError, match=r"^y_dev given without X_dev; give the held-out inputs too"):
        estimator.fit(["ab", "cd"], ["ab", "cd"], y_dev=["ab"])
