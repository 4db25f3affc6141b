from datetime import datetime
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from weft.datasets import make_dates
from weft.errors import InputError


@pytest.fixture(scope="module")
def clean():
    return make_dates(300, 200, random_state=0, noise=0.0)


def test_shapes_and_range(clean):
    assert (len(clean.X_train), len(clean.y_train), len(clean.X_test), len(clean.y_test)) == (
        300,
        300,
        200,
        200,
    )
    assert {image.shape for image in clean.X_train + clean.X_test} == {(8, 64)}
    noisy = make_dates(20, 20, random_state=0, noise=1.0)
    for pixels in noisy.X_train + clean.X_test:
        assert 0.0 <= pixels.min() <= pixels.max() <= 1.0


def test_labels_are_calendar_dates(clean):
    years = set()
    for digits in clean.y_train + clean.y_test:
        years.add(datetime.strptime("".join(digits), "%d%m%Y").year)
    assert min(years) >= 1900
    assert max(years) <= 2029
    assert len(years) > 90


def test_every_image_is_real_shows_its_digit_and_is_in_one_part_only(clean):
    images, digits = load_digits(return_X_y=True)
    known = {(image / 16).tobytes(): str(digit) for image, digit in zip(images, digits, strict=True)}
    used = []
    for X, y in ((clean.X_train, clean.y_train), (clean.X_test, clean.y_test)):
        rows = [row.tobytes() for pixels in X for row in pixels]
        assert [known[row] for row in rows] == [digit for labels in y for digit in labels]
        used.append(set(rows))
    assert not used[0] & used[1]


def test_the_seed_decides(clean):
    again, other = (make_dates(300, 200, random_state=seed, noise=0.0) for seed in (0, 1))
    assert again.y_test == clean.y_test != other.y_test
    assert all(np.array_equal(a, b) for a, b in zip(again.X_test, clean.X_test, strict=True))


def test_independent_classification_errs_visibly_and_context_informs():
    data = make_dates(200, 100, random_state=0)
    model = LinearDiscriminantAnalysis().fit(np.vstack(data.X_train), np.concatenate(data.y_train))
    accuracy = model.score(np.vstack(data.X_test), np.concatenate(data.y_test))
    assert 0.80 < accuracy < 0.95
    # A digit tells at least a fifth of a bit about the next one.
    pairs = np.zeros((10, 10))
    for digits in data.y_train:
        for before, after in pairwise(digits):
            pairs[int(before), int(after)] += 1
    joint = pairs / pairs.sum()
    entropies = [-sum(p * np.log2(p) for p in table.ravel() if p) for table in (joint, joint.sum(0), joint.sum(1))]
    assert entropies[1] - (entropies[0] - entropies[2]) > 0.2


@pytest.mark.parametrize("options", [(-1, 1), (1, -1)])
def test_negative_numbers_are_refused(options):
    with pytest.raises(InputError, match="none may be negative"):
        make_dates(*options)
