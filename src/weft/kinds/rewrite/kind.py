"""Models that rewrite strings: how they are read, asked and scored."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from weft.errors import InputError
from weft.kinds.base import Answer
from weft.kinds.measures import Measure
from weft.kinds.rewrite.files import (
    SUFFIXES,
    RewriteExample,
    RewriteFormat,
    RewriteLayout,
    iter_rewrite_examples,
    join_references,
    read_rewrite_training,
)
from weft.kinds.rewrite.units import GivenUnits, split_at_blanks
from weft.kinds.strings import StringKind
from weft.sequences.formats.table import joined_row
from weft.sequences.formats.text import Source

if TYPE_CHECKING:
    from weft.scale import Examples

N_BEAM = 300
"""Inputs whose search is repeated with a wide beam, to say what the narrow one loses."""


class RewriteKind(StringKind):
    """A `Rewriter`."""

    command = "rewrite"
    input_name, reference_name = "input", "outputs"
    task = "rewrites strings symbol by symbol"
    doing = "rewriting"
    formats = RewriteFormat
    suffixes = SUFFIXES
    keeps_format = False
    has_columns = True
    takes_parts = True
    batch = 1000
    evaluated: ClassVar = {
        "word_error": ("string_error", "word error"),
        "symbol_error": ("symbol_error", "symbol error"),
    }
    layout = RewriteLayout()
    units: GivenUnits = (None, None)
    """Of a training: what the user says of inputs and outputs."""

    def recall(self) -> None:
        """Which sides are tokens, and whether there are tags."""
        sides = (self.estimator.input_side_.kind, self.estimator.output_side_.kind)
        column = self.facts.get("tags")
        known = column if column in ("second", "third") else "second"
        tags = known if self.estimator.has_tags_ else "none"
        self.layout = RewriteLayout(sides[0] == "tokens", sides[1] == "tokens", tags)

    # ---------------------------------------------------------------- reading

    def iter_examples(self, source: Source, file_format: Any, labelled: bool) -> Iterator[RewriteExample]:
        """Lines of a file."""
        return iter_rewrite_examples(source, self.layout, labelled, file_format, self.columns)

    def to_compare(self, file: str, file_format: Any) -> list[RewriteExample]:
        """All lines of a file, split as its own blanks say."""
        chosen = self.choose_format(file, file_format, labelled=True)
        return read_rewrite_training(self.open(file), self.layout.tags, chosen, self.columns)[0]

    def to_score(self, examples: list[RewriteExample]) -> list[RewriteExample]:
        """The references of an input that stands in several lines are put together."""
        return join_references(examples)

    def references_of(self, example: RewriteExample) -> list[Any]:
        """All outputs, in the form in which the model writes them."""
        from weft.estimators.rewrite.inputs import normalised

        side = getattr(self.estimator, "output_side_", None)
        return example.outputs if side is None else list(normalised(example.outputs, side.form))

    def group(self, example: RewriteExample) -> Any:
        """Of one input all outputs are in one fold."""
        return str((example.input, example.tags))

    def _tags(self, examples: Sequence[RewriteExample]) -> list[str] | None:
        return None if self.layout.tags == "none" else [example.tags or "" for example in examples]

    # --------------------------------------------------------------- learning

    def fit(self, estimator: Any, examples: list[RewriteExample], dev: list[RewriteExample] | None = None) -> Any:
        """Train on pairs; an input with several outputs stands there several times."""
        X, y, tags = self._columns(examples)
        X_dev, y_dev, tags_dev = self._columns(dev) if dev else (None, None, None)
        return estimator.fit(X, y, tags=tags, X_dev=X_dev, y_dev=y_dev, tags_dev=tags_dev)

    def learned_from(self, examples: list[RewriteExample]) -> tuple[list[Any], list[Any]]:
        """Inputs and outputs, an input with several outputs several times."""
        X, y, _ = self._columns(examples)
        return X, y

    def parts(self) -> Examples:
        """Pieces of files, laid out as the first one is."""
        from weft.kinds.parted import PAIR_CUTS, examples_in_files

        return examples_in_files(self, self.file, RewriteFormat(self.notes["input"]["format"]), PAIR_CUTS)

    def check_part(self, examples: list[RewriteExample], name: str) -> None:
        """Refuse a part that would be split at blanks, while the first one is split into characters."""
        for units, (side, given) in zip(self.units, self.sides(examples).items(), strict=True):
            texts = [text for text in given if isinstance(text, str)]
            if units is None and split_at_blanks(texts):
                text = next(each for each in texts if " " in each.strip())
                raise InputError(
                    f"most {side}s of {name} have blanks, as {text[:40]!r} has, those of the first part few or none; "
                    f"say --{side}-units characters or blanks, for all parts."
                )

    def sides(self, examples: Sequence[RewriteExample]) -> dict[str, list[Any]]:
        """All inputs, and all outputs."""
        return {
            "input": self.inputs(examples),
            "output": [text for example in examples for text in example.outputs],
        }

    def entries(self, examples: Sequence[RewriteExample]) -> list[int]:
        """An example with several outputs is learned from several times."""
        return [i for i, example in enumerate(examples) for _ in example.outputs]

    def _columns(self, examples: list[RewriteExample]) -> tuple[list[Any], list[Any], list[str] | None]:
        repeated = [example for example in examples for _ in example.outputs]
        return (
            self.inputs(repeated),
            [output for example in examples for output in example.outputs],
            self._tags(repeated),
        )

    def predict(self, estimator: Any, examples: list[RewriteExample]) -> list[Any]:
        """The best outputs with their probabilities."""
        found = estimator.predict_kbest(self.inputs(examples), 1, self._tags(examples))
        return [best[0] for best in found]

    def training_facts(self, estimator: Any) -> dict[str, Any]:
        """Sizes of data and model."""
        return {
            "pairs": estimator._n_examples,
            "skipped": len(estimator.skipped_),
            "input_symbols": len(estimator.input_side_),
            "output_symbols": len(estimator.output_side_),
            "weights": sum(model.n_weights for model in estimator.models_),
        }

    # -------------------------------------------------------------- answering

    def asked(self, examples: list[RewriteExample]) -> dict[str, Any]:
        """Their tags."""
        return {"tags": self._tags(examples)}

    def answers(self, examples: list[RewriteExample]) -> list[Answer]:
        """The best outputs, always with probabilities."""
        return [self.ranked_answer(each) for each in self.ranked(examples)]

    def text_lines(self, example: RewriteExample, answer: Answer, file_format: Any, number: int) -> Iterator[str]:
        """Input, tags, outputs, their probabilities."""
        outputs, probabilities = self.fields(answer)
        given, after = {
            "none": (example.raw[:1], []),
            "second": (example.raw[:2], []),
            "third": (example.raw[:1], example.raw[-1:]),
        }[self.layout.tags]
        yield joined_row([*given, *outputs, *after, *probabilities], file_format == RewriteFormat.CSV)

    def json_item(self, example: RewriteExample) -> dict[str, Any]:
        """Input, tags and references, as far as they are there."""
        item = {"input": example.input}
        if example.tags is not None:
            item["tags"] = example.tags
        return {**item, "gold": example.outputs} if example.outputs else item

    # ---------------------------------------------------------------- scoring

    def counts(self, examples: list[RewriteExample], measures: Mapping[str, Measure]) -> dict[str, int]:
        """Words and symbols."""
        n_words, n_symbols = super().counts(examples, measures).values()
        return {"words": n_words, "symbols": n_symbols}

    def more_scores(
        self, examples: list[RewriteExample], predicted: list[Any], measures: Mapping[str, Measure]
    ) -> dict[str, Any]:
        """Error rates, and the share of outputs that a wider beam changes."""
        chosen = [example for example in examples if len(example.input)][:N_BEAM]
        loss = {"changed": 0.0, "mean_gap": 0.0}
        if chosen:
            wide = 10 * self.estimator.beam_width
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # said of the predictions
                loss = self.estimator.beam_loss(self.inputs(chosen), self._tags(chosen), beam_width=wide)
        return {**super().more_scores(examples, predicted, measures), "beam_loss": {**loss, "inputs": len(chosen)}}

    def print_scores(self, file: str, facts: Mapping[str, Any], measures: Mapping[str, Measure]) -> None:
        """Error rates, and what the beam loses."""
        super().print_scores(file, facts, measures)
        beam = facts["beam_loss"]
        print(f"\nA ten times wider beam changes {100 * beam['changed']:.2f} % of {beam['inputs']:,} outputs.")
