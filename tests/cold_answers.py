"""Digests of small fits, for a test that has them made in one process that compiles and in one that does not.

``python tests/cold_answers.py tag align`` prints a line for each.
"""

import hashlib
import sys
import warnings

import numpy as np

import weft

N_LABELS = 22
"""Enough for loops over labels to work on several at once, and for some to be left over."""


def words(seed, letters, n, length):
    """Random strings."""
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list(letters), size=random.integers(2, length))) for _ in range(n)]


def tag():
    """Weights of a CRF with overlapping windows: sums over arcs, and products of vectors."""
    X = words(0, "abcdefg", 300, 30)
    y = [[(3 * ord(a) + i // 2) % N_LABELS for i, a in enumerate(word)] for word in X]
    features = weft.WindowFeatures(width=1, ngrams=2)
    return weft.Tagger(weft.CRF(max_iter=8), features=features, n_jobs=1).fit(X, y).weights_


def spectral():
    """Weights of a matrix of trigrams by maximum likelihood."""
    X = words(1, "abcd", 60, 8)
    y = [["xyz"[(ord(a) + i) % 3] for i, a in enumerate(word)] for word in X]
    learner = weft.Spectral(3, "nuclear", 0.1, loss="log", max_iter=6)
    return weft.Tagger(learner, n_jobs=1, random_state=0).fit(X, y).weights_


def align():
    """Expected features of alignments, and their covariances."""
    left = words(2, "ACDEFGHIKL", 12, 40)
    y = [(a + "--", a[:1] + "-" + a[2:] + "AC") for a in left]
    pairs = [(a.replace("-", ""), b.replace("-", "")) for a, b in y]
    model = weft.Aligner(learner=weft.CRF(max_iter=6), n_jobs=1).fit(pairs, y)
    return np.append(model.weights_, model.z_score(pairs))


def fold():
    """Probabilities of pairs and expected features of the loop model."""
    X = words(3, "ACGU", 5, 40)
    y = weft.Folder.from_energies().predict(X)
    model = weft.Folder(learner=weft.CRF(max_iter=3), n_jobs=1).fit(X, y)
    return np.concatenate([model.weights_, *(np.ravel(table) for table in model.predict_marginals(X))])


def classify():
    """Weights of a support vector machine on grams."""
    X = words(4, "ACGT", 80, 30)
    y = [word.count("A") > word.count("C") for word in X]
    return weft.SequenceSVC(C=1.0, n_jobs=1, random_state=0).fit(X, y).decision_function(X)


def regress():
    """Nearest strings, which are searched by bounds."""
    X = words(5, "abcd", 40, 9)
    return np.array([ord(a) for word in weft.StringRegressor(n_jobs=1).fit(X, X).predict(X) for a in word])


def main():
    """Print digests."""
    warnings.simplefilter("ignore")
    for name in sys.argv[1:]:
        values = np.ascontiguousarray(globals()[name](), dtype=float)
        print(name, len(values), hashlib.sha256(values.tobytes()).hexdigest())


if __name__ == "__main__":
    main()
