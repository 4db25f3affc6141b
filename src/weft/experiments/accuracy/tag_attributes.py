"""Attributes of the rows on tagging that no window has: runs of vowels.

The syllables of a word, which runs of vowels stand for, say where its stress may lie, and so which vowels are weak.
"""

from __future__ import annotations

from itertools import groupby

VOWELS = "aeiouy"

Attributes = list[list[tuple[str, ...]]]


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
