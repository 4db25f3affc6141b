"""Moments of the scores of all alignments, of short pairs on the graph and of long ones by a closed form."""

import tracemalloc

import numpy as np
import pytest
from scipy.special import gammaln

from weft.structures import Alignment
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.graph import PairGraph


@pytest.mark.parametrize("gaps", ["affine", "linear"])
@pytest.mark.parametrize(("n", "m"), [(25, 30), (1, 40), (0, 7), (7, 0), (0, 0)])
def test_equals_the_graph(n, m, gaps):
    random = np.random.default_rng(n + m)
    structure = Alignment("substitution", "ACGT", gaps=gaps)
    corpus = structure.encode([tuple("".join(random.choice(list("ACGT"), size)) for size in (n, m))])
    batch = AlignmentBatch(structure, corpus)
    weights = random.normal(size=batch.n_features)
    (mean,), (variance,) = batch.score_moments(weights)
    graph = PairGraph(structure, corpus, 0, np.zeros(batch.n_features))
    product, wanted = graph.covariance(weights, np.empty(0, dtype=np.int32), 0.0)
    assert mean == pytest.approx(wanted, rel=1e-10, abs=1e-10)
    assert variance == pytest.approx(product @ weights, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize(("n", "m"), [(2000, 2000), (2000, 300)])
def test_long_pairs_need_no_graph(n, m):
    """(n + m - k)! / (k! (n - k)! (m - k)!) alignments have k pairs: the score, if pairs count 1 and gaps nothing."""
    structure = Alignment("match", gaps="linear")
    batch = AlignmentBatch(structure, structure.encode([("A" * n, "C" * m)]))
    weights = np.array([1.0, 1.0, 0.0])
    tracemalloc.start()
    (mean,), (variance,) = batch.score_moments(weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    k = np.arange(min(n, m) + 1)
    logs = gammaln(n + m - k + 1) - gammaln(k + 1) - gammaln(n - k + 1) - gammaln(m - k + 1)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    assert mean == pytest.approx(shares @ k, rel=1e-10)
    assert variance == pytest.approx(shares @ (k - shares @ k) ** 2, rel=1e-8)
    assert peak < 1e7
