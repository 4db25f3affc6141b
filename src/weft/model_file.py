"""Models in files: safetensors and a JSON header, a table of our own classes, nothing executable.

An estimator takes part through two methods and one line in `CLASSES`:

* ``_to_state() -> (state, arrays)`` returns what it has learned: `state` of plain values
  (numbers, strings, lists, tuples, dicts, arrays, components of `CLASSES`) and named arrays.
  Long lists of strings belong in arrays: `weft.checkpoint.pack_strings`, `pack_symbols`.
* ``_from_state(state, arrays)`` sets the same on a new estimator that was built with the saved
  parameters. It first holds both to rules (`weft.state_rules`), because whatever it takes goes to
  compiled loops that check nothing. An error of any kind becomes one `ModelFileError`.

``_training_summary() -> dict`` is optional: a few facts for people who look at the file.
"""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from weft.checkpoint.array_file import Arrays, read_array_file, write_array_file
from weft.checkpoint.compression import compress_arrays, restore_arrays
from weft.checkpoint.packing import pack_strings, pack_symbols, unpack_strings, unpack_symbols
from weft.errors import ModelFileError, WeftError
from weft.garbage import no_collection
from weft.models import bundled_names, card, model_path
from weft.parameters import is_fitted
from weft.parameters.learned import KnownScores
from weft.spelling import with_article

if TYPE_CHECKING:
    from weft.annotations import Predictor
    from weft.parameters import Parameters
    from weft.structures.protocol import Structure

__all__ = [
    "ModelHeader",
    "OpenModel",
    "load",
    "open_model",
    "pack_strings",
    "pack_symbols",
    "read_header",
    "save",
    "unpack_strings",
    "unpack_symbols",
]

FORMAT = "weft"
FORMAT_VERSION = 1

# The classes that a file may name, and where each is defined. A file never names a module.
CLASSES = {
    "Aligner": "weft.estimators.aligner:Aligner",
    "ChunkAligner": "weft.estimators.chunk_aligner:ChunkAligner",
    "Rewriter": "weft.estimators.rewriter:Rewriter",
    "Tagger": "weft.estimators.tagger:Tagger",
    "SpectralTagger": "weft.estimators.spectral_tagger:SpectralTagger",
    "SequenceSVC": "weft.estimators.sequence_svc:SequenceSVC",
    "StringRegressor": "weft.estimators.string_regressor:StringRegressor",
    "Folder": "weft.estimators.folder:Folder",
    "KernelDependencyEstimator": "weft.estimators.kernel_dependency_estimator:KernelDependencyEstimator",
    "Parser": "weft.estimators.parser:Parser",
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
    "GappyKernel": "weft.kernels.grams.gappy:GappyKernel",
    "MismatchKernel": "weft.kernels.grams.mismatch:MismatchKernel",
    "GappedKMerKernel": "weft.kernels.grams.gapped_kmer:GappedKMerKernel",
    "SubsequenceKernel": "weft.kernels.grams.subsequence:SubsequenceKernel",
    "WeightedDegreeKernel": "weft.kernels.positional.weighted_degree:WeightedDegreeKernel",
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
_FITTED_PARTS = frozenset({"WordClasses"})

# Parameters that say how something runs and not what comes out: not written, so that equal models are equal files.
_NOT_WRITTEN = frozenset({"n_jobs", "verbose"})

LARGEST_INTEGER = 2**31
"""Nothing that is counted by a parameter is larger."""

# Arrays that an estimator returns, and arrays inside parameters and state, live apart.
_OWN, _NESTED = "state/", "value/"


@dataclass(frozen=True)
class ModelHeader:
    """What a model file says about itself.

    Attributes
    ----------
    class_name : str
    format_version : int
    library_version : str
    summary : dict
        Facts about the training.
    """

    class_name: str
    format_version: int
    library_version: str
    summary: dict[str, Any]


def save(
    estimator: Parameters | Predictor,
    path: str | os.PathLike[str],
    notes: dict[str, Any] | None = None,
    *,
    compress: bool = False,
) -> None:
    """Write a fitted estimator to a file, atomically.

    The file says what was learned and not how long that took: `n_jobs`, `verbose` and durations are left out, and have
    their defaults after `load`. All else, and so the file, is the same for any number of threads.

    Parameters
    ----------
    estimator : a fitted estimator of weft
        Or a `sklearn.pipeline.Pipeline` of weft's steps, such as `WindowFeatures` and `Tagger`: the file holds the one
        estimator that does the same.
    path : path
    notes : dict, optional
        Facts of your own to keep in the file's summary: numbers, text and lists.
    compress : bool
        A file of a fraction of the size: whole numbers are packed without loss, and each long array of floats keeps 256
        different values, so that scores change in their third digit and seldom a prediction: measure it.

    Raises
    ------
    ModelFileError
        When the estimator is not fitted or not of weft, a parameter is no plain value, or the
        file cannot be written; an older file at `path` is then still whole.

    Examples
    --------
    >>> save({}, "model.weft")
    Traceback (most recent call last):
    ...
    weft.errors.ModelFileError: cannot save a dict: model files hold none. ...
    """
    given: Any = _of_pipeline(estimator)
    name = _class_name(given)
    if name is None or not hasattr(given, "_to_state"):
        advice = _what_to_save(given)
        if advice is not None:
            raise ModelFileError(f"cannot save a {type(given).__name__}: {advice}")
        savable = ", ".join(CLASSES)
        raise ModelFileError(
            f"cannot save a {type(given).__name__}: model files hold none. "
            f"They hold these classes: {savable}; pickle your own."
        )
    if not is_fitted(given):
        raise ModelFileError(f"cannot save a {name} that is not fitted; call fit first.")
    nested: Arrays = {}
    in_summary: Arrays = {}
    parameters = _encode_parameters(given, nested, name)
    state, own = given._to_state()
    summary = given._training_summary() if hasattr(given, "_training_summary") else {}
    summary = {**summary, **(notes or {})}
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "library_version": version("weft"),
        "class": name,
        "parameters": parameters,
        "summary": _encode(summary, in_summary, f"the summary of {name}"),
        "state": _encode(state, nested, f"the state of {name}"),
    }
    if in_summary:
        raise ModelFileError(f"cannot save the summary of {name}: it holds arrays; use numbers, text and lists.")
    arrays = {f"{_OWN}{key}": np.asarray(array) for key, array in own.items()}
    _check_finite(name, own)
    if compress:
        header["compressed"], arrays = compress_arrays(arrays)
    write_array_file(path, header, {**arrays, **nested})


def load(path: str | os.PathLike[str], expected: str | None = None, *, structure: Structure | None = None) -> Any:
    """Read an estimator from a file that `save` wrote, or one of those that come with weft.

    Parameters
    ----------
    path : path or str
        A file, or the name of a bundled model such as ``"pronounce-en"``, which ``weft models`` lists; a file of that
        name wins.
    expected : str, optional
        Name of the class that is wanted, such as ``"Tagger"``.
    structure : object, optional
        For a `StructuredEstimator` on a structure of your own: an object of its class, since files hold no code.

    Returns
    -------
    estimator

    Raises
    ------
    ModelFileError
        When the file is missing, cut short, damaged, not of weft, of a newer format, or of
        another estimator.

    Examples
    --------
    >>> load("missing.weft")
    Traceback (most recent call last):
    ...
    weft.errors.ModelFileError: cannot read missing.weft: No such file or directory. Check the path.
    """
    model = open_model(path)
    found = model.header.class_name
    if expected is not None and found != expected:
        raise ModelFileError(
            f"{os.fspath(path)} holds {with_article(found)}; needed {with_article(expected)}. "
            f"Give a file of {with_article(expected)}, or load it without expecting one."
        )
    estimator = model.estimator(structure)
    name = os.fspath(path)
    if name in bundled_names() and not os.path.exists(name):  # noqa: PTH110
        known = {each["measure"]: f"{each['value']:.4f}: {each['data']}" for each in card(name).get("scores", [])}
        estimator._known_scores = KnownScores.of(estimator, known)
    return estimator


@dataclass(frozen=True)
class OpenModel:
    """A model file that was read, once: what it says about itself, and the estimator when it is asked for."""

    path: str
    header: ModelHeader
    parts: dict[str, Any]
    arrays: Arrays

    def estimator(self, structure: Any = None) -> Any:
        """Build the estimator; an error of any kind becomes one `ModelFileError`.

        A `StructuredEstimator` needs its structure, since files hold no code.
        """
        own = {key.removeprefix(_OWN): array for key, array in self.arrays.items() if key.startswith(_OWN)}
        name, given = self.header.class_name, {} if structure is None else {"structure": structure}
        if name != "StructuredEstimator" and structure is not None:
            raise ModelFileError(f"{self.path} holds a {name}, which has its structure; load it without structure=.")
        if name == "StructuredEstimator" and structure is None:
            raise ModelFileError(
                f"{self.path} holds a StructuredEstimator on a {self.header.summary.get('structure', 'structure')}, "
                "and files hold no code; needed an object of that class: weft.load(path, structure=...)."
            )
        try:
            with no_collection():  # a first model brings Numba, whose objects stay
                estimator = _build(name, self.parts["parameters"], self.arrays, given)
                estimator._from_state(_decode(self.parts["state"], self.arrays), own)
        except Exception as error:
            reason = str(error) if isinstance(error, WeftError) else f"{type(error).__name__}: {error}"
            raise ModelFileError(
                f"{self.path} does not hold a whole {name} ({' '.join(reason.split())}). "
                "Save the model again with this version of weft."
            ) from error
        return estimator


def open_model(path: str | os.PathLike[str], *, mapped: bool = False) -> OpenModel:
    """Read a model file, once, for who wants both its header and its estimator.

    Parameters
    ----------
    path : path or str
        A file, or the name of a bundled model.
    mapped : bool
        Leave the arrays in the file, which must not change: processes share its pages.

    Returns
    -------
    OpenModel

    Examples
    --------
    >>> open_model("missing.weft")
    Traceback (most recent call last):
    ...
    weft.errors.ModelFileError: cannot read missing.weft: No such file or directory. Check the path.
    """
    header, arrays = read_array_file(model_path(path), mapped=mapped)
    checked = _check_header(header, path)
    if "compressed" in header:
        try:
            arrays = restore_arrays(header["compressed"], arrays)
        except ModelFileError as error:
            raise ModelFileError(f"{os.fspath(path)} is damaged: {error}. Save the model again.") from error
    return OpenModel(os.fspath(path), checked, header, arrays)


def read_header(path: str | os.PathLike[str]) -> ModelHeader:
    """Read what a model file says about itself, and leave its arrays on the disk.

    Parameters
    ----------
    path : path or str
        A file, or the name of a bundled model.

    Returns
    -------
    ModelHeader

    Examples
    --------
    >>> read_header("missing.weft")
    Traceback (most recent call last):
    ...
    weft.errors.ModelFileError: cannot read missing.weft: No such file or directory. Check the path.
    """
    header, _ = read_array_file(model_path(path), header_only=True)
    return _check_header(header, path)


def _steps(value: Any) -> list[Any]:
    """Steps of a pipeline that do something; none of what is no pipeline."""
    steps = getattr(value, "steps", None)
    if not (isinstance(steps, list) and all(isinstance(each, tuple) and len(each) == 2 for each in steps)):
        return []
    return [step for _, step in steps if step is not None and step != "passthrough"]


def _of_pipeline(value: Any) -> Any:
    """The estimator that does what a pipeline of ours does: its last step, with the window before it as `features`."""
    match _steps(value):
        case [last] if _class_name(last) is not None:
            return last
        case [window, last] if _class_name(window) == "WindowFeatures" and _class_name(last) is not None:
            if last.get_params(deep=False).get("features", window) is None:
                joined = copy(last)
                joined.features = window
                return joined
    return value


def _what_to_save(value: Any) -> str | None:
    """What to do with an object of others that has an estimator of ours inside."""
    for attribute, what in (("best_estimator_", "the best one"), ("estimator_", "the model inside")):
        if _class_name(getattr(value, attribute, None)) is not None:
            return f"model files hold estimators alone; save {what}, weft.save(it.{attribute}, path)."
    steps = _steps(value)
    if not steps:
        return None
    last = steps[-1]
    if _class_name(last) is None or not hasattr(last, "_to_state"):
        return f"its last step is a {type(last).__name__}, and model files hold estimators of weft; use one there."
    others = ", ".join(type(step).__name__ for step in steps[:-1])
    return (
        f"model files hold one estimator, and no {others} before it; save the last step, weft.save(it[-1], path), keep "
        "it[:-1] by other means, such as skops or joblib, and predict from what it[:-1].transform gives."
    )


def _check_header(header: dict[str, Any], path: str | os.PathLike[str]) -> ModelHeader:
    name = os.fspath(path)
    file_version, class_name = header.get("format_version"), header.get("class")
    if header.get("format") != FORMAT:
        raise ModelFileError(
            f"{name} holds {str(header.get('format'))[:40]!r}, not a model. Give a file that weft.save wrote."
        )
    if type(file_version) is not int or file_version < 1:
        raise ModelFileError(
            f"{name} is damaged: its format version is {str(file_version)[:40]!r}, not a whole number from 1 on. "
            "Save the model again."
        )
    if file_version > FORMAT_VERSION:
        raise ModelFileError(
            f"{name} has format version {file_version}, written by weft {header.get('library_version')}; "
            f"this weft reads up to {FORMAT_VERSION}. Upgrade weft."
        )
    if not isinstance(class_name, str) or class_name not in CLASSES:
        raise ModelFileError(
            f"{name} holds a {str(class_name)[:40]!r}, which this weft does not know; "
            f"it knows {', '.join(CLASSES)}. Upgrade weft."
        )
    library_version, summary = header.get("library_version"), header.get("summary")
    try:
        plain = _decode(summary, {})
    except Exception:
        plain = None
    whole = isinstance(header.get("parameters"), dict) and "state" in header
    if not isinstance(library_version, str) or not isinstance(plain, dict) or not whole:
        raise ModelFileError(f"{name} is damaged: its header is not whole. Save the model again.")
    return ModelHeader(class_name, file_version, library_version, plain)


def _check_finite(name: str, arrays: Arrays) -> None:
    """Refuse what `load` would refuse: numbers that no fit should end with."""
    for key, array in arrays.items():
        if (
            key.endswith(("weights", "coefficients"))
            and array.size
            and not np.isfinite([array.min(), array.max()]).all()
        ):
            raise ModelFileError(
                f"cannot save a {name} whose {key} are not finite: the fit has diverged. "
                "Fit again with a stronger penalty, smaller steps or scaled features."
            )


def _class_name(value: Any) -> str | None:
    """Name in `CLASSES` of the class of `value`, which must be that class itself, no subclass."""
    kind = type(value)
    defined = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, place in CLASSES.items() if place == defined), None)


def _class(name: Any) -> Callable[..., Any]:
    if not isinstance(name, str) or name not in CLASSES:
        raise ModelFileError(f"unknown class {str(name)[:40]!r}")
    module, _, attribute = CLASSES[name].partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return found


def _build(name: Any, parameters: Any, arrays: Arrays, given: dict[str, Any] | None = None) -> Any:
    made = _class(name)
    hints = _parameter_types(name)
    values = {str(key): _decode(value, arrays) for key, value in parameters.items()}
    for key, value in values.items():
        if not _is_of_type(value, hints.get(key, Any)):
            raise ModelFileError(f"parameter {key[:40]!r} of {name} is a {type(value).__name__}, which it cannot be")
    return made(**values, **(given or {}))


@cache
def _parameter_types(name: str) -> dict[str, Any]:
    """The types that a class declares for its parameters."""
    made: Any = _class(name)
    try:
        return get_type_hints(made.__init__)
    except NameError:  # a type that is only imported for checkers
        return {}


def _is_of_type(value: Any, hint: Any) -> bool:
    """Whether a plain value fits an annotation; what is no plain type is left to the class."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_is_of_type(value, each) for each in arguments)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if origin in (list, tuple):
        return isinstance(value, origin)
    if hint in (int, float, bool):  # True where a number is wanted, and 1 for True, are what people write
        fits = hint is float or not isinstance(value, int) or abs(value) <= LARGEST_INTEGER
        return fits and isinstance(value, int if hint is bool else hint | int)
    is_plain = isinstance(hint, type) and not getattr(hint, "_is_protocol", False)
    return hint is Any or not is_plain or isinstance(value, hint)


def _encode_parameters(component: Any, arrays: Arrays, where: str) -> dict[str, Any]:
    return {
        key: _encode(value, arrays, f"parameter {key!r} of {where}")
        for key, value in component.get_params(deep=False).items()
        if key not in _NOT_WRITTEN and not (key == "structure" and _class_name(value) is None)
    }


def _encode(value: Any, arrays: Arrays, where: str) -> Any:
    """Turn a value into JSON; whatever JSON lacks becomes an object with one key, a ``$`` name."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, list):
        return [_encode(each, arrays, where) for each in value]
    if isinstance(value, tuple):
        return {"$tuple": [_encode(each, arrays, where) for each in value]}
    if isinstance(value, dict):
        items = [[_encode(key, arrays, where), _encode(each, arrays, where)] for key, each in value.items()]
        return {"$dict": items}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        key = f"{_NESTED}{len(arrays)}"
        arrays[key] = value
        return {"$array": key}
    name = _class_name(value)
    if name is not None:
        encoded = {"$component": name, "parameters": _encode_parameters(value, arrays, name)}
        if name in _FITTED_PARTS and is_fitted(value):
            encoded["learned"] = [_encode(each, arrays, f"the state of {name}") for each in value._to_state()]
        return encoded
    raise ModelFileError(
        f"cannot save {where}: it is a {type(value).__name__}, and model files hold no code. "
        "Use a number, string, list, tuple, dict, numeric array or one of weft's components there."
    )


def _decode(value: Any, arrays: Arrays) -> Any:
    """Turn the JSON of `_encode` back into the value."""
    if isinstance(value, list):
        return [_decode(each, arrays) for each in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$float": str(text)} if text in ("nan", "inf", "-inf"):
            return float(text)
        case {"$tuple": list(items)}:
            return tuple(_decode(each, arrays) for each in items)
        case {"$dict": list(items)}:
            return {_decode(key, arrays): _decode(each, arrays) for key, each in items}
        case {"$array": str(key)}:
            return arrays[key]
        case {"$component": name, "parameters": dict(parameters), "learned": [state, own]} if name in _FITTED_PARTS:
            part = _build(name, parameters, arrays)
            part._from_state(_decode(state, arrays), _decode(own, arrays))
            return part
        case {"$component": name, "parameters": dict(parameters)}:
            return _build(name, parameters, arrays)
    raise ModelFileError("its header has a value of an unknown kind")
