"""What a window should tell of words: `python -m benchmarks.windows [SET ...]`.

The template that `weft train tag` takes for words, beside that of version 0.1 and the steps between them: longer
prefixes and suffixes, and the window in lower case alone instead of beside the words as written. All are learned by the
default CRF. Sets, sizes and stars are those of `benchmarks.strengths`: training parts alone, stars beside the first
column.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import weft
from benchmarks.strengths import SETS, Way, compared, print_table

BEFORE = {"width": 2, "ngrams": 2, "affixes": 3, "shape": True}
TEMPLATES = {
    "before": BEFORE,
    "affixes 5": BEFORE | {"affixes": 5},
    "lower": BEFORE | {"lower": True},
    "both": BEFORE | {"affixes": 5, "lower": True},
    "both, no runs": BEFORE | {"affixes": 5, "lower": True, "ngrams": 1},
    "both, width 1": BEFORE | {"affixes": 5, "lower": True, "width": 1},
}
WORDS = (
    "tags, words",
    "Spanish tags, words",
    "entities, words",
    "entities, words and tags",
    "chunks, words",
    "chunks, words and tags",
)
TIMED = ("before", "both")
SIZES = (50, 200, 800)


def rows(name: str) -> list[tuple[str, ...]]:
    """A row for each size of a set."""
    ways = {title: Way(weft.WindowFeatures(**each), None) for title, each in TEMPLATES.items()}
    return compared(name, replace(SETS[name](), sizes=SIZES), ways, TIMED)


def main(names: list[str]) -> int:
    """Print the table, of all sets or of those named."""
    return print_table(names, WORDS, [*TEMPLATES, *(f"CPU s, {each}" for each in TIMED)], rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
