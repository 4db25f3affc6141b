"""Small model files of every class that can be saved, as a released weft wrote them, and what each answers.

`tests/golden/` has for each format version and each name `NAME-format-VERSION.weft` and, in a JSON file of the same
name, questions and right answers. `python tests/golden_models.py` writes those of the present format version that are
missing. It leaves others alone: after a release they are never written again, since a model that this weft has written
says nothing about files of an older one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import weft
from fuzzing.model_zoo import ZOO
from weft.core import DerivationGraph
from weft.model_file import FORMAT_VERSION
from weft.structures import GraphStructure

__all__ = ["NAMES", "golden_file", "loaded", "plain"]

GOLDEN = Path(__file__).parent / "golden"
OWN_STRUCTURE = "structure of one's own"
NAMES = (
    "tagger of windows", "tagger with constraints", "tagger of word classes", "word classes", "spectral tagger",
    "stacked tagger", "aligner", "chunk aligner", "folder", "folder of loops", "parser", "rewriter",
    "rewriter with tags", "rewriter with a network", "classifier", "calibrated classifier", "classifier by support",
    "classifier by four grams", "regressor", "dependency estimator", "dependency estimator of strings",
    "language model", OWN_STRUCTURE,
)  # fmt: skip


class Choice(GraphStructure):
    """One character of a string, by which letter it is."""

    def __init__(self, feature_names: Any = ()) -> None:
        self.feature_names = list(feature_names)

    def collect(self, X: Any, y: Any) -> Choice:
        """With the letters of the training data."""
        return Choice(sorted({letter for x in X for letter in x}))

    def compile(self, x: Any) -> DerivationGraph:
        """A node that each character derives."""
        return DerivationGraph.build([0] * len(x), [[-1, -1]] * len(x), list(range(len(x))), 1, len(x))

    def part_features(self, x: Any) -> Any:
        """Which letter a character is."""
        return csr_array([[float(name == letter) for name in self.feature_names] for letter in x])

    def encode(self, x: Any, y: Any) -> list[int]:
        """The place of the character."""
        return [y]

    def decode(self, x: Any, parts: Any) -> int:
        """The place of the character."""
        return int(parts[0])


def golden_file(name: str, version: int, suffix: str = ".weft") -> Path:
    """Where a model of a format version is, or its questions and answers."""
    return GOLDEN / f"{name.replace(' ', '-').replace(chr(39), '')}-format-{version}{suffix}"


def loaded(name: str, version: int) -> Any:
    """The model of a file; one on a structure of one's own needs that."""
    structure = {"structure": Choice()} if name == OWN_STRUCTURE else {}
    return weft.load(golden_file(name, version), **structure)


def plain(value: Any) -> Any:
    """As JSON has it: no arrays, no tuples."""
    return json.loads(json.dumps(value, default=lambda each: np.asarray(each).tolist()))


def rewriter(name: str) -> Any:
    """On fewer words than those of the zoo, so that files are small."""
    network = weft.RecurrentNetwork(1, 4, 4, 4, 4, max_iter=2) if "network" in name else None
    words, tags = ["ab", "ba", "aab", "abb"], [["V"], ["N"], ["V"], ["N"]] if "tags" in name else None
    model = weft.Rewriter(context=1, beam_width=5, network=network, random_state=0)
    return model.fit(words, ["xy", "yx", "xxy", "xyy"], tags=tags)


def write(name: str) -> None:
    """Fit a model, save it, and note what it answers."""
    query, options = "predict", dict[str, Any]()
    if name == OWN_STRUCTURE:
        X = ["abc", "bca", "cab", "ab", "ba"]
        model: Any = weft.StructuredEstimator(Choice(), weft.CRF(max_iter=5)).fit(X, [x.index("b") for x in X])
        inputs: Any = ["acb", "bc"]
    elif "rewriter" in name:
        model, inputs = rewriter(name), ["ba", "bab"]
        options = {"tags": ["V", "N"]} if "tags" in name else {}
    else:  # files of what weft no longer writes, such as a default of before, are there and stay
        animal = ZOO[name]
        model, inputs, query, options = animal.make(), animal.inputs, animal.queries[0], animal.options or {}
    outputs = getattr(model, query)(inputs, **options)
    weft.save(model, golden_file(name, FORMAT_VERSION))
    kept = plain({"query": query, "inputs": inputs, "options": options, "outputs": outputs})
    golden_file(name, FORMAT_VERSION, ".json").write_text(json.dumps(kept, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    for each in NAMES:
        if golden_file(each, FORMAT_VERSION).exists():
            print(f"{each}: is there, and stays")
        else:
            write(each)
            print(f"{each}: {golden_file(each, FORMAT_VERSION).stat().st_size:,} bytes")
