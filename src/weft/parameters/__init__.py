"""What estimators, learners and kernels share: parameters, copies, fitted or not, and how they are shown.

It does what scikit-learn's base classes do, and scikit-learn's searches, pipelines and checks take it for one of
theirs; but nothing here imports scikit-learn before scikit-learn itself asks, so that predicting never does.
"""

from weft.parameters.base import Classifier, Parameters, Transformer
from weft.parameters.cloning import clone, remade
from weft.parameters.fitted import available_if, check_is_fitted, is_fitted

__all__ = ["Classifier", "Parameters", "Transformer", "available_if", "check_is_fitted", "clone", "is_fitted", "remade"]
