"""Learn a tagger whose states are not given: the label depends on how many a came before, odd or even."""

import numpy as np

import weft


def count_a(word):
    """Label each letter with the parity of the a so far."""
    return ["odd" if k % 2 else "even" for k in np.cumsum([letter == "a" for letter in word])]


def main():
    random = np.random.default_rng(0)
    words = ["".join(random.choice(list("ab"), size=random.integers(3, 9))) for _ in range(120)]
    labels = [count_a(word) for word in words]
    tagger = weft.SpectralTagger(tau=1.0, max_iter=20, random_state=0).fit(words[:80], labels[:80])
    print("abba", tagger.predict(["abba"])[0])
    print(f"labels right {tagger.score(words[80:], labels[80:]):.2f}, latent states {tagger.n_states_}")
    print("largest singular values", tagger.singular_values_[:4].round(2))


if __name__ == "__main__":
    main()
