"""Efforts of a rewriter: what they stand for, what they refuse, and that they are kept like any parameter."""

import inspect
import warnings
from dataclasses import fields, replace

import numpy as np
import pytest

import weft
from weft.estimators.rewrite import efforts as rewrite_efforts
from weft.estimators.rewrite.efforts import EFFORTS, FEW_PAIRS, MANY_PAIRS, Plan, planned
from weft.parameters import clone

random = np.random.default_rng(0)
X = sorted({"".join(random.choice(list("abcd"), random.integers(2, 6))) for _ in range(400)})
Y = [word.replace("ab", "x").replace("c", "yz") for word in X]
TINY = weft.RecurrentNetwork(vector_size=4, memory_size=4, narrow_size=8, max_iter=2)


def test_fast_is_what_the_parameters_are_by_default():
    given = inspect.signature(weft.Rewriter).parameters
    assert {each.name: each.default for each in fields(Plan)} == {
        each.name: given[each.name].default for each in fields(Plan)
    }
    assert planned("fast", 100) == planned("fast", 10**6) == Plan()
    usual, fast = (weft.Rewriter(effort=each, random_state=0).fit(X, Y) for each in (None, "fast"))
    np.testing.assert_array_equal(usual.weights_, fast.weights_)
    assert usual.predict_kbest(X[:9], 2) == fast.predict_kbest(X[:9], 2)


@pytest.mark.parametrize("n_pairs", [FEW_PAIRS - 1, FEW_PAIRS, MANY_PAIRS - 1, MANY_PAIRS])
def test_more_effort_costs_more_and_balanced_not_more_than_is_said(n_pairs):
    costs = [planned(effort, n_pairs).cost(n_pairs) for effort in EFFORTS]
    assert costs[0] == 1.0
    assert costs[0] < costs[1] <= (10.0 if n_pairs >= FEW_PAIRS else 35.0)
    assert costs[1] < costs[2]


def test_networks_of_many_pairs_have_fewer_passes():
    passes = {each: [planned(each, n).network.max_iter for n in (2_500, 8_000, 10_000, 19_999)] for each in EFFORTS[1:]}
    assert passes == {"balanced": [10, 10, 8, 6], "best": [12, 12, 10, 10]}


def test_an_effort_is_what_it_stands_for(monkeypatch, capsys):
    monkeypatch.setattr(rewrite_efforts, "planned", lambda *_: Plan(weft.CRF(max_iter=5), None, TINY, 2, 2))
    found = weft.Rewriter(effort="best", random_state=0, verbose=1, n_jobs=1).fit(X, Y)
    said = capsys.readouterr().err
    assert f"effort='best', {len(X)} pairs: 2 models with 1 network each, outputs ordered anew; about " in said
    same = weft.Rewriter(weft.CRF(max_iter=5), network=TINY, n_models=2, rerank=2, random_state=0, n_jobs=1).fit(X, Y)
    assert capsys.readouterr().err == ""
    assert len(found.models_) == 2
    np.testing.assert_array_equal(found.weights_, same.weights_)
    assert found.predict_kbest(X[:9], 2) == same.predict_kbest(X[:9], 2)


@pytest.mark.parametrize("effort", EFFORTS)
def test_efforts_learn_and_their_files_are_equal_for_any_threads(effort, tmp_path):
    paths = [tmp_path / f"{n_jobs}.weft" for n_jobs in (1, 2)]
    for n_jobs, path in zip((1, 2), paths, strict=True):
        rewriter = weft.Rewriter(effort=effort, random_state=0, n_jobs=n_jobs).fit(X[:40], Y[:40])
        weft.save(rewriter.set_params(n_jobs=1), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    loaded = weft.load(paths[0])
    assert loaded.effort == effort
    assert loaded.predict(X[:40]) == rewriter.predict(X[:40])


@pytest.mark.parametrize(
    "beside", [{"n_models": 2}, {"rerank": 2}, {"network": TINY}, {"learner": weft.CRF()},
               {"language_model": weft.NGramLanguageModel(3)}], ids=lambda each: next(iter(each))
)  # fmt: skip
def test_what_an_effort_sets_cannot_be_set_beside_it(beside):
    name = next(iter(beside))
    with pytest.raises(weft.InputError, match=rf"effort='fast' and {name}=.* both given, but an effort sets {name} it"):
        weft.Rewriter(effort="fast", **beside).fit(X, Y)
    weft.Rewriter(effort="fast", context=3, joint_n=4, max_chunk=2).fit(X[:20], Y[:20])


def test_there_are_three_efforts():
    with pytest.raises(weft.InputError, match="effort is 'most'; 'fast', 'balanced', 'best' or None is needed"):
        weft.Rewriter(effort="most").fit(X, Y)


def test_an_effort_is_a_parameter_like_others():
    rewriter = weft.Rewriter().set_params(effort="balanced")
    assert clone(rewriter).get_params()["effort"] == "balanced"
    assert "effort='balanced'" in repr(rewriter)
    assert "learner" in weft.search_space(weft.Rewriter())
    assert "learner" not in weft.search_space(rewriter)
    assert "context" in weft.search_space(rewriter)


def test_with_tags_all_efforts_are_one():
    tags = ["V;PST"] * 12
    with pytest.warns(UserWarning, match="effort='best' given with tags, where all efforts are 'fast'"):
        found = weft.Rewriter(effort="best", random_state=0).fit(X[:12], Y[:12], tags=tags)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        usual = weft.Rewriter(effort="fast", random_state=0).fit(X[:12], Y[:12], tags=tags)
    assert found.predict(X[:5], tags[:5]) == usual.predict(X[:5], tags[:5])


def test_lines_name_what_is_made():
    plan = replace(planned("balanced", 8_000), n_models=1)
    assert plan.summary("balanced", 8_000).startswith("effort='balanced', 8,000 pairs: 1 model with ")
    assert Plan().summary("fast", 80) == "effort='fast', 80 pairs: 1 model; the CPU of 'fast'."


def test_an_effort_says_nothing_of_iterations_that_it_has_limited(monkeypatch):
    learner = weft.CRF(max_iter=2)
    monkeypatch.setattr(rewrite_efforts, "planned", lambda *_: Plan(learner, None, None, 1, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weft.Rewriter(effort="balanced", random_state=0).fit(X, Y)
    with pytest.warns(UserWarning, match="CRF stopped after max_iter=2"):
        weft.Rewriter(learner, random_state=0).fit(X, Y)
