"""Find noun phrases twice: a second tagger reads what a first one, cross-validated, has answered."""

import weft

SENTENCES = (
    "the/B old/I dog/I sleeps/O | a/B dog/I barks/O | they/B swim/O | the/B can/I leaks/O | we/B can/O fish/O | "
    "the/B dog/I can/O swim/O | a/B small/I fish/I can/O sleep/O | they/B fish/O | a/B small/I can/I leaks/O"
)


def main():
    pairs = [[token.split("/") for token in sentence.split()] for sentence in SENTENCES.split(" | ")]
    X, y = [[word for word, _ in own] for own in pairs], [[label for _, label in own] for own in pairs]
    y = [[label if label == "O" else f"{label}-NP" for label in own] for own in y]
    features = weft.WindowFeatures(width=1, affixes=2)
    tagger = weft.StackedTagger(weft.CRF(c2=0.1), features, n_folds=3, random_state=0).fit(X, y)
    new = ["the", "small", "dog", "can", "fish"]
    for word, label in zip(new, tagger.predict([new])[0], strict=True):
        print(f"{word:5} {label}")
    print(f"whole sentence {tagger.confidence([new])[0]:.2f}")
    return tagger


if __name__ == "__main__":
    main()
