"""The small lexicon that comes with weft."""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO

from weft.sequences.formats.tsv import PairsFile, read_pairs


def load_lexicon() -> PairsFile:
    """5,500 common English words and their pronunciations, from the CMU Pronouncing Dictionary; needs no files.

    Returns
    -------
    PairsFile
        Words and lists of phones; a word may have several pronunciations.

    Examples
    --------
    >>> lexicon = load_lexicon()
    >>> len(lexicon.inputs), lexicon.inputs[2], lexicon.outputs[2]
    (5500, 'abandoned', ['AH', 'B', 'AE', 'N', 'D', 'AH', 'N', 'D'])
    """
    data = files("weft.datasets").joinpath("lexicon", "english.tsv.gz").read_bytes()
    return read_pairs(BytesIO(data), output_tokens="blanks")
