"""Words and their pronunciations, not aligned."""

from __future__ import annotations

from typing import Literal

from weft.datasets.registry import choose, file_path
from weft.sequences.formats.tsv import PairsFile, iter_table, read_pairs

LANGUAGES = {
    "high": ("eng_us",),
    "medium": ("arm_e", "bul", "dut", "fre", "geo", "hbs_latn", "hun", "jpn_hira", "kor", "vie_hanoi"),
    "low": ("ady", "gre", "ice", "ita", "khm", "lav", "mlt_latn", "rum", "slv", "wel_sw"),
}
"""Languages of SIGMORPHON 2021 task 1, by how many words there are to learn from: 33,344, 8,000 or 800."""


def load_g2p_cmudict(part: Literal["train", "test"] = "train") -> PairsFile:
    """CMU pronouncing dictionary, the g014b2b split: 113,438 entries to train, 12,000 words to test.

    Parameters
    ----------
    part : {"train", "test"}

    Returns
    -------
    PairsFile
        Words and lists of phones. In the test part any of the references of a word counts as right; in the
        training part a word with several pronunciations has several entries.

    Examples
    --------
    >>> from weft.datasets import load_g2p_cmudict
    >>> load_g2p_cmudict("test").references[0]  # doctest: +SKIP
    [['AH', 'B', 'AE', 'D', 'IY']]
    """
    choose("part", part, ["train", "test"])
    return read_pairs(file_path("g2p_cmudict", f"cmudict_g014b2b.{part}.tsv.gz"), output_tokens="blanks")


def load_g2p_sigmorphon2021(language: str, part: Literal["train", "dev", "test"] = "train") -> PairsFile:
    """SIGMORPHON 2021 task 1: words and phones of one of 21 languages.

    Parameters
    ----------
    language : str
        A code of `LANGUAGES`, which groups them by the amount of data: ``eng_us`` high, ``fre`` medium,
        ``ady`` low, and so on.
    part : {"train", "dev", "test"}

    Returns
    -------
    PairsFile

    Examples
    --------
    >>> from weft.datasets import load_g2p_sigmorphon2021
    >>> load_g2p_sigmorphon2021("ady").inputs[0]  # doctest: +SKIP
    'абрагъу'
    """
    choose("part", part, ["train", "dev", "test"])
    levels = {code: level for level, codes in LANGUAGES.items() for code in codes}
    level = levels[choose("language", language, levels)]
    path = file_path("g2p_sigmorphon2021", f"sigmorphon2021_task1_{level}.tsv.gz")
    rows = iter_table(path, ["language", "split", "word", "phones"])
    chosen = [(word, phones.split(" ")) for code, split, word, phones in rows if (code, split) == (language, part)]
    return PairsFile([word for word, _ in chosen], [[phones] for _, phones in chosen])
