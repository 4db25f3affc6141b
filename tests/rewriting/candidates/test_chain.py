"""Which weights a chain of candidates has."""

from dataclasses import replace

import numpy as np
import pytest

from weft.errors import InputError
from weft.rewriting.candidates.batch import CandidateBatch


def test_pruning_leaves_out_weights_of_zero_and_changes_no_answer(corpus):
    batch, weights = corpus
    weights = np.where(np.abs(weights) < 0.5, 0.0, weights)
    chain, few = batch.chain.prune(weights)
    assert chain.n_features == len(few) < batch.n_features
    assert chain.n_entries == np.count_nonzero(weights[: batch.chain.n_entries])
    pruned = CandidateBatch(chain, batch.symbols, batch.offsets, batch.found, n_jobs=1)
    assert pruned.argmax(few)[0].tolist() == batch.argmax(weights)[0].tolist()
    np.testing.assert_allclose(pruned.log_partitions(few), batch.log_partitions(weights))


def test_views_of_fewer_symbols_than_the_chain_has_are_refused(corpus):
    """As a crafted model file may have them: compiled loops would read beyond the end of the views."""
    chain = corpus[0].chain
    assert chain.joined_views is not None
    larger = replace(chain, first=np.append(chain.first, chain.first[-1]))
    with pytest.raises(InputError, match=r"a view has \d+ symbols, but the chain \d+; fit the model again"):
        larger.find(np.zeros(1, dtype=np.int32), np.array([0, 1]))
