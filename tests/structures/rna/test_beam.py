"""Structures that a beam finds: the best ones if nothing is left out, and never better than they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rna_oracle import structures
from weft.errors import InputError
from weft.structures.rna.beam import beam_structure
from weft.structures.rna.loops.counts import count_parts
from weft.structures.rna.model import LoopModel
from weft.structures.rna.queries import NO_CODES, best_structure
from weft.structures.rna.tables import MULTI_BRANCH, MULTI_CLOSE, N_VALUES

MODEL = LoopModel()
ENERGIES = MODEL.scores(MODEL.prior)


@st.composite
def problems(draw, longest):
    """Letters (some unknown), scores of parts, least hairpin."""
    symbols = draw(st.lists(st.sampled_from([0, 1, 1, 2, 2, 3, 3, 4]), min_size=1, max_size=longest))
    least = draw(st.sampled_from([0, 1, 3])) if len(symbols) <= 13 else 3
    scores = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=N_VALUES)
    return np.array(symbols, dtype=np.int32), scores * draw(st.sampled_from([0.1, 1.0, 5.0])), least


@given(problems(18))
@settings(max_examples=40)
def test_a_beam_that_leaves_nothing_out_equals_enumeration(problem):
    symbols, scores, least = problem
    every = structures(tuple(symbols.tolist()), least)
    values = [count_parts(symbols, pairs, NO_CODES, 30) @ scores for pairs in every]
    pairs, score = beam_structure(symbols, scores, least, len(symbols))
    assert score == pytest.approx(max(values))
    assert pairs.tolist() in [own.tolist() for own in every]


@given(problems(42), st.integers(1, 8), st.booleans())
@settings(max_examples=80)
def test_beams_of_any_width(problem, width, measured):
    """No multiloop of 42 bases begins with more than 30 that are unpaired."""
    symbols, scores, least = problem
    scores, codes = (ENERGIES, MODEL.codes) if measured else (scores, NO_CODES)
    best = best_structure(symbols, scores, least, codes=codes)[1]
    assert beam_structure(symbols, scores, least, len(symbols), codes)[1] == pytest.approx(best)
    pairs, score = beam_structure(symbols, scores, least, width, codes)
    assert count_parts(symbols, pairs, codes, 30) @ scores == pytest.approx(score, abs=1e-9)
    assert score <= best + 1e-9 * max(1.0, abs(best))


def test_what_a_narrow_beam_loses():
    symbols = np.random.default_rng(0).integers(0, 4, 200).astype(np.int32)
    found = [beam_structure(symbols, ENERGIES, 3, width, MODEL.codes) for width in (1, 100, 200)]
    best = best_structure(symbols, ENERGIES, 3, codes=MODEL.codes)[1]
    assert found[0][1] < found[1][1] <= best + 1e-9
    assert found[2][1] == pytest.approx(best)
    for pairs, score in found:
        assert MODEL.counts(symbols, pairs) @ ENERGIES == pytest.approx(score)


@pytest.mark.parametrize(("n_unpaired", "is_found"), [(30, True), (31, False)])
def test_multiloops_begin_with_few_unpaired_bases(n_unpaired, is_found):
    x = "g" + "a" * n_unpaired + "gaaac" * 2 + "c"
    scores = np.zeros(N_VALUES)
    scores[MULTI_CLOSE:MULTI_BRANCH] = 1.0
    symbols = MODEL.encode(x)
    assert best_structure(symbols, scores, 3)[1] == 1.0
    assert beam_structure(symbols, scores, 3, len(symbols))[1] == (1.0 if is_found else 0.0)


def test_what_cannot_be_folded_is_refused(monkeypatch):
    symbols = MODEL.encode("gggaaaaccc")
    with pytest.raises(InputError, match="finite score"):
        beam_structure(symbols, np.full(N_VALUES, -np.inf), 3, 10)
    with pytest.raises(InputError, match="NaN or inf"):
        beam_structure(symbols, np.full(N_VALUES, np.inf), 3, 10)
    monkeypatch.setattr("weft.core.memory.WORTH_A_LOOK", 0)
    monkeypatch.setattr("weft.core.memory.free_memory", lambda: 100)
    with pytest.raises(InputError, match="narrower beam"):
        beam_structure(symbols, ENERGIES, 3, 10)
