import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.datasets import HiddenMarkovModel, make_hmm
from weft.errors import InputError


@settings(max_examples=25)
@given(n_labels=st.integers(1, 5), n_symbols=st.integers(1, 6), seed=st.integers(0, 1000))
def test_distributions_and_names(n_labels, n_symbols, seed):
    model = make_hmm(n_labels, n_symbols, random_state=seed)
    for rows in (model.start[None], model.transitions, model.emissions):
        np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    X, y = model.sample(4, (1, 6), random_state=seed)
    assert [len(row) for row in X] == [len(row) for row in y]
    assert all(1 <= len(row) <= 6 for row in X)
    assert {symbol for row in X for symbol in row} <= {f"x{index}" for index in range(n_symbols)}
    assert {label for row in y for label in row} <= {f"y{index}" for index in range(n_labels)}
    assert (X, y) == model.sample(4, (1, 6), random_state=seed)


def test_frequencies_follow_the_model():
    model = make_hmm(3, 4, random_state=1, concentration=1.0)
    X, y = model.sample(4000, 3, random_state=2)
    labels = np.array([[int(label[1:]) for label in row] for row in y])
    symbols = np.array([[int(symbol[1:]) for symbol in row] for row in X])
    # With 4000 sequences every row is used several hundred times: a standard error of at most 0.02.
    np.testing.assert_allclose(np.bincount(labels[:, 0], minlength=3) / 4000, model.start, atol=0.04)
    for label in range(3):
        after = labels[:, 1:][labels[:, :-1] == label]
        np.testing.assert_allclose(np.bincount(after, minlength=3) / len(after), model.transitions[label], atol=0.05)
        emitted = symbols[labels == label]
        np.testing.assert_allclose(np.bincount(emitted, minlength=4) / len(emitted), model.emissions[label], atol=0.05)


def test_noise_flips_to_every_other_label_equally():
    stay = HiddenMarkovModel(np.array([1.0, 0.0, 0.0]), np.eye(3), np.eye(3))
    X, y = stay.sample(3000, 2, noise=0.3, random_state=0)
    assert {symbol for row in X for symbol in row} == {"x0"}
    share = [sum(row.count(f"y{label}") for row in y) / 6000 for label in range(3)]
    np.testing.assert_allclose(share, [0.7, 0.15, 0.15], atol=0.03)
    _, flipped = stay.sample(50, 2, noise=1.0, random_state=0)
    assert "y0" not in {label for row in flipped for label in row}


def test_noise_changes_labels_only():
    model = make_hmm(3, 5, random_state=0)
    clean, noisy = (model.sample(20, 5, noise=noise, random_state=3) for noise in (0.0, 0.5))
    assert clean[0] == noisy[0]
    assert clean[1] != noisy[1]


@pytest.mark.parametrize("options", [{"length": 0}, {"length": (3, 2)}, {"length": 2, "noise": 1.5}])
def test_bad_sample_options(options):
    with pytest.raises(InputError, match="give"):
        make_hmm(2, 2, random_state=0).sample(1, **options)


def test_bad_models():
    with pytest.raises(InputError, match="n_labels=0"):
        make_hmm(0, 2)
    with pytest.raises(InputError, match="two labels to swap"):
        make_hmm(1, 2, random_state=0).sample(1, 1, noise=0.1)
