"""Forms of examples, inputs and outputs alike: labels, strings, tokens, vectors, sequences of vectors, any objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.checkpoint import pack_named, unpack_named
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError, ModelFileError
from weft.kernels.base import Kernel
from weft.kernels.combinators import Normalized
from weft.kernels.grams.ngram import NGramKernel
from weft.kernels.outputs import LabelKernel
from weft.kernels.precomputed import PrecomputedKernel
from weft.kernels.vectors.products import PolynomialKernel, RBFKernel, VectorKernel, as_rows
from weft.kernels.vectors.sums import SumKernel
from weft.sequences import checks
from weft.sequences.checks import as_list, as_sequence
from weft.state_rules import check_arrays, check_state, choice, floats, integers, packed_symbols, part

Arrays = dict[str, NDArray[Any]]
OWN = ("labels", "objects")
"""Forms that are left as they are, whatever they hold."""

FORMS = ("labels", "strings", "tokens", "vectors", "vector sequences")


def read_examples(X: Any, name: str = "X", own: bool = False) -> Any:
    """An array of more than one dimension as it is, all else as a list; each example is read once too.

    With `own` examples are left as they are: labels, or what a function or kernel of the user compares.
    """
    if isinstance(X, str | bytes | dict) or not hasattr(X, "__len__"):
        raise InputError(f"{name} is a {type(X).__name__}; need a list or an array of examples.")
    if isinstance(X, np.ndarray) and X.ndim > 1 and X.dtype != object:
        return as_sequence(X, name, "a list or an array of examples is needed")
    return as_list(X, name, "a list or an array of labels is needed") if own else checks.as_examples(X, name)


def is_own(kernel: Any) -> bool:
    """Whether a kernel is of a class of the user's own.

    Examples
    --------
    >>> is_own(LabelKernel()), is_own(None)
    (False, False)
    """
    return isinstance(kernel, Kernel) and not type(kernel).__module__.startswith("weft.")


def compared_form(X: Any, name: str, kernel: Any, own: bool = False) -> str:
    """The form that examples have for a kernel, None for the default one.

    Kernels of vectors see vectors, whatever lists these are in, and `LabelKernel` labels. What a kernel of the user's
    own compares, or with `own` another function of theirs, is left as it is; so are objects that only a kernel that was
    given can know.

    Examples
    --------
    >>> compared_form([[0, 1], [2, 3]], "X", None), compared_form([[0, 1], [2, 3]], "X", RBFKernel())
    ('tokens', 'vectors')
    >>> compared_form([{1, 2}], "y", None, own=True)
    'objects'
    """
    if not hasattr(X, "__len__") or (len(X) and isinstance(kernel, LabelKernel)):
        return "labels"  # what has no length is refused when it is read
    if not len(X):
        raise InputError(f"{name} is empty; need at least one example.")
    if isinstance(kernel, PrecomputedKernel | VectorKernel):
        return "vectors"
    own = own or is_own(kernel)
    try:
        form = example_form(X, name)
    except InputError:
        if kernel is None and not own:
            raise
        return "objects"
    return "objects" if own and form.startswith("vector") and not isinstance(X, np.ndarray) else form


def example_form(X: Any, name: str = "X") -> str:
    """Which form examples have, by the first of them.

    Returns
    -------
    {"labels", "strings", "tokens", "vectors", "vector sequences"}

    Examples
    --------
    >>> example_form([3, 1]), example_form(["ab"]), example_form([["to", "be"]])
    ('labels', 'strings', 'tokens')
    >>> example_form(np.zeros((2, 16, 16))), example_form([np.zeros((5, 3)), np.zeros((2, 3))])
    ('vectors', 'vector sequences')
    """
    X = read_examples(X, name)
    if not len(X):
        raise InputError(f"{name} is empty; need at least one example.")
    if isinstance(X, np.ndarray):
        return "vectors"
    first = X[0]
    if isinstance(first, str):
        return "strings"
    if isinstance(first, bool | int | np.integer | np.bool_) or first is None:
        return "labels"
    if isinstance(first, float | np.floating):
        return "vectors"
    if isinstance(first, np.ndarray):
        return "vectors" if first.ndim == 1 else "vector sequences"
    if isinstance(first, list | tuple):
        inner = next((each for example in X for each in example), None)
        if isinstance(inner, list | tuple | np.ndarray):
            return "vector sequences"
        return "vectors" if isinstance(inner, float | np.floating) else "tokens"
    raise InputError(
        f"{name}[0] is a {type(first).__name__}; need labels, strings, lists of tokens, vectors or sequences of them."
    )


def as_examples(X: Any, form: str, name: str = "X") -> Any:
    """Examples as kernels and files want them: vectors as an array, all else as a list."""
    X = read_examples(X, name, own=form in OWN)
    if form == "objects":
        return X
    if form == "vectors":
        try:
            rows = np.asarray(X, dtype=np.float64)
        except (ValueError, TypeError, OverflowError):
            rows = as_rows(X, name)  # says what is wrong
        rows = rows if rows.ndim > 1 else rows[:, None]
        as_rows(rows, name)
        return rows
    if form == "vector sequences":
        return [_numbers(sequence, f"{name}[{i}]") for i, sequence in enumerate(X)]
    # Numbers of an array become plain ones, as model files hold.
    plain = [each.item() if isinstance(each, np.generic) else each for each in X]
    kinds = {"strings": str, "tokens": list | tuple}
    wrong = next((i for i, x in enumerate(plain) if form in kinds and not isinstance(x, kinds[form])), None)
    if wrong is not None:
        kind = type(plain[wrong]).__name__
        raise InputError(f"{name}[{wrong}] is a {kind}, {name}[0] is none; need all of one form.")
    return plain


def _numbers(sequence: Any, name: str) -> NDArray[np.float64]:
    try:
        return np.asarray(sequence, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{name} is not an array of numbers; need one of shape (length, d).") from None


def numbered(outputs: Any, form: str, numbers: dict[Any, int] | None = None) -> NDArray[np.int64]:
    """A number for each output, the same for equal ones, in the order in which they come.

    Parameters
    ----------
    outputs : sequence
    form : str
    numbers : dict, optional
        Numbers of outputs that are known; others are -1 then. An empty one is filled.

    Examples
    --------
    >>> known = {}
    >>> numbered(["b", "a", "b"], "strings", known), numbered(["c", "a"], "strings", known)
    (array([0, 1, 0]), array([-1,  1]))
    """
    known = {} if numbers is None else numbers
    is_new = not known
    found = []
    for output in outputs:
        key = np.asarray(output).tobytes() if form.startswith("vector") else output
        key = tuple(key) if form == "tokens" else key
        try:
            hash(key)
        except TypeError:
            key = (numbered, id(output))  # such objects are equal to themselves only
        found.append(known.setdefault(key, len(known)) if is_new else known.get(key, -1))
    return np.array(found, dtype=np.int64)


def default_kernel(X: Any, form: str, *, output: bool = False) -> Kernel:
    """Kernel for examples of a form, when the user names none.

    Strings and tokens: cosines of their 1- to 3-grams. Vectors: a Gaussian as wide as the median distance of (at most
    500 of) them. Sequences of vectors: cosines of aligned sums of ``(1 + x.y / d)^2``. Labels: equality.
    """
    if form == "labels":
        if output:
            return LabelKernel()
        raise InputError("X holds single labels; need sequences or vectors: give LabelKernel() if labels are meant.")
    if form in ("strings", "tokens"):
        return Normalized(NGramKernel(3, min_n=1))
    if form == "vector sequences":
        width = next((np.asarray(x).reshape(len(x), -1).shape[1] for x in X if len(x)), 1)
        return Normalized(SumKernel(PolynomialKernel(2, scale=1.0 / max(1, width))))
    rows = as_rows(X)[:: max(1, len(X) // 500)]
    squares = np.einsum("ij,ij->i", rows, rows)
    with one_algebra_thread():
        squared = (squares[:, None] + squares - 2.0 * rows @ rows.T)[np.triu_indices(len(rows), 1)]
    median = float(np.median(squared[squared > 1e-12])) if (squared > 1e-12).any() else 1.0
    return RBFKernel(gamma=1.0 / median)


def pack_examples(name: str, X: Any, form: str) -> tuple[dict[str, Any], Arrays]:
    """State and arrays of examples for a model file."""
    if form == "objects":
        raise ModelFileError(f"{name} are objects of your own, and files hold no code; pickle the model instead")
    if form == "vectors":
        return {"form": form}, {f"{name}.rows": np.asarray(X, dtype=np.float64)}
    lengths = np.array([len(x) for x in X] if form != "labels" else [], dtype=np.int64)
    if form == "vector sequences":
        shapes = {x.shape[1:] for x in X if x.size}
        width = next(iter(shapes), (0,))
        rows = np.concatenate([np.zeros((0, *width)), *(x for x in X if x.size)])
        return {"form": form}, {f"{name}.rows": rows, f"{name}.lengths": lengths}
    symbols = X if form == "labels" else [symbol for x in X for symbol in x]
    return {"form": form}, {**pack_named(name, symbols), f"{name}.lengths": lengths}


def unpack_examples(name: str, state: dict[str, Any], arrays: Arrays) -> Any:
    """Examples that `pack_examples` packed.

    Examples
    --------
    >>> unpack_examples("y", *pack_examples("y", ["ab", "", "c"], "strings"))
    ['ab', '', 'c']
    """
    check_state(name, state, {"form": choice(*FORMS)})
    form = state["form"]
    packed = {f"{name}.{key}": array for key, array in part(arrays, name).items()}
    if form.startswith("vector"):
        rules = {f"{name}.rows": floats("n_rows", *(f"width_{i}" for i in range(1, packed[f"{name}.rows"].ndim)))}
        rules |= {f"{name}.lengths": integers("n_examples")} if form == "vector sequences" else {}
    else:
        rules = {**packed_symbols(name, "n_symbols"), f"{name}.lengths": integers("n_examples")}
    check_arrays(name, packed, rules)
    if form == "vectors":
        return arrays[f"{name}.rows"]
    if form == "vector sequences":
        rows, ends = arrays[f"{name}.rows"], np.cumsum(arrays[f"{name}.lengths"])
        if len(rows) != (ends[-1] if len(ends) else 0):
            raise ModelFileError("sequences of vectors and their lengths do not fit each other")
        return np.split(rows, ends[:-1])
    symbols = unpack_named(name, arrays)
    if form == "labels":
        return symbols
    ends = np.cumsum(arrays[f"{name}.lengths"]).tolist()
    if len(symbols) != (ends[-1] if ends else 0):
        raise ModelFileError("symbols and lengths of sequences do not fit each other")
    parts = [symbols[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    return ["".join(part) for part in parts] if form == "strings" else parts
