"""What several tests of this folder begin with."""

import pytest

from weft import SODA, Tagger
from weft.datasets import make_hmm


@pytest.fixture(scope="module")
def model():
    X, y = make_hmm(2, 3, random_state=0, concentration=1.0).sample(12, length=(2, 6), random_state=1)
    return Tagger(SODA(alpha=0.1)).fit(X, y), X, y
