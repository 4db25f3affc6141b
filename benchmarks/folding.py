"""Folding against ViennaRNA: the same energies, the same minima, the same time or less, as many right pairs."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.harness import Entry, Side

if TYPE_CHECKING:
    from benchmarks.measure import Meter

LENGTHS = {100: 400, 400: 60, 1000: 10, 3000: 2}
"""Sequences to fold, by their length."""
BEAM_WIDTH, LONG = 100, 3000
"""Beam of those that are so long."""
GROWTH = {"ViennaRNA": (500, 1000, 2000), "weft": (500, 1000, 2000, 4000, 8000, 16000)}
"""Lengths at which time and memory are measured, one sequence each."""
QUICK = 10
N_MINIMA, SHORTEST, LONGEST = 1000, 20, 200
N_SEQUENCES, N_STRUCTURES = 500, 20
FLAT = 0.3
"""Structures are drawn as if it were so much colder: energies count less, and rare loops turn up."""
CLOSE = 0.005
"""Energies are whole numbers of 0.01 kcal/mol: two that differ by less are equal."""


class Structures(NamedTuple):
    """Sequences, each with several structures."""

    sequences: list[str]
    structures: list[str]


def rna(length: int, quick: bool) -> list[str]:
    """Random sequences, always the same."""
    source = random.Random(length)
    return ["".join(source.choices("ACGU", k=length)) for _ in range(min(QUICK if quick else LONG, LENGTHS[length]))]


def many_lengths(n: int, quick: bool) -> list[str]:
    """Random sequences of many lengths."""
    source = random.Random(n)
    return ["".join(source.choices("ACGU", k=source.randint(SHORTEST, LONGEST))) for _ in range(QUICK if quick else n)]


def drawn_structures(quick: bool) -> Structures:
    """Random structures of random sequences, drawn by ViennaRNA."""
    import RNA

    details = RNA.md()
    details.uniq_ML, details.betaScale = 1, FLAT
    RNA.init_rand(1)
    found = Structures([], [])
    for sequence in many_lengths(N_SEQUENCES, quick):
        compound = RNA.fold_compound(sequence, details)
        compound.pf()
        drawn = compound.pbacktrack(N_STRUCTURES)
        found.sequences.extend([sequence] * len(drawn))
        found.structures.extend(drawn)
    return found


def folder(**parameters: Any) -> Any:
    """A folder with the parameters of ViennaRNA."""
    import RNA

    import weft

    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "vienna.par")
        RNA.params_save(str(path))
        return weft.Folder.from_energies(path, **parameters)


# ------------------------------------------------------------------- ViennaRNA


def vienna_fold(sequences: list[str], meter: Meter) -> dict[str, float]:
    """Minimum free energies and their structures."""
    import RNA

    with meter.phase("fold", tokens=len(sequences)):
        found = [RNA.fold(sequence) for sequence in sequences]
    return {"energy": sum(energy for _, energy in found)}


def vienna_energies(data: Structures, meter: Meter) -> dict[str, float]:
    """Energies of given structures."""
    import RNA

    with meter.phase("energies", tokens=len(data.sequences)):
        found = [RNA.eval_structure_simple(x, y) for x, y in zip(*data, strict=True)]
    return {"energy": sum(found)}


def vienna_archive(data: Archive, meter: Meter) -> dict[str, float]:
    """F1 of the pairs of the structures of minimum free energy."""
    import RNA

    with meter.phase("fold", tokens=len(data.sequences)):
        found = [RNA.fold(sequence)[0] for sequence in data.sequences]
    return {"f1": mean_f1(data, found)}


# ------------------------------------------------------------------------ weft


def weft_fold(
    sequences: list[str], meter: Meter, checked: bool = False, beam_width: int | None = None
) -> dict[str, float]:
    """The same, by the same parameters; `checked` counts the sequences with another minimum than ViennaRNA's."""
    model = folder(decode="best", beam_width=beam_width)
    model.predict(["GGGAAACCC"] * 2)
    with meter.phase("fold", tokens=len(sequences)):
        structures = model.predict(sequences)
    energies = model.energy(sequences, structures)
    if not checked:
        return {"energy": float(energies.sum())}
    import RNA

    minima = [RNA.fold(sequence)[1] for sequence in sequences]
    n_other = sum(abs(own - wanted) > CLOSE for own, wanted in zip(energies, minima, strict=True))
    return {"energy": float(energies.sum()), "other minima": float(n_other)}


def weft_energies(data: Structures, meter: Meter) -> dict[str, float]:
    """The same, and the largest difference from ViennaRNA's."""
    import RNA

    model = folder()
    model.energy(data.sequences[:1], data.structures[:1])
    with meter.phase("energies", tokens=len(data.sequences)):
        found = model.energy(*data)
    wanted = [RNA.eval_structure_simple(x, y) for x, y in zip(*data, strict=True)]
    largest = max(abs(own - other) for own, other in zip(found, wanted, strict=True))
    return {"energy": float(found.sum()), "largest difference": float(largest)}


def weft_archive(data: Archive, meter: Meter) -> dict[str, float]:
    """F1 of the structures of minimum free energy, and of those of the largest expected accuracy; no file."""
    import weft

    best, expected = weft.Folder.from_energies(decode="best"), weft.Folder.from_energies()
    with meter.phase("fold", tokens=len(data.sequences)):
        found = best.predict(data.sequences)
    return {"f1": mean_f1(data, found), "expected f1": mean_f1(data, expected.predict(data.sequences))}


def warm_up() -> None:
    """Compile."""
    import weft

    for decode in ("best", "expected"):
        weft.Folder.from_energies(decode=decode).predict(["GGGAAACCC"] * 2)


def weft_archive_beam(data: Archive, meter: Meter, beam_width: int | None = None) -> dict[str, float]:
    """Structures of minimum free energy by the parameters of ViennaRNA, exact or by a beam."""
    model = folder(decode="best", beam_width=beam_width)
    model.predict(["GGGAAACCC"] * 2)
    with meter.phase("fold", tokens=len(data.sequences)):
        found = model.predict(data.sequences)
    energies = model.energy(data.sequences, found)
    return {"f1": mean_f1(data, found), "energy": float(energies.mean()), "highest gap": gap_to_exact(data, energies)}


def gap_to_exact(data: Archive, energies: Any) -> float:
    """How far the energies are above the minima at most."""
    exact = folder(decode="best")
    minima = exact.energy(data.sequences, exact.predict(data.sequences))
    return float((energies - minima).max())


# ---------------------------------------------------------------------- growth


def growing(quick: bool) -> dict[int, str]:
    """A random sequence of each length."""
    lengths = GROWTH["ViennaRNA"] if quick else GROWTH["weft"]
    return {length: "".join(random.Random(length).choices("ACGU", k=length)) for length in lengths}


def measured_growth(sequences: dict[int, str], meter: Meter, tool: str, fold: Callable[[str], Any]) -> dict[str, float]:
    """CPU seconds of each length, and by how many MB the process has grown until then."""
    from benchmarks.measure import cpu_seconds, peak_memory_mb

    found, before = {}, peak_memory_mb()
    lengths = [length for length in GROWTH[tool] if length in sequences]
    with meter.phase("fold", tokens=sum(lengths)):
        for length in lengths:
            start = cpu_seconds()
            fold(sequences[length])
            found[f"s of {length}"] = cpu_seconds() - start
            found[f"MB of {length}"] = peak_memory_mb() - before
    return found


def vienna_growth(sequences: dict[int, str], meter: Meter) -> dict[str, float]:
    """Time and memory of ViennaRNA."""
    import RNA

    return measured_growth(sequences, meter, "ViennaRNA", RNA.fold)


def weft_growth(sequences: dict[int, str], meter: Meter) -> dict[str, float]:
    """Time and memory of a beam."""
    model = folder(decode="best", beam_width=BEAM_WIDTH)
    model.predict(["GGGAAACCC"] * 2)
    return measured_growth(sequences, meter, "weft", lambda sequence: model.predict([sequence]))


def warm_up_beam() -> None:
    """Compile."""
    import weft

    weft.Folder.from_energies(beam_width=BEAM_WIDTH).predict(["GGGAAACCC"] * 2)


class Archive(NamedTuple):
    """Sequences with their families and pairs."""

    families: list[str]
    sequences: list[str]
    pairs: list[Any]


def archive(quick: bool) -> Archive:
    """Forty sequences of each family of ArchiveII, or as many as there are."""
    from weft.experiments.public_sets.archiveii import FAMILIES, pick

    found = Archive([], [], [])
    for family in FAMILIES:
        sequences, pairs = pick(family, 2 if quick else 40, 512, 0)
        found.families.extend([family] * len(sequences))
        found.sequences.extend(sequences)
        found.pairs.extend(pairs)
    return found


def mean_f1(data: Archive, structures: list[str]) -> float:
    """Mean over families of the mean F1 of their structures, in percent."""
    from weft.experiments.public_sets.archiveii import f1
    from weft.losses import base_pairs

    own: dict[str, list[float]] = {}
    for family, wanted, found in zip(data.families, data.pairs, structures, strict=True):
        own.setdefault(family, []).append(f1(wanted, base_pairs(found)))
    return sum(sum(scores) / len(scores) for scores in own.values()) / len(own)


ENTRIES = [
    *(
        Entry(
            name=f"fold-{length}",
            description=f"random RNA of {length} bases, minimum free energy by the parameters of ViennaRNA",
            prepare=partial(rna, length),
            peer=Side("ViennaRNA", vienna_fold),
            weft=Side("weft", weft_fold, warm_up),
        )
        for length in LENGTHS
    ),
    Entry(
        name=f"fold-{LONG}-beam",
        description=f"random RNA of {LONG} bases by a beam of {BEAM_WIDTH}; ViennaRNA finds the minimum free energy",
        prepare=partial(rna, LONG),
        peer=Side("ViennaRNA", vienna_fold),
        weft=Side("weft", partial(weft_fold, beam_width=BEAM_WIDTH), warm_up_beam),
    ),
    Entry(
        name="fold-beam",
        description=f"ArchiveII, minimum free energy by the parameters of ViennaRNA, by a beam of {BEAM_WIDTH}",
        prepare=archive,
        peer=Side("weft exact", weft_archive_beam, warm_up),
        weft=Side("weft", partial(weft_archive_beam, beam_width=BEAM_WIDTH), warm_up_beam),
    ),
    Entry(
        name="fold-growth",
        description=f"one random RNA of each length, ViennaRNA and a beam of {BEAM_WIDTH}: CPU seconds and memory",
        prepare=growing,
        peer=Side("ViennaRNA", vienna_growth),
        weft=Side("weft", weft_growth, warm_up_beam),
    ),
    Entry(
        name="fold-minima",
        description=f"minimum free energies of {N_MINIMA:,} random RNAs of {SHORTEST} to {LONGEST} bases",
        prepare=partial(many_lengths, N_MINIMA),
        peer=Side("ViennaRNA", vienna_fold),
        weft=Side("weft", partial(weft_fold, checked=True), warm_up),
    ),
    Entry(
        name="fold-energies",
        description=f"free energies of {N_SEQUENCES * N_STRUCTURES:,} random structures",
        prepare=drawn_structures,
        peer=Side("ViennaRNA", vienna_energies),
        weft=Side("weft", weft_energies, warm_up),
    ),
    Entry(
        name="fold-archiveii",
        description="ArchiveII, minimum free energy: the parameters of ViennaRNA against those of weft",
        prepare=archive,
        peer=Side("ViennaRNA", vienna_archive),
        weft=Side("weft", weft_archive, warm_up),
    ),
]
