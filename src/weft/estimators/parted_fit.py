"""Fits on examples in parts: on the workers of a cluster, or in files that are mapped into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.estimators.part_makers import PartMaker, Piece
from weft.estimators.tag.parts import TagPartMaker
from weft.garbage import no_collection
from weft.scale.batch import PartedBatch
from weft.scale.examples import Examples
from weft.scale.local import LocalKeeper
from weft.scale.parts import facts_of
from weft.scale.shard_files import MappedFile, ShardWriter, folder_key, made_once, map_arrays, write_arrays
from weft.structures.batch import cut_sequences
from weft.structures.chain.layouts import SpareSums

FORMAT = 4
MOST_PARTS = 256
"""Parts of data on a cluster: a question is a task for each, and a scheduler takes about a millisecond for one."""
PARTS_PER_WORKER = 4
"""Parts for each worker that is there at first, if data are cut so far: some to give away to those that come later."""

Run = tuple[int, int, int]
"""Some sequences of a part: its number, the first, and the one after the last."""
Shard = tuple[list[Run], list[slice]]
"""What a shard has, and its chunks."""


def batch_of_parts(
    estimator: Any, examples: Examples, maker: PartMaker, client: Any, spill: Any
) -> tuple[Any, PartedBatch]:
    """The structure that all parts agree on, and the batch that lives on workers or in files."""
    if client is not None and spill is not None:
        raise InputError("client and spill given; parts lie on workers or in files: pass one of them.")
    if estimator.validation_fraction or estimator.warm_start:
        raise InputError(
            "validation_fraction and warm_start need all examples in one place; pass X_dev and y_dev, or fit anew."
        )
    if client is not None:
        from weft.scale.cluster import persistent

        found: tuple[Any, PartedBatch] = persistent(client, lambda: batch_on_cluster(maker, examples, client))
        return found
    return batch_in_files(maker, examples, Path(spill), estimator.n_jobs)


def _shards(costs: Sequence[Floats], n_sums: int) -> Iterator[Shard]:
    """Of each shard, the parts that it has sequences of with their first and last, and its chunks counted from 0."""
    bounds = np.concatenate([[0], np.cumsum([len(own) for own in costs])]).tolist()
    for chunks in cut_sequences(np.concatenate(costs), n_sums):
        begin, end = chunks[0].start, chunks[-1].stop
        own = [
            (part, max(begin - first, 0), min(end, last) - first)
            for part, (first, last) in enumerate(pairwise(bounds))
            if first < end and begin < last
        ]
        yield own, [slice(chunk.start - begin, chunk.stop - begin) for chunk in chunks]


# ------------------------------------------------------------------- on a cluster


def batch_on_cluster(maker: PartMaker, examples: Examples, client: Any) -> tuple[Any, PartedBatch]:
    """The structure that all parts agree on, and the batch that lives on the workers."""
    from weft.scale.cluster import ClusterKeeper, check_workers, first, gathered, second, submitted, worker_addresses

    check_workers(client)
    surveyed = [
        submitted(client, _surveyed, maker, reader, name)
        for reader, name in zip(examples.readers, examples.names, strict=True)
    ]
    kept = [submitted(client, first, each) for each in surveyed]
    told = [submitted(client, second, each) for each in surveyed]

    def asked(work: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> Iterator[Any]:
        futures = [submitted(client, work, each, *own) for each, own in zip(kept, arguments, strict=True)]
        return (gathered(client, [each])[0] for each in futures)

    structure, numbers = maker.agree((gathered(client, [each])[0] for each in told), asked)
    there = submitted(client, _same, structure)
    read = [submitted(client, _same, each) for each in numbers]
    found = gathered(client, [submitted(client, maker.costs, there, *each) for each in zip(kept, read, strict=True)])
    parts, sizes = [], []
    workers = worker_addresses(client)
    most = min(MOST_PARTS, PARTS_PER_WORKER * len(workers))
    grouped = list(_grouped(list(_shards([costs for costs, _ in found], found[0][1])), most))
    for number, (own, shards) in enumerate(grouped):
        pieces = [[kept[part], read[part], begin, end] for part, begin, end in own]
        at = workers[number * len(workers) // len(grouped)]  # neighbours together, so that sums travel less
        parts.append(submitted(client, _bound, maker, there, pieces, shards, at=at))
        sizes.append(shards[-1][-1].stop)
    facts = gathered(client, [submitted(client, facts_of, parts[0])])[0]
    return structure, PartedBatch(ClusterKeeper(client, parts, sizes, facts), np.ones(sum(sizes)))


def _surveyed(maker: PartMaker, reader: Any, name: str) -> tuple[Any, Any]:
    with no_collection():
        X, y = reader()
        if not len(X):
            raise InputError(f"{name} has no example; leave it out.")
        return maker.survey(X, y, name)


def _grouped(shards: list[Shard], most: int) -> Iterator[tuple[list[Run], list[list[slice]]]]:
    """Neighbouring shards as one, so that there are at most so many parts, however much data there are.

    There are a power of two of them in each group, as below a node of the tree in which sums are added: who adds what
    changes, but not the order.
    """
    size = 1
    while len(shards) > size * most:
        size *= 2
    for begin in range(0, len(shards), size):
        runs: list[Run] = []
        cut: list[list[slice]] = []
        for own, chunks in shards[begin : begin + size]:
            before = cut[-1][-1].stop if cut else 0
            cut.append([slice(before + chunk.start, before + chunk.stop) for chunk in chunks])
            runs += own
        yield runs, cut


def _bound(maker: PartMaker, structure: Any, pieces: list[list[Any]], shards: list[list[slice]]) -> Any:
    return maker.bind(structure, [Piece(*each) for each in pieces], shards)


def _same(value: Any) -> Any:
    return value


# ----------------------------------------------------------------------- in files


def batch_in_files(maker: PartMaker, examples: Examples, folder: Path, n_jobs: int | None) -> tuple[Any, PartedBatch]:
    """The structure that all parts agree on, and the batch whose shards are files of a folder.

    The folder is made once. The next fit on the same files with the same features finds it and reads nothing else.
    """
    if not isinstance(maker, TagPartMaker):
        name = type(maker.estimator).__name__
        raise InputError(f"spill keeps encoded tokens, which {name} has none of; leave spill out, or pass a client.")
    content = made_once(folder, _key(maker, examples), lambda: _spill(maker, examples, folder))
    structure = maker.estimator._structure_from_spill(
        map_arrays(folder / "structure"), content["kind"], content["form"]
    )
    shards, spare = content["shards"], SpareSums()
    files = {name: MappedFile(folder / name) for name in sorted({shard["file"] for shard in shards})}

    def opened(shard: dict[str, Any]) -> Any:
        arrays = files[shard["file"]].arrays(shard["begin"], shard["end"])
        return maker.bound(structure, arrays, [[slice(*chunk) for chunk in shard["chunks"]]], spare)

    def let_go(part: int) -> None:
        files[shards[part]["file"]].let_go(shards[part]["begin"], shards[part]["end"])

    sizes = [shard["chunks"][-1][1] for shard in shards]
    keeper = LocalKeeper(
        [partial(opened, shard) for shard in shards], sizes, facts_of(opened(shards[0])), n_jobs, let_go
    )
    return structure, PartedBatch(keeper, np.ones(sum(sizes)))


def _key(maker: PartMaker, examples: Examples) -> str:
    """What tells these data and features from others."""
    names = ("features", "order", "constraints", "boundary", "pairs", "transitions", "min_count", "n_features")
    features = [str(getattr(maker.estimator, name)) for name in names]
    classes = getattr(getattr(maker.estimator.features, "classes", None), "classes_", None)
    features += [] if classes is None else [str(classes)]  # which parameters do not tell
    return folder_key(FORMAT, features, examples.names, examples.sources)


def _spill(maker: TagPartMaker, examples: Examples, folder: Path) -> dict[str, Any]:
    """Write the encoded parts, then the shards of the whole; what they are."""
    costs, kinds = [], set()

    def surveys() -> Iterator[Any]:
        for part, (reader, name) in enumerate(zip(examples.readers, examples.names, strict=True)):
            kept, survey = _surveyed(maker, reader, name)
            write_arrays(folder / f"part-{part:05}", kept)
            costs.append(survey.lengths.astype(np.float64))
            kinds.add(survey.kind)
            yield survey

    def asked(work: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> Iterator[Any]:
        return (work(map_arrays(folder / f"part-{part:05}"), *own) for part, own in enumerate(arguments))

    structure, numbers = maker.agree(surveys(), asked)
    n_sums = maker.costs(structure, {"offsets": np.zeros(1, dtype=np.int64)}, None)[1]
    shards, writer = [], ShardWriter(folder)
    for own, chunks in _shards(costs, n_sums):
        pieces = [Piece(map_arrays(folder / f"part-{part:05}"), numbers[part], *ends) for part, *ends in own]
        place = writer.append(maker.laid_out(structure, maker.arrays(pieces)))
        shards.append({**place, "chunks": [[chunk.start, chunk.stop] for chunk in chunks]})
    for part in range(len(examples.readers)):
        (folder / f"part-{part:05}").unlink()
    write_arrays(folder / "structure", maker.estimator._spilled_structure(structure))
    return {"kind": kinds.pop(), "form": structure.encoder.form, "shards": shards}
