"""Learn how English is pronounced from words that nobody has aligned, and pronounce new ones."""

import warnings

import weft
from weft.datasets import load_lexicon


def main(n_words=800):
    lexicon = load_lexicon()
    entries = zip(lexicon.inputs, lexicon.references, strict=True)
    pairs = [(word, output) for word, outputs in entries for output in outputs]
    pairs = pairs[:: max(1, len(pairs) // n_words)]
    rewriter = weft.Rewriter(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # abbreviations such as "tv" have too many sounds for their letters
        rewriter.fit([word for word, _ in pairs], [output for _, output in pairs])
    words = ["weft", "brillig", "frumious"]
    for word, ranked in zip(words, rewriter.predict_kbest(words, 2), strict=True):
        for output, probability in ranked:
            print(f"{word:10} {probability:4.0%}  {' '.join(output)}")
    return rewriter


if __name__ == "__main__":
    main()
