"""All labellings of a chain of candidates."""

import itertools

import numpy as np

FIRST = np.array([0, 2, 5, 6])
LABELS = np.array([0, 1, 0, 2, 3, 4], dtype=np.int32)


def labellings(batch, i):
    begin, end = batch.offsets[i], batch.offsets[i + 1]
    sizes = np.diff(FIRST)[batch.symbols[begin:end]]
    return [np.array(each, dtype=np.int16) for each in itertools.product(*map(range, sizes))]


def features(batch, i, places):
    """Features of one labelling, from the contexts of each position and what these have weights for."""
    chain, begin = batch.chain, batch.offsets[i]
    row_offsets, contexts = batch.found
    most = np.diff(chain.first).max()
    vector = np.zeros(chain.n_features)
    before = None
    for t, place in enumerate(places, start=begin):
        candidate = chain.first[batch.symbols[t]] + place
        traits = chain.traits[chain.trait_offsets[candidate] : chain.trait_offsets[candidate + 1]]
        wanted = {int(place), *(int(most + trait) for trait in traits)}
        for context in contexts[row_offsets[t] : row_offsets[t + 1]]:
            for entry in range(chain.entry_offsets[context], chain.entry_offsets[context + 1]):
                vector[entry] += chain.entry_places[entry] in wanted
        if before is not None:
            vector[chain.n_entries + chain.classes[before] * chain.n_classes + chain.classes[candidate]] += 1.0
        before = candidate
    return vector
