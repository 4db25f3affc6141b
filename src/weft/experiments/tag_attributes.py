"""Attributes of the rows on tagging that no window has: chunks that a first tagger found, and runs of vowels.

A second tagger that reads the answers of a first one sees whole chunks around a token, however far they reach:
stacking (Wolpert 1992; of taggers, Cohen and Carvalho 2005). The first answers for its own training data by
cross-validation, so that its mistakes are those that it makes on other data. The syllables of a word, which runs of
vowels stand for, say where its stress may lie and with that which vowels are weak.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from typing import Any

N_FOLDS = 5
VOWELS = "aeiouy"
BEYOND = "\\none"
"""Stands for tokens and chunks beyond the ends."""
WORD, TAG = 0, 1
JOINED = (
    *(((WORD, 0), (TAG, offset)) for offset in (-2, -1, 1, 2)),
    *(((WORD, word), (TAG, tag)) for word, tag in ((-1, 0), (-1, 1), (1, 0), (1, -1))),
    ((TAG, -1), (WORD, 0), (TAG, 1)),
    ((TAG, -2), (TAG, -1), (WORD, 0)),
    ((WORD, 0), (TAG, 1), (TAG, 2)),
    ((WORD, -1), (TAG, 0), (TAG, 1)),
    ((TAG, -1), (TAG, 0), (WORD, 1)),
    ((TAG, 0), (WORD, 1), (TAG, 2)),
)
"""Columns and offsets that become one attribute: a window joins values of one column only."""

Attributes = list[list[tuple[str, ...]]]
Rows = Sequence[tuple[str, str]]


def combined(*parts: Attributes) -> Attributes:
    """Attributes of each token from several lists of sequences, one after the other.

    Examples
    --------
    >>> combined([[("a",), ("b",)]], [[("x",), ("y",)]])
    [[('a', 'x'), ('b', 'y')]]
    """
    return [
        [tuple(name for names in token for name in names) for token in zip(*sequences, strict=True)]
        for sequences in zip(*parts, strict=True)
    ]


def cross_answers(fit: Callable[[Any, Any], Any], X: Sequence[Any], y: Sequence[Any]) -> list[Any]:
    """Outputs for each input of a model that was fitted without its fifth of the data.

    Parameters
    ----------
    fit : callable
        Takes inputs and outputs; returns a model with ``predict``.
    X, y : sequences

    Examples
    --------
    >>> import weft
    >>> cross_answers(lambda X, y: weft.Tagger(n_jobs=1).fit(X, y), ["ab"] * 5, ["xy"] * 5)
    [['x', 'y'], ['x', 'y'], ['x', 'y'], ['x', 'y'], ['x', 'y']]
    """
    n, answers = len(X), []
    cuts = [n * fold // N_FOLDS for fold in range(N_FOLDS + 1)]
    for begin, end in pairwise(cuts):
        if begin < end:
            model = fit([*X[:begin], *X[end:]], [*y[:begin], *y[end:]])
            answers += model.predict(X[begin:end])
    return answers


def joined_columns(sentence: Rows) -> list[tuple[str, ...]]:
    """Words together with parts of speech at other places, as `JOINED` lists them.

    Examples
    --------
    >>> joined_columns([("the", "DT"), ("cat", "NN")])[1][1]
    '0[0]1[-1]=cat|DT'
    """
    found = []
    for i in range(len(sentence)):
        names = []
        for places in JOINED:
            values = [
                sentence[i + offset][column] if 0 <= i + offset < len(sentence) else BEYOND for column, offset in places
            ]
            names.append("".join(f"{column}[{offset}]" for column, offset in places) + "=" + "|".join(values))
        found.append(tuple(names))
    return found


def chunk_spans(labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Begin, end and kind of each chunk of B-, I- and O labels; a token outside is one of kind O.

    Examples
    --------
    >>> chunk_spans(["B-NP", "I-NP", "O", "B-VP"])
    [(0, 2, 'NP'), (2, 3, 'O'), (3, 4, 'VP')]
    """
    begins = [i for i, label in enumerate(labels) if not (i and label.startswith("I-"))]
    return [(begin, end, labels[begin].partition("-")[2] or "O") for begin, end in pairwise([*begins, len(labels)])]


def chunk_attributes(sentence: Rows, labels: Sequence[str]) -> list[tuple[str, ...]]:
    """What labels that a first tagger gave say at each token: labels near it, and the chunks around its own.

    Parameters
    ----------
    sentence : sequence of (word, part of speech)
    labels : sequence of str

    Examples
    --------
    >>> found = chunk_attributes([("he", "PRP"), ("ran", "VBD")], ["B-NP", "B-VP"])
    >>> [name for name in found[1] if name.startswith("chunk[-1]")]
    ['chunk[-1]=NP|VBD', 'chunk[-1]own=NP|VP|0|0', 'chunk[-1]head=he', 'chunk[-1]tag=PRP|VBD', 'chunk[-1]word=NP|ran',
     'chunk[-1]head,word=he|ran']
    """
    n, chunks = len(sentence), chunk_spans(labels)
    words, tags = [word for word, _ in sentence], [tag for _, tag in sentence]
    found = []
    for k, (begin, end, own_kind) in enumerate(chunks):
        kind, head, head_tag = {}, {}, {}
        for step in range(-3, 4):
            inside = 0 <= k + step < len(chunks)
            last = chunks[k + step][1] - 1 if inside else 0
            kind[step] = chunks[k + step][2] if inside else BEYOND
            head[step], head_tag[step] = (words[last], tags[last]) if inside else (BEYOND, BEYOND)
        verbs = [words[chunk[1] - 1] for chunk in chunks[:k] if chunk[2] == "VP"]
        n_after = sum(chunk[2] == "VP" for chunk in chunks[k + 1 :])
        verb = verbs[-1] if verbs else BEYOND
        for i in range(begin, end):
            near = {step: labels[i + step] if 0 <= i + step < n else BEYOND for step in range(-4, 5)}
            word, tag = words[i], tags[i]
            before, after = tags[i - 1] if i else BEYOND, tags[i + 1] if i + 1 < n else BEYOND
            own = f"{own_kind}|{min(i - begin, 2)}|{min(end - 1 - i, 2)}"
            names = [f"label[{step}]={near[step]}" for step in near]
            names += [f"label[{a}:{a + 1}]={near[a]}|{near[a + 1]}" for a in range(-3, 3)]
            names += [f"label[{a}:{a + 2}]={near[a]}|{near[a + 1]}|{near[a + 2]}" for a in (-2, -1, 0)]
            names += [f"label[{step}]word={near[step]}|{word}" for step in (-1, 0, 1)]
            names += [f"label[{step}]tag={near[step]}|{tag}" for step in range(-2, 3)]
            names += [f"label,tag[-1]={near[0]}|{before}", f"label,tag[1]={near[0]}|{after}"]
            names += [f"label[-1][1]tag={near[-1]}|{near[1]}|{tag}", f"own={own}"]
            for step in (-3, -2, -1, 1, 2, 3):
                names += [f"chunk[{step}]={kind[step]}|{tag}", f"chunk[{step}]own={kind[step]}|{own}"]
                if abs(step) < 3:
                    names += [f"chunk[{step}]head={head[step]}", f"chunk[{step}]tag={head_tag[step]}|{tag}"]
                if abs(step) == 1:
                    names += [f"chunk[{step}]word={kind[step]}|{word}", f"heads[{step}]={head[step]}|{head[0]}"]
            names += [f"chunk[-1]head,word={head[-1]}|{word}"]
            names += [f"chunks={kind[-2]}|{kind[-1]}|{kind[1]}|{kind[2]}|{tag}"]
            names += [f"verbs={min(len(verbs), 2)}|{min(n_after, 2)}|{tag}|{near[0]}"]
            names += [f"verb,word={verb}|{word}", f"verb,tag={verb}|{tag}"]
            found.append(tuple(names))
    return found


def syllable_attributes(word: str) -> list[tuple[str, ...]]:
    """What the runs of vowels of a word say at each of its letters: how many, which, and the ends of the word.

    Examples
    --------
    >>> syllable_attributes("idea")[1][:3]
    ('d runs=1/2', 'd runs after=1', 'd runs before=1')
    """
    runs: list[tuple[int, str]] = []
    begin = 0
    for is_vowel, letters in groupby(word, VOWELS.__contains__):
        run = "".join(letters)
        if is_vowel:
            runs.append((begin, run))
        begin += len(run)
    outline = "".join(letter if letter in VOWELS else "-" for letter in word)
    found = []
    for i, letter in enumerate(word):
        after = [run for begin, run in runs if begin > i]
        n_after, n_before = len(after), len(runs) - len(after)
        names = [f"runs={n_before}/{len(runs)}", f"runs after={n_after}", f"runs before={n_before}"]
        names += [f"runs after={n_after}, end={word[-k:]}" for k in range(1, min(4, len(word)) + 1)]
        following = [*after, "", ""]
        names += [f"next={following[0]}", f"next two={following[0]},{following[1]}", f"all after={','.join(after)}"]
        names += [f"outline after={outline[i:]}", f"outline before={outline[: i + 1]}"]
        found.append(tuple(f"{letter} {name}" for name in names))
    return found
