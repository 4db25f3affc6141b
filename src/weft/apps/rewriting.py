"""`weft predict` and `weft evaluate` for models that rewrite strings."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.apps.rewrite_files import (
    RewriteExample,
    RewriteLayout,
    iter_rewrite_examples,
    join_references,
    load_rewriter,
)
from weft.apps.streaming import write_answers
from weft.apps.terminal import print_json, status
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.estimators.rewriter import Rewriter

__all__ = ["evaluate_rewriter", "predict_rewriter"]

CHUNK = 1000
N_BEAM = 300
"""Inputs whose search is repeated with a wide beam, to say what the narrow one loses."""


def predict_rewriter(model: Path, source: Any, output: str, kbest: int, confidence: bool, as_json: bool) -> None:
    """Write the output of each input; `source` calls back before it waits for more input, see `weft.apps.predict`."""
    rewriter, layout = load_rewriter(model)

    def lines(examples: list[RewriteExample]) -> Iterator[str]:
        for example, ranked in zip(examples, _answers(rewriter, examples, kbest), strict=True):
            yield _json_line(example, ranked, kbest) if as_json else _line(example, ranked, kbest, confidence, layout)

    write_answers(output, lambda flush: iter_rewrite_examples(source(flush), layout, labelled=False), lines, CHUNK)


def _answers(rewriter: Rewriter, examples: list[RewriteExample], k: int) -> list[list[tuple[Any, float]]]:
    tags = [example.tags for example in examples] if rewriter.has_tags_ else None
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", UserWarning)
        ranked = rewriter.predict_kbest([example.input for example in examples], k, tags)
    for note in notes:
        print(f"weft: {note.message}", file=sys.stderr)
    return ranked


def _line(
    example: RewriteExample, ranked: list[tuple[Any, float]], k: int, confidence: bool, layout: RewriteLayout
) -> str:
    fields = example.raw[: 2 if layout.tags else 1]
    fields += [layout.write(output) for output, _ in ranked] + [""] * (k - len(ranked))
    if confidence:
        fields.append(f"{ranked[0][1]:.4f}")
    return "\t".join(fields)


def _json_line(example: RewriteExample, ranked: list[tuple[Any, float]], k: int) -> str:
    item: dict[str, Any] = {"input": example.input}
    if example.tags is not None:
        item["tags"] = example.tags
    if example.outputs:
        item["gold"] = example.outputs
    item |= {"output": ranked[0][0], "confidence": round(ranked[0][1], 6)}
    if k > 1:
        item["kbest"] = [{"output": output, "probability": round(p, 6)} for output, p in ranked]
    return json.dumps(item, ensure_ascii=False)


def evaluate_rewriter(model: Path, file: str, as_json: bool) -> None:
    """Print word and symbol error rates against the nearest of the references of each input.

    The references of an input that stands in several lines are put together.
    """
    from weft.estimators.rewrite_inputs import normalised
    from weft.metrics import error_rates
    from weft.sequences.formats.text import name_of

    rewriter, layout = load_rewriter(model)
    with status(f"rewriting {name_of(file)}"):
        examples = join_references(iter_rewrite_examples(file, layout, labelled=True))
        if not examples:
            raise InputError(f"{name_of(file)} holds no pairs; give a file with at least one.")
        predicted = [ranked[0][0] for ranked in _answers(rewriter, examples, 1)]
        references = [normalised(example.outputs, rewriter.output_side_.form) for example in examples]
        rates = error_rates(references, predicted, several=True)
        beam = _beam_loss(rewriter, examples)
    if as_json:
        print_json(
            {
                "model": str(model),
                "file": file,
                "words": rates.n_words,
                "symbols": rates.n_phones,
                "word_error": {"value": rates.word_error, "interval": rates.word_interval},
                "symbol_error": {"value": rates.phone_error, "interval": rates.phone_interval},
                "beam_loss": beam,
            }
        )
        return
    print(f"{file}: {rates.n_words:,} words, {rates.n_phones:,} symbols\n")
    for title, value, (low, high) in (
        ("word error", rates.word_error, rates.word_interval),
        ("symbol error", rates.phone_error, rates.phone_interval),
    ):
        print(f"{title:<13} {100 * value:6.2f} %  (95 % interval {100 * low:.2f} - {100 * high:.2f})")
    print(f"\nA ten times wider beam changes {100 * beam['changed']:.2f} % of {beam['inputs']:,} outputs.")


def _beam_loss(rewriter: Rewriter, examples: list[RewriteExample]) -> dict[str, float]:
    """Share of outputs that a wider beam changes, and by how much their log-scores grow."""
    chosen = [example for example in examples if len(example.input)][:N_BEAM]
    if not chosen:
        return {"changed": 0.0, "mean_gap": 0.0, "inputs": 0}
    tags = [example.tags for example in chosen] if rewriter.has_tags_ else None
    loss = rewriter.beam_loss([example.input for example in chosen], tags, width=10 * rewriter.beam_width)
    return {**loss, "inputs": len(chosen)}
