"""Label noise on random hidden Markov models: what remains of Figure 4 of Magic Moments where no HMM was picked.

The rows of transitions and emissions are drawn from a Dirichlet distribution with all parameters 0.3; each run has a
model of its own. Flat random rows are so hard that decoding with the true parameters errs on a quarter of the labels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weft.datasets.hmm import HiddenMarkovModel
from weft.experiments.moments.hmm import NOISES, measure
from weft.experiments.report import Measurement, Report
from weft.experiments.tuning import METHODS


def concentrated_hmm(n_labels: int, n_symbols: int, random: np.random.RandomState) -> HiddenMarkovModel:
    """A model whose rows are drawn from a Dirichlet distribution with all parameters 0.3.

    Examples
    --------
    >>> hmm = concentrated_hmm(2, 4, np.random.RandomState(0))
    >>> bool(np.allclose(hmm.emissions.sum(axis=1), 1.0))
    True
    """

    def rows(n_rows: int, width: int) -> NDArray[np.float64]:
        # A parameter this small can underflow to a row of zeros over zero; a tiny floor keeps every row a distribution.
        drawn = random.standard_gamma(0.3, size=(n_rows, width)) + 1e-12
        return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))

    return HiddenMarkovModel(rows(1, n_labels)[0], rows(n_labels, n_labels), rows(n_labels, n_symbols))


def run(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """Measure all methods at the three noise levels, one random model per run."""
    n_replicates = n_replicates or (2 if quick else 20)
    sizes = (10, 10, 20) if quick else (20, 100, 100)
    methods = ["true parameters", "token", *(method for method in METHODS if method != "constrained Z")]
    measurements = []
    for n_labels, n_symbols in ((2, 4), (3, 5)):
        models = [
            concentrated_hmm(n_labels, n_symbols, np.random.RandomState([seed, n_labels, replicate]))
            for replicate in range(n_replicates)
        ]
        for noise in NOISES:
            setting = f"({n_labels},{n_symbols}) noise {noise:g}"
            errors: dict[str, list[float]] = {method: [] for method in methods}
            for replicate, hmm in enumerate(models):
                progress(f"{setting}, model {replicate + 1} of {n_replicates}")
                once = measure(hmm, noise, methods, n_replicates=1, seed=seed + replicate, sizes=sizes)
                for method in methods:
                    errors[method] += once[method].tolist()
            measurements += [Measurement(setting, method, tuple(values)) for method, values in errors.items()]
    return Report(
        "hmm-random",
        "Wrong labels on clean test sequences of random HMMs",
        "% of labels",
        measurements,
        notes=[
            "Deviations are between models, which differ much in difficulty: compare methods within a column.",
            "The paper shows two HMMs only, so there is no published number.",
        ],
        facts={"n_replicates": n_replicates, "seed": seed, "sizes": list(sizes), "length": 100},
    )
