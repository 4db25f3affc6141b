"""What classes of words bring a tagger: `python -m benchmarks.classes [SET ...]`.

The template of `weft train tag` alone, with 100 classes of words (`--classes`), and with the beginnings of their paths
(`--class-prefixes 4,6,10`). Classes are learned from the words of all sentences of the training part but those that are
scored, without labels. Sets, sizes and stars are those of `benchmarks.strengths`: training parts alone, stars beside
the first column.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import weft
from benchmarks.strengths import N_TEST, SETS, Way, compared, print_table
from benchmarks.windows import SIZES, TEMPLATES, WORDS

TEMPLATE = TEMPLATES["both"]
PREFIXES = [4, 6, 10]
TITLES = ("no classes", "classes", "and beginnings")
TIMED = (TITLES[0], TITLES[2])


def rows(name: str) -> list[tuple[str, ...]]:
    """A row for each size of a set."""
    data = replace(SETS[name](), sizes=SIZES)
    classes = weft.WordClasses().fit(data.X[N_TEST:])
    given = {}, {"classes": classes}, {"classes": classes, "class_prefixes": PREFIXES}
    ways = {
        title: Way(weft.WindowFeatures(**TEMPLATE, **each), None) for title, each in zip(TITLES, given, strict=True)
    }
    return compared(name, data, ways, TIMED)


def main(names: list[str]) -> int:
    """Print the table, of all sets or of those named."""
    return print_table(names, WORDS, [*TITLES, *(f"CPU s, {each}" for each in TIMED)], rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
