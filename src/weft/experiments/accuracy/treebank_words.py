"""Words of running text as the Penn Treebank writes them, so that text without labels teaches classes of its words.

CoNLL-2000 is from that treebank: quotation marks are `` and '', ``'s`` and ``n't`` are words, punctuation stands apart.
Reuters wrote ``pct``, ``mln`` and ``dlrs`` where the Wall Street Journal has ``%``, ``million`` and ``dollars``.
"""

from __future__ import annotations

import re

from weft.datasets import load_reuters21578

PIECES = re.compile(
    r"(?:[A-Z]\.)+"  # initials
    r"|\d+(?:[.,/-]\d+)*"
    r"|[A-Za-z]+(?:[-&'][A-Za-z0-9]+)*"
    r"|\.\.\.|--|[^\w\s]"
)
CLITIC = re.compile(r"(.+?)('s|'re|'ve|'ll|'d|'m|n't|')", re.IGNORECASE)
PARAGRAPH = re.compile(r"\n {2,}")
SIGNATURE = re.compile(r"\s+Reuter\s*$")
WRITTEN = {"pct": "%", "mln": "million", "dlrs": "dollars", "dlr": "dollar"}
ENDS = frozenset(".?!")
SHORTEST = 4
"""Shorter sentences are headings and ends of tables."""


def treebank_sentences(text: str) -> list[list[str]]:
    """Sentences of a story, each a list of words.

    Examples
    --------
    >>> treebank_sentences("She's put it off, Cohn said. The stock fell 12 pct.")
    [['She', "'s", 'put', 'it', 'off', ',', 'Cohn', 'said', '.'], ['The', 'stock', 'fell', '12', '%', '.']]
    """
    sentences = []
    for paragraph in PARAGRAPH.split(SIGNATURE.sub("", text)):
        sentence: list[str] = []
        is_quoted = False
        for piece in PIECES.findall(paragraph):
            if piece == '"':
                sentence.append("''" if is_quoted else "``")
                is_quoted = not is_quoted
            elif clitic := CLITIC.fullmatch(piece):
                sentence += clitic.groups()
            else:
                sentence.append(WRITTEN.get(piece, piece))
            if piece in ENDS:
                sentences.append(sentence)
                sentence = []
        sentences.append(sentence)
    return [sentence for sentence in sentences if len(sentence) >= SHORTEST]


def reuters_sentences(n_stories: int | None = None) -> list[list[str]]:
    """Sentences of the stories of Reuters-21578 that no test part has, titles left out.

    Parameters
    ----------
    n_stories : int, optional
        So many of each part; all if not given.
    """
    stories = [story for part in ("train", "unused") for story in load_reuters21578(part)[:n_stories]]
    return [sentence for story in stories for sentence in treebank_sentences(story.body)]
