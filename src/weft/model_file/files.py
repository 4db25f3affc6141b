"""Save an estimator to a file, and load it again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from weft.checkpoint.array_file import Arrays, read_array_file, write_array_file
from weft.checkpoint.compression import compress_arrays, restore_arrays
from weft.errors import InputError, ModelFileError, WeftError
from weft.garbage import no_collection
from weft.model_file.classes import CLASSES, class_name_of
from weft.model_file.header import FORMAT, FORMAT_VERSION, ModelHeader, checked_header
from weft.model_file.pipelines import estimator_of, what_to_save
from weft.model_file.values import build, decode, encode, encode_parameters
from weft.models import bundled_names, card, checked_path, model_path
from weft.parameters import is_fitted
from weft.parameters.learned import KnownScores
from weft.spelling import with_article

if TYPE_CHECKING:
    from weft.annotations import Predictor
    from weft.parameters import Parameters
    from weft.structures.protocol import Structure

OWN = "state/"
"""Before the names of arrays that an estimator returns."""


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
    given: Any = estimator_of(estimator)
    name = class_name_of(given)
    if name is None or not hasattr(given, "_to_state"):
        advice = what_to_save(given)
        if advice is not None:
            raise ModelFileError(f"cannot save a {type(given).__name__}: {advice}")
        savable = ", ".join(CLASSES)
        raise ModelFileError(
            f"cannot save a {type(given).__name__}: model files hold none. "
            f"They hold these classes: {savable}; pickle your own."
        )
    if not is_fitted(given):
        raise ModelFileError(f"cannot save a {name} that is not fitted; call fit first.")
    path, own_notes = checked_path(path), cast("object", notes)
    if own_notes is not None and not isinstance(own_notes, dict):
        raise InputError(
            f"notes are {own_notes!r:.60}; a dict of facts is needed, such as {{'licence': 'CC0'}}, or None."
        )
    nested: Arrays = {}
    in_summary: Arrays = {}
    parameters = encode_parameters(given, nested, name)
    state, own = given._to_state()
    summary = given._training_summary() if hasattr(given, "_training_summary") else {}
    summary = {**summary, **(notes or {})}
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "library_version": version("weft"),
        "class": name,
        "parameters": parameters,
        "summary": encode(summary, in_summary, f"the summary of {name}"),
        "state": encode(state, nested, f"the state of {name}"),
    }
    if in_summary:
        raise ModelFileError(f"cannot save the summary of {name}: it holds arrays; use numbers, text and lists.")
    arrays = {f"{OWN}{key}": np.asarray(array) for key, array in own.items()}
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
        own = {key.removeprefix(OWN): array for key, array in self.arrays.items() if key.startswith(OWN)}
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
                estimator = build(name, self.parts["parameters"], self.arrays, given)
                estimator._from_state(decode(self.parts["state"], self.arrays), own)
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
    checked = checked_header(header, path)
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
    return checked_header(header, path)


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
