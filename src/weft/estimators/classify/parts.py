"""SequenceSVC on examples in parts: text to model with the features of a few parts in memory at a time.

Columns are learned part by part, then rows are written part by part, as files that are mapped into memory while
`weft.kernel_methods.svm.blocks` passes over them. In memory remain the columns, a weight of each for each class, and a
dual variable of each example for each class.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from weft.arrays import Floats, Integers
from weft.checkpoint import pack_named, unpack_named
from weft.core.array_checks import checked_offsets
from weft.errors import InputError
from weft.estimators.classify.inputs import (
    as_examples,
    check_frequent,
    encode_targets,
    example_costs,
    labels_of,
    target_classes,
)
from weft.estimators.classify.problems import settings_of
from weft.estimators.classify.solutions import keep_solutions
from weft.estimators.inputs import generator
from weft.garbage import no_collection
from weft.kernel_methods.svm.blocks import Block, solve_blocks
from weft.kernel_methods.svm.descent import SVMSolution
from weft.kernel_methods.svm.one_vs_rest import Settings, problem_signs
from weft.kernel_methods.svm.problems import FeatureProblems, choose_cost
from weft.kernel_methods.svm.sparse_rows import SparseRows, check_columns
from weft.kernels.feature_map import FeatureMap
from weft.learners.monitor import Monitor
from weft.scale.examples import Examples
from weft.scale.shard_files import folder_key, made_once, map_arrays, write_arrays

CURE = "delete the folder of --spill, and it is made again"

FORMAT = 1
TOGETHER = 4
"""Parts whose columns are learned, and whose rows are written, together: fewer and larger steps."""


class PartedRows(NamedTuple):
    """Rows in files, and what they mean."""

    mapped: FeatureMap
    classes: NDArray[Any]
    targets: list[Integers]
    blocks: list[Block]
    n_columns: int


def rows_in_files(kernel: Any, min_count: int, bias: bool, examples: Examples, folder: Path) -> PartedRows:
    """Rows of examples as files of a folder, which the next fit on the same data finds again.

    Parameters
    ----------
    kernel : Kernel
        With explicit features that can be learned part by part.
    min_count : int
        Features that fewer sequences have are left out.
    bias : bool
        Add a constant column.
    examples : Examples
    folder : Path
    """
    if not kernel.has_features:
        raise InputError(f"spill needs explicit features, which {type(kernel).__name__} lacks; leave it out.")
    key = folder_key(FORMAT, "svc", str(kernel), min_count, bias, examples.names, examples.sources)
    content = made_once(folder, key, lambda: _spill(kernel, min_count, bias, examples, folder))
    arrays = map_arrays(folder / "structure")
    classes = np.array(unpack_named("classes", arrays))
    own = {name.removeprefix("map."): array for name, array in arrays.items() if name.startswith("map.")}
    mapped = kernel.restore_feature_map((content["map"], own))
    n_columns = mapped.n_features + bias
    paths = [folder / f"shard-{number:05}" for number in range(content["shards"])]
    targets = [np.array(map_arrays(path)["targets"]) for path in paths]
    return PartedRows(mapped, classes, targets, [partial(_opened, path, n_columns) for path in paths], n_columns)


def _opened(path: Path, n_columns: int) -> SparseRows:
    arrays = map_arrays(path)
    columns, values = arrays["columns"], arrays["values"]
    check_columns(columns, values, n_columns)
    return SparseRows(checked_offsets("indptr", arrays["indptr"], len(columns), CURE), columns, values, n_columns)


def fit_sequences_in_parts(
    svc: Any, kernel: Any, examples: Examples, spill: Any, sample_weight: Any, X_dev: Any
) -> None:
    """Have a `SequenceSVC` learn from rows in files."""
    given = (svc.validation_fraction, svc.warm_start, svc.probability, sample_weight is not None)
    if any(given) or X_dev is not None or svc.storage != "array":
        raise InputError(
            "validation_fraction, warm_start, probability, sample_weight, X_dev and other storages need all "
            "examples in one place; leave them out, or spill."
        )
    rows, cost, solutions, monitor = solved_parts(svc, kernel, examples, Path(spill))
    svc.kernel_, svc.classes_, svc.features_ = kernel, rows.classes, rows.mapped
    svc.kernel_scores_ = None
    svc.calibration_, svc.C_, svc._n_examples = None, cost, sum(map(len, rows.targets))
    svc.alpha_ = np.array([solution.alpha for solution in solutions])
    keep_solutions(svc, solutions, [], [], monitor)


def solved_parts(
    svc: Any, kernel: Any, examples: Examples, folder: Path
) -> tuple[PartedRows, float, list[SVMSolution], Monitor]:
    """Rows in files, the cost of an error, and what a `SequenceSVC` learns from them."""
    rows = rows_in_files(kernel, svc.min_count, svc.bias, examples, folder)
    classes = rows.classes
    costs = example_costs(1.0, svc.class_weight, np.concatenate(rows.targets), classes, None)
    cost = float(svc.C) if svc.C is not None else _cost_of_first(rows, costs, settings_of(svc))
    ends = np.cumsum([len(own) for own in rows.targets])[:-1]
    with Monitor(svc.verbose) as monitor:
        monitor.start("passes", svc.max_iter)
        solutions = solve_blocks(
            rows.blocks,
            [problem_signs(own, len(classes)) for own in rows.targets],
            np.split(cost * costs, ends),
            rows.n_columns,
            loss=svc.loss,
            tol=float(svc.tol),
            max_passes=int(svc.max_iter),
            n_jobs=svc.n_jobs,
            random=generator(svc.random_state),
            report=lambda n_passes, objective: monitor.record(n_passes, objective, np.empty(0)),
        )
    return rows, cost, solutions, monitor


def _cost_of_first(rows: PartedRows, costs: Floats, settings: Settings) -> float:
    """The cost of an error that suits the first block."""
    first, targets = rows.blocks[0](), rows.targets[0]
    matrix = csr_array((first.values, first.columns.astype(np.int32), first.indptr), (len(targets), rows.n_columns))
    return choose_cost(FeatureProblems(matrix, settings), targets, len(rows.classes), costs[: len(targets)])


def _groups(examples: Examples) -> Iterator[tuple[list[Any], NDArray[Any]]]:
    """Sequences and labels of a few parts at a time."""
    for begin in range(0, len(examples.readers), TOGETHER):
        with no_collection():
            X: list[Any] = []
            labels = []
            for reader, name in list(zip(examples.readers, examples.names, strict=True))[begin : begin + TOGETHER]:
                own, y = reader()
                if not len(own):
                    raise InputError(f"{name} has no example; leave it out.")
                try:
                    own = as_examples(own)
                    labels.append(labels_of(own, y))
                except InputError as error:
                    raise InputError(f"{name}: {error}") from None
                X += own
        yield X, np.concatenate(labels)


def _spill(kernel: Any, min_count: int, bias: bool, examples: Examples, folder: Path) -> dict[str, Any]:
    """Learn the columns, write the rows, and leave out columns that are rare."""
    mapped: FeatureMap | None = None
    seen: list[Any] = []
    for X, labels in _groups(examples):
        mapped = kernel.feature_map(X)[0] if mapped is None else mapped.grown(X)[0]
        seen += np.unique(labels).tolist()
    assert mapped is not None, "examples have a part"
    classes = target_classes(seen, seen)
    counts = np.zeros(mapped.n_features, dtype=np.int64)
    n_shards = 0
    for X, labels in _groups(examples):
        rows = mapped.transform(X)
        counts += np.bincount(rows.indices, minlength=mapped.n_features)
        _write(
            folder / f"shard-{n_shards:05}", rows.indptr, rows.indices, rows.data, encode_targets(X, labels, classes)
        )
        n_shards += 1
    kept = np.flatnonzero(counts >= min_count)
    check_frequent(len(kept), min_count)
    if len(kept) < len(counts):
        mapped = mapped.selected(kept)
    if len(kept) < len(counts) or bias:
        places = np.full(len(counts), -1, dtype=np.int32)
        places[kept] = np.arange(len(kept))
        for number in range(n_shards):
            _renumber(folder / f"shard-{number:05}", places, len(kept) if bias else None)
    settings, arrays = mapped.to_state()
    names = {f"map.{name}": array for name, array in arrays.items()}
    write_arrays(folder / "structure", {**names, **pack_named("classes", classes.tolist())})
    return {"map": settings, "shards": n_shards}


def _renumber(path: Path, places: NDArray[np.int32], constant: int | None) -> None:
    """Write rows again with other numbers of their columns, some without one, and perhaps a constant column."""
    arrays = map_arrays(path)
    columns = places[arrays["columns"]]
    known = columns >= 0
    indptr = np.concatenate([[0], np.cumsum(known)])[arrays["indptr"]]
    columns, values = columns[known], arrays["values"][known]
    if constant is not None:
        columns, values = np.insert(columns, indptr[1:], constant), np.insert(values, indptr[1:], 1.0)
        indptr = indptr + np.arange(len(indptr))
    _write(path, indptr, columns, values, np.array(arrays["targets"]))


def _write(path: Path, indptr: Any, columns: Any, values: Any, targets: Integers) -> None:
    arrays = {"indptr": indptr.astype(np.int64), "columns": columns.astype(np.uint32), "values": values}
    write_arrays(path, {**arrays, "targets": targets})
