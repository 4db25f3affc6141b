"""The demo of classes: which pieces of DNA hold a binding site, and where, learned from yes and no alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.text import Text

from weft.apps.demo_parts import percents, print_table, trained
from weft.estimators.classify.sequence_svc import SequenceSVC
from weft.kernels.base import Kernel
from weft.kernels.combinators import Normalized
from weft.kernels.grams.gapped_kmer import GappedKMerKernel
from weft.kernels.grams.ngram import NGramKernel
from weft.kinds.terminal import line_writer

N_TRAIN, N_TEST, N_SAMPLE = 1000, 500, 100
LENGTH, SITE, CHANGED = 76, 12, 3
"""Letters of a piece, letters of a site, and letters of a site that are changed at the most."""
G, K = 8, 5
YES, NO = "site", "none"


class SiteData(NamedTuple):
    """Pieces of DNA with their classes; `places` says where each site begins, -1 without one."""

    site: str
    X_train: list[str]
    y_train: list[str]
    X_test: list[str]
    y_test: list[str]
    places: list[int]


def make_data(seed: int) -> SiteData:
    """Random pieces; half hold a site with changed letters, the others its letters in any other order."""
    random = np.random.default_rng(seed)
    letters = np.array(list("ACGT"))
    # Three of each letter, so that no letter alone betrays the site.
    site = random.permutation(np.tile(letters, SITE // len(letters)))

    def pieces(n: int) -> tuple[list[str], list[str], list[int]]:
        texts, classes, places = [], [], []
        for i in range(n):
            copy = site.copy() if i % 2 else random.permutation(site)
            changed = random.choice(SITE, int(random.integers(CHANGED + 1)), replace=False)
            copy[changed] = random.choice(letters, len(changed))
            piece = random.choice(letters, LENGTH)
            place = int(random.integers(LENGTH - SITE + 1))
            piece[place : place + SITE] = copy
            texts.append("".join(piece))
            classes.append(YES if i % 2 else NO)
            places.append(place if i % 2 else -1)
        return texts, classes, places

    X_train, y_train, _ = pieces(N_TRAIN)
    return SiteData("".join(site), X_train, y_train, *pieces(N_TEST))


def train(data: SiteData) -> tuple[dict[str, SequenceSVC], float]:
    """Train with three kernels; seconds that the last one took."""
    kernels: dict[str, Kernel] = {
        "letters": NGramKernel(1),
        "exact": NGramKernel(G),
        "gapped": GappedKMerKernel(G, K),
    }

    def learn(kernel: Kernel) -> SequenceSVC:
        return SequenceSVC(Normalized(kernel), random_state=0).fit(data.X_train, data.y_train)

    return trained(learn, kernels)


def found_place(model: SequenceSVC, piece: str) -> int:
    """Where the window of a site's length begins that speaks loudest for a site."""
    contributions = model.highlight(piece, YES).contributions
    return int(np.argmax(np.convolve(contributions, np.ones(SITE), "valid")))


def figures(data: SiteData, models: dict[str, SequenceSVC]) -> dict[str, Any]:
    """Accuracy of each kernel on other pieces, and how often the gapped one points at the site."""
    with_site = [(piece, place) for piece, place in zip(data.X_test, data.places, strict=True) if place >= 0]
    pointed = [abs(found_place(models["gapped"], piece) - place) <= 2 for piece, place in with_site]
    return {
        "train_pieces": len(data.X_train),
        "test_pieces": len(data.X_test),
        **{f"accuracy_{name}": model.score(data.X_test, data.y_test) for name, model in models.items()},
        "pointed_at_site": float(np.mean(pointed)),
        "features": int(models["gapped"].weights_.shape[1]),
    }


def write_sample(data: SiteData, path: Path) -> None:
    """Write some test pieces."""
    with line_writer(str(path)) as write:
        write(f"{piece}\t{label}" for piece, label in zip(data.X_test[:N_SAMPLE], data.y_test, strict=False))


# ------------------------------------------------------------------ printing


def introduce(data: SiteData) -> None:
    """Say what is going to happen."""
    print(
        f"{len(data.X_train)} pieces of DNA of {LENGTH} letters. Half of them hold a copy of one secret site of {SITE} "
        f"letters,\nup to {CHANGED} of them changed; the others hold the same letters in another order. The model is "
        "told yes or no, nothing else.\n"
    )


def show(data: SiteData, model: SequenceSVC) -> None:
    """Show where the model looks in the first three pieces that hold a changed site."""
    console = Console(highlight=False)
    console.print("Where it looks (green: for a site), and where the site is (^):", style="bold")
    changed = [i for i, place in enumerate(data.places) if place >= 0 and data.site not in data.X_test[i]]
    for i in changed[:3]:
        shown = model.highlight(data.X_test[i], YES)
        if console.color_system is None:
            console.print(shown.to_text(), soft_wrap=True, markup=False)
        else:
            console.print(Text.from_ansi(shown.to_ansi()), soft_wrap=True)
            console.print(" " * data.places[i] + "^" * SITE)
    console.print(f"the secret site: {data.site}\n")


def report(facts: dict[str, Any], seconds: float) -> None:
    """Print the figures side by side."""
    names = {
        "letters": "counts of letters",
        "exact": f"exact {G}-grams",
        "gapped": f"{K} of {G} letters, any gaps",
    }
    rows = [[title, *percents(facts[f"accuracy_{name}"])] for name, title in names.items()]
    print_table([f"{facts['test_pieces']} other pieces", "right"], rows)
    print(
        f"The loudest {SITE} letters are the site in {100 * facts['pointed_at_site']:.0f} % of the pieces with one.\n"
        f"Training on {facts['features']:,} features took {seconds:.1f} s, compilation included.\n"
    )
