"""Chains with candidates, and the beam search over them, against enumeration."""

import itertools

import numpy as np
import pytest

from weft.errors import InputError
from weft.estimators.tagger import Tagger
from weft.language_model import NGramLanguageModel
from weft.learners.crf import CRF
from weft.learners.monitor import Monitor
from weft.learners.perceptron import Perceptron
from weft.learners.structured_svm import StructuredSVM
from weft.structures.candidate_chain import CandidateBatch, CandidateChain
from weft.structures.contexts import View
from weft.structures.online_chain import PerceptronState
from weft.structures.rewrite_model import RewriteModel
from weft.structures.symbol_classes import alternating_classes, neighbour_classes

FIRST = np.array([0, 2, 5, 6])
LABELS = np.array([0, 1, 0, 2, 3, 4], dtype=np.int32)


@pytest.fixture(scope="module")
def corpus():
    random = np.random.default_rng(0)
    lengths = random.integers(1, 5, 12)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    symbols = random.integers(0, 3, offsets[-1]).astype(np.int32)
    candidates = FIRST[symbols] + random.integers(0, np.diff(FIRST)[symbols])
    vowels = np.array([0, 1, 0])
    chain, found = CandidateChain.collect(
        symbols, offsets, candidates, FIRST, LABELS,
        views=[View(2, 2, vowels), View(2, 0, vowels)], trait_views=[View(1, 1, vowels, vowels)],
        traits=[[0], [1], [0, 2], [1], [2], []], min_count=1,
    )  # fmt: skip
    places = (candidates - FIRST[symbols]).astype(np.int16)
    return CandidateBatch(chain, symbols, offsets, found, places, n_jobs=2), random.normal(size=chain.n_features)


def labellings(batch, i):
    begin, end = batch.offsets[i], batch.offsets[i + 1]
    sizes = np.diff(FIRST)[batch.symbols[begin:end]]
    return [np.array(each, dtype=np.int16) for each in itertools.product(*map(range, sizes))]


def features(batch, i, places):
    """Features of one labelling: what `observed` says of a batch of this sequence alone."""
    begin, end = batch.offsets[i], batch.offsets[i + 1]
    symbols, offsets = batch.symbols[begin:end], np.array([0, end - begin])
    one = CandidateBatch(batch.chain, symbols, offsets, batch.chain.find(symbols, offsets), places, n_jobs=1)
    return one.observed()


def test_queries_equal_enumeration(corpus):
    batch, weights = corpus
    total, mean = batch.log_partition_and_mean(weights)
    marginals, logs = batch.marginals(weights)
    best, scores = batch.argmax(weights)
    expected_mean = np.zeros(batch.n_features)
    for i in range(len(batch.offsets) - 1):
        begin, end = batch.offsets[i], batch.offsets[i + 1]
        all_places = labellings(batch, i)
        vectors = np.array([features(batch, i, places) for places in all_places])
        values = vectors @ weights
        log_partition = np.logaddexp.reduce(values)
        shares = np.exp(values - log_partition)
        assert logs[i] == pytest.approx(log_partition)
        assert scores[i] == pytest.approx(values.max())
        assert best[begin:end].tolist() == all_places[int(values.argmax())].tolist()
        expected_mean += shares @ vectors
        first = sum(share for share, places in zip(shares, all_places, strict=True) if places[0] == 0)
        assert marginals[begin, 0] == pytest.approx(first)
    assert total == pytest.approx(logs.sum())
    assert mean == pytest.approx(expected_mean)


def test_a_wide_beam_is_exact(corpus):
    batch, weights = corpus
    sequences = [
        (FIRST[batch.symbols[a:b]] + batch.places[a:b]).tolist() for a, b in itertools.pairwise(batch.offsets.tolist())
    ]
    joint = NGramLanguageModel(3).fit(sequences)
    offsets, symbols = np.array([0, 0, 1, 2, 3, 5]), np.array([7, 7, 8, 7, 7], dtype=np.int32)
    outputs = [
        [int(symbols[k]) for z in sequence for k in range(offsets[LABELS[z]], offsets[LABELS[z] + 1])]
        for sequence in sequences
    ]
    language = NGramLanguageModel(2).fit(outputs)
    numbers = np.full(9, language.unknown_)
    numbers[language.symbols_] = np.arange(len(language.symbols_))
    mixture = (0.7, 0.5, 0.3, 0.4)
    tier = NGramLanguageModel(2).fit([[s for s in output if s == 7] for output in outputs])
    on_tier = np.where(np.arange(9) == 7, 0, -1)
    model = RewriteModel(
        batch.chain, weights, offsets, symbols, joint, mixture, False, language, numbers, tier, on_tier
    )
    found = model.decode(batch.symbols, batch.offsets, 3, width=1000, margin=1e9)
    for i in range(len(batch.offsets) - 1):
        begin, end = batch.offsets[i], batch.offsets[i + 1]
        by_output = {}
        for places in labellings(batch, i):
            candidates = (FIRST[batch.symbols[begin:end]] + places).tolist()
            output = tuple(
                int(symbols[k]) for z in candidates for k in range(offsets[LABELS[z]], offsets[LABELS[z] + 1])
            )
            score = mixture[0] * features(batch, i, places) @ weights
            score += mixture[1] * joint.log_probability([candidates])[0]
            score += mixture[2] * language.log_probability([list(output)])[0]
            score += mixture[3] * tier.log_probability([[s for s in output if s == 7]])[0]
            by_output[output] = np.logaddexp(by_output.get(output, -np.inf), score)
        assert found.totals[i] == pytest.approx(np.logaddexp.reduce(list(by_output.values())))
        spelled = model.spell(found.candidates[0, begin:end])
        best = tuple(s for part in spelled for s in part)
        assert found.scores[i, 0] == pytest.approx(by_output[best])
        assert np.isfinite(found.scores[i]).sum() == min(3, len(by_output))


def test_learners_fit_the_references(corpus):
    batch, _ = corpus
    for learner in (
        StructuredSVM(C=10.0),
        CRF(c2=0.01, max_iter=50),
        Perceptron(20),
        Perceptron(20, early_update=True),
    ):
        with Monitor() as monitor:
            weights = learner.learn(batch, np.zeros(batch.n_features), monitor, np.random.default_rng(0))
        assert np.mean(batch.argmax(weights)[0] == batch.places) > 0.8
    chain, few = batch.chain.prune(weights)
    assert chain.n_features == len(few) <= batch.n_features
    pruned = CandidateBatch(chain, batch.symbols, batch.offsets, batch.found, n_jobs=1)
    assert pruned.argmax(few)[0].tolist() == batch.argmax(weights)[0].tolist()


def test_the_structural_svm_reaches_its_optimum(corpus):
    batch, _ = corpus
    spaces = []
    for i, (a, b) in enumerate(itertools.pairwise(batch.offsets.tolist())):
        every = labellings(batch, i)
        rows = np.array([features(batch, i, places) for places in every])
        gold = batch.places[a:b]
        costs = np.array([np.sum(places != gold) for places in every])
        spaces.append((costs, rows - rows[int(costs.argmin())]))
    C = 0.7
    passes = batch.frank_wolfe(C, np.random.default_rng(0))
    gaps, duals = [], []
    for _ in range(400):
        weights, dual, gap = next(passes)
        gaps.append(gap)
        duals.append(dual)
        primal = 0.5 * weights @ weights + C * sum(np.max(costs + rows @ weights) for costs, rows in spaces)
        assert dual <= primal + 1e-9  # weak duality, with the primal from enumeration
    assert gaps[-1] < 0.01 * gaps[0]
    assert np.all(np.diff(duals) >= -1e-9)
    assert primal == pytest.approx(dual, rel=0.03)


def test_early_updates_stop_where_the_reference_is_lost(corpus):
    batch, _ = corpus
    random = np.random.default_rng(3)
    n_shorter = 0
    for i, (a, b) in enumerate(itertools.pairwise(batch.offsets.tolist())):
        symbols, offsets = batch.symbols[a:b], np.array([0, b - a])
        gold = batch.places[a:b]
        one = CandidateBatch(batch.chain, symbols, offsets, batch.chain.find(symbols, offsets), gold, n_jobs=1)
        weights = random.normal(size=batch.n_features)
        state, _ = next(one.perceptron(PerceptronState(weights, np.zeros_like(weights)), random, early_update=True))
        change = state.weights - weights
        # The shortest beginning that another one with the same last candidate beats, by enumeration.
        for length in range(1, b - a + 1):
            every = [places for places in labellings(batch, i) if (places[length:] == gold[length:]).all()]
            same = [places for places in every if places[length - 1] == gold[length - 1]]
            value = dict(zip(map(tuple, every), (beginning(one, p, length) @ weights for p in every), strict=True))
            if max(value[tuple(places)] for places in same) > value[tuple(gold)] + 1e-9:
                break
        n_shorter += length < b - a
        best = max(every, key=lambda places: value[tuple(places)])
        assert change == pytest.approx(beginning(one, gold, length) - beginning(one, best, length))
    assert n_shorter > 0
    with pytest.raises(InputError, match="ChainBatch has no early updates"):
        Tagger(Perceptron(early_update=True)).fit(["ab"], ["xy"])


def beginning(one, places, length):
    """Features of the first positions of a labelling, with the contexts of the whole sequence."""
    row_offsets, contexts = one.found
    found = (row_offsets[: length + 1], contexts[: row_offsets[length]])
    part = CandidateBatch(one.chain, one.symbols[:length], np.array([0, length]), found, places[:length], n_jobs=1)
    return part.observed()


def test_classes_of_symbols():
    words = ["banana", "tomato", "potato", "binomi", "topaz", "mona"]
    letters = sorted(set("".join(words)))
    symbols = np.array([letters.index(c) for word in words for c in word], dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])])
    classes = alternating_classes(symbols, offsets, len(letters))
    assert {c for c, vowel in zip(letters, classes, strict=True) if vowel} == {"a", "o", "i"}
    assert neighbour_classes(symbols[:1], np.array([0, 1]), 1, 3).tolist() == [0]
