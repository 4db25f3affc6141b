"""StringRegressor over parts: the regression of one machine, for any number of parts, workers and threads."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.scale import Examples, connected

RANDOM = np.random.default_rng(1)
NUMBERS = {"uno": "one", "dos": "two", "tres": "three", "cero": "zero"}
TEXTS = [" ".join(RANDOM.choice(list(NUMBERS), size=RANDOM.integers(1, 4))) for _ in range(120)]
STRINGS = [" ".join(NUMBERS[word] for word in text.split()) for text in TEXTS]


def regressor(**settings):
    wanted = {"approximation": "nystroem", "n_basis": 40, "output_order": 3, "preimage": "nearest", "random_state": 3}
    return weft.StringRegressor(**{**wanted, "alpha": 0.01, **settings})


def saved(estimator, folder, name):
    weft.save(estimator, folder / name)
    return (folder / name).read_bytes()


def test_sums_over_parts_give_the_regression_of_memory(tmp_path):
    alone = regressor().fit(TEXTS, STRINGS)
    wanted = alone.regressors_[0]
    for n_parts in (1, 7):
        parted = regressor().fit(Examples.from_lists(TEXTS, STRINGS, n_parts), spill=tmp_path / f"s{n_parts}")
        found = parted.regressors_[0]
        assert found.ridge.basis_ == wanted.ridge.basis_
        assert found.space.names() == wanted.space.names()
        np.testing.assert_array_equal(found.caps, wanted.caps)
        np.testing.assert_allclose(found.ridge.coefficients_, wanted.ridge.coefficients_, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found.counts(TEXTS[:30]), wanted.counts(TEXTS[:30]), atol=1e-7)
        assert min(parted.score(TEXTS[:30], STRINGS[:30]), alone.score(TEXTS[:30], STRINGS[:30])) > 0.95


def test_the_model_is_the_same_for_any_number_of_threads_and_found_again(tmp_path, monkeypatch):
    parts = Examples.from_lists(TEXTS, STRINGS, 6)
    one = saved(regressor(n_jobs=1).fit(parts, spill=tmp_path / "one"), tmp_path, "a")
    two = regressor(n_jobs=1)
    two.n_jobs = 4
    assert saved(two.fit(parts, spill=tmp_path / "two").set_params(n_jobs=1), tmp_path, "b") == one
    monkeypatch.setattr("weft.kernel_methods.ridge.nystroem.NystroemSums.of", None)  # sums are in the folder
    assert saved(regressor(n_jobs=1).fit(parts, spill=tmp_path / "one"), tmp_path, "c") == one
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["manifest.json", "sums"]


@pytest.mark.parametrize("preimage", [None, "euler", "candidates"])
def test_what_is_left_open_is_chosen_on_some_examples(preimage, tmp_path):
    parts = Examples.from_lists(TEXTS, STRINGS, 4)
    parted = regressor(preimage=preimage, output_order=None if preimage is None else 3)
    parted.fit(parts, spill=tmp_path / "s")
    assert parted.score(TEXTS[:30], STRINGS[:30]) > 0.95
    assert parted.preimage_ in ((preimage,) if preimage else ("nearest", "candidates"))
    if preimage == "candidates":
        assert sorted(map("".join, parted.candidates_)) == sorted(set(STRINGS))


def test_what_cannot_be_meant_is_refused(tmp_path):
    parts = Examples.from_lists(TEXTS, STRINGS, 4)
    spill = {"spill": tmp_path / "s"}
    with pytest.raises(InputError, match="need examples in parts"):
        regressor().fit(TEXTS, STRINGS, **spill)
    with pytest.raises(InputError, match="pass no y and no groups"):
        regressor().fit(parts, STRINGS, **spill)
    with pytest.raises(InputError, match=r"approximation is 'greedy'; .*'nystroem' alone"):
        regressor(approximation="greedy").fit(parts, **spill)
    with pytest.raises(InputError, match="need one strength"):
        regressor(alpha=[0.1, 1.0]).fit(parts, **spill)
    with pytest.raises(InputError, match="learned from by one"):
        regressor(n_regressors=2, output_order=None).fit(parts, **spill)
    with pytest.raises(InputError, match="compared as they are read"):
        regressor(input_kernel="precomputed").fit(parts, **spill)
    with pytest.raises(InputError, match="language_model has learned nothing"):
        regressor(language_model=weft.NGramLanguageModel(2)).fit(parts, **spill)
    uneven = Examples([*parts.readers, lambda: (["a", "b"], ["A"])], [*parts.names, "last.tsv"], [])
    with pytest.raises(InputError, match=r"last\.tsv: X has 2 inputs but y has 1"):
        regressor().fit(uneven, **spill)
    other = Examples([*parts.readers, lambda: ([np.ones((2, 2))], ["A"])], [*parts.names, "last.tsv"], [])
    with pytest.raises(InputError, match=r"last\.tsv holds vector sequences but part 0 holds strings"):
        regressor().fit(other, **spill)
    assert not list((tmp_path / "s").glob("*"))


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_model_of_files(tmp_path):
    pytest.importorskip("distributed")
    parts = Examples.from_lists(TEXTS, STRINGS, 5)
    wanted = saved(regressor().fit(parts, spill=tmp_path / "s"), tmp_path, "files")
    with connected(workers=2) as client:
        assert saved(regressor().fit(parts, client=client), tmp_path, "cluster") == wanted
