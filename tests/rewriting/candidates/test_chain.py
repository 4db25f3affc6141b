"""Which weights a chain of candidates has."""

import numpy as np

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
