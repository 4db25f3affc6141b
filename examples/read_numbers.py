"""Read handwritten numbers of one or two digits without being told where a digit begins."""

import numpy as np
from sklearn.datasets import load_digits

import weft


def write(digits, chosen, n, random):
    """Numbers, as columns of pixels from left to right, and the strings that they show."""
    words = [random.choice(chosen, size=random.integers(1, 3)) for _ in range(n)]
    pictures = [np.hstack(digits.images[word] / 16.0).T for word in words]
    return pictures, ["".join(map(str, digits.target[word])) for word in words]


def main():
    digits, random = load_digits(), np.random.default_rng(0)
    few = np.flatnonzero(digits.target < 4)
    X, y = write(digits, few[:300], 100, random)
    X_test, y_test = write(digits, few[300:], 30, random)
    kernel = weft.Normalized(weft.SumKernel(weft.RBFKernel(0.1), pairs="all", n=8))
    reader = weft.StringRegressor(kernel, alpha=0.01).fit(X, y)
    print("read", reader.predict(X_test[:6]), "true", y_test[:6])
    print(f"digits right {reader.score(X_test, y_test):.2f}")


if __name__ == "__main__":
    main()
