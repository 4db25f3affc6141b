"""Words whose labels have a rule, and taggers that learn it."""

import weft

WORDS = ["abca", "ab", "cab", "bbac", "acb", "cc", "a", "bacca"]


def labels_of(word):
    """A label tells of the letters before and after."""
    padded = f"#{word}#"
    return ["p" if padded[i + 2] in "ab" else "q" if padded[i] in "c#" else "r" for i in range(len(word))]


LABELS = [labels_of(word) for word in WORDS]


def fitted(**parameters):
    return weft.Tagger(weft.Spectral(**parameters), random_state=0).fit(WORDS, LABELS)
