import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.shards import MAX_SHARDS, concatenate_over_shards, cut_into_shards, sum_over_shards


@given(st.lists(st.integers(0, 5000), max_size=60), st.integers(0, 100_000))
def test_shards_are_runs_that_hold_every_sequence_once(costs, n_weights):
    shards = cut_into_shards(costs, n_weights)
    assert [i for shard in shards for i in range(shard.start, shard.stop)] == list(range(len(costs)))
    assert all(shard.stop > shard.start for shard in shards)
    assert len(shards) <= MAX_SHARDS


def test_shards_cost_about_the_same():
    costs = np.random.default_rng(0).integers(1, 60, size=5000)
    for n_weights, n_shards in [(10, 16), (costs.sum() * 4, 4), (costs.sum() * 8, 2), (costs.sum() * 40, 1)]:
        shards = cut_into_shards(costs, n_weights)
        assert len(shards) == n_shards
        sums = [costs[shard].sum() for shard in shards]
        assert max(sums) - min(sums) <= 2 * costs.max()


def test_small_data_and_no_data_are_not_cut():
    assert cut_into_shards([5, 5, 5], 1) == [slice(0, 3)]
    assert cut_into_shards([], 1) == []


@pytest.mark.parametrize("n_shards", [1, 2, 3, 5, 8, 13])
def test_a_sum_has_the_order_of_a_binary_tree_whoever_computes_it(n_shards):
    random = np.random.default_rng(n_shards)
    parts = random.normal(size=(n_shards, 100)) * 10.0 ** random.integers(-8, 8, size=(n_shards, 100))
    expected = list(parts)
    while len(expected) > 1:  # written down in another way: level by level
        expected = [np.sum(expected[i : i + 2], axis=0) for i in range(0, len(expected), 2)]
    waits = random.permutation(n_shards) * 0.002

    def work(number):
        time.sleep(waits[number])
        return 1, [parts[number].copy(), (parts[number].copy(),)]

    for n_jobs in (1, 2, 4, 16):
        count, (total, (again,)) = sum_over_shards(work, range(n_shards), n_jobs)
        assert count == n_shards
        np.testing.assert_array_equal(total, expected[0])
        np.testing.assert_array_equal(again, expected[0])


def test_one_thread_keeps_no_more_sums_than_the_tree_has_levels():
    alive, most = 0, 0
    lock = threading.Lock()

    def work(number):
        nonlocal alive, most
        with lock:
            alive += 1
            most = max(most, alive)
        return (np.ones(3),)

    def release(partial):
        nonlocal alive
        with lock:
            alive -= 1

    assert sum_over_shards(work, range(16), 1, release)[0].tolist() == [16.0] * 3
    assert alive == 1
    assert most == 5


def test_results_come_in_the_order_of_the_shards_and_so_do_errors():
    def work(number):
        time.sleep(0.003 * (5 - number))
        if number in (1, 3):
            raise ValueError(f"shard {number}")
        return number

    assert concatenate_over_shards(work, [4, 2, 0], 3) == [4, 2, 0]
    for n_jobs in (1, 2, 5):
        with pytest.raises(ValueError, match="shard 1"):
            concatenate_over_shards(work, range(5), n_jobs)
        with pytest.raises(ValueError, match="shard 1"):
            sum_over_shards(lambda number: (work(number),), range(5), n_jobs)
