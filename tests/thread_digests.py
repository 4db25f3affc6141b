"""Digests of models and answers, for a test that has them made with one thread of linear algebra and with several.

Data are large enough for OpenBLAS to share products among threads, which it does from about 10,000 numbers on.
``OPENBLAS_NUM_THREADS=2 python tests/thread_digests.py 1 components spectral`` prints a line for each, made with one
thread of our own; without names, for all.
"""

import hashlib
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import weft
from weft.kernel_methods.pca import KernelComponents
from weft.kernel_methods.ridge.banded_path import BandedRidgePath
from weft.kernel_methods.ridge.leave_groups_out import leave_groups_out
from weft.kernel_methods.ridge.path import RidgePath
from weft.kernel_methods.ridge.regressor import KernelRidge

N_JOBS = 1
RANDOM = np.random.default_rng(0)
VECTORS = RANDOM.normal(size=(300, 40))
TARGETS = RANDOM.normal(size=(300, 8))
SQUARES = np.einsum("ij,ij->i", VECTORS, VECTORS)
GRAM = np.exp(-0.02 * (SQUARES[:, None] + SQUARES - 2.0 * np.einsum("ij,kj->ik", VECTORS, VECTORS)))


def words(seed, letters, n, longest, shortest=2):
    """Random strings."""
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list(letters), size=random.integers(shortest, longest))) for _ in range(n)]


def dates(n):
    """Dates in one form and in another."""
    days, months, years = np.random.default_rng(6).integers([1, 1, 1900], [29, 13, 2020], size=(n, 3)).T.tolist()
    forms = list(zip(days, months, years, strict=True))
    return [f"{d}.{m}.{y}" for d, m, y in forms], [f"{y}-{m}-{d}" for d, m, y in forms]


def answers(model, X, *queries):
    """The bytes of a model's file, and what it answers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.weft"
        weft.save(model, path)
        return [path.read_bytes(), *(getattr(model, query)(X) for query in queries)]


STRUCTURED = ("predict", "predict_marginals", "confidence", "z_score")


def lettered(n=200):
    """Words, and a label of each letter."""
    X = words(1, "abcdefghij", n, 10)
    return X, [["vwxyz"[(ord(a) + i // 2) % 5] for i, a in enumerate(word)] for word in X]


def tagged(n=400):
    """Sentences of a large vocabulary."""
    random = np.random.default_rng(0)
    X = [[f"w{k}" for k in random.integers(2500, size=random.integers(4, 30))] for _ in range(n)]
    return X, [[f"L{(int(w[1:]) * 7 + i // 3) % 12}" for i, w in enumerate(x)] for x in X]


# ------------------------------------------------- what hung on the number of threads


def components():
    """Components of outputs, all and of landmarks."""
    whole, some = KernelComponents(20).fit(GRAM), KernelComponents(20).fit_landmarks(GRAM[:100, :100], GRAM[:, :100])
    rest = whole.residuals(GRAM[:200], GRAM.diagonal()[:200])
    return [
        whole.coordinates_,
        some.coordinates_,
        whole.project(GRAM[:200]),
        rest,
        whole.expansion(TARGETS @ np.eye(8, 20)),
    ]


def paths():
    """Ridge regressions of many strengths."""
    several = RidgePath(GRAM, TARGETS), BandedRidgePath(GRAM, TARGETS), RidgePath.from_features(VECTORS, TARGETS)
    return [[path.coefficients(0.1), path.leave_one_out(0.1)] for path in several]


def groups():
    """Predictions for groups that were left out."""
    return leave_groups_out(GRAM, TARGETS, 0.1, [i % 5 for i in range(300)])


def ridge():
    """Predictions of a ridge regression on few and on all examples."""
    several: list = [{}, {"approximation": "nystroem", "n_basis": 60, "random_state": 0}]
    return [KernelRidge(weft.RBFKernel(0.1), **each).fit(VECTORS, TARGETS).predict(VECTORS) for each in several]


def dependency():
    """Outputs by components: strings and vectors."""
    X, y = dates(300)
    found = answers(weft.KernelDependencyEstimator(alpha=0.1).fit(X, y), X[:40], "predict", "transform")
    kernels = weft.LinearKernel(), weft.RBFKernel()
    model = weft.KernelDependencyEstimator(*kernels, alpha=0.1, preimage="fixed_point").fit(VECTORS, VECTORS**2)
    return [found, answers(model, VECTORS[:40], "predict", "transform")]


def regressor():
    """Strings by counts of their n-grams, from few basis functions."""
    X, y = dates(400)
    model = weft.StringRegressor(alpha=0.1, approximation="nystroem", n_basis=100, n_jobs=N_JOBS, random_state=0)
    return answers(model.fit(X, y), X[:20], "predict", "predict_counts", "confidence")


def spectral():
    """Hankel matrices by hinge and by likelihood, and their operators."""
    X, y = lettered()
    hinge = weft.SpectralTagger(tau=0.1, loss="hinge", max_iter=5, random_state=0, n_jobs=N_JOBS).fit(X, y)
    log = weft.Tagger(weft.Spectral(3, tau=0.1, loss="log", max_iter=5), random_state=0, n_jobs=N_JOBS).fit(X, y)
    operators = hinge.operators_
    parts = [operators.initial, operators.final, *operators.operators.values(), hinge.singular_values_]
    return [*answers(hinge, X, "predict"), *answers(log, X, "predict", "predict_marginals"), *parts]


def network():
    """Chances of labels that a small network gives."""
    X = words(7, "abcdefghijklmnop", 250, 12, 3)
    y = [word.upper().replace("AB", "Z").replace("C", "CH") for word in X]
    network = weft.RecurrentNetwork(2, 16, 24, 16, 24, max_iter=3)
    model = weft.Rewriter(network=network, context=3, beam_width=5, random_state=0, n_jobs=N_JOBS).fit(X, y)
    asked = words(8, "abcdefghijklmnop", 40, 12, 3)
    return [*answers(model, asked, "predict", "confidence"), model.predict_kbest(asked, 4)]


def many():
    """Sums over many sequences, each with a weight: moments, and a score where labels are unseen."""
    X = words(3, "abcdefgh", 30_000, 5)
    y = [["xyz"[ord(a) % 3] for a in word] for word in X]
    weights = np.random.default_rng(1).random(len(X))
    model = weft.Tagger(weft.SODA(solver="block"), n_jobs=N_JOBS, random_state=0)
    model.fit(X, y, sample_weight=weights)
    unseen = [["u", *labels[1:]] for labels in y]
    return [model.weights_, *(model.score(X[k:], unseen[k:], sample_weight=weights[k:]) for k in range(5))]


def constrained():
    """A Z-score with constraints on some 25,000 weights."""
    learner = weft.ZScore(margin_constraints=True, max_rounds=2, max_constraints=20)
    return weft.Tagger(learner, n_jobs=N_JOBS, random_state=0).fit(*tagged(400)).weights_


HUNG = (
    "components",
    "paths",
    "groups",
    "ridge",
    "dependency",
    "regressor",
    "spectral",
    "network",
    "many",
    "constrained",
)

# ---------------------------------------------------------------------- the others


LEARNERS = {
    "crf": weft.CRF(max_iter=6),
    "crf_l1": weft.CRF(c1=0.1, max_iter=6),
    "newton": weft.CRF(solver="newton", max_iter=3),
    "expected_loss": weft.ExpectedLoss(max_iter=3),
    "generative": weft.Generative(),
    "perceptron": weft.Perceptron(max_iter=3),
    "structured_svm": weft.StructuredSVM(max_iter=3),
    "z_score": weft.ZScore(),
    "soda": weft.SODA(),
    "sampled_soda": weft.SODA(moments="sampled", n_samples=20),
    "margin_regression": weft.MarginRegression(),
    "loss_regression": weft.LossRegression(),
    "moment_steps": weft.MomentSteps(),
}


def taggers():
    """Every learner on a tagger with some 25,000 weights."""
    X, y = tagged()
    found = {}
    for name, learner in LEARNERS.items():
        model = weft.Tagger(learner, random_state=0, n_jobs=N_JOBS).fit(X, y)
        found[name] = answers(model, X[:20], *STRUCTURED)
    stacked = weft.StackedTagger(weft.CRF(max_iter=4), n_folds=2, random_state=0, n_jobs=N_JOBS).fit(X[:150], y[:150])
    return [found, answers(stacked, X[:20], *STRUCTURED)]


def aligners():
    """Every learner on an aligner."""
    random = np.random.default_rng(2)
    left = words(2, "ACDEFGHIKL", 30, 60, 20)
    right = ["".join(c if random.random() < 0.7 else "ACDEFGHIKL"[random.integers(10)] for c in a) for a in left]
    y = [(a + "--", b[:5] + "--" + b[5:]) for a, b in zip(left, right, strict=True)]
    pairs, queries = list(zip(left, right, strict=True)), STRUCTURED
    return [
        answers(weft.Aligner(learner=learner, random_state=0, n_jobs=N_JOBS).fit(pairs, y), pairs[:8], *queries)
        for learner in LEARNERS.values()
    ]


def folders():
    """Some learners on folders by grammars and by loops."""
    X = words(3, "ACGU", 12, 60, 30)
    y = weft.Folder.from_energies(n_jobs=N_JOBS).predict(X)
    found = []
    for grammar in ("g6", "loops"):
        for name in ("crf", "newton", "perceptron", "soda", "loss_regression"):
            model = weft.Folder(grammar, learner=LEARNERS[name], random_state=0, n_jobs=N_JOBS).fit(X, y)
            found.append(answers(model, X[:4], *STRUCTURED))
    return [found, model.energy(X, y), model.ensemble_energy(X)]


def classifiers():
    """Kernels and storages."""
    X = words(4, "ACGT", 250, 60, 10)
    y = ["abc"[(x.count("A") > x.count("C")) + (x.count("AC") > 2)] for x in X]
    grams = weft.Normalized(weft.NGramKernel(7, min_n=1))
    kernels = [
        None,
        weft.MismatchKernel(4, 1),
        weft.GappedKMerKernel(6, 4),
        weft.EmpiricalKernelMap(weft.NGramKernel(3)),
    ]
    kernels += [weft.Normalized(weft.SubsequenceKernel(2, 0.5)), weft.WeightedDegreeKernel(3, shift=1)]
    settings = [{"storage": storage, "kernel": grams} for storage in ("array", "trie", "minimal", "naive", "hash")]
    settings += [{"kernel": kernel, "probability": True} for kernel in kernels] + [{"kernel": grams, "C": None}]
    found = []
    for each in settings:
        model = weft.SequenceSVC(**{"C": 1.0, **each}, random_state=0, n_jobs=N_JOBS).fit(X, y)
        queries = ("predict", "decision_function", *(["predict_proba"] if "probability" in each else []))
        found.append(answers(model, X[:60], *queries))
    return found


def rewriters():
    """Strings to strings, the fast way and with tags."""
    X = words(7, "abcdefghijklmnop", 200, 12, 3)
    y = [word.upper().replace("AB", "Z").replace("C", "CH") for word in X]
    models = weft.Rewriter(effort="fast", random_state=0, n_jobs=N_JOBS), weft.Rewriter(random_state=0, n_jobs=N_JOBS)
    return [answers(model.fit(X, y), X[:40], "predict", "confidence") for model in models]


def others():
    """Classes of words, n-grams, and sets of outputs."""
    X = tagged(600)[0]
    letters, labels = lettered(300)
    tagger = weft.Tagger(weft.CRF(max_iter=20), random_state=0, n_jobs=N_JOBS).fit(letters[:200], labels[:200])
    sets = weft.PredictionSets(tagger, 0.3).fit(letters[200:260], labels[200:260])
    model = weft.NGramLanguageModel(4).fit(words(1, "abcdefgh", 2000, 20))
    found = answers(weft.WordClasses(20).fit(X), X[:20], "transform"), answers(model, letters, "log_probability")
    return [*found, sets.predict_with_probabilities(letters[260:])]


REST = ("taggers", "aligners", "folders", "classifiers", "rewriters", "others")


def feed(digest, value):
    """Add a value, of whatever arrays and lists."""
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, list | tuple | np.ndarray):
        for each in value:
            feed(digest, each)
    else:
        digest.update(value if isinstance(value, bytes) else repr(value).encode())


def main():
    """Print digests."""
    global N_JOBS
    N_JOBS = int(sys.argv[1])
    warnings.simplefilter("ignore")
    for name in sys.argv[2:] or HUNG + REST:
        digest = hashlib.sha256()
        feed(digest, globals()[name]())
        print(name, digest.hexdigest(), flush=True)


if __name__ == "__main__":
    main()
