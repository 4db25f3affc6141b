"""Handwritten dates, composed from the digit images that scikit-learn brings along."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from weft.arrays import Floats, Integers
from weft.errors import InputError

FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2029, 12, 31)
DARKEST = 16.0  # of the bundled images


@dataclass(frozen=True)
class DateData:
    """Images of dates and their digits.

    Attributes
    ----------
    X_train, X_test : lists of float arrays of shape (8, 64)
        Pixels in 0..1 of the eight digits, each image 8x8 row by row.
    y_train, y_test : lists of lists of str
        The digits DDMMYYYY.
    """

    X_train: list[Floats]
    y_train: list[list[str]]
    X_test: list[Floats]
    y_test: list[list[str]]


def make_dates(
    n_train: int,
    n_test: int,
    random_state: int | np.random.RandomState | None = None,
    noise: float = 0.3,
) -> DateData:
    """Draw calendar dates and write them in real handwritten digits.

    Days are uniform from 1900 to 2029, so that neighbouring digits inform each other: 1 begins a year only
    before 9, a month only before 0, 1 or 2. Every image is used in one part only.

    Parameters
    ----------
    n_train, n_test : int
    random_state : int, RandomState or None
    noise : float
        Standard deviation of the noise on each pixel, before cutting to 0..1.

    Returns
    -------
    DateData

    Examples
    --------
    >>> data = make_dates(2, 1, random_state=0)
    >>> data.X_train[0].shape, len(data.y_train), len("".join(data.y_test[0]))
    ((8, 64), 2, 8)
    """
    if n_train < 0 or n_test < 0 or noise < 0:
        raise InputError(f"n_train={n_train}, n_test={n_test}, noise={noise}; none may be negative")
    from sklearn.datasets import load_digits  # other data sets do without, and it loads slowly
    from sklearn.model_selection import train_test_split
    from sklearn.utils import check_random_state

    random = check_random_state(random_state)
    images, digits = load_digits(return_X_y=True)
    # Half of the images of each digit go to each part, so that the test has as much variety as the training.
    images_train, images_test, digits_train, digits_test = train_test_split(
        images / DARKEST, digits, test_size=0.5, stratify=digits, random_state=random
    )
    y_train, y_test = _draw_dates(n_train, random), _draw_dates(n_test, random)
    return DateData(
        X_train=[_write(labels, images_train, digits_train, noise, random) for labels in y_train],
        y_train=y_train,
        X_test=[_write(labels, images_test, digits_test, noise, random) for labels in y_test],
        y_test=y_test,
    )


def _draw_dates(n: int, random: np.random.RandomState) -> list[list[str]]:
    days = random.randint((LAST_DAY - FIRST_DAY).days + 1, size=n)
    return [list((FIRST_DAY + timedelta(days=int(day))).strftime("%d%m%Y")) for day in days]


def _write(
    labels: list[str],
    images: Floats,
    digits: Integers,
    noise: float,
    random: np.random.RandomState,
) -> Floats:
    chosen = [random.choice(np.flatnonzero(digits == int(label))) for label in labels]
    pixels: Floats = images[chosen] + noise * random.standard_normal((len(labels), images.shape[1]))
    return np.clip(pixels, 0.0, 1.0)
