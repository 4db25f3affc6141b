"""Tests of `weft.kernel_methods.svm.storages.hash`."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.kernel_methods.svm.descent import SparseRows
from weft.kernel_methods.svm.storages.hash import KeyAutomaton
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.kinds import new_storage


@settings(max_examples=50)
@given(st.sets(st.text(alphabet="abxé\N{SNOWMAN}", max_size=5), min_size=1, max_size=30))
def test_key_automaton_numbers_its_keys_and_refuses_others(strings):
    keys = KeySet.from_names(list(strings))
    automaton = KeyAutomaton(keys)
    np.testing.assert_array_equal(automaton.index(keys.codes, keys.offsets), np.arange(len(strings)))
    longer = np.concatenate([keys.codes[keys.offsets[-2] :], [0, 0, 0, 0, 0, 0]]).astype(np.uint32)
    assert automaton.index(longer, np.array([0, len(longer)])).tolist() == [-1]


def test_automaton_of_keys_is_smaller_than_the_trie():
    random = np.random.default_rng(1)
    keys = KeySet.from_names(sorted({"".join(random.choice(list("abcd"), size=6)) for _ in range(3000)}))
    rows = SparseRows.from_matrix(csr_array(np.ones((1, len(keys)))))
    sizes = {}
    for kind in ("trie", "minimal", "hash"):
        storage = new_storage(kind, keys, rows)
        storage.add(0, rows.columns, rows.values, 1.0)
        sizes[kind] = storage.size()
    assert sizes["minimal"][:2] == sizes["hash"][:2]
    assert sizes["hash"].transitions < sizes["trie"].transitions
    assert 2 * sizes["hash"].bytes < sizes["trie"].bytes
