"""Features of all outputs minus those of the answer."""

import itertools

import numpy as np


def all_differences(tagger, sequence, answer):
    """phi(x, reference) - phi(x, y) for all y, from the names of the weights."""
    names = tagger.feature_names_

    def features(labels):
        counts = dict.fromkeys(names, 0.0)
        for pair in itertools.chain(zip(sequence, labels, strict=True), itertools.pairwise(labels)):
            counts[pair] += 1
        return np.array([counts[name] for name in names])

    every = itertools.product(tagger.classes_, repeat=len(sequence))
    return features(answer) - np.array([features(labels) for labels in every])
