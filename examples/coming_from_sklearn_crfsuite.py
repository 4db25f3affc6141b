"""Coming from sklearn-crfsuite: change the import, keep the rest of the script.

A named-entity tagger on feature dicts, as in the tutorial of sklearn-crfsuite. The line that changed stands below the
line that it replaces.
"""

# import sklearn_crfsuite
from weft.compat import sklearn_crfsuite

SENTENCES = """
Ada/B-PER Lovelace/I-PER was/O born/O in/O London/B-LOC ./O
Emmy/B-PER Noether/I-PER taught/O in/O Erlangen/B-LOC ./O
The/O University/B-ORG of/I-ORG Oslo/I-ORG hired/O Niels/B-PER Abel/I-PER ./O
Marie/B-PER Curie/I-PER left/O Warsaw/B-LOC for/O Paris/B-LOC ./O
She/O worked/O in/O Paris/B-LOC with/O Pierre/B-PER Curie/I-PER ./O
Kurt/B-PER lived/O in/O Vienna/B-LOC and/O Princeton/B-LOC ./O
The/O University/B-ORG of/I-ORG Vienna/I-ORG was/O his/O home/O ./O
Sofia/B-PER Kovalevskaya/I-PER moved/O to/O Stockholm/B-LOC ./O
In/O Stockholm/B-LOC she/O met/O Anne/B-PER Leffler/I-PER ./O
Alan/B-PER Turing/I-PER studied/O in/O Princeton/B-LOC ./O
Then/O the/O University/B-ORG of/I-ORG Manchester/I-ORG hired/O him/O ./O
Rain/O falls/O in/O Manchester/B-LOC ./O
"""
TEST_SENTENCES = """
Emil/B-PER Post/I-PER taught/O in/O London/B-LOC ./O
The/O University/B-ORG of/I-ORG Paris/I-ORG hired/O Sofia/B-PER ./O
Anne/B-PER moved/O to/O Princeton/B-LOC ./O
"""


def read(text):
    return [[tuple(token.rsplit("/", 1)) for token in line.split()] for line in text.split("\n") if line]


def word2features(sentence, i):
    word = sentence[i][0]
    features = {
        "bias": 1.0,
        "word.lower()": word.lower(),
        "word[-3:]": word[-3:],
        "word.istitle()": word.istitle(),
        "word.length": len(word) / 10,
        "letters": sorted(set(word.lower()) & set("aeiou")),
    }
    if i > 0:
        before = sentence[i - 1][0]
        features["-1"] = {"word.lower()": before.lower(), "word.istitle()": before.istitle()}
    else:
        features["BOS"] = True
    if i < len(sentence) - 1:
        features.update({"+1:word.lower()": sentence[i + 1][0].lower()})
    else:
        features["EOS"] = True
    return features


def sent2features(sentence):
    return [word2features(sentence, i) for i in range(len(sentence))]


def sent2labels(sentence):
    return [label for _, label in sentence]


def main():
    train, test = read(SENTENCES), read(TEST_SENTENCES)
    X_train, y_train = [sent2features(s) for s in train], [sent2labels(s) for s in train]
    X_test, y_test = [sent2features(s) for s in test], [sent2labels(s) for s in test]

    crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=0.0, c2=0.1, max_iterations=200)
    crf.fit(X_train, y_train)

    print("labels:", ", ".join(crf.classes_))
    y_pred = crf.predict(X_test)
    for sentence, labels in zip(test, y_pred, strict=True):
        print(" ".join(f"{word}/{label}" for (word, _), label in zip(sentence, labels, strict=True)))
    print(f"token accuracy: {crf.score(X_test, y_test):.3f}")
    marginals = crf.predict_marginals(X_test)
    print(f"P(first word is B-PER): {marginals[0][0]['B-PER']:.3f}")
    print("most likely transitions:")
    for (before, after), weight in sorted(crf.transition_features_.items(), key=lambda item: -item[1])[:3]:
        print(f"  {before} -> {after}: {weight:.3f}")
    print("strongest features:")
    for (attribute, label), weight in sorted(crf.state_features_.items(), key=lambda item: -item[1])[:3]:
        print(f"  {attribute} {label}: {weight:.3f}")
    return crf, y_pred, marginals


if __name__ == "__main__":
    main()
