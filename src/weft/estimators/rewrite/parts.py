"""Rewriter on examples in parts: pairs as numbers here, their alignments and contexts in files or on workers.

Parts are read twice, first for the symbols of both sides, then to number these; nobody holds the text of more than one
part. What follows is the fit in memory, but for two sums over pairs that take most of the time: expected chunks, and
whatever the learner asks about the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.checkpoint import pack_named, unpack_named
from weft.errors import InputError
from weft.estimators.rewrite.inputs import Side, SideSurvey, as_outputs, normalised, shared_symbols
from weft.garbage import no_collection
from weft.learners.spectral.learner import Spectral
from weft.rewriting.candidates.batch import CandidateBatch
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.chunks.lattices import ChunkLattices
from weft.rewriting.chunks.pairs import Pairs
from weft.rewriting.chunks.table import ChunkTable
from weft.scale.batch import PartedBatch
from weft.scale.examples import Examples
from weft.scale.parts import facts_of
from weft.scale.places import Arrays, ClusterPlace, FilePlace, neighbours
from weft.scale.shard_files import folder_key, made_once, map_arrays, write_arrays
from weft.structures.batch import cut_sequences

FORMAT = 1
NUMBERS = "numbers"


class ParsedPairs(NamedTuple):
    """Pairs of all parts as numbers, and what they mean.

    Attributes
    ----------
    sides : (Side, Side)
    copying : bool
        Whether outputs have most symbols of their inputs.
    n_foreign : (int, int)
        How many sequences of each side are in another normal form than the others.
    pairs : Pairs
    """

    sides: tuple[Side, Side]
    copying: bool
    n_foreign: tuple[int, int]
    pairs: Pairs

    def shown_input(self, number: int) -> Any:
        """The input of a pair, as messages show it."""
        side = self.sides[0]
        begin, end = self.pairs.input_offsets[number : number + 2].tolist()
        return side.join([side.alphabet.symbols[each] for each in self.pairs.inputs[begin:end].tolist()])


@contextmanager
def pairs_in_parts(
    rewriter: Any, examples: Examples, client: Any, spill: Any
) -> Iterator[tuple[ParsedPairs, RewritePlace]]:
    """The pairs of examples in parts, and where their alignments and contexts are kept while a rewriter learns."""
    if client is not None and spill is not None:
        raise InputError("client and spill given; parts lie on workers or in files: pass one of them.")
    if isinstance(rewriter.learner, Spectral):
        raise InputError("Spectral learns from all pairs in one place; leave spill and client out, or use a CRF.")
    if client is not None:
        from weft.scale.cluster import check_workers, persistent

        check_workers(client)
        found = persistent(client, lambda: _numbered(rewriter.normal_form, _OnWorkers(examples, client)))
        yield found, RewritePlace(ClusterPlace(client))
        return
    folder = Path(spill)
    key = folder_key(FORMAT, "rewriter", rewriter.normal_form, examples.names, examples.sources)
    content = made_once(folder, key, lambda: _written(_numbered(rewriter.normal_form, _Here(examples)), folder))
    place = FilePlace(folder, rewriter.n_jobs)
    try:
        yield _read(folder, content), RewritePlace(place)
    finally:
        place.clear()


# ------------------------------------------------------------------ text to numbers


def _surveyed(
    reader: Callable[[], tuple[Any, Any]], name: str, wanted: str | None
) -> tuple[tuple[list[Any], list[Any]], tuple[SideSurvey, SideSurvey]]:
    """Sequences of a part, and what they are made of."""
    with no_collection():
        X, y = reader()
        if not len(X):
            raise InputError(f"{name} has no example; leave it out.")
        try:
            sides = [as_outputs(X, "X"), as_outputs(y, "y")]
            if len(sides[0][0]) != len(sides[1][0]):
                n_inputs, n_outputs = (len(side) for side, _ in sides)
                raise InputError(f"X has {n_inputs} sequences but y has {n_outputs}; each needs its own output.")
            forms = (wanted, "NFC" if wanted == "auto" else wanted)
            first, second = (SideSurvey.of(*side, form) for side, form in zip(sides, forms, strict=True))
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
    return (sides[0][0], sides[1][0]), (first, second)


def _encoded(kept: tuple[list[Any], list[Any]], sides: tuple[Side, Side]) -> tuple[Arrays, Any]:
    """A part in numbers, and how many symbols of its inputs its outputs share."""
    first, second = (normalised(given, side.form) for given, side in zip(kept, sides, strict=True))
    inputs, input_offsets = sides[0].encode(first)
    outputs, output_offsets = sides[1].encode(second)
    arrays = {"inputs": inputs, "outputs": outputs}
    arrays |= {"input_lengths": np.diff(input_offsets), "output_lengths": np.diff(output_offsets)}
    return arrays, np.array(shared_symbols(first, second))


class _Here:
    """Parts that this process reads, one at a time."""

    def __init__(self, examples: Examples) -> None:
        self._examples, self.names = examples, examples.names

    def surveys(self, wanted: str | None) -> Iterator[tuple[SideSurvey, SideSurvey]]:
        for reader, name in zip(self._examples.readers, self._examples.names, strict=True):
            yield _surveyed(reader, name, wanted)[1]

    def encoded(self, sides: tuple[Side, Side]) -> Iterator[tuple[Arrays, Any]]:
        for reader, name in zip(self._examples.readers, self._examples.names, strict=True):
            yield _encoded(_surveyed(reader, name, None)[0], sides)


class _OnWorkers:
    """Parts that workers read and keep."""

    def __init__(self, examples: Examples, client: Any) -> None:
        self._examples, self._client, self.names = examples, client, examples.names
        self._kept: list[Any] = []

    def surveys(self, wanted: str | None) -> Iterator[tuple[SideSurvey, SideSurvey]]:
        from weft.scale.cluster import first, gathered, second, submitted

        named = zip(self._examples.readers, self._examples.names, strict=True)
        found = [submitted(self._client, _surveyed, reader, name, wanted) for reader, name in named]
        self._kept = [submitted(self._client, first, each) for each in found]
        told = [submitted(self._client, second, each) for each in found]
        return (gathered(self._client, [each])[0] for each in told)

    def encoded(self, sides: tuple[Side, Side]) -> Iterator[tuple[Arrays, Any]]:
        from weft.scale.cluster import gathered, submitted

        futures = [submitted(self._client, _encoded, each, sides) for each in self._kept]
        return (gathered(self._client, [each])[0] for each in futures)


def _numbered(wanted: str | None, parts: Any) -> ParsedPairs:
    """The symbols of all parts, then the parts in numbers."""
    surveys: Iterable[tuple[SideSurvey, SideSurvey]] = parts.surveys(wanted)
    whole: list[SideSurvey | None] = [None, None]
    for name, own in zip(parts.names, surveys, strict=True):
        for known, each in zip(whole, own, strict=True):
            if known is not None and known.kind != each.kind:
                raise InputError(
                    f"{name} holds {each.kind} but {parts.names[0]} holds {known.kind}; give every part the same form."
                )
        whole = [each if known is None else known.joined(each) for known, each in zip(whole, own, strict=True)]
    chosen = [each.chosen() for each in whole if each is not None]
    sides = [each.side() for each in whole if each is not None]
    arrays: dict[str, list[NDArray[Any]]] = {}
    shared = np.zeros(2, dtype=np.int64)
    for own, counts in parts.encoded((sides[0], sides[1])):
        for name, values in own.items():
            arrays.setdefault(name, []).append(values)
        shared += counts
    joined = {name: np.concatenate(values) for name, values in arrays.items()}
    offsets = [np.concatenate([[0], np.cumsum(joined[f"{name}_lengths"])]) for name in ("input", "output")]
    pairs = Pairs(joined["inputs"], offsets[0], joined["outputs"], offsets[1])
    copying = sides[0].kind == sides[1].kind and 2 * int(shared[0]) >= int(shared[1]) > 0
    return ParsedPairs((sides[0], sides[1]), copying, (chosen[0][1], chosen[1][1]), pairs)


def _written(found: ParsedPairs, folder: Path) -> dict[str, Any]:
    pairs = found.pairs
    arrays = {name: getattr(pairs, name) for name in ("inputs", "input_offsets", "outputs", "output_offsets")}
    for number, side in enumerate(found.sides):
        arrays |= pack_named(f"alphabet{number}", side.alphabet.symbols)
    write_arrays(folder / NUMBERS, arrays)
    return {
        "sides": [[side.kind, side.form] for side in found.sides],
        "copying": bool(found.copying),
        "n_foreign": list(found.n_foreign),
    }


def _read(folder: Path, content: dict[str, Any]) -> ParsedPairs:
    arrays = map_arrays(folder / NUMBERS)
    sides = [
        Side.of_symbols(unpack_named(f"alphabet{number}", arrays), *each)
        for number, each in enumerate(content["sides"])
    ]
    pairs = Pairs(*(arrays[name] for name in ("inputs", "input_offsets", "outputs", "output_offsets")))
    for side, symbols in zip(sides, (pairs.inputs, pairs.outputs), strict=True):
        if symbols.max(initial=-1) >= len(side):
            raise InputError(f"{folder / NUMBERS} is damaged; delete the folder of --spill, and it is made again.")
    return ParsedPairs((sides[0], sides[1]), content["copying"], tuple(content["n_foreign"]), pairs)


# ------------------------------------------------------------------ where sums are made


class RewritePlace:
    """Keeps what a rewriter asks about, in files or on workers.

    Parameters
    ----------
    place : FilePlace or ClusterPlace
    """

    def __init__(self, place: FilePlace | ClusterPlace) -> None:
        self._place = place

    def lattices(self, pairs: Pairs, table: ChunkTable, shards: list[slice]) -> KeptLattices:
        """All alignments of pairs, whose sums are cut into these shards."""

        def parts() -> Iterator[Any]:
            for group in neighbours(shards, self._place.most_parts(len(shards))):
                begin, end = group[0].start, group[-1].stop
                own = pairs.part(slice(begin, end))
                names = ("inputs", "input_offsets", "outputs", "output_offsets")
                arrays = {name: getattr(own, name) for name in names}
                yield arrays, [slice(each.start - begin, each.stop - begin) for each in group], end - begin

        return KeptLattices(self._place.keep(_with_chunks, _bound_lattices, table, parts()))

    def batch(self, chain: CandidateChain, symbols: Ids, offsets: Integers, places: NDArray[np.int16]) -> PartedBatch:
        """The batch of a chain over sequences with these candidates."""
        shards = cut_sequences(np.diff(offsets).astype(np.float64), chain.n_features)

        def parts() -> Iterator[Any]:
            for group in neighbours(shards, self._place.most_parts(len(shards))):
                begin, end = group[0][0].start, group[-1][-1].stop
                bounds = offsets[begin : end + 1]
                here = slice(int(bounds[0]), int(bounds[-1]))
                arrays = {"symbols": symbols[here], "offsets": bounds - bounds[0]}
                cut = [[slice(each.start - begin, each.stop - begin) for each in shard] for shard in group]
                yield {**arrays, "places": places[here].astype(np.int32)}, cut, end - begin

        keeper = self._place.keep(_with_contexts, _bound_batch, chain, parts())
        keeper.facts = keeper.step(facts_of, [()])[0]
        return PartedBatch(keeper, np.ones(len(offsets) - 1))


class KeptLattices:
    """The questions of `ChunkLattices`, asked of all parts together."""

    def __init__(self, keeper: Any) -> None:
        self._keeper = keeper

    def expected_chunks(self, probabilities: Floats) -> tuple[Floats, float]:
        """How often each chunk pair is expected, and the log-likelihood of the pairs."""
        counts, total = self._keeper.ask("expected_chunks", [probabilities], None)
        return counts, float(total)

    def best_chunks(self, logs: Floats) -> tuple[NDArray[np.int8], Floats]:
        """Step that begins at each input symbol on the best path, -1 inside a chunk; log-scores of the paths."""
        chosen, scores = self._keeper.ask("best_chunks", [logs], None)
        return chosen, scores


WORDS = ("input_chunks", "input_offsets", "output_chunks", "output_offsets")


def _with_chunks(table: ChunkTable, arrays: Arrays) -> Arrays:
    names = ("inputs", "input_offsets", "outputs", "output_offsets")
    return dict(zip(WORDS, table.words(Pairs(*(arrays[name] for name in names))), strict=True))


def _bound_lattices(table: ChunkTable, arrays: Arrays, shards: list[slice]) -> ChunkLattices:
    first, second, third, fourth = (arrays[name] for name in WORDS)
    return ChunkLattices(table.checked_words((first, second, third, fourth)), table, shards)


def _with_contexts(chain: CandidateChain, arrays: Arrays) -> Arrays:
    rows, contexts = chain.find(arrays["symbols"], arrays["offsets"])
    return {**arrays, "rows": rows, "contexts": contexts}


def _bound_batch(chain: CandidateChain, arrays: Arrays, shards: list[list[slice]]) -> CandidateBatch:
    found = arrays["rows"], arrays["contexts"]
    batch = CandidateBatch(chain, arrays["symbols"], arrays["offsets"], found, arrays["places"], None, 1)
    batch.set_shards(shards)
    return batch
