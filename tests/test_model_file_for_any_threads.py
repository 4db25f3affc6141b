"""A model file is the same, byte for byte, whatever `n_jobs` of the fit was."""

import warnings

import numpy as np
import pytest

import weft
from fuzzing.model_zoo import BRACKETS, RNA, ZOO, usual_jobs
from weft.core import shards

SEQUENCES = 24


def _tagged():
    random = np.random.default_rng(0)
    X = [[f"w{k}" for k in random.integers(12, size=random.integers(2, 9))] for _ in range(SEQUENCES)]
    y = [[("A", "B", "C")[(int(w[1:]) + int(random.integers(2))) % 3] for w in x] for x in X]
    return X, y


def _aligned():
    random = np.random.default_rng(1)
    y = []
    for _ in range(SEQUENCES):
        a = "".join(random.choice(list("ACDE"), size=random.integers(3, 9)))
        y.append((a[:2] + "-" + a[2:], "".join(random.choice(list("ACDE"), size=len(a) + 1))))
    return [(a.replace("-", ""), b) for a, b in y], y


LEARNERS = {
    "CRF": weft.CRF(max_iter=8),
    "CRF with L1": weft.CRF(c1=0.1, max_iter=8),
    "CRF by Newton": weft.CRF(solver="newton", max_iter=4),
    "EM": weft.EM(max_iter=3),
    "ExpectedLoss": weft.ExpectedLoss(max_iter=4),
    "Generative": weft.Generative(),
    "Perceptron": weft.Perceptron(max_iter=3),
    "StructuredSVM": weft.StructuredSVM(max_iter=3),
    "ZScore": weft.ZScore(),
    "SODA": weft.SODA(),
    "MarginRegression": weft.MarginRegression(),
    "LossRegression": weft.LossRegression(),
    "sampled SODA": weft.SODA(moments="sampled", n_samples=20),
    "MomentLearner": weft.MomentLearner(alphas=(0.1, 10.0), max_iter=20),
    "MomentSteps": weft.MomentSteps(),
    "Spectral": weft.Spectral(2, tau=0.1, max_iter=4),
}
STRUCTURES = {
    "tagger": (lambda learner: weft.Tagger(learner, random_state=0), _tagged),
    "tagger of order 2": (lambda learner: weft.Tagger(learner, order=2, random_state=0), _tagged),
    "aligner": (lambda learner: weft.Aligner(learner=learner, random_state=0), _aligned),
    "folder": (lambda learner: weft.Folder("g6", learner, random_state=0), lambda: (RNA * 3, BRACKETS * 3)),
    "folder of loops": (
        lambda learner: weft.Folder("loops", learner=learner, random_state=0),
        lambda: (RNA * 3, BRACKETS * 3),
    ),
}


SOME = ("CRF", "CRF by Newton", "Perceptron", "StructuredSVM", "SODA", "LossRegression", "sampled SODA")
CASES = [
    *(("tagger", name) for name in LEARNERS if name != "EM"),
    *(("aligner", name) for name in LEARNERS if name not in ("MomentLearner", "Spectral")),
    *((structure, name) for structure in ("tagger of order 2", "folder", "folder of loops") for name in SOME),
]
"""Every learner on a structure that has what it asks for, and some on the others."""


@pytest.fixture(autouse=True)
def many_shards(monkeypatch):
    """Cut small data too."""
    monkeypatch.setattr(shards, "LEAST_COST", 0.01)
    monkeypatch.setattr(shards, "WEIGHTS_PER_COST", 1e9)


def _file(make, n_jobs, path):
    with usual_jobs(n_jobs), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make()
    assert getattr(model, "n_jobs", n_jobs) == n_jobs
    weft.save(model, path)
    return path.read_bytes()


def _check(make, folder):
    files = {n_jobs: _file(make, n_jobs, folder / f"{n_jobs}.weft") for n_jobs in (1, 2, 4)}
    assert files[2] == files[1]
    assert files[4] == files[1]


@pytest.mark.parametrize("name", ZOO)
def test_estimators(name, tmp_path):
    _check(ZOO[name].make, tmp_path)


@pytest.mark.parametrize(("structure", "name"), CASES)
def test_learners(structure, name, tmp_path):
    new, data = STRUCTURES[structure]
    _check(lambda: new(LEARNERS[name]).fit(*data()), tmp_path)


def test_threads_and_durations_are_not_written_and_have_their_defaults_after_loading(tmp_path):
    X, y = _tagged()
    tagger = weft.Tagger(weft.CRF(max_iter=2), n_jobs=3, verbose=0, random_state=0).fit(X, y)
    weft.save(tagger, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    assert (loaded.n_jobs, loaded.verbose) == (weft.Tagger().n_jobs, weft.Tagger().verbose)
    assert [set(entry) for entry in loaded.history_] == [{"iteration", "objective"}] * 2
    assert all("seconds" in entry for entry in tagger.history_)
    content = (tmp_path / "model.weft").read_bytes()
    assert not any(word in content for word in (b"n_jobs", b"verbose", b"seconds"))


def test_sums_that_are_cut_by_threads_would_be_found(monkeypatch, tmp_path):
    X, y = _tagged()
    found = []
    for n_shards in (1, 2):
        monkeypatch.setattr(shards, "MAX_SHARDS", n_shards)
        tagger = weft.Tagger(weft.CRF(max_iter=8), random_state=0).fit(X, y)
        weft.save(tagger, tmp_path / "model.weft")
        found.append((tmp_path / "model.weft").read_bytes())
    assert found[0] != found[1]
