"""Models that rewrite strings, over HTTP."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from weft.errors import InputError
from weft.estimators.rewrite.unknown import copies_of
from weft.rewriting.ranking import N_LIST
from weft.serve.limits import Cost
from weft.serve.tasks.base import PYTHON, Answer, Task, split_blanks
from weft.serve.types import Options

__all__ = ["RewriteTask"]

SEARCH = 1e-6
"""Seconds that the search takes for a hypothesis at a symbol."""


class RewriteTask(Task):
    """A `Rewriter`."""

    questions = ("kbest", "confidence", "explain", "tags")

    @property
    def forms(self) -> tuple[str, ...]:  # type: ignore[override]
        """As in training."""
        return ("tokens",) if self.kind.layout.input_tokens else ("string",)  # type: ignore[attr-defined]

    @property
    def hint(self) -> str:  # type: ignore[override]
        """What to type."""
        typed = "tokens with blanks between them" if "tokens" in self.forms else "a word"
        return f"Type {typed}{', a tab and the tags' if self.estimator.has_tags_ else ''}."

    @cached_property
    def example(self) -> str:
        """The first symbols that were learned."""
        symbols = [str(each) for each in self.estimator.input_side_.alphabet.symbols]
        letters = [each for each in symbols if len(each) > 1 or each.isalpha()] or symbols
        return (" " if "tokens" in self.forms else "").join(letters[:4])

    def from_text(self, text: str) -> Any:
        """A string, or tokens with blanks between them."""
        text = text.split("\t")[0]
        return split_blanks(text) if "tokens" in self.forms else text.strip()

    def cost(self, value: Any, options: Options) -> Cost:
        """Hypotheses of the beam at each symbol, for each model that votes."""
        width = max(self.estimator.beam_width, options.kbest, N_LIST if self.estimator.reranker_ is not None else 1)
        steps = (len(value) + 2) * width * len(self.estimator.models_)
        times = 1 + (options.confidence and options.kbest > 1)
        return Cost(times * steps * SEARCH + (len(value) + 20) * PYTHON, 50.0 * steps + 200.0 * options.kbest)

    def answers(self, inputs: list[Any], tags: list[Any] | None, options: Options) -> list[Answer]:
        """Outputs, always those of the k best, which cost the same."""
        self.check_options(tags, options)
        found: list[Answer] = []
        for ranked in self.estimator.predict_kbest(inputs, options.kbest, tags):
            answer: Answer = {"output": ranked[0][0]}
            if options.kbest > 1:
                answer["kbest"] = [{"output": output, "probability": p} for output, p in ranked]
            if options.confidence:
                answer["confidence"] = ranked[0][1]
            found.append(answer)
        if options.confidence and options.kbest > 1:
            # A longer list changes what a vote adds up: the confidence is that of the prediction alone.
            for answer, sure in zip(found, self.estimator.confidence(inputs, tags).tolist(), strict=True):
                answer["confidence"] = sure
        return found

    def explain(self, value: Any, tags: Any, top: int) -> tuple[Answer, dict[str, Any]]:
        """Which symbols wrote which part of the output, and the rivals of the output."""
        given = None if tags is None else [tags]
        [answer] = self.answers([value], given, Options(kbest=min(top, 10)))
        rivals = answer.pop("kbest", [{"output": answer["output"], "probability": None}])
        return answer, {"alignment": self._alignment(value, given, answer["output"]), "rivals": rivals}

    def _alignment(self, value: Any, tags: list[Any] | None, output: Any) -> list[dict[str, Any]] | None:
        """What each symbol became in the best labelling with this output; None if no model has one in its list."""
        rewriter = self.estimator
        inputs = rewriter._prepared([value], tags)
        if not len(inputs[0]):
            return []
        symbols, offsets = rewriter.input_side_.encode(inputs)
        copies, _, names = copies_of(rewriter, inputs, symbols)
        side = rewriter.output_side_
        for model in rewriter.models_:
            width = max(rewriter.beam_width, N_LIST)
            found = model.decode(symbols, offsets, N_LIST, beam_width=width, n_jobs=rewriter.n_jobs)
            for rank in range(N_LIST):
                if found.scores[0, rank] == -float("inf"):
                    continue
                parts = model.spell(found.candidates[rank])
                for place, symbol in copies.symbols.items():
                    parts[place] = copies.at(symbol, parts[place])
                if side.join([names[s] for part in parts for s in part]) == output:
                    return [
                        {"input": str(symbol), "output": [str(names[s]) for s in part]}
                        for symbol, part in zip(inputs[0], parts, strict=True)
                    ]
        return None

    def check_options(self, tags: list[Any] | None, options: Options) -> None:
        """Tags where training had some."""
        super().check_options(tags, options)
        if tags is not None and any(isinstance(each, list) and not each for each in tags):
            raise InputError("tags has an empty list; give the tags of each sequence.")
