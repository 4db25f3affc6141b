"""Paint the lower halves of handwritten digits, given the upper ones."""

import numpy as np
from sklearn.datasets import load_digits

import weft


def main(n_train=300, n_shown=6):
    pictures = load_digits().images / 16.0
    upper, lower = pictures[:, :4], pictures[:, 4:]
    painter = weft.KernelDependencyEstimator(n_components=30, alpha=[0.01, 0.1, 1.0])
    painter.fit(upper[:n_train], lower[:n_train])
    painted = painter.predict(upper[-n_shown:])
    for row in np.concatenate([upper[-n_shown:], painted], axis=1).transpose(1, 0, 2):
        print("  ".join("".join(" .:*#"[int(4 * pixel)] for pixel in picture) for picture in row))
    error = np.mean((painted - lower[-n_shown:]) ** 2)
    average = np.mean((lower[:n_train].mean(axis=0) - lower[-n_shown:]) ** 2)
    print(f"squared error per pixel {error:.3f}; painting the average half {average:.3f}")


if __name__ == "__main__":
    main()
