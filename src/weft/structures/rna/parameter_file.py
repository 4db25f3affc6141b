"""Free energies in files of the format that ViennaRNA reads and writes (``## RNAfold parameter file v2.0``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of, read_lines
from weft.structures.rna.nearest_neighbours import NearestNeighbours
from weft.structures.rna.tables import LONGEST_LOOP, N_SPECIAL, PAIRS

WORDS = {"INF": 1e5, "DEF": -50.0, "NST": 0.0}
"""What stands for a number; none is so large in a loop that can be."""
N_LENGTHS = LONGEST_LOOP + 1
SHAPES: dict[str, tuple[int, ...]] = {
    "stack": (7, 7),
    **dict.fromkeys(
        (
            "mismatch_hairpin",
            "mismatch_interior",
            "mismatch_interior_1n",
            "mismatch_interior_23",
            "mismatch_multi",
            "mismatch_exterior",
        ),
        (7, 5, 5),
    ),
    **dict.fromkeys(("dangle5", "dangle3"), (7, 5)),
    "int11": (7, 7, 5, 5),
    "int21": (7, 7, 5, 5, 5),
    "int22": (6, 6, 4, 4, 4, 4),
    **dict.fromkeys(("hairpin", "bulge", "interior"), (N_LENGTHS,)),
    "ml_params": (6,),
    "ninio": (3,),
    "misc": (6,),
}
"""Sections, each with as many numbers as it has."""
SPECIAL = {"hexaloops": 8, "tetraloops": 6, "triloops": 5}
"""Sections of hairpins, and the letters of each with the pair that closes it."""
HEADER = "## RNAfold parameter file v2.0"


def read_parameter_file(source: Source) -> NearestNeighbours:
    """Tables of a parameter file; enthalpies are left out, for energies are those at 37 degrees Celsius.

    Examples
    --------
    >>> import io
    >>> read_parameter_file(io.StringIO("# stack"))
    Traceback (most recent call last):
        ...
    weft.errors.InputError: <stream>, line 1: '# stack' given; a file that begins '## RNAfold parameter file v2.0' is \
needed, as RNA.params_save of ViennaRNA writes it.
    """
    where = name_of(source)
    numbers: dict[str, list[float]] = {}
    ends: dict[str, str] = {}
    special: dict[str, float] = {}
    for place, section, line in _sections(source, where):
        if section in SPECIAL:
            name, energy = _hairpin(line, SPECIAL[section], f"{where}, line {place}")
            special[name] = energy
        elif section in SHAPES:
            ends[section] = f"{where}, line {place}"
            numbers.setdefault(section, []).extend(_number(word, ends[section]) for word in line.split())
    if len(special) > N_SPECIAL:
        raise InputError(f"{where}: {len(special)} hairpins with an energy of their own; need at most {N_SPECIAL}.")
    tables = {section: _table(section, numbers.get(section, []), ends.get(section, where)) for section in SHAPES}
    return _assembled(tables, special)


def _sections(source: Source, where: str) -> Iterator[tuple[int, str, str]]:
    """Lines with something in them: number, name of their section, text without comments."""
    section = None
    for place, line in read_lines(source):
        if place == 1 and not line.startswith(HEADER):
            raise InputError(
                f"{where}, line 1: {line[:40]!r} given; a file that begins {HEADER!r} is needed, as RNA.params_save of "
                "ViennaRNA writes it."
            )
        # What is opened and not closed is found once, and stays: else a line of "/* /* /*" takes quadratic time.
        line = re.sub(r"/\*.*?(\*/|$)", lambda comment: " " if comment[1] else comment[0], line).strip()
        if line.startswith("#"):
            section = line.strip("# ").lower().replace("internal", "interior")
            if section == "end":
                return
        elif line and section is not None:
            yield place, section, line


def _number(word: str, where: str) -> float:
    try:
        value = WORDS[word] if word in WORDS else float(word)
    except ValueError:
        raise InputError(f"{where}: {word!r} given; a number in 0.01 kcal/mol is needed, or INF or DEF.") from None
    if not abs(value) <= WORDS["INF"]:
        if value > 0:  # how some files write infinity
            return WORDS["INF"]
        raise InputError(f"{where}: {word!r} given; an energy in 0.01 kcal/mol is needed.")
    return value


def _hairpin(line: str, length: int, where: str) -> tuple[str, float]:
    letters, *numbers = line.split()
    name = letters.lower().replace("t", "u")
    if not numbers or len(name) != length or name[0] + name[-1] not in PAIRS or not set(name) <= set("acgu"):
        raise InputError(
            f"{where}: {line[:40]!r} given; {length} letters A, C, G, U that begin and end with a pair are needed, and "
            "an energy in 0.01 kcal/mol."
        )
    return name, _number(numbers[0], where) / 100.0


def _table(section: str, numbers: list[float], where: str) -> Floats:
    shape = SHAPES[section]
    if section == "misc" and len(numbers) == 4:  # older files leave LXC out
        numbers = [*numbers, 107.856, 0.0]
    if len(numbers) != np.prod(shape):
        raise InputError(
            f"{where}: section {section!r} has {len(numbers)} numbers; {np.prod(shape)} are needed: write the file "
            "again with RNA.params_save of ViennaRNA."
        )
    return np.array(numbers).reshape(shape) / 100.0


def _assembled(tables: dict[str, Floats], special: dict[str, float]) -> NearestNeighbours:
    multi, ninio, misc = tables.pop("ml_params"), tables.pop("ninio"), tables.pop("misc")
    own: dict[str, Any] = {}
    for name, table in tables.items():
        pairs = {"stack": 2, "int11": 2, "int21": 2}.get(name, 1 if table.ndim > 1 else 0)
        own[name] = table[(slice(6),) * pairs]  # the last row is for pairs of other letters
    own["int22"] = _with_others(tables["int22"])
    return NearestNeighbours(
        **own,
        asymmetry=float(ninio[0]),
        most_asymmetry=float(ninio[2]),
        multi_base=float(multi[0]),
        multi_close=float(multi[2]),
        multi_branch=float(multi[4]),
        terminal_au=float(misc[2]),
        lxc=float(misc[4]),
        special=special,
    )


def _with_others(table: Floats) -> Floats:
    """A table by four letters for those five that begin with any other: it has the largest energy that there is."""
    for axis in range(2, table.ndim):
        table = np.concatenate([table.max(axis=axis, keepdims=True), table], axis=axis)
    return table
