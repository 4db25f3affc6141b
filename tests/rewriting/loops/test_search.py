"""Tests of `weft.rewriting.loops.search`."""

import itertools

import numpy as np
import pytest

from candidate_oracle import FIRST, LABELS, features, labellings
from weft.language_model import NGramLanguageModel
from weft.rewriting import model as model_module
from weft.rewriting.candidates.batch import CandidateBatch
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.candidates.contexts import View
from weft.rewriting.loops import search
from weft.rewriting.loops.search import FEW_ARCS, MANY
from weft.rewriting.model import RewriteModel


def test_a_wide_beam_is_exact(corpus):
    batch, weights = corpus
    sequences = [
        (FIRST[batch.symbols[a:b]] + batch.reference()[a:b]).tolist()
        for a, b in itertools.pairwise(batch.offsets.tolist())
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
    found = model.decode(batch.symbols, batch.offsets, 3, beam_width=1000, margin=1e9)
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


@pytest.mark.parametrize("beam_width", [1, 2, 3, 6])
def test_few_hypotheses_in_order_are_those_that_a_heap_keeps(corpus, monkeypatch, beam_width):
    """Weights are whole numbers, so that many hypotheses are equal."""
    batch, weights = corpus
    sequences = [
        (FIRST[batch.symbols[a:b]] + batch.reference()[a:b]).tolist()
        for a, b in itertools.pairwise(batch.offsets.tolist())
    ]
    offsets, symbols = np.array([0, 0, 1, 2, 3, 5]), np.array([7, 7, 8, 7, 7], dtype=np.int32)
    joint, found = NGramLanguageModel(3).fit(sequences), {}
    monkeypatch.setattr(model_module, "search", getattr(search.search, "py_func", search.search))
    for many in (MANY, 0):
        monkeypatch.setattr(search, "MANY", many)
        for joint_weight in (0.0, 0.5):
            mixture = (1.0, joint_weight, 0.0, 0.0, 0.0)
            model = RewriteModel(batch.chain, np.round(weights), offsets, symbols, joint, mixture)
            with np.errstate(over="ignore"):  # hashes
                outputs = model.decode(batch.symbols, batch.offsets, 2, beam_width=beam_width, n_jobs=1)
            found[many, joint_weight] = outputs.candidates, outputs.scores, outputs.totals
    for joint_weight in (0.0, 0.5):
        for mine, wanted in zip(found[MANY, joint_weight], found[0, joint_weight], strict=True):
            np.testing.assert_array_equal(mine, wanted)


def test_contexts_with_few_and_with_many_arcs():
    """One symbol with 30 candidates: contexts of one candidate have many arcs, those of two have few."""
    random = np.random.default_rng(4)
    n, first = 30, np.array([0, 30, 31])
    lengths = random.integers(1, 4, 200)
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    symbols, candidates = np.zeros(bounds[-1], dtype=np.int32), random.integers(0, n, bounds[-1])
    labels, same = np.arange(31, dtype=np.int32), np.zeros(2, dtype=np.int64)
    chain, _ = CandidateChain.collect(symbols, bounds, candidates, first, labels, views=[View(1, 1, same)])
    sequences = [candidates[a:b].tolist() for a, b in itertools.pairwise(bounds.tolist())]
    joint = NGramLanguageModel(3).fit(sequences)
    arcs = np.diff(joint.tables_.offsets)
    assert arcs[arcs > 0].min() <= FEW_ARCS < arcs[1:].max()
    weights = random.normal(size=chain.n_features)
    mixture = (0.3, 0.8, 0.0, 0.0, 0.0)
    model = RewriteModel(chain, weights, np.arange(32), labels, joint, mixture)
    batch = CandidateBatch(chain, symbols[:2], np.array([0, 2]), chain.find(symbols[:2], np.array([0, 2])), n_jobs=1)
    wide, narrow = (model.decode(symbols[:2], np.array([0, 2]), 3, beam_width=width) for width in (1000, 20))
    every = list(itertools.product(range(n), repeat=2))
    values = []
    for places in every:
        score = mixture[0] * features(batch, 0, np.array(places)) @ weights
        values.append(score + mixture[1] * joint.log_probability([list(places)])[0])
    order = np.argsort(-np.array(values))
    assert [tuple(row) for row in wide.candidates.tolist()] == [every[k] for k in order[:3]]
    assert wide.scores[0] == pytest.approx(np.array(values)[order[:3]])
    assert narrow.candidates[0].tolist() == wide.candidates[0].tolist()
