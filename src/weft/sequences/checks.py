"""Is this a list of sequences? If not, say what was given, what is needed and what to do.

Buffers are sized by ``len`` and filled by iteration, and compiled loops trust that both agree. Here, and nowhere else,
what comes from outside becomes strings, lists, tuples and arrays, for which that holds; all else is read once.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence, Set
from functools import lru_cache
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError, WeftError

PLAIN = frozenset({str, list, tuple})
"""Types, but not their subclasses, whose length and iteration agree."""

ITEMS = PLAIN | {chain}
"""Types whose objects are neither tables nor mappings: a look at a class that is not among them takes longer."""

KNOWN = (Sequence, Set, Mapping, Iterator, bytearray, memoryview)
"""Classes whose objects are sequences, or never can be."""

A_SEQUENCE = "a sequence (string, list or array) is needed"
SEQUENCES = "a list of sequences is needed"

# Package and class -> what to write instead; no class stands for all others of the package. Packages are known by
# name, so that none of them need be installed.
CURES = {
    ("pandas", "DataFrame"): 'a column, {}["name"].tolist(), or {}.to_numpy() if its rows are vectors',
    ("pandas", "DataFrameGroupBy"): '[group.tolist() for _, group in {}["name"]]',
    ("pandas", "SeriesGroupBy"): "[group.tolist() for _, group in {}]",
    ("pandas", ""): "{}.tolist()",
    ("modin", ""): '{}.tolist() of a column, or {}["name"].tolist()',
    ("cudf", ""): '{}.to_pandas() and then a column, ["name"].tolist()',
    ("dask", ""): "{}.compute() and then .tolist()",
    ("polars", "DataFrame"): 'a column, {}["name"].to_list(), or {}.to_numpy() if its rows are vectors',
    ("polars", "LazyFrame"): 'a column, {}.collect()["name"].to_list()',
    ("polars", ""): "{}.to_list()",
    ("pyarrow", "Table"): 'a column, {}.column("name").to_pylist()',
    ("pyarrow", "RecordBatch"): 'a column, {}.column("name").to_pylist()',
    ("pyarrow", ""): "{}.to_pylist()",
    ("xarray", "Dataset"): 'a variable, {}["name"].to_numpy()',
    ("xarray", ""): "{}.to_numpy()",
    ("scipy", ""): "{}.toarray()",
    ("torch", ""): "{}.tolist(), or {}.numpy() if its rows are vectors",
    ("tensorflow", ""): "{}.numpy()",
    ("jax", ""): "numpy.asarray({})",
    ("jaxlib", ""): "numpy.asarray({})",
    ("cupy", ""): "{}.get()",
}

# One column of a table holds its values in order, so it may be the list of all sequences.
COLUMN_METHODS = {"pandas": "tolist", "polars": "to_list", "pyarrow": "to_pylist"}
TABLES = {"DataFrame", "LazyFrame", "Table", "RecordBatch"}


def shown(value: Any, most: int = 40) -> str:
    """What a value looks like, on one line and not too long.

    Examples
    --------
    >>> shown("a" * 50, most=10)
    "'aaaaaa..."
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= most else text[: most - 3] + "..."


def is_missing(value: Any) -> bool:
    """Whether a value is what other libraries put where there is none.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "nan", 0)]
    [True, True, False, False]
    """
    if isinstance(value, float | np.floating):
        return bool(value != value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _foreign(value: Any) -> tuple[str, str] | None:
    """Package and class of a table, column or tensor of another library; None for all else."""
    if isinstance(value, str | list | tuple | np.ndarray):  # rows of DataFrame.itertuples are tuples
        return None
    return _foreign_class(type(value))  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def _foreign_class(kind: type) -> tuple[str, str] | None:
    lineage = [(str(each.__module__).partition(".")[0], each.__name__) for each in kind.__mro__]
    package = next((package for package, _ in lineage if (package, "") in CURES), None)
    if package is None:
        return None
    return next((each for each in lineage if each in CURES), (package, kind.__name__))


def _is_unordered(value: Any) -> bool:
    # Keys of a dict have an order, and so have the ordered sets of other libraries, which are sequences too.
    return isinstance(value, Set) and not isinstance(value, KeysView | ItemsView | Sequence)


def refuse_tables(value: Any, name: str, wanted: str = A_SEQUENCE) -> None:
    """Raise for what iterates over other things than its items: tables and tensors of other libraries, mappings.

    Examples
    --------
    >>> refuse_tables({"a": 1}, "X[0]")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X[0] is a dict; a sequence (string, list or array) is needed: pass its values as a list.
    """
    if type(value) in ITEMS:
        return
    foreign = _foreign(value)
    if foreign is not None:
        cure = CURES.get(foreign, CURES[foreign[0], ""]).replace("{}", name)
        raise InputError(f"{name} is a {foreign[0]} {type(value).__name__}; {wanted}: use {cure}.")
    if isinstance(value, Mapping):
        raise InputError(f"{name} is a {type(value).__name__}; {wanted}: pass its values as a list.")


def read_once(value: Any, name: str, wanted: str) -> list[Any]:
    """Items of an object (pairs of a mapping), if they are as many as it says.

    Examples
    --------
    >>> read_once(range(3), "X[0]", "a sequence is wanted")
    [0, 1, 2]
    """
    try:
        length = len(value)
        # One more than it promises is enough to see that there are too many.
        items = list(islice(value.items() if isinstance(value, Mapping) else value, length + 1))
    except WeftError:
        raise
    except Exception as error:  # whatever a foreign object raises
        said = " ".join(str(error).split())[:60]
        raise InputError(
            f"{name} is a {type(value).__name__} whose items cannot be read ({type(error).__name__}: {said}); "
            f"{wanted}: pass a list of its items."
        ) from error
    if len(items) != length:
        given = "more" if len(items) > length else f"{len(items)}"
        raise InputError(
            f"{name}, a {type(value).__name__}, says that it has {length} items but gives {given}; {wanted}: "
            "pass a list of its items."
        )
    return items


def _plain_array(array: NDArray[Any], name: str, wanted: str) -> NDArray[Any]:
    """The array itself, not a subclass of it, if it shows all that it holds."""
    if type(array) is not np.ndarray:
        if np.ma.is_masked(array):
            raise InputError(
                f"{name} is a masked array with hidden values; {wanted}: use {name}.compressed() to drop them, or "
                f"{name}.filled(...)."
            )
        if array.ndim:
            read_once(array, name, wanted)
        array = np.asarray(array)
    if array.ndim == 0:
        raise InputError(f"{name} is a ndarray; {wanted}: it holds one value, use [{name}.item()].")
    return array


def as_sequence(value: Any, name: str, wanted: str = A_SEQUENCE) -> Any:
    """One sequence as a string, list, tuple or array; it may be empty. Whatever is none of these is read once.

    Examples
    --------
    >>> as_sequence(range(3), "X[0]")
    [0, 1, 2]
    >>> as_sequence({"a", "b"}, "X[0]")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X[0] is a set, which has no order; a sequence ... is needed: use sorted(X[0]).
    """
    kind = type(value)
    if kind in PLAIN:
        return value
    if isinstance(value, np.ndarray):
        array = _plain_array(value, name, wanted)
        if array.dtype.names is not None:
            raise InputError(
                f"{name} is a structured array; {wanted}: use one field, {name}[{array.dtype.names[0]!r}].tolist()."
            )
        return array
    if isinstance(value, bytes | bytearray | memoryview):
        raise InputError(
            f"{name} is a {kind.__name__}; {wanted}: use bytes({name}).decode() for text, or list({name}) for numbers."
        )
    if is_missing(value):
        raise InputError(f"{name} is {shown(value)}, a missing value; {wanted}: fill it, or drop the example.")
    refuse_tables(value, name, wanted)
    if _is_unordered(value):
        raise InputError(f"{name} is a {kind.__name__}, which has no order; {wanted}: use sorted({name}).")
    if not hasattr(kind, "__len__") or isinstance(value, np.void):
        if hasattr(kind, "__iter__"):
            raise InputError(f"{name} is a {kind.__name__}, which has no length; {wanted}: use list({name}).")
        outer = name.partition("[")[0]
        hint = f": {outer} is a list of sequences, not one sequence" if outer != name and wanted == A_SEQUENCE else ""
        raise InputError(f"{name} is {shown(value)} of type {kind.__name__}; {wanted}{hint}.")
    items = read_once(value, name, wanted)
    if isinstance(value, str):
        text = str.__str__(value)
        return text if items == list(text) else items
    return tuple(items) if isinstance(value, tuple) else items


def as_list(values: Any, name: str, wanted: str = SEQUENCES) -> list[Any]:
    """What is given for all sequences, or labels, as a list whose items are still to be looked at.

    One column of a table, such as a pandas Series, is such a list; a table is not.

    Examples
    --------
    >>> as_list(("abc", "de"), "X")
    ['abc', 'de']
    """
    if type(values) in (list, tuple):
        return list(values)
    if isinstance(values, str | bytes | bytearray | memoryview):
        raise InputError(f"{name} is one string, {values[:20]!r}; {wanted}: wrap it as [{name}].")
    if isinstance(values, np.ndarray):
        return list(_plain_array(values, name, wanted))
    foreign = _foreign(values)
    if foreign is not None and foreign[1] not in TABLES:
        method = getattr(values, COLUMN_METHODS.get(foreign[0], ""), None)
        if callable(method):
            return list(method())
    refuse_tables(values, name, wanted)
    if _is_unordered(values):
        raise InputError(f"{name} is a {type(values).__name__}, which has no order; {wanted}: use sorted({name}).")
    if hasattr(type(values), "__len__"):
        return read_once(values, name, wanted)
    try:
        return list(values)
    except TypeError:
        example = ", such as ['abc', 'de']" if wanted == SEQUENCES else ""
        raise InputError(f"{name} is a {type(values).__name__}; {wanted}{example}.") from None


def as_sequences(values: Any, name: str) -> list[Any]:
    """Return `values` as a non-empty list of non-empty sequences, or explain why it is none.

    Examples
    --------
    >>> as_sequences(["abc", "de"], "X")
    ['abc', 'de']
    >>> as_sequences("abc", "X")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X is one string, 'abc'; a list of sequences is needed: wrap it as [X].
    """
    sequences = as_list(values, name)
    if not sequences:
        raise InputError(f"{name} is empty; at least one sequence is needed.")
    sequences = each_sequence(sequences, name)
    if not all(map(len, sequences)):
        index = next(i for i, sequence in enumerate(sequences) if not len(sequence))
        raise InputError(f"{name}[{index}] has length 0; drop empty sequences before fitting or predicting.")
    return sequences


def check_symbols(sequence: Any, name: str) -> None:
    """Refuse a sequence of what cannot be a symbol: values that have no hash, and missing ones, which equal nothing.

    Examples
    --------
    >>> check_symbols(["a", ["b"]], "X[0]")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X[0] has ['b'] at position 1, which is no symbol; use strings, numbers or tuples.
    """
    if isinstance(sequence, str):
        return
    for place, symbol in enumerate(sequence):
        if type(symbol) is not str and (is_missing(symbol) or not _has_hash(symbol)):
            raise InputError(
                f"{name} has {shown(symbol)} at position {place}, which is no symbol; use strings, numbers or tuples."
            )


def _has_hash(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def empty_places(values: Any) -> list[int]:
    """Which of the sequences are empty; none if `values` is no list of them.

    Examples
    --------
    >>> empty_places(["ab", "", []])
    [1, 2]
    """
    if not isinstance(values, list | tuple) and _foreign(values) is None:
        return []
    listed = values if isinstance(values, list | tuple) else as_list(values, "X")
    return [i for i, x in enumerate(listed) if _is_empty(x)]


def _is_empty(x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return bool(x.shape[:1] == (0,))
    return isinstance(x, str | list | tuple) and len(x) == 0


def each_sequence(sequences: list[Any], name: str, wanted: str = A_SEQUENCE) -> list[Any]:
    """`as_sequence` of each; for plain types only one look at the types."""
    if PLAIN.issuperset(set(map(type, sequences))):
        return sequences
    return [x if type(x) in PLAIN else as_sequence(x, f"{name}[{i}]", wanted) for i, x in enumerate(sequences)]


def as_examples(values: Any, name: str, *, keep_objects: bool = False) -> list[Any]:
    """A list of sequences or of other things, such as automata and numbers, which are left as they are.

    With `keep_objects` that holds for objects of unknown classes too, even if they have items: a kernel of the user's
    own may know what to do with them.

    Examples
    --------
    >>> as_examples([range(2), 3.5], "X")
    [[0, 1], 3.5]
    """
    examples = as_list(values, name)
    if PLAIN.issuperset(set(map(type, examples))):
        return examples
    return [as_sequence(x, f"{name}[{i}]") if _has_items(x, keep_objects) else x for i, x in enumerate(examples)]


def _has_items(value: Any, keep_objects: bool) -> bool:
    if isinstance(value, KNOWN) or _foreign(value) is not None:
        return True
    kind = type(value)
    return not keep_objects and (hasattr(kind, "__len__") or hasattr(kind, "__iter__"))


def as_numbers(values: Any, name: str, wanted: str = "a list of numbers is needed") -> NDArray[np.float64]:
    """An array of numbers of any shape, finite or not.

    Examples
    --------
    >>> as_numbers(range(2), "values")
    array([0., 1.])
    """
    # Columns and tensors of other libraries know how to become arrays.
    is_array = isinstance(values, np.ndarray) or hasattr(type(values), "__array__")
    given = values if is_array or isinstance(values, str) else as_list(values, name, wanted)
    try:
        if np.iscomplexobj(given) or np.ma.is_masked(given):
            raise InputError(f"{name} holds complex or hidden numbers; {wanted}: drop or replace them.")
        return np.asarray(given, dtype=np.float64)
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is {shown(values)}; {wanted}.") from None


def check_same_lengths(X: Sequence[Any], y: Sequence[Any]) -> None:
    """Raise unless X and y pair up sequence by sequence and token by token."""
    if len(X) != len(y):
        raise InputError(f"X has {len(X)} sequences but y has {len(y)}; each sequence needs its own label sequence.")
    lengths = getattr(X, "lengths", None)  # a corpus has been encoded, and is no sequence of sequences any more
    for index, (n_tokens, labels) in enumerate(zip(map(len, X) if lengths is None else lengths, y, strict=True)):
        if n_tokens != len(labels):
            raise InputError(
                f"X[{index}] has {n_tokens} tokens but y[{index}] has {len(labels)} labels; "
                "one label per token is needed."
            )


def locate(flat_index: int, lengths: Sequence[int]) -> tuple[int, int]:
    """Sequence and position of a token given its place in the concatenation.

    Examples
    --------
    >>> locate(4, [3, 3])
    (1, 1)
    """
    ends = np.cumsum(np.asarray(lengths))
    sequence = int(np.searchsorted(ends, flat_index, side="right"))
    return sequence, int(flat_index - (ends[sequence] - lengths[sequence]))
