"""Lemmas, tags and inflected forms."""

from __future__ import annotations

from typing import Literal, NamedTuple

from weft.datasets.registry import choose, file_path
from weft.sequences.formats.tsv import iter_table

INFLECTION_LANGUAGES = (
    *("arabic", "french", "georgian", "hindi", "hungarian", "latin", "navajo", "polish", "russian"),
)


class Forms(NamedTuple):
    """Lemmas, their forms, and the tags of the forms, such as ``V;PST``."""

    lemmas: list[str]
    forms: list[str]
    tags: list[str]


def load_inflection_sigmorphon2017(
    language: str, part: Literal["train-low", "train-medium", "train-high", "dev", "test"] = "train-medium"
) -> Forms:
    """CoNLL-SIGMORPHON 2017 task 1: lemmas and tags to forms of one of nine languages.

    Parameters
    ----------
    language : str
        One of `INFLECTION_LANGUAGES`.
    part : {"train-low", "train-medium", "train-high", "dev", "test"}
        100, 1,000 or 10,000 forms to train; 1,000 each to tune and to test. A smaller training part is a part of the
        larger ones.

    Returns
    -------
    Forms

    Examples
    --------
    >>> from weft.datasets import load_inflection_sigmorphon2017
    >>> load_inflection_sigmorphon2017("russian", "train-low").tags[0]  # doctest: +SKIP
    'N;ESS;SG'
    """
    choose("part", part, ["train-low", "train-medium", "train-high", "dev", "test"])
    choose("language", language, INFLECTION_LANGUAGES)
    path = file_path("inflection_sigmorphon2017", "inflection2017_task1.tsv.gz")
    rows = iter_table(path, ["language", "split", "lemma", "form", "features"])
    chosen = [(lemma, form, tags) for code, split, lemma, form, tags in rows if (code, split) == (language, part)]
    return Forms(*(list(column) for column in zip(*chosen, strict=True)))
