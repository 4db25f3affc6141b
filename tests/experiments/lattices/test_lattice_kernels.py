"""Experiments with string and lattice kernels: their parts on small cases, and quick runs on the real data."""

import numpy as np
import pytest

from weft import NGramKernel
from weft.experiments.lattices import lattice_kernels
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.trie import TrieStorage


def test_trie_size_is_the_number_of_prefixes():
    rng = np.random.default_rng(0)
    for n in (1, 2, 4):
        names = sorted({"".join(rng.choice(list("abc"), size=rng.integers(1, n + 1))) for _ in range(40)})
        keys = KeySet.from_names(names)
        prefixes = {name[:k] for name in names for k in range(1, len(name) + 1)}
        trie = TrieStorage(keys)
        trie.add(0, np.arange(len(names), dtype=np.uint32), np.ones(len(names), dtype=np.float32), 1.0)
        assert lattice_kernels.trie_size(keys) == len(prefixes) == trie.size().transitions


def test_minimal_size_leaves_out_keys_without_weight():
    keys = KeySet.from_names(["aa", "ab", "ba", "bb"])
    assert lattice_kernels.minimal_size(keys, np.array([1.0, 2.0, 3.0, 6.0])) == 4
    assert lattice_kernels.minimal_size(keys, np.array([1.0, 0.0, 0.0, 0.0])) == 2


def test_every_printed_line_is_measured():
    # Table 5 has rows that Table 4 lacks: gappy 5-grams, 6,423,447 transitions as a trie and 1,403,744 when minimal.
    assert lattice_kernels.PUBLISHED_SIZES["subset, gappy", 5] == (6_423_447, 1_403_744)
    printed = {*lattice_kernels.PUBLISHED_SIZES, *lattice_kernels.PUBLISHED_SECONDS}
    assert printed <= {(cell.stories, cell.n) for cell in lattice_kernels.CELLS}


def test_a_line_of_the_tables_has_all_methods_and_one_that_is_stopped_says_so():
    texts = [f"{'abc' if i % 3 else 'xyz'} {i * i} {i % 7}" for i in range(60)]
    signs = np.array([1.0 if i % 3 else -1.0 for i in range(60)])
    cell = lattice_kernels.Cell("subset", 4, True)
    found = {m.method: m for m in lattice_kernels.measure(cell, texts, signs, limit=60.0)}
    assert {"subset: Algorithm 2, array", "subset: Algorithm 2, trie", "subset: SMO", "subset: trie"} <= set(found)
    assert found["subset: SMO"].published == 138
    assert found["subset: minimal automaton"].mean < found["subset: trie"].mean
    part = [m.method for m in lattice_kernels.measure(cell, texts, signs, limit=-1.0, label="60 stories")]
    assert all(method.startswith("60 stories: ") for method in part)
    stopped = {m.method for m in lattice_kernels.measure(cell, texts, signs, limit=-1.0)}
    assert "subset: Algorithm 2, trie, stopped" in stopped


@pytest.mark.slow
@pytest.mark.needs_data("reuters21578")
def test_tries_are_as_large_as_published():
    texts, _ = lattice_kernels.stories()
    names = NGramKernel(4).feature_map(texts)[0].names()
    assert lattice_kernels.trie_size(KeySet.from_names(names)) == pytest.approx(242_570, rel=0.02)
