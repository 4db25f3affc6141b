"""The demo of words: how English words are spoken, learned from 5,000 spellings that nobody has aligned."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weft.apps.demo_answers import INVENTED
from weft.datasets.bundled import load_lexicon
from weft.estimators.rewrite.rewriter import Rewriter
from weft.kinds.terminal import console_and_table, line_writer
from weft.metrics.strings import error_rates

N_TEST, N_SAMPLE = 500, 100
K = 3


class WordData(NamedTuple):
    """Words with all their pronunciations."""

    X_train: list[str]
    y_train: list[list[str]]
    X_test: list[str]
    y_test: list[list[list[str]]]


def make_data(seed: int) -> WordData:
    """The bundled lexicon in two parts."""
    lexicon = load_lexicon()
    known = [i for i, word in enumerate(lexicon.inputs) if word not in INVENTED]
    order = np.random.default_rng(seed).permutation(known).tolist()
    pairs = [(lexicon.inputs[i], output) for i in order[N_TEST:] for output in lexicon.references[i]]
    return WordData(
        [str(word) for word, _ in pairs],
        [list(output) for _, output in pairs],
        [str(lexicon.inputs[i]) for i in order[:N_TEST]],
        [[list(output) for output in lexicon.references[i]] for i in order[:N_TEST]],
    )


def train(data: WordData) -> tuple[Rewriter, float]:
    """Learn to pronounce; seconds that took."""
    began = time.perf_counter()
    rewriter = Rewriter(max_chunk=(2, 3), random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "tv" has six phones: more than two letters can have
        rewriter.fit(data.X_train, data.y_train)
    return rewriter, time.perf_counter() - began


def figures(data: WordData, rewriter: Rewriter) -> dict[str, Any]:
    """Error rates on words that were held out, and what a guess among the best three would reach."""
    ranked = rewriter.predict_kbest(data.X_test, K)
    rates = error_rates(data.y_test, [best[0][0] for best in ranked], several=True)
    within = [any(o in wanted for o, _ in best) for best, wanted in zip(ranked, data.y_test, strict=True)]
    confidence = np.array([best[0][1] for best in ranked])
    right = np.array([best[0][0] in wanted for best, wanted in zip(ranked, data.y_test, strict=True)])
    sure = confidence >= np.median(confidence)
    return {
        "train_words": len(set(data.X_train)),
        "test_words": rates.n_words,
        "word_error": rates.word_error,
        "word_interval": list(rates.word_interval),
        "phone_error": rates.phone_error,
        "word_error_best_of_3": 1.0 - float(np.mean(within)),
        "word_error_sure_half": 1.0 - float(right[sure].mean()),
        "mean_confidence": float(confidence.mean()),
    }


def write_sample(data: WordData, path: Path) -> None:
    """Write some test words."""
    with line_writer(str(path)) as write:
        write(
            "\t".join([word, *(" ".join(output) for output in outputs)])
            for word, outputs in zip(data.X_test[:N_SAMPLE], data.y_test, strict=False)
        )


# ------------------------------------------------------------------ printing


def introduce(data: WordData) -> None:
    """Say what is going to happen."""
    print(
        f"{len(set(data.X_train)):,} common English words with their pronunciations (CMU Pronouncing Dictionary), not "
        f"aligned;\n{len(data.X_test)} others are held out. weft finds out which letters make which sounds, and says "
        "how sure it is.\n"
    )


def show(data: WordData, rewriter: Rewriter) -> None:
    """Pronounce words unseen in training."""
    titles = ("word", "pronunciation", "sure", "dictionary")
    console, table = console_and_table(*titles, words={"pronunciation", "dictionary"})
    words = data.X_test[:4] + INVENTED
    wanted = dict(zip(data.X_test, data.y_test, strict=True))
    for word, ranked in zip(words, rewriter.predict_kbest(words, K), strict=True):
        known = " | ".join(" ".join(output) for output in wanted.get(word, []))
        for rank, (output, probability) in enumerate(ranked):
            cells = [word, known or "-"] if rank == 0 else ["", ""]
            style = "bold" if rank == 0 else "dim"
            table.add_row(cells[0], " ".join(output), f"{100 * probability:.0f} %", cells[1], style=style)
    console.print("Words it never saw, the best three pronunciations, and how sure it is:", style="bold")
    console.print(table)


def report(facts: dict[str, Any], seconds: float) -> None:
    """Print the figures."""
    low, high = facts["word_interval"]
    print(
        f"{facts['test_words']} held-out words: {100 * facts['word_error']:.1f} % wrong "
        f"(95 % interval {100 * low:.1f} - {100 * high:.1f}), {100 * facts['phone_error']:.1f} % of the phones.\n"
        f"Right pronunciation not among the best {K}: {100 * facts['word_error_best_of_3']:.1f} %. "
        f"In the half that it is surest of, {100 * facts['word_error_sure_half']:.1f} % are wrong.\n"
        f"Training took {seconds:.1f} s, compilation included.\n"
    )
