"""Names for what estimators learn from and answer for, for signatures alone."""

from __future__ import annotations

from weft.annotations import Inputs
from weft.scale.examples import Examples
from weft.sequences.corpus import Corpus

Training = Inputs | Examples
"""Examples to learn from: a list, or parts that are read when they are needed."""
Asked = Inputs | Corpus
"""Inputs to answer for; taggers encode them once, to be asked many times."""
