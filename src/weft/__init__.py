"""weft learns to map sequences to structures: it tags, aligns, folds, rewrites and classifies strings."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> module that defines it; a module is imported when one of its names is first used.
_EXPORTS = {
    "Aligner": "weft.estimators.align.aligner",
    "BlendedSpectrumKernel": "weft.kernels.grams.blended",
    "CRF": "weft.learners.crf",
    "ChunkAligner": "weft.estimators.align.chunk_aligner",
    "EM": "weft.learners.em",
    "EmpiricalKernelMap": "weft.kernels.empirical",
    "ExpectedLoss": "weft.learners.expected_loss",
    "Folder": "weft.estimators.fold.folder",
    "GappedKMerKernel": "weft.kernels.grams.gapped_kmer",
    "GappyKernel": "weft.kernels.grams.gappy",
    "Generative": "weft.learners.generative",
    "InputError": "weft.errors",
    "InputOutputOOM": "weft.learners.spectral.operator_model",
    "KernelDependencyEstimator": "weft.estimators.regress.kernel_dependency_estimator",
    "LabelKernel": "weft.kernels.outputs",
    "LinearKernel": "weft.kernels.vectors.products",
    "LocalAlignmentKernel": "weft.kernels.aligned.local_alignment",
    "LocalityImprovedKernel": "weft.kernels.positional.locality",
    "LossKernel": "weft.kernels.outputs",
    "LossRegression": "weft.learners.moments.learners",
    "MarginRegression": "weft.learners.moments.learners",
    "MismatchKernel": "weft.kernels.grams.mismatch",
    "MissingDataError": "weft.errors",
    "ModelFileError": "weft.errors",
    "MomentLearner": "weft.learners.moments.choice",
    "MomentSteps": "weft.learners.moments.steps",
    "NGramKernel": "weft.kernels.grams.ngram",
    "NGramLanguageModel": "weft.language_model.model",
    "Normalized": "weft.kernels.combinators",
    "Parser": "weft.estimators.parse.parser",
    "Perceptron": "weft.learners.perceptron",
    "PolynomialKernel": "weft.kernels.vectors.products",
    "PredictionSets": "weft.estimators.prediction_sets",
    "RBFKernel": "weft.kernels.vectors.products",
    "RBFOver": "weft.kernels.combinators",
    "RationalKernel": "weft.kernels.rational",
    "RecurrentNetwork": "weft.rewriting.network.learner",
    "Rewriter": "weft.estimators.rewrite.rewriter",
    "SODA": "weft.learners.moments.learners",
    "SequenceSVC": "weft.estimators.classify.sequence_svc",
    "Spectral": "weft.learners.spectral.learner",
    "SpectralTagger": "weft.estimators.tag.spectral_tagger",
    "StackedTagger": "weft.estimators.tag.stacked_tagger",
    "StringRegressor": "weft.estimators.regress.string_regressor",
    "StructuredEstimator": "weft.estimators.structured_estimator",
    "StructuredSVM": "weft.learners.structured_svm",
    "SubsequenceKernel": "weft.kernels.grams.subsequence",
    "SubstitutionMatrix": "weft.structures.alignment.substitution_matrix",
    "SumKernel": "weft.kernels.vectors.sums",
    "Tagger": "weft.estimators.tag.tagger",
    "WeftError": "weft.errors",
    "WeightedDegreeKernel": "weft.kernels.positional.weighted_degree",
    "WindowFeatures": "weft.sequences.window",
    "WindowPairKernel": "weft.kernels.grams.window_pairs",
    "WordClasses": "weft.sequences.word_classes",
    "WordKernel": "weft.kernels.words",
    "ZScore": "weft.learners.moments.learners",
    "dna_kernels": "weft.kernels.grams.dna",
    "load": "weft.model_file",
    "read_frame": "weft.sequences.frames",
    "save": "weft.model_file",
    "search_space": "weft.estimators.search_space",
}

# Public folders, imported when first used; not in `__all__`, for a star would import them all, and plotting wants more.
_FOLDERS = (
    "automata",
    "compat",
    "core",
    "datasets",
    "language_model",
    "metrics",
    "plotting",
    "preimages",
    "reports",
    "scale",
    "structures",
    "testing",
)

__all__ = [
    "CRF",
    "EM",
    "SODA",
    "Aligner",
    "BlendedSpectrumKernel",
    "ChunkAligner",
    "EmpiricalKernelMap",
    "ExpectedLoss",
    "Folder",
    "GappedKMerKernel",
    "GappyKernel",
    "Generative",
    "InputError",
    "InputOutputOOM",
    "KernelDependencyEstimator",
    "LabelKernel",
    "LinearKernel",
    "LocalAlignmentKernel",
    "LocalityImprovedKernel",
    "LossKernel",
    "LossRegression",
    "MarginRegression",
    "MismatchKernel",
    "MissingDataError",
    "ModelFileError",
    "MomentLearner",
    "MomentSteps",
    "NGramKernel",
    "NGramLanguageModel",
    "Normalized",
    "Parser",
    "Perceptron",
    "PolynomialKernel",
    "PredictionSets",
    "RBFKernel",
    "RBFOver",
    "RationalKernel",
    "RecurrentNetwork",
    "Rewriter",
    "SequenceSVC",
    "Spectral",
    "SpectralTagger",
    "StackedTagger",
    "StringRegressor",
    "StructuredEstimator",
    "StructuredSVM",
    "SubsequenceKernel",
    "SubstitutionMatrix",
    "SumKernel",
    "Tagger",
    "WeftError",
    "WeightedDegreeKernel",
    "WindowFeatures",
    "WindowPairKernel",
    "WordClasses",
    "WordKernel",
    "ZScore",
    "dna_kernels",
    "load",
    "read_frame",
    "save",
    "search_space",
]

if TYPE_CHECKING:
    from weft import automata as automata
    from weft import compat as compat
    from weft import core as core
    from weft import datasets as datasets
    from weft import language_model as language_model
    from weft import metrics as metrics
    from weft import plotting as plotting
    from weft import preimages as preimages
    from weft import reports as reports
    from weft import scale as scale
    from weft import structures as structures
    from weft import testing as testing
    from weft.errors import InputError, MissingDataError, ModelFileError, WeftError
    from weft.estimators.align.aligner import Aligner
    from weft.estimators.align.chunk_aligner import ChunkAligner
    from weft.estimators.classify.sequence_svc import SequenceSVC
    from weft.estimators.fold.folder import Folder
    from weft.estimators.parse.parser import Parser
    from weft.estimators.prediction_sets import PredictionSets
    from weft.estimators.regress.kernel_dependency_estimator import KernelDependencyEstimator
    from weft.estimators.regress.string_regressor import StringRegressor
    from weft.estimators.rewrite.rewriter import Rewriter
    from weft.estimators.search_space import search_space
    from weft.estimators.structured_estimator import StructuredEstimator
    from weft.estimators.tag.spectral_tagger import SpectralTagger
    from weft.estimators.tag.stacked_tagger import StackedTagger
    from weft.estimators.tag.tagger import Tagger
    from weft.kernels.aligned.local_alignment import LocalAlignmentKernel
    from weft.kernels.combinators import Normalized, RBFOver
    from weft.kernels.empirical import EmpiricalKernelMap
    from weft.kernels.grams.blended import BlendedSpectrumKernel
    from weft.kernels.grams.dna import dna_kernels
    from weft.kernels.grams.gapped_kmer import GappedKMerKernel
    from weft.kernels.grams.gappy import GappyKernel
    from weft.kernels.grams.mismatch import MismatchKernel
    from weft.kernels.grams.ngram import NGramKernel
    from weft.kernels.grams.subsequence import SubsequenceKernel
    from weft.kernels.grams.window_pairs import WindowPairKernel
    from weft.kernels.outputs import LabelKernel, LossKernel
    from weft.kernels.positional.locality import LocalityImprovedKernel
    from weft.kernels.positional.weighted_degree import WeightedDegreeKernel
    from weft.kernels.rational import RationalKernel
    from weft.kernels.vectors.products import LinearKernel, PolynomialKernel, RBFKernel
    from weft.kernels.vectors.sums import SumKernel
    from weft.kernels.words import WordKernel
    from weft.language_model.model import NGramLanguageModel
    from weft.learners.crf import CRF
    from weft.learners.em import EM
    from weft.learners.expected_loss import ExpectedLoss
    from weft.learners.generative import Generative
    from weft.learners.moments.choice import MomentLearner
    from weft.learners.moments.learners import SODA, LossRegression, MarginRegression, ZScore
    from weft.learners.moments.steps import MomentSteps
    from weft.learners.perceptron import Perceptron
    from weft.learners.spectral.learner import Spectral
    from weft.learners.spectral.operator_model import InputOutputOOM
    from weft.learners.structured_svm import StructuredSVM
    from weft.model_file import load, save
    from weft.rewriting.network.learner import RecurrentNetwork
    from weft.sequences.frames import read_frame
    from weft.sequences.window import WindowFeatures
    from weft.sequences.word_classes import WordClasses
    from weft.structures.alignment.substitution_matrix import SubstitutionMatrix


def __dir__() -> list[str]:
    return sorted([*_EXPORTS, *_FOLDERS, "__version__"])


if not TYPE_CHECKING:  # with a __getattr__, type checkers take every name for one that exists

    def __getattr__(name: str) -> Any:
        if name in _EXPORTS:
            return getattr(importlib.import_module(_EXPORTS[name]), name)
        if name in _FOLDERS:
            return importlib.import_module(f"weft.{name}")
        from weft.spelling import no_such_name

        raise no_such_name("weft", name, __dir__())
