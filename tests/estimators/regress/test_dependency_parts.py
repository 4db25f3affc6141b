"""KernelDependencyEstimator over parts: components and regression of one machine, from sums."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.scale import Examples, connected

RANDOM = np.random.default_rng(5)
X = ["".join(RANDOM.choice(list("abc"), size=RANDOM.integers(2, 6))) for _ in range(150)]
Y = ["".join(sorted(text.upper())) for text in X]
ROWS = RANDOM.normal(size=(150, 3))
TURNED = np.tanh(ROWS @ RANDOM.normal(size=(3, 2)))


def estimator(**settings):
    wanted = {"approximation": "nystroem", "n_basis": 40, "n_landmarks": 30, "alpha": 0.01, "random_state": 3}
    return weft.KernelDependencyEstimator(**{**wanted, **settings})


def saved(model, folder, name):
    weft.save(model, folder / name)
    return (folder / name).read_bytes()


@pytest.mark.parametrize("n_components", [None, 5])
@pytest.mark.parametrize("data", ["strings", "vectors"])
def test_sums_over_parts_give_the_fit_of_memory(data, n_components, tmp_path):
    inputs, outputs = (X, Y) if data == "strings" else (ROWS, TURNED)
    kernels = {} if data == "strings" else {"input_kernel": weft.RBFKernel(1.0), "output_kernel": weft.RBFKernel(1.0)}
    alone = estimator(n_components=n_components, **kernels).fit(inputs, outputs)
    for n_parts in (1, 7):
        parts = Examples.from_lists(inputs, outputs, n_parts)
        parted = estimator(n_components=n_components, **kernels).fit(parts, spill=tmp_path / f"s{n_parts}")
        np.testing.assert_allclose(parted.components_.eigenvalues_, alone.components_.eigenvalues_, atol=1e-7)
        np.testing.assert_array_equal(np.array(parted.candidates_), np.array(alone.candidates_))
        # Signs and turns of components are free; distances of predictions from candidates are not.
        found, wanted = (model.predict_kbest(inputs[:20], 3) for model in (parted, alone))
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose([d for _, d in own], [d for _, d in other], rtol=1e-5, atol=1e-7)
        np.testing.assert_array_equal(np.array(parted.predict(inputs)), np.array(alone.predict(inputs)))


def test_a_file_gives_the_same_answers_and_sums_are_found_again(tmp_path, monkeypatch):
    parts = Examples.from_lists(X, Y, 6)
    model = estimator().fit(parts, spill=tmp_path / "s")
    first = saved(model, tmp_path, "a")
    assert weft.load(tmp_path / "a").predict(X[:9]) == model.predict(X[:9])
    monkeypatch.setattr("weft.kernel_methods.ridge.nystroem.NystroemSums.of", None)  # sums are in the folder
    assert saved(estimator().fit(parts, spill=tmp_path / "s"), tmp_path, "b") == first
    assert estimator(alpha=1.0).fit(parts, spill=tmp_path / "s").alpha_ == 1.0


def test_vectors_move_on_from_candidates(tmp_path):
    kernel = {"input_kernel": weft.RBFKernel(1.0), "output_kernel": weft.RBFKernel(1.0), "preimage": "fixed_point"}
    alone = estimator(**kernel).fit(ROWS, TURNED)
    parted = estimator(**kernel).fit(Examples.from_lists(ROWS, TURNED, 4), spill=tmp_path / "s")
    np.testing.assert_allclose(parted.predict(ROWS[:20]), alone.predict(ROWS[:20]), atol=1e-5)


def test_what_cannot_be_meant_is_refused(tmp_path):
    parts = Examples.from_lists(X, Y, 4)
    spill = {"spill": tmp_path / "s"}
    with pytest.raises(InputError, match="need examples in parts"):
        estimator().fit(X, Y, **spill)
    with pytest.raises(InputError, match="pass no y and no matrix"):
        estimator().fit(parts, Y, **spill)
    with pytest.raises(InputError, match="'nystroem' alone"):
        estimator(approximation=None, n_basis=None).fit(parts, **spill)
    with pytest.raises(InputError, match="with n_landmarks given"):
        estimator(preimage="nearest").fit(parts, **spill)
    with pytest.raises(InputError, match="compared as they are read"):
        estimator(input_kernel="precomputed").fit(parts, **spill)
    other = Examples([*parts.readers, lambda: ([1], ["A"])], [*parts.names, "last.tsv"], [])
    with pytest.raises(InputError, match=r"last\.tsv holds labels but part 0 holds strings"):
        estimator().fit(other, **spill)
    assert not list((tmp_path / "s").glob("*"))


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_model_of_files(tmp_path):
    pytest.importorskip("distributed")
    parts = Examples.from_lists(X, Y, 5)
    wanted = saved(estimator().fit(parts, spill=tmp_path / "s"), tmp_path, "files")
    with connected(workers=2) as client:
        assert saved(estimator().fit(parts, client=client), tmp_path, "cluster") == wanted
