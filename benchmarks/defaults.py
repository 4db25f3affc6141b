"""Each default before and after, on data that it was not chosen on: `python -m benchmarks.defaults [GROUP ...]`.

Defaults of the aligner were chosen on every other family of PREFAB (proteins that share no name with the others), those
of the folder on Rfam: the other proteins and ArchiveII are measured here. Those of classifiers, regressors and
rewriters are chosen within the training data of each fit, so that all test sets are new; taggers learn from training
sentences and are scored on others of them. Intervals are those of the
mean paired difference, from 2,000 resamples of the test examples. The last column is the CPU time of both sides.
"""

from __future__ import annotations

import sys
import time
import warnings
from calendar import month_name as MONTHS
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_RESAMPLES = 2000
AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
DNA = ("dna_CTCF", "dna_EP300", "dna_JUND", "dna_RAD21", "dna_SIN3A")
N_WORDS = 300
"""Of each language, for regressors."""
N_REWRITTEN = 2000
"""Words to train rewriters on, at the most."""
N_RNA, N_FOLDED, LONGEST = 100, 12, 250
"""RNAs to train on; of each family to test on, and their bases at the most."""
N_TOPICS = 10

Scores = NDArray[np.float64]
Row = tuple[str, Scores, Scores]


def interval(before: Scores, after: Scores) -> tuple[float, float, float]:
    """Mean paired difference and the ends of its 95 % interval.

    Examples
    --------
    >>> interval(np.zeros(4), np.ones(4))
    (1.0, 1.0, 1.0)
    """
    differences = after - before
    drawn = np.random.default_rng(0).integers(len(differences), size=(N_RESAMPLES, len(differences)))
    low, high = np.quantile(differences[drawn].mean(axis=1), [0.025, 0.975])
    return float(differences.mean()), float(low), float(high)


def aligners() -> Iterator[Row]:
    """Untrained, and trained on 5, 30 and 200 pairs of the families that defaults were chosen on."""
    import weft
    from weft.experiments.public_sets.prefab_halves import pairs_of_halves

    (sequences, alignments), tested = pairs_of_halves()

    def taken(places: list[int]) -> tuple[list[Any], list[Any]]:
        return [sequences[i] for i in places], [alignments[i] for i in places]

    def shares(aligner: Any) -> Scores:
        batch = aligner.bind(*tested)
        found = aligner._chosen(batch, aligner.weights_)[0]
        return np.asarray(1.0 - batch.losses(found) / batch.reference().n_anchors)

    matrix = weft.SubstitutionMatrix.load("BLOSUM62").over(AMINO_ACIDS)
    untrained = [
        weft.Aligner.from_matrix(matrix, -11, -1, decode="best").set_params(reliable="upper"),
        weft.Aligner.from_matrix(matrix).set_params(reliable="upper"),
    ]
    yield "Aligner.from_matrix, columns right", shares(untrained[0]), shares(untrained[1])
    short = [i for i, (first, second) in enumerate(sequences) if len(first) * len(second) <= 100_000]
    order = np.random.default_rng(1).permutation(short).tolist()
    shared: dict[str, Any] = {"alphabet": AMINO_ACIDS, "reliable": "upper"}
    for n in (5, 30, 200):
        before = weft.Aligner(prior=None, decode="best", **shared).fit(*taken(order[:n]))
        after = weft.Aligner(**shared).fit(*taken(order[:n]))
        yield f"Aligner, {n} pairs, columns right", shares(before), shares(after)
        same_ends = weft.Aligner(mode="global", **shared).fit(*taken(order[:n]))
        yield f"Aligner, {n} pairs, own gaps at the ends, columns right", shares(same_ends), shares(after)


def folders() -> Iterator[Row]:
    """Untrained, and trained on RNAs of Rfam; F1 of pairs on the nine families of ArchiveII."""
    import weft
    from weft.experiments.public_sets.archiveii import FAMILIES, f1, pick
    from weft.experiments.public_sets.rfam_structures import published_structures
    from weft.losses import base_pairs

    picked = [pick(family, N_FOLDED, LONGEST, 1) for family in FAMILIES]
    sequences = [each for found, _ in picked for each in found]
    wanted = [each for _, pairs in picked for each in pairs]

    def scores(folder: Any) -> Scores:
        return np.array(
            [f1(pairs, base_pairs(each)) for pairs, each in zip(wanted, folder.predict(sequences), strict=True)]
        )

    untrained = weft.Folder.from_energies()
    best = weft.Folder.from_energies().set_params(decode="best")
    yield "Folder.from_energies, F1", scores(best), scores(untrained)
    trained = published_structures(max_length=120)[:N_RNA]
    X, y = [each.sequence for each in trained], [each.structure for each in trained]
    for c2 in (1.0, 20.0):
        none = np.zeros_like(untrained.weights_)
        before = weft.Folder(learner=weft.CRF(c2=c2, prior=none), decode="best").fit(X, y)
        after = weft.Folder(learner=weft.CRF(c2=c2)).fit(X, y)
        yield f"Folder, CRF(c2={c2:g}) towards energies, {len(X)} RNAs, F1", scores(before), scores(after)
    yield f"Folder, CRF(c2=20) -> Folder(), {len(X)} RNAs, F1", scores(before), scores(weft.Folder().fit(X, y))


def taggers() -> Iterator[Row]:
    """Tokens alone, and the window that is suited to them: words and letters, 100 and 1,000 sequences of training."""
    import weft
    from weft.datasets import load_conll2000, load_conll2002_es, load_nettalk

    english, spanish, letters = load_conll2000("train"), load_conll2002_es("train"), load_nettalk()
    sets: tuple[tuple[str, Any, Any], ...] = (
        ("English parts of speech", english.tokens, english.pos),
        ("Spanish entities", spanish.tokens, spanish.labels),
        ("NETtalk phonemes", list(map(list, letters.words)), list(map(list, letters.phonemes))),
    )
    for name, X, y in sets:
        order = np.random.default_rng(0).permutation(len(X)).tolist()
        for n in (100, 1000):
            train, test = order[:n], order[1000:1500]
            found = []
            for features in (None, weft.WindowFeatures.suited_to([X[i] for i in train])):
                tagger = weft.Tagger(features=features, random_state=0)
                tagger.fit([X[i] for i in train], [y[i] for i in train])
                answers = tagger.predict([X[i] for i in test])
                found.append([_share_right(y[i], answer) for i, answer in zip(test, answers, strict=True)])
            yield f"WindowFeatures.suited_to, {name}, {n:,} sequences, right", np.array(found[0]), np.array(found[1])


def _share_right(wanted: Any, answer: Any) -> float:
    return float(np.mean([one == other for one, other in zip(wanted, answer, strict=True)]))


def classifiers() -> Iterator[Row]:
    """Five sets of DNA, with the split that they come with."""
    import weft
    from weft.datasets import load_fastsk

    for name in DNA:
        train, test = load_fastsk(name, "train"), load_fastsk(name, "test")
        before, after = weft.SequenceSVC(weft.NGramKernel(4), C=1.0, random_state=0), weft.SequenceSVC(random_state=0)
        right = [
            _right(each.fit(train.sequences, train.labels), test.sequences, test.labels) for each in (before, after)
        ]
        yield f"SequenceSVC, {name}, right", right[0], right[1]


def short_texts() -> Iterator[Row]:
    """Titles of news: which of the ten topics; idf and sublinear weights, beside scikit-learn's tf-idf."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    import weft
    from weft.datasets import load_reuters21578

    parts = [[each for each in load_reuters21578(part) if len(each.topics) == 1] for part in ("train", "test")]
    topics, counts = np.unique([each.topics[0] for each in parts[0]], return_counts=True)
    kept = set(topics[np.argsort(-counts, kind="stable")[:N_TOPICS]].tolist())
    (X, y), (Xt, yt) = (
        (
            [each.title for each in part if each.topics[0] in kept],
            [each.topics[0] for each in part if each.topics[0] in kept],
        )
        for part in parts
    )
    words, new_words = ([title.lower().split() for title in titles] for titles in (X, Xt))
    strengths = {"linearsvc__C": (0.1, 1.0, 10.0)}

    def peer(**options: Any) -> Scores:
        made = make_pipeline(TfidfVectorizer(sublinear_tf=True, **options), LinearSVC(random_state=0))
        return _right(GridSearchCV(made, strengths, cv=3).fit(X, y), Xt, yt)

    def ours(train: Any, test: Any, n: int, **options: Any) -> Scores:
        kernel = weft.Normalized(weft.NGramKernel(n, min_n=1, **options))
        return _right(weft.SequenceSVC(kernel, random_state=0).fit(train, y), test, yt)

    weights = {"idf": True, "sublinear": True}
    for name, train, test, n, vectors in (
        ("words", words, new_words, 2, {"tokenizer": str.split, "token_pattern": None}),
        ("letters", X, Xt, 4, {"analyzer": "char", "lowercase": False}),
    ):
        plain, weighted = ours(train, test, n), ours(train, test, n, **weights)
        yield f"SequenceSVC, {name} of titles: idf and sublinear, right", plain, weighted
        found = peer(ngram_range=(1, n), **vectors)
        yield f"tf-idf and LinearSVC -> SequenceSVC, {name} of titles, right", found, weighted


def _right(model: Any, X: Any, y: Any) -> Scores:
    return np.asarray(np.asarray(model.predict(X)) == np.asarray(y), dtype=float)


def regressors() -> Iterator[Row]:
    """From words to their sounds, in languages that nothing was tuned on; similarity of each output. And dates."""
    import weft
    from weft.datasets.pronunciation import LANGUAGES, load_g2p_sigmorphon2021

    kinds: tuple[tuple[str, Any, Any], ...] = (
        (
            "StringRegressor",
            weft.StringRegressor(output_order=2, alpha=0.01, preimage="nearest"),
            weft.StringRegressor(),
        ),
        (
            "KernelDependencyEstimator",
            weft.KernelDependencyEstimator(alpha=1.0, preimage="candidates"),
            weft.KernelDependencyEstimator(),
        ),
    )
    for name, before, after in kinds:
        found: list[list[float]] = [[], []]
        for language in LANGUAGES["low"]:
            train, test = (load_g2p_sigmorphon2021(language, part) for part in ("train", "test"))
            for place, model in enumerate((before, after)):
                model.fit(train.inputs[:N_WORDS], train.outputs[:N_WORDS])
                found[place] += _similarities(test.outputs, model.predict(test.inputs))
        yield f"{name}, {len(LANGUAGES['low'])} languages, similarity", np.array(found[0]), np.array(found[1])
    X, y = _dates(400)
    for name, before, after in kinds:
        shares = [_similarities(y[200:], each.fit(X[:200], y[:200]).predict(X[200:])) for each in (before, after)]
        yield f"{name}, dates, similarity", np.array(shares[0]), np.array(shares[1])


def _similarities(wanted: Any, predicted: Any) -> list[float]:
    from weft.metrics.strings import normalized_edit_similarity

    return [
        normalized_edit_similarity([list(one)], [list(other)]) for one, other in zip(wanted, predicted, strict=True)
    ]


def _dates(n: int) -> tuple[list[str], list[str]]:
    """Dates in words and in figures, drawn at random."""
    days = [
        date(1980, 1, 1) + timedelta(int(k)) for k in np.random.default_rng(0).choice(20_000, size=n, replace=False)
    ]
    return [f"{day.day} {MONTHS[day.month]} {day.year}" for day in days], [day.isoformat() for day in days]


def rewriters() -> Iterator[Row]:
    """Lengths of chunks: words right, each language of little data together, and one whose chunks are long."""
    import weft
    from weft.datasets.pronunciation import LANGUAGES, load_g2p_sigmorphon2021

    def right(languages: tuple[str, ...], chunks: Any) -> Scores:
        found: list[bool] = []
        for language in languages:
            train, test = (load_g2p_sigmorphon2021(language, part) for part in ("train", "test"))
            model = weft.Rewriter(max_chunk=chunks, random_state=0)
            model.fit(train.inputs[:N_REWRITTEN], train.outputs[:N_REWRITTEN])
            predicted = model.predict(test.inputs)
            found += [list(a) == list(b) for a, b in zip(test.outputs, predicted, strict=True)]
        return np.array(found, dtype=float)

    yield "Rewriter, vie_hanoi, words right", right(("vie_hanoi",), 2), right(("vie_hanoi",), None)
    low = LANGUAGES["low"]
    yield f"Rewriter, {len(low)} languages, words right", right(low, 2), right(low, None)


GROUPS: tuple[Callable[[], Iterator[Row]], ...] = (
    aligners,
    folders,
    taggers,
    classifiers,
    short_texts,
    regressors,
    rewriters,
)


def main(names: list[str]) -> int:
    """Print the table, of all groups or of those named."""
    known = [group.__name__ for group in GROUPS]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"there is no group {unknown[0]}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    warnings.simplefilter("ignore")
    print(
        "| default, measure | n | before | after | difference | 95 % interval | CPU s |\n|---|---|---|---|---|---|---|"
    )
    n_worse, start = 0, time.process_time()
    for group in GROUPS:
        if names and group.__name__ not in names:
            continue
        since = time.process_time()
        for name, before, after in group():
            mean, low, high = interval(before, after)
            n_worse += high < 0
            cells = (name, str(len(before)), *(f"{value:.4f}" for value in (before.mean(), after.mean())))
            spent, since = time.process_time() - since, time.process_time()
            measured = (f"{mean:+.4f}", f"{low:+.4f} to {high:+.4f}", f"{spent:.0f}")
            print("| " + " | ".join((*cells, *measured)) + " |", flush=True)
    print(f"\n{n_worse} worse beyond the interval; {(time.process_time() - start) / 60:.1f} CPU minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
