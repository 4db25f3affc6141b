"""What SequenceSVC does to its arguments before any work."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence, Set
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Integers, Mask
from weft.core.checks import checked_number
from weft.core.ties import TIE_TOLERANCE
from weft.errors import InputError
from weft.estimators.inputs import LARGEST_WEIGHT, checked_sample_weight
from weft.kernel_methods.svm.one_vs_rest import problem_signs
from weft.kernel_methods.svm.storages.kinds import STORAGES
from weft.kernels.base import Kernel
from weft.kernels.feature_map import FeatureMap
from weft.kernels.symbols import as_automata
from weft.kernels.words import DEFAULTS, default_name
from weft.parameters.rules import is_number
from weft.sequences.checks import as_examples as read_examples
from weft.sequences.checks import as_list, is_missing, shown
from weft.state_rules import LARGEST

PLAIN = (str, list, tuple)
MOST_MEGABYTES = 1e9


def as_examples(X: Any, name: str = "X") -> list[Any]:
    """A non-empty list of sequences; what a sequence may be is the kernel's affair.

    Examples
    --------
    >>> as_examples("abc")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X is one string, 'abc'; a list of sequences is needed: wrap it as [X].
    """
    if isinstance(X, str | bytes):
        raise InputError(f"{name} is one string, {X[:20]!r}; a list of sequences is needed: wrap it as [{name}].")
    if isinstance(X, dict) or not hasattr(X, "__len__"):
        raise InputError(f"{name} is a {type(X).__name__}; a list of sequences is needed, such as ['abc', 'de'].")
    examples = read_examples(as_automata(X), name, keep_objects=True)
    if not examples:
        raise InputError(f"{name} is empty; at least one sequence is needed.")
    return examples


def labels_of(X: list[Any], y: Any, suffix: str = "") -> NDArray[Any]:
    """One label for each example, in an array; messages say X and y with the suffix, such as ``_dev``."""
    inputs, name = "X" + suffix, "y" + suffix
    if y is None or isinstance(y, str | bytes | dict) or not hasattr(y, "__len__"):
        raise InputError(f"{name} is a {type(y).__name__}; a list with one label for each sequence is needed.")
    y = (
        y
        if isinstance(y, np.ndarray) and y.ndim
        else as_list(y, name, "a list with one label for each sequence is needed")
    )
    if len(y) != len(X):
        raise InputError(
            f"{inputs} has {len(X)} sequences but {name} has {len(y)} labels; each sequence needs one label."
        )
    missing = next((place for place, label in enumerate(y) if is_missing(label)), None)
    if missing is not None:
        raise InputError(f"{name}[{missing}] is {y[missing]}, a missing label; give it one, or drop the example.")
    try:
        labels = np.asarray(y)
    except ValueError:
        labels = np.empty((0, 0))
    if labels.ndim != 1:
        raise InputError(f"{name} holds lists or arrays; one label for each sequence is needed, a string or a number.")
    if labels.dtype.kind not in "biufUO" or (labels.dtype.kind == "f" and not np.isfinite(labels).all()):
        raise InputError(f"{name} holds {labels.dtype} labels or missing ones; strings or finite numbers are needed.")
    if labels.dtype.kind == "U" and any(not isinstance(label, str) for label in y):
        raise InputError(f"{name} holds strings and other things; labels of one type are needed: convert them.")
    return labels


def target_classes(X: list[Any], y: Any) -> NDArray[Any]:
    """The distinct labels, sorted; at least two.

    Examples
    --------
    >>> target_classes(["ab", "b"], ["yes", "no"])
    array(['no', 'yes'], dtype='<U3')
    """
    labels = labels_of(X, y)
    try:
        classes = np.unique(labels)
    except TypeError:
        raise InputError("y holds labels that cannot be sorted, such as None; strings or numbers are needed.") from None
    if len(classes) < 2:
        raise InputError(
            f"y has one class only, {classes[0].item()!r}; at least two are needed: add examples of another."
        )
    return classes


def encode_targets(X: list[Any], y: Any, classes: NDArray[Any], suffix: str = "") -> Integers:
    """Number of each example's label among `classes`; messages say X and y with the suffix.

    Examples
    --------
    >>> encode_targets(["ab", "b"], ["yes", "no"], np.array(["no", "yes"]))
    array([1, 0])
    >>> encode_targets(["ab"], ["so"], np.array(["no", "yes"]), "_dev")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: y_dev[0] is 'so', not a known class; known are 'no', 'yes'.
    """
    labels = labels_of(X, y, suffix)
    try:
        places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1).astype(np.int64)
    except TypeError:
        raise InputError(
            f"y{suffix} holds labels that cannot be sorted, such as None; strings or numbers are needed."
        ) from None
    wrong = np.flatnonzero(classes[places] != labels)
    if len(wrong):
        [label] = labels[wrong[:1]].tolist()
        raise InputError(f"y{suffix}[{wrong[0]}] is {label!r}, not a known class; known are {named(classes)}.")
    return places


def named(classes: NDArray[Any]) -> str:
    """The first classes for a message, in quotes: a class may be called y, as the labels are.

    Examples
    --------
    >>> named(np.array(["n", "y"])), named(np.arange(9))
    ("'n', 'y'", '0, 1, 2, 3, 4, 5, 6, 7, ...')
    """
    return ", ".join(map(repr, classes[:8].tolist())) + (", ..." if len(classes) > 8 else "")


def held_out_scores(matrix: Any, targets: NDArray[np.int64], classes: NDArray[Any]) -> list[Callable[[Floats], float]]:
    """For each problem the share of the examples that weights decide rightly.

    Examples
    --------
    >>> (score,) = held_out_scores(np.eye(2), np.array([0, 1]), np.array(["no", "yes"]))
    >>> score(np.array([-1.0, 2.0])), score(np.array([1.0, 2.0]))
    (1.0, 0.5)
    """

    def share(signs: Floats, weights: Floats) -> float:
        return float(np.mean((matrix @ weights > TIE_TOLERANCE) == (signs > 0.0)))  # ties as in `predict`

    return [partial(share, signs) for signs in problem_signs(targets, len(classes))]


def example_costs(
    C: float, class_weight: Any, targets: NDArray[np.int64], classes: NDArray[Any], sample_weight: Any
) -> Floats:
    """Cost of an error on each example: C, times the weights of its class and of itself."""
    costs = np.full(len(targets), float(C))
    if class_weight is not None:
        if isinstance(class_weight, dict):
            unknown = set(class_weight) - set(classes.tolist())
            if unknown:
                raise InputError(f"class_weight names {sorted(map(str, unknown))[0]!r}, which is not a class of y.")
            values = list(class_weight.values())
            if not all(is_number(value, LARGEST_WEIGHT) for value in values):
                raise InputError(
                    f"class_weight holds other values than finite numbers >= 0, at most {LARGEST_WEIGHT:g}; "
                    "give one for each class."
                )
        elif class_weight != "balanced":
            raise InputError(f"class_weight is {class_weight!r}; use 'balanced', a dict {{class: weight}} or None.")
        from sklearn.utils.class_weight import compute_sample_weight  # only fitting needs it

        costs *= compute_sample_weight(class_weight, classes[targets])
    sample_weight = checked_sample_weight(sample_weight, len(targets))
    if sample_weight is not None:
        costs *= sample_weight
    if len(np.unique(targets[costs > 0.0])) < 2:
        raise InputError("only one class is left where class and sample weights are positive; two are needed.")
    return costs


def batch_costs(C: float, class_weight: Any, targets: Integers, classes: NDArray[Any], sample_weight: Any) -> Floats:
    """Costs in a part of a stream, which may lack classes."""
    if isinstance(class_weight, str):
        raise InputError("class_weight='balanced' needs all data at once; give partial_fit a dict {class: weight}.")
    sample_weight = checked_sample_weight(sample_weight, len(targets))
    # One example more of each class, so that none is missing where weights are looked up.
    everyone = np.append(targets, np.arange(len(classes)))
    if sample_weight is not None:
        sample_weight = np.append(sample_weight, np.ones(len(classes)))
    return example_costs(C, class_weight, everyone, classes, sample_weight)[: len(targets)]


def check_cache_size(cache_size: Any) -> None:
    """Refuse a cache of rows that has no size in megabytes."""
    if isinstance(cache_size, bool) or not is_number(cache_size, MOST_MEGABYTES) or cache_size == 0:
        raise InputError(f"cache_size is {cache_size!r:.30}; a number of megabytes above 0 is needed, such as 200.")


def check_options(C: Any, storage: Any, loss: Any, tol: Any, max_iter: Any, min_count: Any = 1) -> None:
    """Refuse parameters that no fit can use."""
    for name, value in (("C", C), ("tol", tol)):
        if value is None and name == "C":
            continue  # to be chosen
        if not is_number(value, LARGEST) or value == 0:
            raise InputError(f"{name} is {value!r:.30}; a finite number above 0 is needed, at most {LARGEST}.")
    if storage not in STORAGES:
        raise InputError(f"storage is {storage!r}; use one of {', '.join(map(repr, STORAGES))}.")
    if loss not in ("hinge", "squared_hinge"):
        raise InputError(f"loss is {loss!r}; use 'hinge' or 'squared_hinge'.")
    checked_number("max_iter", max_iter)
    checked_number("min_count", min_count)


def offered_kernels(kernel: Any, X: Sequence[Any], idf: bool = True) -> list[Kernel]:
    """The given kernels, or the given one, or the default for some training data.

    Parameters
    ----------
    kernel : Kernel, list of Kernel, or None
    X : list of sequences
        Training data, or the first part of them.
    idf : bool
        Whether the default may learn weights from all training data.

    Examples
    --------
    >>> from weft import NGramKernel
    >>> offered_kernels(None, ["GATTACA"]), len(offered_kernels([NGramKernel(2), NGramKernel(3)], []))
    ([BlendedSpectrumKernel()], 2)
    """
    if kernel is None:
        return [DEFAULTS[default_name(X, idf)]]
    kernels = kernel if isinstance(kernel, list) else [kernel]
    if not kernels or not all(isinstance(each, Kernel) for each in kernels):
        raise InputError(
            f"kernel is {kernel!r}; a kernel such as weft.NGramKernel(4) is needed, a list of some to choose from, "
            "such as weft.dna_kernels(X), or None."
        )
    return kernels


def single_kernel(kernel: Any, X: Sequence[Any]) -> Kernel:
    """The given kernel, or the default, where there are not all examples to choose by, but some.

    Examples
    --------
    >>> single_kernel(None, ["to be or not", "to be"])
    KernelSum(left=BlendedSpectrumKernel(), right=WordKernel(idf=False))
    """
    kernels = offered_kernels(kernel, X, idf=False)
    if len(kernels) > 1:
        raise InputError(
            f"{len(kernels)} kernels given, and to choose one needs all examples; give one kernel, or use fit."
        )
    return kernels[0]


class NoFeaturesError(InputError):
    """A kernel finds nothing in any sequence."""


def learned_features(kernel: Kernel, X: list[Any]) -> tuple[FeatureMap, Any]:
    """Columns that the kernel sees in `X`, at least one, and the rows of `X`.

    Examples
    --------
    >>> from weft import NGramKernel
    >>> learned_features(NGramKernel(4), ["abc", "de"])
    Traceback (most recent call last):
    ...
    weft.estimators.classify.inputs.NoFeaturesError: no sequence has a feature of NGramKernel(); they may all be too ...
    """
    mapped, rows = kernel.feature_map(X)
    if mapped.n_features == 0:
        raise NoFeaturesError(
            f"no sequence has a feature of {kernel!r}; they may all be too short: take shorter n-grams, or longer "
            "sequences."
        )
    return mapped, rows


def frequent_features(mapped: FeatureMap, rows: Any, min_count: int) -> tuple[FeatureMap, Any]:
    """Columns that at least so many sequences have, and the rows in these.

    Examples
    --------
    >>> from weft import NGramKernel
    >>> mapped, rows = frequent_features(*NGramKernel(2).feature_map(["abc", "ab"]), 2)
    >>> mapped.names(), rows.shape
    (['ab'], (2, 1))
    """
    kept = np.flatnonzero(np.bincount(rows.indices, minlength=mapped.n_features) >= min_count)
    check_frequent(len(kept), min_count)
    return mapped.selected(kept), rows[:, kept]


def check_frequent(n_kept: int, min_count: int) -> None:
    """Refuse to learn from no feature.

    Examples
    --------
    >>> check_frequent(0, 5)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: no feature is in at least 5 sequences; lower min_count, or give longer sequences.
    """
    if not n_kept:
        raise InputError(f"no feature is in at least {min_count} sequences; lower min_count, or give longer sequences.")


def check_same_form(x: Any, known: Any) -> None:
    """Refuse a string where training had lists of tokens, and the other way round: a kernel tells others by itself.

    Examples
    --------
    >>> check_same_form("to be", ["to", "be"])
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X holds strings, but training had lists of tokens; give the form of the training data.
    """
    if isinstance(x, str) != isinstance(known, str) and isinstance(x, PLAIN) and isinstance(known, PLAIN):
        forms = ("strings", "lists of tokens") if isinstance(x, str) else ("lists of tokens", "strings")
        raise InputError(f"X holds {forms[0]}, but training had {forms[1]}; give the form of the training data.")


def are_known(X: list[Any], rows: Callable[[list[Any]], Any]) -> Mask:
    """Which sequences have any feature, or any likeness, in common with the training data.

    Examples
    --------
    >>> from weft import NGramKernel
    >>> mapped, _ = NGramKernel(2).feature_map(["ACGT"])
    >>> are_known(["xACx", "acgt"], mapped.transform)
    array([ True, False])
    """
    try:
        found = rows(X)
    except InputError:  # a kernel takes some symbols among others only, such as letters that are no bases among DNA
        return np.zeros(len(X), dtype=np.bool_)
    counts: Integers = np.diff(found.indptr) if hasattr(found, "indptr") else np.count_nonzero(found, axis=1)
    return counts > 0


def _is_empty(x: Any) -> bool:
    return hasattr(x, "__len__") and len(x) == 0


def warn_of_case(X: list[Any], known: Set[Any] | None) -> None:
    """Say which strings have most of their letters in another case than the training data, if any.

    Examples
    --------
    >>> warn_of_case(["THE cat"], frozenset("the cat"))
    """
    if known is None or not X or not isinstance(X[0], str) or set().union(*X) <= known:
        return
    for place, text in enumerate(X):
        letters = [letter for letter in text if letter.isalpha()]
        lost = [letter for letter in letters if letter not in known]
        if 2 * len(lost) > len(letters):
            for name, other in (("capitals", str.upper), ("small letters", str.lower)):
                if 2 * sum(other(letter) in known for letter in lost) > len(letters):
                    warnings.warn(
                        f"most letters of X[{place}], {shown(text)}, are unknown, but known as {name}; use those, as "
                        "training did.",
                        stacklevel=4,
                    )
                    return


def warn_of_unknown(X: list[Any], products: Floats, rows: Callable[[list[Any]], Any]) -> bool:
    """Say which sequences nothing is known of, so that their class is a guess; in empty ones there is nothing to know.

    Parameters
    ----------
    X : list of sequences
    products : ndarray of shape (n_sequences, n_problems)
        Decisions without biases; they are 0 where nothing is known, and hardly anywhere else.
    rows : callable
        Gives the features of sequences in columns of the training data, or their kernel values.

    Returns
    -------
    bool
        Whether there are such sequences.
    """
    places = np.array(
        [i for i in np.flatnonzero(~products.any(axis=1)).tolist() if not _is_empty(X[i])], dtype=np.int64
    )
    if len(places):
        places = places[~are_known([X[i] for i in places], rows)]
    if not len(places):
        return False
    first = X[places[0]]
    cases = [("capitals", first.upper()), ("small letters", first.lower())] if isinstance(first, str) else []
    case = next((name for name, other in cases if other != first and are_known([other], rows)[0]), None)
    cure = (
        "it may be too short, or have other symbols than the training data"
        if case is None
        else f"training had {case}, so use them"
    )
    others = f", nor {len(places) - 1:,} of the {len(X) - 1:,} others" if len(places) > 1 else ""
    warnings.warn(
        f"X[{places[0]}], {shown(first)}, has no feature that the model knows{others}; the class is a guess: {cure}.",
        stacklevel=4,
    )
    return True
