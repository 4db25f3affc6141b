"""Models that label tokens, over HTTP."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from weft.errors import InputError
from weft.serve.limits import Cost
from weft.serve.tasks.base import PYTHON, Answer, StructuredTask, as_vectors, ranks, split_blanks
from weft.serve.types import Options
from weft.structures.chain.batch import sparse_tokens
from weft.structures.chain.features import ChainFeatures

__all__ = ["TagTask"]

MOST_NAMES = 100_000
"""Names of more weights take too long to make."""

FORMS = {
    "symbols": ("string", "tokens"),
    "attributes": ("attribute lists",),
    "dicts": ("feature objects",),
    "vectors": ("vectors",),
}


class TagTask(StructuredTask):
    """A `Tagger`."""

    key = "labels"
    lacks = "has no moments of all labellings"

    def __init__(self, kind: Any) -> None:
        super().__init__(kind)
        if not isinstance(self.estimator.chain_, ChainFeatures):
            self.questions = tuple(each for each in self.questions if each != "z_score")
        layout = kind.layout
        self.columns = 1 if layout is None or layout.columns is None else layout.columns
        self.of_characters = layout is not None and layout.input_split == "characters"
        self.tokens_kind = "symbols" if self.estimator.features is not None else self.estimator.encoder_.kind

    @property
    def forms(self) -> tuple[str, ...]:  # type: ignore[override]
        """As the model was trained."""
        return FORMS[self.tokens_kind] if self.columns == 1 else ("rows of columns",)

    @property
    def hint(self) -> str:  # type: ignore[override]
        """What to type."""
        if self.columns > 1:
            return f"Type a token on each line, {self.columns} columns with blanks between them."
        if self.tokens_kind != "symbols":
            return "Type JSON: a list with one entry for each token."
        return "Type a string." if self.of_characters else "Type tokens with blanks between them."

    @cached_property
    def example(self) -> str:
        """The first words of the vocabulary; nothing where a vocabulary is not words."""
        if self.tokens_kind == "symbols" and self.columns == 1 and self.estimator.features is None:
            words = [str(each) for each in self.estimator.encoder_.alphabet.symbols[:6]]
            return ("" if self.of_characters else " ").join(words)
        if self.columns > 1:
            return "\n".join(" ".join(["a"] * self.columns) for _ in range(2))
        return "a b" if self.tokens_kind == "symbols" else ""

    def from_json(self, value: Any) -> Any:
        """Rows of numbers are vectors where the model was trained on such."""
        value = super().from_json(value)
        return as_vectors(value) if self.tokens_kind == "vectors" else value

    def from_text(self, text: str) -> Any:
        """Characters, tokens, rows of columns, or JSON for what nobody types."""
        if self.tokens_kind != "symbols":
            from weft.sequences.formats.jsonl import parse_json

            try:
                return self.from_json(parse_json(text))
            except (ValueError, RecursionError):
                raise InputError(f"the text is not JSON; this model takes {self.forms[0]}: {self.hint}") from None
        if self.columns > 1:
            rows = [line.split() for line in text.splitlines() if line.strip()]
            for number, row in enumerate(rows, start=1):
                if len(row) != self.columns:
                    raise InputError(f"line {number} has {len(row)} columns; needed {self.columns}: fix the line.")
            if not rows:
                raise InputError(f"the text is empty. {self.hint}")
            return rows
        return text if self.of_characters else split_blanks(text)

    def cost(self, value: Any, options: Options) -> Cost:
        """States times labels for each token; probabilities of all labels are a table."""
        n_labels, n_tokens = len(self.estimator.classes_), len(value)
        width = sum(len(token) if isinstance(token, dict | list) else 1 for token in value)
        arcs = float(n_labels) ** (self.estimator.chain_order + 1)
        table = n_tokens * n_labels * 8.0
        passes = 1 + ranks(options) + 3 * options.confidence + 3 * options.marginals + 6 * options.z_score
        return Cost(
            n_tokens * (arcs * 2e-9 * passes + PYTHON) + width * PYTHON,
            table * (2 + options.kbest) + (table * 6 if options.marginals else 0.0),
        )

    def encoded(self, inputs: list[Any]) -> Any:
        """A corpus."""
        return self.estimator.encode(inputs)

    def marginals(self, inputs: Any) -> list[Any]:
        """A row for each token, in the order of the labels."""
        return [own.tolist() for own in self.estimator.predict_proba(inputs)]

    def explain(self, value: Any, tags: Any, top: int) -> tuple[Answer, dict[str, Any]]:
        """For each token the probabilities of the likeliest labels and the weights that speak for its label.

        Weights of latent states belong to windows, not to tokens: a spectral model has them for the whole sequence.
        """
        [answer] = self.answers([value], None, Options(marginals=True))
        rows, labels, names = answer.pop("marginals"), answer["labels"], self.estimator.structure_.names
        told: dict[str, Any] = {}
        is_plain = isinstance(self.estimator.chain_, ChainFeatures)
        if not is_plain and len(self.estimator.weights_) <= MOST_NAMES:
            told = super().explain(value, tags, top)[1]
        features = self._features(value, labels, top) if is_plain else [[] for _ in labels]
        told["tokens"] = []
        for row, label, own in zip(rows, labels, features, strict=True):
            order = np.argsort(-np.array(row), kind="stable")[:5].tolist()
            rivals = [{"label": names[k], "probability": row[k]} for k in order]
            told["tokens"].append({"label": label, "rivals": rivals, "features": own})
        return answer, told

    def _features(self, value: Any, labels: list[Any], top: int) -> list[list[dict[str, Any]]]:
        """Weights of the attributes of each token with its label, the strongest first."""
        tagger, names = self.estimator, self.estimator.structure_.names
        tokens, chain = sparse_tokens(tagger.encode([value])), tagger.chain_
        known, bounds = tagger.encoder_.alphabet.symbols, chain.pair_offsets
        found = []
        for place, label in enumerate(labels):
            number = names.index(label)
            own: list[dict[str, Any]] = []
            for entry in range(int(tokens.offsets[place]), int(tokens.offsets[place + 1])):
                attribute = int(tokens.ids[entry])
                size = float(tokens.values[entry]) if len(tokens.values) else 1.0  # plain symbols have no values
                begin, end = bounds[attribute], bounds[attribute + 1]
                for where in np.flatnonzero(chain.pair_labels[begin:end] == number).tolist():
                    weight = float(tagger.weights_[begin + where])
                    own.append({"name": str(known[attribute]), "weight": weight, "contribution": weight * size})
            own.sort(key=lambda each: -abs(each["contribution"]))
            found.append(own[:top])
        return found
