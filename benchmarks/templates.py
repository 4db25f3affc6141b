"""Attribute templates, in plain Python, shared by both sides of every benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Sentence = Sequence[tuple[str, ...]]
Attributes = list[list[str]]
Template = Callable[[Sentence], Attributes]


def _padded(column: list[str], width: int) -> list[str]:
    """The column between CRF++'s boundary symbols ``_B-2 _B-1`` and ``_B+1 _B+2``."""
    before = [f"_B-{k}" for k in range(width, 0, -1)]
    after = [f"_B+{k}" for k in range(1, width + 1)]
    return [*before, *column, *after]


def chunking(sentence: Sentence) -> Attributes:
    """The 19 attributes of the CRF++ chunking template, without a bias.

    Words at -2..+2 and their bigrams -1/0 and 0/+1; parts of speech at -2..+2, their four
    bigrams and their three trigrams.
    """
    words = _padded([row[0] for row in sentence], 2)
    tags = _padded([row[1] for row in sentence], 2)
    items = []
    for t in range(2, len(sentence) + 2):
        w0, w1, w2, w3, w4 = words[t - 2 : t + 3]
        p0, p1, p2, p3, p4 = tags[t - 2 : t + 3]
        items.append(
            [
                f"w[-2]={w0}",
                f"w[-1]={w1}",
                f"w[0]={w2}",
                f"w[1]={w3}",
                f"w[2]={w4}",
                f"w[-1]|w[0]={w1}|{w2}",
                f"w[0]|w[1]={w2}|{w3}",
                f"p[-2]={p0}",
                f"p[-1]={p1}",
                f"p[0]={p2}",
                f"p[1]={p3}",
                f"p[2]={p4}",
                f"p[-2]|p[-1]={p0}|{p1}",
                f"p[-1]|p[0]={p1}|{p2}",
                f"p[0]|p[1]={p2}|{p3}",
                f"p[1]|p[2]={p3}|{p4}",
                f"p[-2]|p[-1]|p[0]={p0}|{p1}|{p2}",
                f"p[-1]|p[0]|p[1]={p1}|{p2}|{p3}",
                f"p[0]|p[1]|p[2]={p2}|{p3}|{p4}",
            ]
        )
    return items


def rich_chunking(sentence: Sentence) -> Attributes:
    """Forty attributes: the chunking template, affixes and shape of the word, and wider n-grams."""
    words = _padded([row[0] for row in sentence], 2)
    tags = _padded([row[1] for row in sentence], 2)
    items = chunking(sentence)
    for t, item in enumerate(items, start=2):
        word, before, after = words[t], words[t - 1], words[t + 1]
        lower = word.lower()
        item.extend(f"prefix{k}={word[:k]}" for k in range(1, 5))
        item.extend(f"suffix{k}={word[-k:]}" for k in range(1, 5))
        item.extend(
            [
                f"lower={lower}",
                f"lower[-1]={before.lower()}",
                f"lower[1]={after.lower()}",
                f"upper={word.isupper()}",
                f"title={word.istitle()}",
                f"digit={word.isdigit()}",
                f"hyphen={'-' in word}",
                f"length={min(len(word), 12)}",
                f"w[-2]|w[-1]={words[t - 2]}|{before}",
                f"w[1]|w[2]={after}|{words[t + 2]}",
                f"w[0]|p[0]={word}|{tags[t]}",
                f"w[0]|p[-1]={word}|{tags[t - 1]}",
                f"w[0]|p[1]={word}|{tags[t + 1]}",
            ]
        )
    return items


def entities(sentence: Sentence) -> Attributes:
    """The features of the sklearn-crfsuite tutorial for CoNLL-2002, as attribute lists."""
    last = len(sentence) - 1
    items = []
    for t, row in enumerate(sentence):
        word, tag = row[0], row[1]
        item = [
            "bias",
            f"word.lower={word.lower()}",
            f"word[-3:]={word[-3:]}",
            f"word[-2:]={word[-2:]}",
            f"word.isupper={word.isupper()}",
            f"word.istitle={word.istitle()}",
            f"word.isdigit={word.isdigit()}",
            f"postag={tag}",
            f"postag[:2]={tag[:2]}",
        ]
        if t > 0:
            item.extend(_neighbour("-1", sentence[t - 1]))
        else:
            item.append("BOS")
        if t < last:
            item.extend(_neighbour("+1", sentence[t + 1]))
        else:
            item.append("EOS")
        items.append(item)
    return items


def _neighbour(offset: str, row: tuple[str, ...]) -> list[str]:
    word, tag = row[0], row[1]
    return [
        f"{offset}:word.lower={word.lower()}",
        f"{offset}:word.istitle={word.istitle()}",
        f"{offset}:word.isupper={word.isupper()}",
        f"{offset}:postag={tag}",
        f"{offset}:postag[:2]={tag[:2]}",
    ]


def letters(sentence: Sentence) -> Attributes:
    """Letters at -4..+4 with their offsets; nothing beyond the ends of the word."""
    word = [row[0] for row in sentence]
    length = len(word)
    return [[f"{k:+d}={word[t + k]}" for k in range(-4, 5) if 0 <= t + k < length] for t in range(length)]


def wide_letters(sentence: Sentence) -> Attributes:
    """Letters at -3..+3 and every run of them that holds the centre; ends of the word are symbols too."""
    reach = 3
    word = ["<"] * reach + [row[0] for row in sentence] + [">"] * reach
    items = []
    for t in range(reach, len(word) - reach):
        attributes = [f"0[{k}]={word[t + k]}" for k in range(-reach, reach + 1)]
        for first in range(-reach, 1):
            for last in range(max(0, first + 1), reach + 1):
                attributes.append(f"0[{first}:{last}]={'|'.join(word[t + first : t + last + 1])}")
        items.append(attributes)
    return items


def neighbours(sentence: Sentence) -> Attributes:
    """The word and the words before and after it (S2 of Magic Moments)."""
    words = _padded([row[0] for row in sentence], 1)
    return [[f"w[-1]={words[t - 1]}", f"w[0]={words[t]}", f"w[1]={words[t + 1]}"] for t in range(1, len(sentence) + 1)]
