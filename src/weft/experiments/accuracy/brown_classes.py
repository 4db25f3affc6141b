"""Classes of words by Brown clustering of far more text than the sets of `weft reproduce accuracy` have.

They come with spaCy's tables of words (the package `spacy-lookups-data`, MIT licence), and have no labels in them.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from importlib import resources

from weft.sequences.word_classes import WordClasses

PACKAGE = "spacy-lookups-data"
LONGEST = 20
"""Steps of a path; those behind its end are zeros."""


@cache
def brown_classes(language: str) -> WordClasses | None:
    """Classes of the words of a language; None if the package is not installed.

    Parameters
    ----------
    language : {"en", "es"}
    """
    try:
        folder = resources.files("spacy_lookups_data")
    except ModuleNotFoundError:
        return None
    table = json.loads(gzip.decompress((folder / "data" / f"{language}_lexeme_cluster.json.gz").read_bytes()))
    return WordClasses.from_paths({word: path_of(number) for word, number in table.items() if number})


def path_of(number: int) -> str:
    """Path to a class from its number, whose lowest bit is the first step.

    Examples
    --------
    >>> path_of(0b110)
    '01100000000000000000'
    """
    return f"{number:b}"[::-1].ljust(LONGEST, "0")
