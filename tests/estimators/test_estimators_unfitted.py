"""Whatever an estimator is asked before it has learned is refused by name."""

import inspect

import pytest
from sklearn.exceptions import NotFittedError

import weft

MADE = {
    "Tagger": weft.Tagger,
    "SpectralTagger": weft.SpectralTagger,
    "StackedTagger": weft.StackedTagger,
    "Aligner": weft.Aligner,
    "ChunkAligner": weft.ChunkAligner,
    "Folder": weft.Folder,
    "Parser": lambda: weft.Parser("S -> 'a' S | 'a'"),
    "Rewriter": weft.Rewriter,
    "SequenceSVC": lambda: weft.SequenceSVC(probability=True),
    "StringRegressor": weft.StringRegressor,
    "KernelDependencyEstimator": weft.KernelDependencyEstimator,
}
ARGUMENTS = {
    "X": ["ab"],
    "y": ["xy"],
    "predicted": ["xy"],
    "k": 1,
    "sequence": "ab",
    "label": "x",
    "min_weight": 0.1,
    "min_gain": 1e-8,
}
NEEDS_NOTHING = {"fit", "partial_fit", "fit_transform", "get_params", "set_params", "get_metadata_routing"}


def questions():
    """Each estimator with each public method that it cannot answer without weights."""
    for name in MADE:
        for method, function in inspect.getmembers(getattr(weft, name), inspect.isfunction):
            if not method.startswith("_") and method not in NEEDS_NOTHING and not method.endswith("_request"):
                yield name, method, function


@pytest.mark.parametrize(
    ("name", "method", "function"), [pytest.param(*each, id=".".join(each[:2])) for each in questions()]
)
def test_it_says_that_it_is_not_fitted(name, method, function):
    wanted = [
        each.name
        for each in list(inspect.signature(function).parameters.values())[1:]
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    ]
    with pytest.raises(NotFittedError, match=f"This {name} instance is not fitted yet"):
        getattr(MADE[name](), method)(*[ARGUMENTS[each] for each in wanted])
