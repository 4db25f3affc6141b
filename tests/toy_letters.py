"""Words in pictures, small enough to learn in a moment."""

import numpy as np


def toy(n=24, seed=0):
    random = np.random.default_rng(seed)
    words = random.choice(["abc", "cab", "ba", "bac"], n).tolist()
    shapes = random.normal(size=(3, 128))
    X = [shapes[["abc".index(z) for z in word]] + 0.3 * random.normal(size=(len(word), 128)) for word in words]
    return X, words
