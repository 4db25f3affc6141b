"""Learn parts of speech from a few sentences, label a new one, and say how sure each label is."""

import weft

SENTENCES = (
    "the/D dog/N sleeps/V | a/D dog/N barks/V | the/D can/N leaks/V | they/P can/M swim/V | we/P can/M fish/V | "
    "the/D dog/N can/M swim/V | a/D fish/N can/M sleep/V | they/P fish/V | we/P sleep/V"
)


def main():
    pairs = [[token.split("/") for token in sentence.split()] for sentence in SENTENCES.split(" | ")]
    X, y = [[word for word, _ in own] for own in pairs], [[label for _, label in own] for own in pairs]
    tagger = weft.Tagger(weft.CRF(c2=0.1), weft.WindowFeatures(width=1, affixes=2)).fit(X, y)
    new = ["the", "can", "can", "fish"]
    [labels], [marginals] = tagger.predict([new]), tagger.predict_marginals([new])
    for word, label, row in zip(new, labels, marginals, strict=True):
        print(f"{word:5} {label} {row[label]:.2f}")
    print(f"whole sentence {tagger.confidence([new])[0]:.2f}")
    return tagger


if __name__ == "__main__":
    main()
