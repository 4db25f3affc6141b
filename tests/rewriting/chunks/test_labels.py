"""Tests of `weft.rewriting.chunks.labels`."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_pairs import make_pairs
from weft.rewriting.chunks.alignment import ChunkAlignment, allowed_steps
from weft.rewriting.chunks.labels import Dictionary, label_chunks

STEPS = allowed_steps(2, 2)
words = st.lists(st.integers(0, 2), min_size=1, max_size=4)
corpora = st.lists(st.tuples(words, words), min_size=1, max_size=4).filter(
    lambda pairs: all(len(y) <= 2 * len(x) for x, y in pairs)
)


@settings(max_examples=15)
@given(corpora)
def test_labels_spell_the_outputs_and_nothing_is_lost(sequences):
    pairs = make_pairs(sequences)
    labels = label_chunks(pairs, STEPS, ChunkAlignment(pairs, STEPS, n_jobs=1).learn(3).best()[0])
    spelled = [labels.symbols[labels.offsets[z] : labels.offsets[z + 1]] for z in labels.of_symbols]
    assert np.concatenate(spelled).tolist() == pairs.outputs.tolist()
    n_labels = len(labels.offsets) - 1
    dictionary, candidates = Dictionary.collect(pairs.inputs, labels.of_symbols, 3, n_labels, 1)
    assert (dictionary.labels[candidates] == labels.of_symbols).all()
    assert (candidates >= dictionary.first[pairs.inputs]).all()
    assert (candidates < dictionary.first[pairs.inputs + 1]).all()
