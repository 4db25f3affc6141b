"""Classes that differ in their base alone: ours, and scikit-learn's."""

import numpy as np
import sklearn
import sklearn.base
from sklearn.linear_model import LogisticRegression

from weft.parameters import Classifier, Parameters, Transformer


class _Body:
    """What both twins have."""

    def __init__(self, a=1, b=None, *, name="x", longer_name_of_a_parameter=()):
        self.a = a
        self.b = b
        self.name = name
        self.longer_name_of_a_parameter = longer_name_of_a_parameter

    def fit(self, X, y=None, sample_weight=None):
        self.mean_ = np.mean(y) if sample_weight is None else np.average(y, weights=sample_weight)
        return self

    def predict(self, X, offset=0.0):
        return np.full(len(X), self.mean_ + offset)

    def score(self, X, y, sample_weight=None):
        return -float(np.average(np.abs(self.predict(X) - y), weights=sample_weight))


Ours = type("Twin", (_Body, Parameters), {})
Theirs = type("Twin", (_Body, sklearn.base.BaseEstimator), {})


def grown(kind, depth=2):
    """A twin with others in it, and values of every kind."""
    inner = grown(kind, depth - 1) if depth else kind()
    return kind(2.5, inner, name="a 'quoted' text", longer_name_of_a_parameter=[kind(3), {"k": (1,)}, np.arange(3)])


CASES = {
    "nothing": lambda kind: kind(),
    "numbers": lambda kind: kind(2, 3.5),
    "defaults given": lambda kind: kind(1, None, name="x"),
    "not a number": lambda kind: kind(float("nan")),
    "nested": lambda kind: kind(b=kind(b=kind(a=7))),
    "a class": lambda kind: kind(b=int),
    "empty": lambda kind: kind([], {}, name=()),
    "one in a tuple": lambda kind: kind((kind(),)),
    "dict": lambda kind: kind({"b": 1, "a": kind(4)}),
    "mixed keys": lambda kind: kind({2: 1}),
    "two lines": lambda kind: kind(123456789, kind(987654321, name="of twelve letters"), name="another long text " * 2),
    "long list": lambda kind: kind(list(range(100))),
    "long tuple": lambda kind: kind(tuple(range(100, 150))),
    "long dict": lambda kind: kind({f"key {i}": i for i in range(50)}),
    "list of twins": lambda kind: kind([kind(i, name="some text") for i in range(12)]),
    "deep": lambda kind: grown(kind, 3),
    "so long that the middle is left out": lambda kind: kind([kind(list(range(60)), i) for i in range(9)]),
    "long values": lambda kind: kind(b=kind(b=kind(b=kind(list("abcdefghijklmnopqrstuvwxyz"), name="n" * 30)))),
    "estimators of scikit-learn": lambda kind: kind(b=LogisticRegression(C=2.0)),
}


class OurClasses(Classifier, Ours):
    pass


class TheirClasses(sklearn.base.ClassifierMixin, Theirs):
    pass


class OurColumns(Transformer, Parameters):
    def __init__(self, factor=2):
        self.factor = factor

    def fit(self, X, y=None):
        self.seen_ = y is not None
        return self

    def transform(self, X):
        return np.asarray(X) * self.factor


class TheirColumns(sklearn.base.TransformerMixin, sklearn.base.BaseEstimator):
    __init__, fit, transform = OurColumns.__init__, OurColumns.fit, OurColumns.transform
