"""The parameters of ViennaRNA give the energies of ViennaRNA."""

import random

import numpy as np
import pytest

import weft
from weft.structures.rna.free_energies import published_tables
from weft.structures.rna.parameter_file import read_parameter_file

RNA = pytest.importorskip("RNA", reason="ViennaRNA is not installed")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("energies") / "vienna.par"
    RNA.params_save(str(path))
    return path


@pytest.fixture(scope="module")
def folder(path):
    return weft.Folder.from_energies(path, decode="best", n_jobs=1)


def sequences(n, seed, longest=90):
    source = random.Random(seed)
    return ["".join(source.choices("ACGU", k=source.randint(10, longest))) for _ in range(n)]


def test_energies_of_random_structures(folder):
    details = RNA.md()
    details.uniq_ML, details.betaScale = 1, 0.2
    for x in [*sequences(20, 0), "G" + "A" * 34 + "GAAAC" + "A" * 7 + "C"]:
        compound = RNA.fold_compound(x, details)
        compound.pf()
        structures = list(compound.pbacktrack(10))
        wanted = [RNA.eval_structure_simple(x, y) for y in structures]
        np.testing.assert_allclose(folder.energy([x] * len(structures), structures), wanted, atol=0.005)


@pytest.mark.parametrize(("left", "right"), [(34, 7), (16, 16), (16, 17), (1, 40), (35, 2), (0, 33), (17, 20)])
def test_energies_of_long_loops(folder, left, right):
    x, y = "G" + "A" * left + "GAAAC" + "A" * right + "C", "(" + "." * left + "(...)" + "." * right + ")"
    assert folder.energy([x], [y])[0] == pytest.approx(RNA.eval_structure_simple(x, y), abs=0.005)


def test_minimum_and_ensemble_free_energies(folder):
    X = sequences(20, 1)
    np.testing.assert_allclose(folder.energy(X, folder.predict(X)), [RNA.fold(x)[1] for x in X], atol=0.005)
    np.testing.assert_allclose(folder.ensemble_energy(X), [RNA.pf_fold(x)[1] for x in X], atol=0.01)


def test_published_values_are_those_of_the_peer(path):
    """To the tenth that it rounds them to; lengths are extrapolated, large tables follow rules of thumb."""
    own, other = published_tables(), read_parameter_file(path)
    for name in ("stack", "dangle5", "dangle3", "mismatch_hairpin", "mismatch_multi", "mismatch_exterior"):
        known = tuple(slice(1, None) for _ in range(getattr(own, name).ndim - 1)) if name != "stack" else ()
        first, second = (getattr(each, name)[(slice(None), *known)] for each in (own, other))
        np.testing.assert_allclose(first, second, atol=0.051, err_msg=name)
    for name, begin in (("hairpin", 3), ("bulge", 1), ("interior", 4)):
        np.testing.assert_allclose(getattr(own, name)[begin:], getattr(other, name)[begin:], atol=0.1, err_msg=name)
    assert own.special == other.special
    for name in ("asymmetry", "most_asymmetry", "multi_base", "multi_close", "multi_branch"):
        assert getattr(own, name) == getattr(other, name)
    for name in ("mismatch_interior", "mismatch_interior_23", "int11", "int21", "int22"):
        inside = (slice(None),) * (2 if name.startswith("int") else 1)
        inside += (slice(1, None),) * (getattr(own, name).ndim - len(inside))
        difference = getattr(own, name)[inside] - getattr(other, name)[inside]
        assert np.abs(difference).mean() < 0.5, name
