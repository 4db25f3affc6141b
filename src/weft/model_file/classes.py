"""Which classes a model file may name, where each is defined, and what its parameters can be."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from weft.errors import ModelFileError

# The classes that a file may name, and where each is defined. A file never names a module.
CLASSES = {
    "Aligner": "weft.estimators.align.aligner:Aligner",
    "ChunkAligner": "weft.estimators.align.chunk_aligner:ChunkAligner",
    "Rewriter": "weft.estimators.rewrite.rewriter:Rewriter",
    "Tagger": "weft.estimators.tag.tagger:Tagger",
    "SpectralTagger": "weft.estimators.tag.spectral_tagger:SpectralTagger",
    "StackedTagger": "weft.estimators.tag.stacked_tagger:StackedTagger",
    "SequenceSVC": "weft.estimators.classify.sequence_svc:SequenceSVC",
    "StringRegressor": "weft.estimators.regress.string_regressor:StringRegressor",
    "Folder": "weft.estimators.fold.folder:Folder",
    "KernelDependencyEstimator": "weft.estimators.regress.kernel_dependency_estimator:KernelDependencyEstimator",
    "Parser": "weft.estimators.parse.parser:Parser",
    "StructuredEstimator": "weft.estimators.structured_estimator:StructuredEstimator",
    "Grammar": "weft.structures.grammar.structure:Grammar",
    "SubstitutionMatrix": "weft.structures.alignment.substitution_matrix:SubstitutionMatrix",
    "CRF": "weft.learners.crf:CRF",
    "EM": "weft.learners.em:EM",
    "ExpectedLoss": "weft.learners.expected_loss:ExpectedLoss",
    "Generative": "weft.learners.generative:Generative",
    "Perceptron": "weft.learners.perceptron:Perceptron",
    "RecurrentNetwork": "weft.rewriting.network.learner:RecurrentNetwork",
    "Spectral": "weft.learners.spectral.learner:Spectral",
    "StructuredSVM": "weft.learners.structured_svm:StructuredSVM",
    "ZScore": "weft.learners.moments.learners:ZScore",
    "SODA": "weft.learners.moments.learners:SODA",
    "MarginRegression": "weft.learners.moments.learners:MarginRegression",
    "LossRegression": "weft.learners.moments.learners:LossRegression",
    "MomentLearner": "weft.learners.moments.choice:MomentLearner",
    "MomentSteps": "weft.learners.moments.steps:MomentSteps",
    "NGramKernel": "weft.kernels.grams.ngram:NGramKernel",
    "BlendedSpectrumKernel": "weft.kernels.grams.blended:BlendedSpectrumKernel",
    "GappyKernel": "weft.kernels.grams.gappy:GappyKernel",
    "MismatchKernel": "weft.kernels.grams.mismatch:MismatchKernel",
    "GappedKMerKernel": "weft.kernels.grams.gapped_kmer:GappedKMerKernel",
    "WindowPairKernel": "weft.kernels.grams.window_pairs:WindowPairKernel",
    "SubsequenceKernel": "weft.kernels.grams.subsequence:SubsequenceKernel",
    "WeightedDegreeKernel": "weft.kernels.positional.weighted_degree:WeightedDegreeKernel",
    "WordKernel": "weft.kernels.words:WordKernel",
    "LocalityImprovedKernel": "weft.kernels.positional.locality:LocalityImprovedKernel",
    "LocalAlignmentKernel": "weft.kernels.aligned.local_alignment:LocalAlignmentKernel",
    "LabelKernel": "weft.kernels.outputs:LabelKernel",
    "LossKernel": "weft.kernels.outputs:LossKernel",
    "LinearKernel": "weft.kernels.vectors.products:LinearKernel",
    "PolynomialKernel": "weft.kernels.vectors.products:PolynomialKernel",
    "PrecomputedKernel": "weft.kernels.precomputed:PrecomputedKernel",
    "RBFKernel": "weft.kernels.vectors.products:RBFKernel",
    "SumKernel": "weft.kernels.vectors.sums:SumKernel",
    "Normalized": "weft.kernels.combinators:Normalized",
    "EmpiricalKernelMap": "weft.kernels.empirical:EmpiricalKernelMap",
    "RBFOver": "weft.kernels.combinators:RBFOver",
    "KernelSum": "weft.kernels.base:KernelSum",
    "KernelProduct": "weft.kernels.base:KernelProduct",
    "NGramLanguageModel": "weft.language_model.model:NGramLanguageModel",
    "WindowFeatures": "weft.sequences.window:WindowFeatures",
    "WordClasses": "weft.sequences.word_classes:WordClasses",
}

# Parts that come fitted: an estimator takes what they have learned as it is, so that goes into the file with them.
FITTED_PARTS = frozenset({"WordClasses"})

LARGEST_INTEGER = 2**31
"""Nothing that is counted by a parameter is larger."""


def class_name_of(value: Any) -> str | None:
    """Name in `CLASSES` of the class of `value`, which must be that class itself, no subclass."""
    kind = type(value)
    defined = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, place in CLASSES.items() if place == defined), None)


def class_of(name: Any) -> Callable[..., Any]:
    """The class of a name in `CLASSES`."""
    if not isinstance(name, str) or name not in CLASSES:
        raise ModelFileError(f"unknown class {str(name)[:40]!r}")
    module, _, attribute = CLASSES[name].partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return found


@cache
def parameter_types(name: str) -> dict[str, Any]:
    """The types that a class declares for its parameters."""
    made: Any = class_of(name)
    try:
        return get_type_hints(made.__init__)
    except NameError:  # a type that is only imported for checkers
        return {}


def is_of_type(value: Any, hint: Any) -> bool:
    """Whether a plain value fits an annotation; what is no plain type is left to the class."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(is_of_type(value, each) for each in arguments)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if origin in (list, tuple):
        return isinstance(value, origin)
    if hint in (int, float, bool):  # True where a number is wanted, and 1 for True, are what people write
        fits = hint is float or not isinstance(value, int) or abs(value) <= LARGEST_INTEGER
        return fits and isinstance(value, int if hint is bool else hint | int)
    is_plain = isinstance(hint, type) and not getattr(hint, "_is_protocol", False)
    return hint is Any or not is_plain or isinstance(value, hint)
