"""What several tests of this folder begin with."""

import pytest

from toy_letters import toy
from weft.experiments.regression.ocr_words import WordSplit


@pytest.fixture
def split():
    X, y = toy()
    return WordSplit(X[:16], y[:16], X[16:], y[16:], y[:16])
