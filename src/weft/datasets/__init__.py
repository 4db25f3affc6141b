"""Loaders for public data, found through ``WEFT_DATA``, and generators that need no files."""

from weft.datasets.biology import (
    AlignmentData,
    RnaData,
    load_protein_prefab4,
    load_rna_archiveii,
    load_rna_rfam,
    rfam_seed_path,
)
from weft.datasets.bundled import load_lexicon
from weft.datasets.classification import (
    FASTSK_TASKS,
    ClassificationData,
    ImageData,
    Story,
    load_fastsk,
    load_reuters21578,
    load_usps,
)
from weft.datasets.dates import DateData, make_dates
from weft.datasets.hmm import HiddenMarkovModel, make_hmm
from weft.datasets.inflection import load_inflection_sigmorphon2017
from weft.datasets.pronunciation import LANGUAGES, load_g2p_cmudict, load_g2p_sigmorphon2021
from weft.datasets.registry import DATASETS, Dataset, available, folder
from weft.datasets.tagging import (
    NettalkData,
    OcrData,
    TaggingData,
    load_conll2000,
    load_conll2002_es,
    load_nettalk,
    load_ocr_letters,
)
from weft.spelling import suggest_names

__all__ = [
    "DATASETS",
    "FASTSK_TASKS",
    "LANGUAGES",
    "AlignmentData",
    "ClassificationData",
    "Dataset",
    "DateData",
    "HiddenMarkovModel",
    "ImageData",
    "NettalkData",
    "OcrData",
    "RnaData",
    "Story",
    "TaggingData",
    "available",
    "folder",
    "load_conll2000",
    "load_conll2002_es",
    "load_fastsk",
    "load_g2p_cmudict",
    "load_g2p_sigmorphon2021",
    "load_inflection_sigmorphon2017",
    "load_lexicon",
    "load_nettalk",
    "load_ocr_letters",
    "load_protein_prefab4",
    "load_reuters21578",
    "load_rna_archiveii",
    "load_rna_rfam",
    "load_usps",
    "make_dates",
    "make_hmm",
    "rfam_seed_path",
]

suggest_names(__name__)
