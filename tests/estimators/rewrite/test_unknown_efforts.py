"""Every effort and every way with unseen symbols: at the beginning, in the middle and at the end of an input."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.estimators.rewrite import efforts
from weft.estimators.rewrite.efforts import EFFORTS, Plan

TINY = {"vector_size": 4, "memory_size": 4, "narrow_size": 8, "max_iter": 1}
QUICK = {
    "fast": Plan(weft.Perceptron(2)),
    "balanced": Plan(weft.CRF(max_iter=5), network=weft.RecurrentNetwork(**TINY), rerank=2),
    "best": Plan(weft.CRF(max_iter=5), None, weft.RecurrentNetwork(history_size=4, **TINY), n_models=2, rerank=2),
}
random = np.random.default_rng(0)
X = sorted({"".join(random.choice(list("ptaoe"), random.integers(3, 7))) for _ in range(260)})
Y = {
    "copies": [f"{word}s" for word in X],
    "sounds": [word.translate(str.maketrans("ptaoe", "12345")).replace("5", "58") for word in X],
}
NEW = ["kota", "poka", "potak", "kk", "kotkak"]
WANTED = {
    "copies": ["kotas", "pokas", "potaks", "kks", "kotkaks"],
    "sounds": ["423", "143", "1423", "", "423"],
}


@pytest.fixture(scope="module", params=[(effort, kind) for effort in EFFORTS for kind in Y], ids="-".join)
def fitted(request, tmp_path_factory):
    effort, kind = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(efforts, "planned", lambda *_: QUICK[effort])
        rewriter = weft.Rewriter(effort=effort, max_chunk=2, context=2, joint_n=3, random_state=0, n_jobs=1)
        rewriter.fit(X, Y[kind])
    assert (rewriter.reranker_ is not None) == (effort != "fast")
    path = tmp_path_factory.mktemp("models") / "model.weft"
    weft.save(rewriter, path)
    return kind, [rewriter, weft.load(path)]


@pytest.mark.parametrize("unknown", ["copy", "drop"])
def test_unseen_symbols_anywhere(fitted, unknown):
    kind, models = fitted
    seen = []
    for rewriter in models:
        rewriter.unknown = unknown
        with pytest.warns(UserWarning, match="unknown symbols"):
            predicted = rewriter.predict(NEW)
        with pytest.warns(UserWarning, match="unknown symbols"):
            ranked = rewriter.predict_kbest(NEW, 3)
        with pytest.warns(UserWarning, match="unknown symbols"):
            sure = rewriter.confidence(NEW)
        seen.append((predicted, ranked, sure.tolist()))
        is_copied = kind == "copies" and unknown == "copy"
        if unknown == "copy":
            assert [word.rstrip("s") for word in predicted] == [word.rstrip("s") for word in WANTED[kind]]
        for word, best, outputs in zip(NEW, predicted, ranked, strict=True):
            shares = [share for _, share in outputs]
            assert outputs[0][0] == best
            assert shares == sorted(shares, reverse=True)
            assert 0.0 <= sum(shares) <= 1 + 1e-9
            for output, _ in outputs:
                assert output.count("k") == (word.count("k") if is_copied else 0)
        np.testing.assert_allclose(sure, [outputs[0][1] for outputs in ranked], rtol=1e-12)
    assert seen[0] == seen[1]


def test_unseen_symbols_are_refused_where_that_is_asked_for(fitted):
    for rewriter in fitted[1]:
        rewriter.unknown = "error"
        for ask in (rewriter.predict, rewriter.confidence, lambda new, own=rewriter: own.predict_kbest(new, 2)):
            for new in NEW:
                with pytest.raises(InputError, match="'k'"):
                    ask([new])


def test_inputs_of_known_symbols_are_not_disturbed_by_others(fitted):
    for rewriter in fitted[1]:
        rewriter.unknown = "copy"
        alone = rewriter.predict_kbest(X[:20], 3)
        with pytest.warns(UserWarning, match="unknown symbols"):
            beside = rewriter.predict_kbest([*NEW, *X[:20]], 3)[len(NEW) :]
        assert [[output for output, _ in outputs] for outputs in beside] == [
            [output for output, _ in outputs] for outputs in alone
        ]
        for one, other in zip(beside, alone, strict=True):
            np.testing.assert_allclose([share for _, share in one], [share for _, share in other], rtol=1e-9)


def test_tags_and_a_new_order_together():
    """A copy is written relative to its input there, in the place of a stand-in."""
    learner = weft.Perceptron(1)
    rewriter = weft.Rewriter(learner, context=1, joint_n=2, rerank=2, random_state=0, n_jobs=1)
    rewriter.fit(X, Y["copies"], tags=["V"] * len(X))
    with pytest.warns(UserWarning, match="unknown symbols"):
        assert [word.count("k") for word in rewriter.predict(NEW, ["V"] * len(NEW))] == [1, 1, 1, 2, 3]
