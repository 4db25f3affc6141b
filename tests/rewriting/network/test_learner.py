"""Learning recurrent networks: what they can learn, what they are told, going on after an interrupt."""

import numpy as np
import pytest
from sklearn.base import clone

import weft
from weft.checkpoint import Journal, journal_kept
from weft.errors import InputError
from weft.learners.monitor import Monitor
from weft.rewriting.network.learner import LabelledSymbols, _Run


def far_words(n_words, random):
    """The first symbol says how all later ones are read, however far away they are."""
    lengths = random.integers(4, 12, n_words)
    symbols = random.integers(2, 5, lengths.sum())
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    symbols[offsets[:-1]] = random.integers(0, 2, n_words)
    leader = np.repeat(symbols[offsets[:-1]], lengths)
    labels = np.where(symbols >= 2, 2 * (symbols - 2) + leader, 6 + symbols)
    return symbols, labels, offsets


def labelled(n_words=150, seed=0, sample_weight=None):
    symbols, labels, offsets = far_words(n_words, np.random.default_rng(seed))
    allowed = np.zeros((6, 8), dtype=bool)
    allowed[symbols, labels] = True
    allowed[5] = True
    return LabelledSymbols(symbols, labels, offsets, allowed, np.eye(8, dtype=np.float32), sample_weight)


def learned(network, data, seed=0):
    with Monitor() as monitor:
        return network.learn(data, monitor, np.random.default_rng(seed), 1), monitor.history


SMALL = {"vector_size": 8, "memory_size": 16, "narrow_size": 16, "max_iter": 15, "step": 1e-2, "batch_size": 8}
SMALL |= {"history_size": 0, "dropout": 0.4}


def test_it_learns_what_only_the_first_symbol_says():
    networks, history = learned(weft.RecurrentNetwork(**SMALL), labelled())
    symbols, labels, offsets = far_words(60, np.random.default_rng(9))
    found = networks.log_probabilities(symbols, offsets).argmax(axis=1)
    assert (found == labels).mean() > 0.97
    assert [entry["iteration"] for entry in history] == list(range(1, 16))
    assert history[-1]["objective"] < 0.2 * history[0]["objective"]
    blind, _ = learned(weft.RecurrentNetwork(**SMALL | {"max_iter": 1, "step": 1e-9}), labelled())
    assert (blind.log_probabilities(symbols, offsets).argmax(axis=1) == labels).mean() < 0.8


def test_seeds_decide_everything_and_several_networks_differ():
    network = weft.RecurrentNetwork(2, **SMALL | {"max_iter": 2})
    data = labelled(40)
    first, second, third = (learned(network, data, seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.weights, second.weights)
    assert not np.array_equal(first.weights, third.weights)
    assert not np.array_equal(first.weights[0], first.weights[1])
    with Monitor() as monitor:
        threads = network.learn(data, monitor, np.random.default_rng(0), 2)
    np.testing.assert_array_equal(first.weights, threads.weights)


def test_sample_weight_counts():
    symbols, labels = np.zeros(40, dtype=int), np.tile([0, 1], 20)
    offsets, allowed = np.arange(41), np.ones((2, 2), dtype=bool)
    for wanted in (0, 1):
        sample_weight = np.where(labels == wanted, 9.0, 1.0)
        data = LabelledSymbols(symbols, labels, offsets, allowed, np.zeros((2, 1), dtype=np.float32), sample_weight)
        networks, _ = learned(weft.RecurrentNetwork(**SMALL | {"dropout": 0.0, "max_iter": 40}), data)
        probabilities = np.exp(networks.log_probabilities(symbols[:1], offsets[:2]))[0]
        assert probabilities[wanted] == pytest.approx(0.9, abs=0.05)


def test_a_run_that_was_interrupted_goes_on_to_the_same_networks(tmp_path):
    network, data = weft.RecurrentNetwork(2, **SMALL | {"max_iter": 5}), labelled(30)
    whole, history = learned(network, data)
    steps = iter(range(1, 100))

    def check():
        if next(steps) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), journal_kept(Journal(tmp_path / "fit", lambda: "key", check=check)):
        learned(network, data)
    with journal_kept(Journal(tmp_path / "fit", lambda: "key", resume=True)):
        other, later = learned(network, data)
    np.testing.assert_array_equal(other.weights, whole.weights)
    assert [entry["objective"] for entry in later] == [entry["objective"] for entry in history]


def test_a_state_of_another_network_is_refused():
    data, network = labelled(5), weft.RecurrentNetwork(**SMALL)
    run = _Run(network, network._shape(data), data, np.random.default_rng(0))
    with pytest.raises(InputError, match=r"mean of shape \(3,\) given; this network needs \(\d+,\)"):
        run.take("mean", np.zeros(3, dtype=np.float32))
    run.take("mean", np.ones(len(run.weights)))
    assert run.mean.dtype == np.float32


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_networks": 0}, "n_networks of RecurrentNetwork is 0; a whole number of at least 1"),
        ({"n_networks": 101}, "n_networks of RecurrentNetwork is 101; at most 100"),
        ({"max_iter": 2.5}, "max_iter of RecurrentNetwork is 2.5"),
        ({"history_size": -1}, "history_size of RecurrentNetwork is -1; a whole number of at least 0"),
        ({"dropout": 1.0}, "dropout of RecurrentNetwork is 1.0; a share from 0 to below 1"),
        ({"input_dropout": "much"}, "input_dropout of RecurrentNetwork is 'much'"),
        ({"step": 0}, "step of RecurrentNetwork is 0; a number above 0"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    network = weft.RecurrentNetwork(**parameters)
    with pytest.raises(InputError, match=message):
        weft.Rewriter(network=network).fit(["a", "b"], ["x", "y"])
    assert clone(network).get_params() == network.get_params()


def test_a_step_that_is_too_large_is_told():
    with pytest.raises(InputError, match="diverged; lower the step"), np.errstate(all="ignore"):
        learned(weft.RecurrentNetwork(**SMALL | {"step": 1e38}), labelled(20))
