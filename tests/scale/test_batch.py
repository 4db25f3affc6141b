"""A batch in parts answers what the whole batch answers, bit for bit, for every structure."""

import numpy as np
import pytest

import weft
from batch_cases import CASES
from weft.checkpoint import Journal, journal_kept
from weft.learners.monitor import Monitor
from weft.scale.batch import PartedBatch
from weft.scale.local import LocalKeeper
from weft.scale.parts import facts_of
from weft.scale.questions import SHAPES

PARTED = [name for name in CASES if name not in ("Hankel chain", "lists")]
CHARTS = ["grammar", "loops of RNA"]


def parted(batch, cuts=((0, 1), (1, 3)), n_jobs=2):
    """The whole batch cut into shards, and the same sequences as a batch in parts."""
    batch.set_shards([[slice(*cut)] for cut in cuts])
    openers = []
    for a, b in cuts:

        def opened(a=a, b=b):
            part = batch.select(np.arange(a, b))
            part.set_shards([[slice(0, b - a)]])
            return part

        openers.append(opened)
    keeper = LocalKeeper(openers, [b - a for a, b in cuts], facts_of(batch), n_jobs)
    return PartedBatch(keeper, batch.sample_weight)


def same(left, right):
    if isinstance(left, tuple | list):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            same(one, other)
    elif hasattr(left, "toarray"):
        assert np.array_equal(left.toarray(), right.toarray())
    else:
        assert np.array_equal(np.asarray(left), np.asarray(right))


ARGUMENTS = {
    "observed": lambda case, direction, outputs: (),
    "log_partition_and_mean": lambda case, direction, outputs: (case.weights,),
    "reference_partition_and_mean": lambda case, direction, outputs: (case.weights,),
    "covariance_product": lambda case, direction, outputs: (case.weights, direction),
    "covariance_with": lambda case, direction, outputs: (case.weights, direction, 1.0),
    "variances": lambda case, direction, outputs: (np.zeros_like(case.weights),),
    "log_partitions": lambda case, direction, outputs: (case.weights,),
    "expectations": lambda case, direction, outputs: (case.weights,),
    "score_moments": lambda case, direction, outputs: (case.weights,),
    "kbest": lambda case, direction, outputs: (case.weights, 3),
    "marginals": lambda case, direction, outputs: (case.weights,),
    "likely_pairs": lambda case, direction, outputs: (case.weights, 0.1),
    "largest_feature": lambda case, direction, outputs: (),
    "scores": lambda case, direction, outputs: (case.weights, outputs),
    "losses": lambda case, direction, outputs: (outputs,),
    "features_of": lambda case, direction, outputs: (outputs,),
}
OUTPUTS = {"argmax": (0.0, 1.0), "best_references": ((),), "most_accurate": ((),), "reference": ((),)}


def test_every_shape_is_tried():
    of_alignments = {"expected_chunks", "best_chunks"}  # tests/estimators/rewrite/test_parts.py asks these
    assert set(ARGUMENTS) | set(OUTPUTS) == set(SHAPES) - of_alignments


@pytest.mark.parametrize("name", PARTED)
@pytest.mark.parametrize("question", sorted(ARGUMENTS))
def test_parts_answer_as_the_whole_does(name, question):
    case = CASES[name]()
    if not hasattr(case.batch, question):
        pytest.skip(f"{name} does not answer {question}")
    whole, parts = case.batch, parted(case.batch)
    direction = np.random.default_rng(3).normal(size=whole.n_features)
    found = getattr(parts, question)(*ARGUMENTS[question](case, direction, parts.argmax(case.weights)[0]))
    same(found, getattr(whole, question)(*ARGUMENTS[question](case, direction, whole.argmax(case.weights)[0])))


@pytest.mark.parametrize("name", PARTED)
def test_outputs_of_parts_are_those_of_the_whole(name):
    case = CASES[name]()
    whole, parts = case.batch, parted(case.batch)
    for loss in (0.0, 1.0):
        mine, theirs = parts.argmax(case.weights, loss=loss), whole.argmax(case.weights, loss=loss)
        same(mine[1], theirs[1])
        same([np.asarray(own) for own in parts.split(mine[0])], [np.asarray(own) for own in whole.split(theirs[0])])
    best, theirs = parts.best_references(case.weights), whole.best_references(case.weights)
    same(best[1], theirs[1])
    again = parts.join(parts.split(parts.argmax(case.weights)[0]))
    same(parts.scores(case.weights, again), whole.scores(case.weights, whole.argmax(case.weights)[0]))


@pytest.mark.parametrize("name", PARTED)
def test_weights_of_sequences_reach_the_parts(name):
    case = CASES[name]()
    whole, parts = case.batch, parted(case.batch)
    other = np.array([0.3, 0.0, 1.7])
    same(
        parts.weighted(other).log_partition_and_mean(case.weights),
        whole.weighted(other).log_partition_and_mean(case.weights),
    )


def test_charts_have_hints():
    assert [name for name in PARTED if CASES[name]().batch.hints is not None] == CHARTS


@pytest.mark.parametrize("name", CHARTS)
def test_a_fit_that_goes_on_takes_the_hints_of_all_parts(name, tmp_path):
    """Without them the next answer has other last digits."""
    case = CASES[name]()
    whole, parts = case.batch, parted(case.batch)
    same(parts.log_partition_and_mean(case.weights), whole.log_partition_and_mean(case.weights))
    assert parts.hints == whole.hints
    assert any(value is not None for value in parts.hints[False])
    path = tmp_path / "checkpoint"
    for resume in (False, True):
        journal, fresh = Journal(path, lambda: "key", resume=resume), parted(CASES[name]().batch)
        with journal_kept(journal), Monitor() as monitor:
            monitor.learn_from(fresh if resume else parts)
            if resume:
                assert monitor.resumed() is not None
                assert fresh.hints == whole.hints
                other = 1.01 * case.weights
                same(fresh.log_partition_and_mean(other), parts.log_partition_and_mean(other))
            else:
                monitor.keep({"weights": case.weights})
                journal.write()


def test_a_progress_bar_hears_of_every_part():
    parts, heard = parted(CASES["chain"]().batch), []
    parts.watch(heard.append)
    parts.log_partition_and_mean(CASES["chain"]().weights)
    assert sorted(heard) == ["1 of 2 shards", "2 of 2 shards"]


@pytest.mark.parametrize("name", ["grammar", "loops of RNA"])
def test_a_resumed_fit_of_charts_in_parts_is_the_one_that_was_never_interrupted(name, tmp_path):
    """Passes of each part scale by what they found at the weights before, which goes on with the fit."""

    def learned(stop, resume=False):
        steps = iter(range(1, 1000))

        def check():
            if next(steps) == stop:
                raise KeyboardInterrupt

        batch = parted(CASES[name]().batch)
        with journal_kept(Journal(tmp_path / "fit", lambda: "key", resume=resume, check=check)), Monitor() as monitor:
            monitor.learn_from(batch)
            found = weft.CRF(tol=1e-9).learn(batch, np.zeros(batch.n_features), monitor, np.random.default_rng(0))
        return found, batch.hints, next(steps) - 1

    weights, hints, n_steps = learned(stop=0)
    assert n_steps > 4
    for stop in range(1, n_steps + 1):
        with pytest.raises(KeyboardInterrupt):
            learned(stop)
        again, others, _ = learned(stop=0, resume=True)
        assert np.array_equal(weights, again), stop
        assert others == hints, stop
