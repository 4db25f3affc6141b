"""How a classifier learns if nothing is named: `python -m benchmarks.classify_default [--others] [NAME ...]`.

Each set is a part of public training data: some hundred texts, words or sequences to learn from, others to score on; no
test part is read, but for rarer topics of news. The default was chosen with these sets in view; those of `--others`
decided nothing. All have the default cost, chosen in folds. The peer is tf-idf of one to five characters with
`LinearSVC`; it chooses between runs across words and within them, and its cost, in the same number of folds. What is
printed is the share of labels that are right, in percent, and the CPU seconds of fits and predictions in all.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import weft
from weft import datasets

SEED = 0
N_FOLDS = 3
PEER = "tf-idf, LinearSVC"
COSTS = (0.3, 1.0, 3.0, 10.0)
LANGUAGES = ("bul", "dut", "fre", "hun", "vie_hanoi", "arm_e")
OTHER_LANGUAGES = ("ady", "gre", "ita", "lav", "mlt_latn", "rum", "slv", "wel_sw")

Split = tuple[list[Any], list[Any], list[Any], list[Any]]


KERNELS: dict[str, dict[str, Any]] = {
    "4-grams": {"kernel": weft.Normalized(weft.NGramKernel(4))},
    "1- to 4-grams": {"kernel": weft.Normalized(weft.NGramKernel(4, min_n=1))},
    "blended 5, no ends": {"kernel": weft.BlendedSpectrumKernel(ends=False)},
    "blended 4": {"kernel": weft.BlendedSpectrumKernel(4)},
    "blended 5": {"kernel": weft.BlendedSpectrumKernel()},
    "the default": {},
    "hinge": {"loss": "hinge"},
    "no bias": {"bias": False},
    "hinge, no bias": {"loss": "hinge", "bias": False},
    "blended 6": {"kernel": weft.BlendedSpectrumKernel(6)},
    "blended 5, plain counts": {"kernel": weft.BlendedSpectrumKernel(sublinear=False)},
    "blended 5, idf": {"kernel": weft.BlendedSpectrumKernel(idf=True)},
}
"""Parameters of a classifier."""


def drawn(examples: dict[Any, Any] | Sequence[tuple[Any, Any]], n_train: int, n_test: int) -> Split:
    """Some examples to learn from, and others."""
    pairs = list(examples.items()) if isinstance(examples, dict) else list(examples)
    some = np.random.default_rng(SEED).permutation(len(pairs))[: n_train + n_test]
    X, y = [pairs[i][0] for i in some], [pairs[i][1] for i in some]
    return X[:n_train], y[:n_train], X[n_train:], y[n_train:]


def _most_common(examples: dict[Any, Any], n: int) -> dict[Any, Any]:
    kept = {label for label, _ in Counter(examples.values()).most_common(n)}
    return {x: label for x, label in examples.items() if label in kept}


def _tags(tokens: Any, tags: Any) -> dict[str, str]:
    """Words of letters alone, each with the tag that it has first."""
    found: dict[str, str] = {}
    for words, own in zip(tokens, tags, strict=True):
        for word, tag in zip(words, own, strict=True):
            found.setdefault(word, tag)
    return {word: tag for word, tag in found.items() if word.isalpha()}


def splits() -> Iterator[tuple[str, Split]]:
    """Sets, one by one."""
    stories = [each for each in datasets.load_reuters21578("train") if len(each.topics) == 1 and each.title.strip()]
    titles = _most_common({each.title: each.topics[0] for each in stories}, 10)
    whole = _most_common({f"{each.title} {each.body}": each.topics[0] for each in stories}, 10)
    yield "topics of titles", drawn(titles, 400, 1000)
    yield "topics of titles, more", drawn(titles, 2000, 1000)
    yield "topics of news", drawn(whole, 400, 800)
    words = [("".join(word), each) for each in LANGUAGES for word in datasets.load_g2p_sigmorphon2021(each).inputs]
    yield "languages of words", drawn(words, 400, 1000)
    yield "languages of words, more", drawn(words, 3000, 1000)
    for task in ("CTCF", "SIN3A", "EP300"):
        sites = datasets.load_fastsk(f"dna_{task}")
        yield f"sites of {task}", drawn(list(zip(sites.sequences, sites.labels, strict=True)), 600, 800)
    spanish, english = datasets.load_conll2002_es("train"), datasets.load_conll2000("train")
    coarse = {word: tag[:2] for word, tag in _tags(spanish.tokens, spanish.pos).items()}
    yield "tags of Spanish words", drawn(coarse, 400, 1000)
    yield "tags of Spanish words, more", drawn(coarse, 3000, 1000)
    yield "tags of English words", drawn(_tags(english.tokens, english.pos), 2000, 1000)
    rna = datasets.load_rna_archiveii()
    yield "families of RNA", drawn(dict(zip(rna.sequences, rna.families, strict=True)), 200, 400)
    for language in ("french", "hungarian"):
        forms = datasets.load_inflection_sigmorphon2017(language, "train-high")
        tags = _most_common(dict(zip(forms.forms, forms.tags, strict=True)), 12)
        yield f"tags of {language.title()} forms", drawn(tags, 600, 800)

    entities = datasets.load_conll2002_es("train")
    for kind in ("PER", "LOC", "ORG"):
        yield f"Spanish sentences with {kind}", drawn(_with_label(entities, kind), 500, 1000)
    news = {f"{each.title} {each.body}"[:600]: "acq" in each.topics for each in datasets.load_reuters21578("train")}
    yield "acquisitions or not", drawn(news, 300, 1000)


def _with_label(sentences: Any, kind: str) -> dict[str, bool]:
    """Sentences as text, and whether they have a chunk of a kind."""
    return {
        " ".join(tokens): any(label.endswith(f"-{kind}") for label in labels)
        for tokens, labels in zip(sentences.tokens, sentences.labels, strict=True)
    }


def other_splits() -> Iterator[tuple[str, Split]]:
    """Sets of the same kinds that had no part in the choice."""
    words = [
        ("".join(word), each) for each in OTHER_LANGUAGES for word in datasets.load_g2p_sigmorphon2021(each).inputs
    ]
    yield "languages of words, eight others", drawn(words, 600, 1000)
    for task in ("JUND", "RAD21"):
        sites = datasets.load_fastsk(f"dna_{task}")
        yield f"sites of {task}", drawn(list(zip(sites.sequences, sites.labels, strict=True)), 600, 800)
    for language in ("latin", "polish", "russian"):
        forms = datasets.load_inflection_sigmorphon2017(language, "train-high")
        tags = _most_common(dict(zip(forms.forms, forms.tags, strict=True)), 12)
        yield f"tags of {language.title()} forms", drawn(tags, 600, 800)
    sounds = datasets.load_nettalk()
    starts = {word: phonemes[0] for word, phonemes in zip(sounds.words, sounds.phonemes, strict=True)}
    yield "first sounds of words", drawn(_most_common(starts, 20), 600, 1000)
    yield "Spanish sentences with MISC", drawn(_with_label(datasets.load_conll2002_es("train"), "MISC"), 500, 1000)
    for kind in ("SBAR", "ADVP"):
        yield f"English sentences with {kind}", drawn(_with_label(datasets.load_conll2000("train"), kind), 500, 1000)
    rare = ("interest", "trade", "crude", "ship", "sugar", "coffee", "gold", "gnp", "cpi")
    found = [each for each in datasets.load_reuters21578("test") if len(each.topics) == 1 and each.topics[0] in rare]
    yield "rarer topics of news", drawn({f"{each.title} {each.body}": each.topics[0] for each in found}, 150, 250)


def by_weft(options: dict[str, Any]) -> Callable[[Split], Any]:
    """Labels of the other examples by a kernel and a loss."""

    def predict(split: Split) -> Any:
        svc = weft.SequenceSVC(**options, random_state=SEED, n_jobs=1)
        return svc.fit(split[0], split[1]).predict(split[2])

    return predict


def by_peer(split: Split) -> Any:
    """Labels by the tuned peer."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVC

    X, y, asked, _ = split
    found = []
    for analyzer in ("char", "char_wb"):
        vectors = TfidfVectorizer(analyzer=analyzer, lowercase=False, sublinear_tf=True, ngram_range=(1, 5))
        search = GridSearchCV(LinearSVC(), {"C": list(COSTS)}, cv=N_FOLDS).fit(vectors.fit_transform(X), y)
        found.append((search.best_score_, vectors, search))
    _, vectors, search = max(found, key=lambda each: each[0])
    return search.predict(vectors.transform(asked))


def main(arguments: Sequence[str]) -> int:
    """Print a row for each set."""
    names = [each for each in arguments if each != "--others"]
    unknown = [name for name in names if name not in KERNELS]
    if unknown:
        print(f"there is no kernel {unknown[0]!r}; there are {', '.join(map(repr, KERNELS))}", file=sys.stderr)
        return 2
    warnings.simplefilter("ignore")
    tried = {name: by_weft(KERNELS[name]) for name in names or KERNELS} | {PEER: by_peer}
    print("| set | learned, scored | " + " | ".join(tried) + " |\n|" + "---|" * (len(tried) + 2))
    scores: list[list[float]] = []
    seconds = dict.fromkeys(tried, 0.0)
    for name, split in splits() if len(names) == len(arguments) else other_splits():
        row = []
        for key, predict in tried.items():
            began = time.process_time()
            row.append(100.0 * float(np.mean(np.asarray(predict(split)) == np.asarray(split[3]))))
            seconds[key] += time.process_time() - began
        scores.append(row)
        print(
            f"| {name} | {len(split[1])}, {len(split[3])} | " + " | ".join(f"{s:.1f}" for s in row) + " |", flush=True
        )
    print("| mean | | " + " | ".join(f"**{mean:.1f}**" for mean in np.mean(scores, axis=0)) + " |")
    print("| CPU s | | " + " | ".join(f"{value:.1f}" for value in seconds.values()) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
