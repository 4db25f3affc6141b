"""How time and memory grow with the size of a problem: weft beside its strongest peer, six sizes each, on one page.

``make bench-report`` measures all of it and draws ``docs/_static/growth.png``; what was measured is kept beside it in
``growth.json``, from which ``python -m benchmarks.growth --draw`` draws again. ``make bench BENCH=growth-fold`` prints
the same entries as tables.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import biology, classification, crfsuite, data, folding, rewriting, tagging, templates
from benchmarks.harness import ROOT, Entry, Side, run_entry

if TYPE_CHECKING:
    pass

PICTURE = ROOT / "docs" / "_static" / "growth.png"
MEASURED = PICTURE.with_suffix(".json")
N_PAIRS = 4
N_FOLDED = 1
N_WORDS_TEST = 100
N_SENTENCES_TEST = 100


@dataclass(frozen=True)
class Case:
    """One kind of work, at several sizes."""

    name: str
    title: str
    axis: str
    sizes: tuple[int, ...]
    phase: str
    """The phase whose CPU time is drawn."""
    prepare: Callable[[int], Any]
    peer: Side
    weft: Side


def labels_of(sentence: list[tuple[str, ...]]) -> list[str]:
    """The last column."""
    return [row[-1] for row in sentence]


def sentences(n: int) -> tagging.TaggingData:
    """The first sentences of CoNLL-2000, and a few to test on."""
    parts = [part[:size] for part, size in zip(data.conll2000(), (n, N_SENTENCES_TEST), strict=True)]
    X, y = ([[own(each) for each in part] for part in parts] for own in (templates.chunking, labels_of))
    return tagging.TaggingData(X[0], y[0], X[1], y[1], True)


def pairs(length: int) -> biology.Pairs:
    """Random DNA of a length, and the same with 5 % of its letters replaced."""
    source = random.Random(length)
    found = []
    for _ in range(N_PAIRS):
        first = source.choices(biology.BASES, k=length)
        second = [source.choice(biology.BASES) if source.random() < 0.05 else letter for letter in first]
        found.append(("".join(first), "".join(second)))
    return found


def sequences(length: int) -> list[str]:
    """Random RNA of a length."""
    source = random.Random(length)
    return ["".join(source.choices("ACGU", k=length)) for _ in range(N_FOLDED)]


def stories(n: int) -> classification.Texts:
    """The first stories of Reuters-21578."""
    whole = classification.reuters(False)
    return classification.Texts(whole.train[:n], whole.signs[:n], [], whole.test_signs)


def words(n: int) -> rewriting.Lexicon:
    """Every so many words of the CMU Pronouncing Dictionary."""
    whole = rewriting.cmudict(False)
    return rewriting.Lexicon(whole.train[:: len(whole.train) // n][:n], whole.test[:: len(whole.test) // N_WORDS_TEST])


def svm_warm_up() -> None:
    """Compile what this page measures, and no more."""
    import numpy as np

    import weft

    texts = [f"some text number {i}, of which there are a few; {i * i}" for i in range(40)]
    classification.train_weft(weft.NGramKernel(4), texts, np.resize([1.0, -1.0], 40))


def rewriting_warm_up() -> None:
    """Compile what this page measures, and no more."""
    import weft

    letters = [a + b + c for a in "abc" for b in "xyz" for c in "pqrst"] * 6
    model = weft.Rewriter(random_state=0).fit(letters, [list(word.upper()) for word in letters])
    model.predict(letters[:20])
    model.beam_loss(letters[:20])


CASES = [
    Case(
        "crf",
        "CRF on CoNLL-2000, c2 = 1: fit",
        "sentences",
        (32, 64, 128, 256, 512, 1024),
        "fit",
        sentences,
        Side("CRFsuite", partial(crfsuite.run, algorithm="lbfgs")),
        Side("weft", partial(tagging.weft_run, learner="crf"), partial(tagging.weft_warm_up, "crf")),
    ),
    Case(
        "align",
        f"{N_PAIRS * biology.PASSES} alignments of similar DNA",
        "letters",
        (100, 200, 400, 800, 1600, 3200),
        "align",
        pairs,
        Side("WFA", biology.wavefront_run),
        Side("weft", partial(biology.align_run, make=biology.dna_aligner), biology.align_warm_up),
    ),
    Case(
        "fold",
        "One fold of random RNA, minimum free energy",
        "bases",
        (50, 100, 200, 400, 800, 1600),
        "fold",
        sequences,
        Side("ViennaRNA", folding.vienna_fold),
        Side("weft", folding.weft_fold, folding.warm_up),
    ),
    Case(
        "svm",
        "SVM over 4-grams of Reuters-21578: text to model",
        "stories",
        (128, 256, 512, 1024, 2048, 4096),
        "text to model",
        stories,
        Side("scikit-learn", partial(classification.sklearn_text, n=4)),
        Side("weft", partial(classification.weft_text, n=4), svm_warm_up),
    ),
    Case(
        "g2p",
        "Pronunciation, CMUdict: training",
        "words",
        (80, 160, 320, 640, 1280, 2560),
        "train",
        words,
        Side("Phonetisaurus", rewriting.phonetisaurus),
        Side("weft", rewriting.weft_rewriter, rewriting_warm_up),
    ),
]

ENTRIES = [
    Entry(
        name=f"growth-{case.name}-{size}",
        description=f"{case.title}, {size:,} {case.axis}",
        prepare=lambda quick, case=case, size=size: case.prepare(size),  # type: ignore[misc]
        peer=case.peer,
        weft=case.weft,
        only_named=True,
    )
    for case in CASES
    for size in case.sizes
]


def peak(run: Any, phase: str) -> float:
    """Most memory up to the end of the phase, in MB; that of programs that the side has called where it says so."""
    return float(run.scores.get("peak MB of training", run.phases[phase]["peak_mb"]))


def measure(names: list[str], measured: dict[str, Any]) -> None:
    """Put CPU seconds and peak memory of all sizes of the named cases to what is measured."""
    entries = {entry.name: entry for entry in ENTRIES}
    for case in CASES:
        if names and case.name not in names:
            continue
        lines: dict[str, list[list[float]]] = {case.peer.name: [], case.weft.name: []}
        for size in case.sizes:
            for run in run_entry(entries[f"growth-{case.name}-{size}"], repeat=1, quick=False).runs:
                if run.error is not None:
                    raise SystemExit(f"{case.name} at {size}: {run.side} failed: {run.error}")
                cpu, memory = float(run.phases[case.phase]["cpu"]), peak(run, case.phase)
                lines[run.side].append([size, cpu, memory])
                print(
                    f"{case.name:<6} {size:>5} {case.axis:<9} {run.side:<14} {cpu:9.3f} s {memory:7.0f} MB", flush=True
                )
        measured[case.name] = lines
        MEASURED.write_text(json.dumps(measured, indent=1) + "\n")


def draw(measured: dict[str, Any], path: Path) -> None:
    """A row for each case: time on the left, memory on the right, as wide as a page of the documentation."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator

    cases = [case for case in CASES if case.name in measured]
    figure, axes = plt.subplots(len(cases), 2, figsize=(7.6, 3.0 * len(cases)), squeeze=False)
    for row, case in enumerate(cases):
        for column, label in enumerate(("CPU seconds", "peak memory, MB")):
            axis = axes[row, column]
            for side, colour, marker in ((case.peer.name, "#b5651d", "s"), (case.weft.name, "#1f4e8c", "o")):
                lines = measured[case.name][side]
                axis.plot(
                    [each[0] for each in lines], [max(each[column + 1], 1e-4) for each in lines],
                    color=colour, marker=marker, markersize=4, linewidth=1.4, label=side,
                )  # fmt: skip
            axis.set_xscale("log", base=2)
            axis.set_yscale("log")
            axis.set_xticks(case.sizes, [f"{size:,}" for size in case.sizes], fontsize=9)
            axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
            axis.minorticks_off()
            axis.tick_params(axis="y", labelsize=9)
            axis.grid(color="#dddddd", linewidth=0.5)
            axis.set_xlabel(case.axis, fontsize=10)
            axis.set_ylabel(label, fontsize=10)
            if column == 0:
                axis.set_title(case.title, fontsize=10.5, loc="left")
                axis.legend(fontsize=10, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main(arguments: list[str] | None = None) -> int:
    """Measure, keep and draw."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(case.name for case in CASES)}; all by default")
    parser.add_argument("--draw", action="store_true", help="draw what was measured before")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - {case.name for case in CASES}
    if unknown:
        parser.error(f"no case is called {sorted(unknown)[0]!r}; use {', '.join(case.name for case in CASES)}")
    measured = json.loads(MEASURED.read_text()) if MEASURED.is_file() else {}
    if not options.draw:
        measure(options.names, measured)
    draw(measured, PICTURE)
    print(f"drawn: {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
