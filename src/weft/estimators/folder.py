"""Folder: the secondary structure of RNA."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids
from weft.errors import InputError
from weft.estimators.tree_estimator import TreeEstimator
from weft.losses import base_pairs
from weft.state_rules import anything, list_of
from weft.structures.grammar.chart_batch import ChartBatch
from weft.structures.grammar.structure import Grammar, Steps

if TYPE_CHECKING:
    from weft.structures.rna.model import LoopModel

__all__ = ["Folder"]


LETTERS = str.maketrans("ACGUTt", "acguuu")

DROPPED_PAIR = anything(
    "three whole numbers and a reason",
    lambda value: isinstance(value, list | tuple) and list(map(type, value)) == [int, int, int, str],
)
"""What a model file keeps of each pair that a reference lost."""


class Folder(TreeEstimator):
    """Learns to fold RNA: strings to dot-bracket strings, by a grammar of secondary structures.

    Parameters
    ----------
    grammar : str or Grammar, optional
        ``None`` and ``"g6"`` mean the grammar G6 with 19 weights, for single families. ``"loops"`` weighs stacked
        pairs and loops by kind, length and neighbouring bases, on top of measured free energies
        (`weft.structures.LoopModel`): slower, and what you want for RNA unlike the training structures. A `Grammar`
        is one of your own, over the terminals a, c, g, u, whose rules A -> x B y are base pairs.
    learner : learner, optional
        How the weights are found; ``None`` means `CRF`. A fit works on a copy, ``learner_``.
    unknown : {"error", "unpaired"}
        What to do about letters other than A, C, G, U and T (read as U): refuse them, or leave them unpaired.
    invalid : {"project", "error"}
        What to do about a reference that the grammar cannot derive (pseudoknot, other pairs than AU, GC and GU, hairpin
        too short): drop as few of its pairs as possible, or refuse it.
    min_hairpin : int
        Least number of bases in a hairpin loop.
    decode : {"best", "expected"}
        Predict the most probable structure, or the one with the largest expected accuracy, which takes about four
        times as long.
    gamma : float
        With ``decode="expected"``, how many times more a right pair counts than two bases that are rightly unpaired.
        Large numbers predict more pairs.
    validation_fraction : float
        Share of the training sequences held out to score each iteration.
    patience : int, optional
        Stop after this many iterations without a better held-out score; the best weights are kept.
    warm_start : bool
        Start from the weights of the last fit.
    random_state : int, optional
        Seed of everything random.
    n_jobs : int
        Threads; -1 for all cores.
    verbose : int
        1 shows a progress bar.

    Attributes
    ----------
    weights_ : ndarray
        One weight per feature, in the order of ``feature_names_``.
    grammar_ : Grammar or LoopModel
    dropped_pairs_ : list of (int, int, int, str)
        Pairs that references lost: number of the sequence, positions, and why: ``"letters"``, ``"hairpin"``,
        ``"crossing"`` or, if ``"loops"`` has none so long, ``"loop"``.
    n_projected_ : int
        Number of references that lost pairs.
    history_ : list of dict
        Objective and seconds of each iteration.

    Examples
    --------
    >>> import weft
    >>> X, y = ["GGGAAACCC", "GCGAAAAGC"], ["(((...)))", "((.....))"]
    >>> folder = weft.Folder().fit(X, y)
    >>> folder.predict(["GGCAAAGCC"])
    ['(((...)))']
    """

    dropped_pairs_: list[tuple[int, int, int, str]]
    n_projected_: int

    empty_output: ClassVar[Any] = ""
    noun: ClassVar[str] = "a folder"
    state_rules: ClassVar[dict[str, Any]] = {"dropped_pairs": list_of(DROPPED_PAIR)}

    def _facts_without_references(self) -> dict[str, Any]:
        return {"dropped_pairs_": [], "n_projected_": 0}

    def __init__(
        self,
        grammar: Any = None,
        learner: Any = None,
        *,
        unknown: str = "error",
        invalid: str = "project",
        min_hairpin: int = 3,
        decode: str = "best",
        gamma: float = 1.0,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        self.grammar = grammar
        self.learner = learner
        self.unknown = unknown
        self.invalid = invalid
        self.min_hairpin = min_hairpin
        self.decode = decode
        self.gamma = gamma
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _new_grammar(self) -> Grammar | LoopModel:
        least: Any = self.min_hairpin
        if not (isinstance(least, int | np.integer) and least >= 0):
            raise InputError(f"min_hairpin is {self.min_hairpin!r}; a whole number of at least 0 is wanted.")
        if self.unknown not in ("error", "unpaired"):
            raise InputError(f"unknown is {self.unknown!r}; use 'error' or 'unpaired'.")
        if self.invalid not in ("project", "error"):
            raise InputError(f"invalid is {self.invalid!r}; use 'project' or 'error'.")
        if isinstance(self.grammar, Grammar):
            own = self.grammar.get_params()
            own["min_inside"] = max(own["min_inside"], int(least))
            grammar = Grammar(**own)
            if not set("acgu").issuperset(grammar.symbols):
                raise InputError(
                    f"the grammar has terminals {', '.join(map(repr, grammar.symbols))}; to fold, it wants a, c, g, u."
                )
            return grammar
        if self.grammar is None or self.grammar == "g6":
            return Grammar.g6(int(least))
        if self.grammar == "loops":
            from weft.structures.rna.model import LoopModel  # whoever folds by a grammar has no use for it

            return LoopModel(int(least))
        raise InputError(f"grammar is {self.grammar!r}; use None, 'g6', 'loops' or a weft.structures.Grammar.")

    def _bind(
        self, structure: Any, X: Any, references: list[Steps] | None = None, sample_weight: Floats | None = None
    ) -> ChartBatch:
        if not isinstance(structure, Grammar):
            from weft.structures.rna.batch import LoopBatch

            return LoopBatch(structure, self._symbols(X, structure), references, sample_weight, self.n_jobs)
        return super()._bind(structure, X, references, sample_weight)

    def _symbols(self, X: list[Any], grammar: Grammar | LoopModel) -> list[Ids]:
        found = []
        for index, sequence in enumerate(X):
            if not isinstance(sequence, str):
                raise InputError(f"X[{index}] is a {type(sequence).__name__}; RNA as a string is wanted, 'GGGAAACCC'.")
            numbers = grammar.encode(sequence.translate(LETTERS), unknown="wildcard")
            foreign = np.flatnonzero(numbers == len(grammar.symbols))
            if len(foreign) and self.unknown == "error":
                position = int(foreign[0])
                raise InputError(
                    f"X[{index}] has {sequence[position]!r} at position {position}; A, C, G, U and T are wanted: "
                    "fix it, or leave such letters unpaired with unknown='unpaired'."
                )
            found.append(numbers)
        return found

    def _references(self, structure: Any, X: Any, y: Any) -> tuple[list[Steps], dict[str, Any]]:
        """Derivations with as many pairs of the references as the grammar can derive, and no others."""
        grammar, symbols = structure, self._symbols(X, structure)
        found, dropped = [], []
        for index, (sequence, brackets) in enumerate(zip(X, y, strict=True)):
            wanted = _pairs(brackets, len(sequence), index)
            best = grammar.nearest(symbols[index], wanted)
            if best is None:
                raise InputError(
                    f"the grammar derives no tree for X[{index}] without other pairs than those of y[{index}]; leave "
                    "it out, or give the grammar rules for it."
                )
            lost = sorted(wanted - _derived_pairs(best, grammar))
            reasons = [_reason(sequence, i, j, wanted, grammar) for i, j in lost]
            if lost and self.invalid == "error":
                i, j = lost[0]
                raise InputError(
                    f"y[{index}] pairs positions {i} and {j} ({sequence[i]}{sequence[j]}), which no structure of the "
                    f"grammar does ({reasons[0]}); fix it or use invalid='project'."
                )
            dropped += [(index, i, j, reason) for (i, j), reason in zip(lost, reasons, strict=True)]
            found.append(best)
        return found, {"dropped_pairs_": dropped, "n_projected_": len({pair[0] for pair in dropped})}

    def _written(self, X: Any, i: int, output: Any) -> str:
        return _dot_bracket(len(X[i]), _derived_pairs(output, self.structure_))

    def predict_marginals(self, X: Any) -> list[Floats]:
        """Probability of each base pair: a symmetric array (length, length) per sequence."""
        ask = super().predict_marginals
        return self._answered(X, lambda given: [own[0] + own[0].T for own in ask(given)], lambda: np.empty((0, 0)))

    def _scorer(self, structure: Any, X: Any, y: Any, sample_weight: Floats | None) -> Callable[[Floats], float]:
        """F1 of the predicted base pairs, those of all sequences counted together."""
        wanted = [_pairs(brackets, len(x), index) for index, (x, brackets) in enumerate(zip(X, y, strict=True))]
        return self._f1_scorer(structure, X, wanted, _derived_pairs, sample_weight)

    def _training_summary(self) -> dict[str, Any]:
        return {
            **super()._training_summary(),
            "n_projected": self.n_projected_,
            "n_dropped_pairs": len(self.dropped_pairs_),
        }

    def _structure_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"dropped_pairs": self.dropped_pairs_}, {}

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._from_state(state, arrays)
        self.dropped_pairs_ = [tuple(pair) for pair in state["dropped_pairs"]]
        self.n_projected_ = len({pair[0] for pair in self.dropped_pairs_})


def _pairs(structure: Any, length: int, index: int) -> frozenset[tuple[int, int]]:
    if not isinstance(structure, str):
        raise InputError(f"y[{index}] is a {type(structure).__name__}; a dot-bracket string is wanted, '(((...)))'.")
    if len(structure) != length:
        raise InputError(f"X[{index}] has {length} letters but y[{index}] has {len(structure)}; one each is wanted.")
    try:
        return base_pairs(structure)
    except InputError as error:
        raise InputError(f"y[{index}]: {error}") from None


def _dot_bracket(length: int, pairs: Iterable[Sequence[int]]) -> str:
    letters = ["."] * length
    for i, j in pairs:
        letters[i], letters[j] = "(", ")"
    return "".join(letters)


def _derived_pairs(steps: Steps, grammar: Grammar | LoopModel) -> set[tuple[int, int]]:
    if isinstance(grammar, Grammar):
        steps = steps[grammar.arrays("pairs").marks[steps[:, 0]] >= 0][:, 1:]
    return {(int(i), int(j)) for i, j in steps}


def _reason(sequence: str, i: int, j: int, wanted: frozenset[tuple[int, int]], grammar: Grammar | LoopModel) -> str:
    """Why a pair is outside the output space."""
    first, second = (sequence[k].translate(LETTERS) for k in (i, j))
    if not isinstance(grammar, Grammar):
        paired_letters, least = grammar.paired_letters, grammar.min_hairpin
    else:
        paired_letters = {(rule.left, rule.right) for rule in grammar.productions if rule.is_pair}
        least = max(grammar.min_inside, 1)
    if (first, second) not in paired_letters:
        return "letters"
    if j - i - 1 < least:
        return "hairpin"
    is_crossed = any((i < k < j) != (i < m < j) for k, m in wanted if k not in (i, j) and m not in (i, j))
    return "crossing" if is_crossed or isinstance(grammar, Grammar) else "loop"
