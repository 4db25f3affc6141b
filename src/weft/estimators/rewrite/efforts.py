"""What an effort of `Rewriter` stands for: combinations of its parts for an amount of data, and what they cost.

Networks were chosen on held-out words of training data: with 7,000 words on hbs_latn and bul, with 31,000 on eng_us,
with 110,000 on CMUdict, with 600 on nine languages that have few. That some words are spared to tune on and two models
vote was chosen on the dev words of seven languages of 8,000 words and of five with 3,600 of these; the size of their
networks on those of bul, hbs_latn, fre and dut. How the spared words are used, and ten passes in place of eight, were
chosen with 4,000 words on the dev words of bul, dut and hbs_latn (passes: of the first two) together with words from
other parts of the alphabet, which have no siblings among those that were learned from.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from weft.errors import InputError
from weft.learners.crf import CRF
from weft.rewriting.network.learner import RecurrentNetwork, usual_passes

EFFORTS = ("fast", "balanced", "best")
FEW_PAIRS, MANY_PAIRS = 2_500, 20_000
"""Below the first a CRF is the better chain, and no words are spared to tune on; from the second on less is dropped."""
PASSES = {"balanced": (6, 10, 80_000), "best": (10, 12, 96_000)}
"""With some thousand pairs: fewest and most passes of networks, and pairs that all passes see in between."""
FEW_PASSES = 30
"""Of a balanced effort with few pairs."""
SMALL: dict[str, Any] = {"memory_size": 96, "narrow_size": 96, "history_size": 96, "input_dropout": 0.1, "step": 4e-3}
"""A network that takes two thirds of the time of the usual one."""
READING_ONLY: dict[str, Any] = {"history_size": 0, "dropout": 0.4}
"""With few pairs a network does as well that does not read what was written."""
LARGE: dict[str, Any] = {"dropout": 0.15, "input_dropout": 0.1, "batch_size": 64}
"""What suits many pairs."""
CHAINS = {"voting": 0.6, "perceptron": 3.0, "CRF": 10.0}
"""What the parts of a model beside its networks take, where a fast fit takes one: without and with reranking."""
PASS, USUAL_SIZE, GROWTH = {"few": 0.38, "some": 0.58, "many": 0.96}, 128, 1.3
"""The same for one pass of a network over all pairs, the size of memory that has, and how it grows with that size."""


@dataclass(frozen=True)
class Plan:
    """Parameters of a `Rewriter` that an effort sets; their defaults are the rewriter's own."""

    learner: Any = None
    language_model: Any = None
    network: Any = None
    n_models: int = 1
    rerank: int = 0

    def cost(self, n_pairs: int) -> float:
        """About how many times as long as a fast fit a fit takes; `weft reproduce accuracy-rewrite` measures it.

        Examples
        --------
        >>> Plan().cost(8_000)
        1.0
        >>> round(Plan(network=RecurrentNetwork(max_iter=10), rerank=2).cost(8_000), 1)
        14.6
        """
        if self == Plan():
            return 1.0
        kind = "voting" if not self.rerank else "perceptron" if self.learner is None else "CRF"
        each = CHAINS[kind]
        if self.network is not None:
            passes = self.network.n_networks * (self.network.max_iter or usual_passes(n_pairs))
            size = (self.network.memory_size / USUAL_SIZE) ** GROWTH
            # Each of k parts is rewritten by models of the k - 1 others; without parts a second model tunes the
            # mixture, unless words can be spared for that.
            trainings = max(self.rerank, 2) if self.rerank or n_pairs < FEW_PAIRS else 1
            amount = "few" if n_pairs < FEW_PAIRS else "some" if n_pairs < MANY_PAIRS else "many"
            each += trainings * passes * size * PASS[amount]
        return self.n_models * each

    def summary(self, effort: str, n_pairs: int) -> str:
        """What is made and what it costs, in one line.

        Examples
        --------
        >>> Plan(network=RecurrentNetwork(2), rerank=2).summary("best", 800)
        "effort='best', 800 pairs: 1 model with 2 networks, outputs ordered anew; about 94 times the CPU of 'fast'."
        """
        made = f"{self.n_models} model{'s' * (self.n_models > 1)}"
        if self.network is not None:
            each = " each" * (self.n_models > 1)
            made += f" with {self.network.n_networks} network{'s' * (self.network.n_networks > 1)}{each}"
        made += ", outputs ordered anew" * bool(self.rerank)
        times = self.cost(n_pairs)
        cost = "the CPU" if times == 1.0 else f"about {times:.0f} times the CPU"
        return f"effort={effort!r}, {n_pairs:,} pairs: {made}; {cost} of 'fast'."


def plan_of(rewriter: Any, n_pairs: int, has_tags: bool) -> Plan:
    """What a rewriter learns: its own parameters, or what its effort stands for with so many pairs."""
    if rewriter.effort is None:
        return Plan(**{each.name: getattr(rewriter, each.name) for each in fields(Plan)})
    if has_tags and rewriter.effort != "fast":
        warnings.warn(f"effort={rewriter.effort!r} given with tags, where all efforts are 'fast'.", stacklevel=4)
    return planned(rewriter.effort, n_pairs, has_tags)


def planned(effort: str, n_pairs: int, has_tags: bool = False) -> Plan:
    """What an effort stands for; with tags, where models of edits do nearly all, each is the same.

    Examples
    --------
    >>> planned("fast", 8_000) == planned("best", 8_000, has_tags=True) == Plan()
    True
    >>> planned("best", 800).n_models
    2
    """
    if effort == "fast" or has_tags:
        return Plan()
    if n_pairs >= MANY_PAIRS:
        if effort == "balanced":
            return Plan(network=RecurrentNetwork(max_iter=6, **LARGE))
        return Plan(network=RecurrentNetwork(memory_size=192, history_size=192, max_iter=8, **LARGE), n_models=2)
    if n_pairs >= FEW_PAIRS:
        fewest, most, seen = PASSES[effort]
        passes = int(np.clip(round(seen / n_pairs), fewest, most))
        if effort == "best":
            return Plan(network=RecurrentNetwork(max_iter=passes, dropout=0.15, **SMALL), n_models=4)
        return Plan(network=RecurrentNetwork(max_iter=passes, dropout=0.1, **SMALL), n_models=2)
    chain = CRF(c2=0.3, max_iter=60)
    if effort == "best":  # what `weft reproduce sigmorphon-low` has
        return Plan(chain, network=RecurrentNetwork(2, **READING_ONLY), n_models=2, rerank=2)
    return Plan(chain, network=RecurrentNetwork(max_iter=FEW_PASSES, **READING_ONLY), rerank=2)


def check_effort(rewriter: Any) -> None:
    """Refuse an effort that there is not, and parameters beside it that it sets."""
    effort = rewriter.effort
    if effort is None:
        return
    if effort not in EFFORTS:
        raise InputError(f"effort is {effort!r}; {', '.join(map(repr, EFFORTS))} or None is needed.")
    for each in fields(Plan):
        value = getattr(rewriter, each.name)
        if value != each.default:
            raise InputError(
                f"effort={effort!r} and {each.name}={value!r} both given, but an effort sets {each.name} itself; leave "
                "one of them out."
            )
