import numpy as np
import pytest

from quick_runs import quick_report
from weft.experiments.lattices.storage_growth import COSTS, costs_of, order_of_growth


def test_orders_are_those_of_powers():
    sizes = np.array([10.0, 30.0, 500.0])
    for power in (0.0, 1.0, 2.0):
        assert order_of_growth(sizes, 7.0 * sizes**power) == pytest.approx(power)


def test_a_sum_is_as_costly_as_its_examples_and_a_trie_is_not():
    few, many = ([costs_of(kind, n, 60, np.random.default_rng(0)) for kind in ("naive", "trie")] for n in (20, 640))
    # Of 32 times as many examples; a machine that is busy scatters times by a factor.
    assert many[0][0] > 4.0 * few[0][0]  # a gradient goes through all of them,
    assert many[1][0] < 0.5 * many[0][0]  # in a trie through its own n-grams alone
    assert many[1][2] < 8.0 * few[1][2]  # one example meets its own n-grams,
    assert many[1][3] < 8.0 * few[1][3]  # whatever else the trie holds
    assert many[0][4] == 32 * few[0][4]  # a sum has one number for each example


def test_a_quick_run_has_every_cell_of_the_table(tmp_path):
    found = quick_report("storage-growth", tmp_path)
    for what in ("examples", "symbols"):
        for cost in COSTS:
            for kind in ("naive", "trie", "minimal automaton"):
                assert np.isfinite(found[f"order of growth in {what}", cost, kind])
    assert found["order of growth in examples", "gradient", "naive"] > 0.5
    assert found["order of growth in examples", "gradient, one example", "trie"] < 0.5
    assert found["order of growth in examples", "update, one example", "trie"] < 0.5
