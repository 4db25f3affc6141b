"""Folder: the secondary structure of RNA."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft.annotations import FilePath, Seed
from weft.arrays import Floats, Ids
from weft.errors import InputError, ModelFileError
from weft.estimators.fold.inputs import derived_pairs, dot_bracket, nearest_derivations, pairs_of, rna_symbols
from weft.estimators.own_structures import check_learned
from weft.estimators.parse.tree_estimator import TreeEstimator
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.monitor import Monitor
from weft.parameters import clone
from weft.state_rules import HISTORY, anything, check_arrays, check_state, floats, integers, list_of
from weft.structures.grammar.chart_batch import ChartBatch
from weft.structures.grammar.structure import Grammar, Steps
from weft.structures.rna.tables import HEAT

if TYPE_CHECKING:
    from weft.estimators.annotations import Asked
    from weft.structures.rna.model import LoopModel
    from weft.structures.rna.nearest_neighbours import Energies

UNTRAINED_GAMMA = 1.0
"""What gamma=None means without training, as good as the largest F1 there; probabilities by energies alone are too
sure."""
DROPPED_PAIR = anything(
    "three whole numbers and a reason",
    lambda value: isinstance(value, list | tuple) and list(map(type, value)) == [int, int, int, str],
)
"""What a model file keeps of each pair that a reference lost."""


class Folder(TreeEstimator):
    """Folds RNA: strings to dot-bracket strings, by measured free energies and what training structures add to them.

    `from_energies` folds without training.

    Parameters
    ----------
    grammar : str or Grammar, optional
        ``None`` and ``"loops"`` weigh stacked pairs and loops by kind, length and neighbouring bases, on top of
        measured free energies (`weft.structures.LoopModel`). ``"g6"`` means the grammar G6 with 19 weights and no
        energies, for single families. A `Grammar` is one of your own, over the terminals a, c, g, u, whose rules
        A -> x B y are base pairs.
    learner : learner, optional
        How the weights are found; ``None`` means `CRF`. If its ``c2`` and ``prior`` are None, up to 60 structures are
        folded by what others of them teach, in two ways. Where ``c2=1`` is clearly better, which means that they
        are of one family or a few, it is taken, and ``learner_.c2`` is 1. Else, and with fewer than ten structures or
        with examples in parts, loops are learned twice, for RNA of families that were not seen: from the free energies
        on, with a penalty that is weak on nine weights that all families share and strong on those of pairs, lengths
        and letters; and without the energies. The weights are 0.3 times the sum of both and of the energies alone
        (`weft.estimators.fold.loop_learning`): that takes about three times as long as the first fit, and a prediction
        no longer. A number for ``c2`` means one fit whose penalty pulls all weights alike towards the free energies. A
        fit works on a copy, ``learner_``.
    energies : path, optional
        File of free energies in the format that ViennaRNA reads and writes (its ``RNA.params_save``), read by `fit`;
        ``None`` means those published. A saved model has them in it.
    unknown : {"error", "unpaired"}
        What to do about letters other than A, C, G, U and T (read as U): refuse them, or leave them unpaired.
    invalid : {"project", "error"}
        What to do about a reference that the grammar cannot derive (pseudoknot, other pairs than AU, GC and GU, hairpin
        too short): drop as few of its pairs as possible, or refuse it.
    min_hairpin : int
        Minimum number of bases in a hairpin loop.
    decode : {"best", "expected"}, optional
        Predict the most probable structure, or the one with the largest expected accuracy, which takes about four
        times as long. ``None`` means the second where scores are logarithms of probabilities, with `CRF` and without
        training, and the first with other learners.
    gamma : float, optional
        With ``decode="expected"``, how many times more a right pair counts than two bases that are rightly unpaired.
        Large numbers predict more pairs. ``None`` means 1 for a grammar and without training; after training loops, the
        structure of the largest expected F1 of pairs, for which there is no such number to choose.
    beam_width : int, optional
        For RNA of many thousand bases: predict by a search from left to right that keeps this many states of each kind
        for each base, such as 100. Time and memory then grow linearly with the length instead of with its cube and
        square; the structure found is not proven to be the best. It means ``decode="best"`` and is for loops only.
        Probabilities, energies of all structures, the k best, and learners that need them look at every structure.
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
        Objective and seconds of each iteration; where loops are learned twice, of the fit from the energies on.

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
        grammar: str | Grammar | None = None,
        learner: Learner | None = None,
        *,
        unknown: str = "error",
        invalid: str = "project",
        energies: FilePath | None = None,
        min_hairpin: int = 3,
        decode: str | None = None,
        gamma: float | None = None,
        beam_width: int | None = None,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        self.grammar = grammar
        self.learner = learner
        self.unknown = unknown
        self.invalid = invalid
        self.energies = energies
        self.min_hairpin = min_hairpin
        self.decode = decode
        self.gamma = gamma
        self.beam_width = beam_width
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def from_energies(cls, file: FilePath | None = None, **parameters: Any) -> Folder:
        """A folder that folds by free energies, untrained.

        Parameters
        ----------
        file : path, optional
            Free energies in the format that ViennaRNA reads and writes; by default those published.
        **parameters
            Others of the class, such as ``decode="best"`` for structures of minimum free energy.

        Examples
        --------
        >>> import weft
        >>> folder = weft.Folder.from_energies(decode="best")
        >>> folder.predict(["GGGCGAAAGCCC"]), folder.energy(["GGGCGAAAGCCC"], ["((((....))))"]).round(2)
        (['((((....))))'], array([-6.64]))
        """
        folder = cls(energies=None if file is None else os.fspath(file), **parameters)
        folder._check_settings()
        structure = folder._new_grammar()
        if isinstance(structure, Grammar):
            raise InputError(f"grammar is {folder.grammar!r}, which has no free energies; leave it out.")
        folder._keep(structure, structure.prior.copy(), [], folder._new_learner(), folder._facts_without_references())
        return folder

    _compares = True
    """Whether structures tell if they are of one family; not in the fits that are compared."""

    @property
    def _has_loops(self) -> bool:
        return self.grammar is None or (isinstance(self.grammar, str) and self.grammar == "loops")

    def _decoding(self) -> str:
        return "best" if self.decode is None and self.beam_width is not None else super()._decoding()

    def _check_predicting(self) -> None:
        super()._check_predicting()
        width: Any = self.beam_width
        if width is None:
            return
        if not (isinstance(width, int | np.integer) and not isinstance(width, bool) and 1 <= width <= 10**9):
            raise InputError(f"beam_width is {width!r}; a whole number of at least 1 is needed, such as 100, or None.")
        if not self._has_loops:
            raise InputError(f"beam_width is for the loops of RNA, and the grammar is {self.grammar!r}; leave one out.")
        if self._decoding() == "expected":
            raise InputError("decode='expected' needs all structures, a beam_width finds one; leave one out.")

    def _energy_file(self) -> Any:
        file: Any = self.energies
        if file is not None and not isinstance(file, str | os.PathLike):
            raise InputError(f"energies is {file!r}; the path of a parameter file is needed, or None.")
        if file is not None and not Path(file).is_file():
            raise InputError(
                f"energies names {os.fspath(file)!r}, which is not a file; give the path of a parameter file."
            )
        return file

    def _new_learner(self, default: Callable[[], Learner] | None = None) -> Any:
        if self.learner is None and default is None and self._has_loops:
            return CRF(tol=1e-4)  # further iterations change no prediction to speak of
        return super()._new_learner(default)

    def _collected(self, X: Any, y: Any, learner: Learner, sample_weight: Floats | None) -> Any:
        structure = super()._collected(X, y, learner, sample_weight)
        if self._compares and self._has_loops and isinstance(learner, CRF) and learner.c2 is learner.prior is None:
            from weft.estimators.fold.loop_learning import OWN_PENALTY, is_own_family

            self._references(structure, X, y)  # what is wrong is told by its number among all
            if is_own_family(self, learner, X, y):
                learner.set_params(c2=OWN_PENALTY)
        return structure

    def _learn(
        self,
        structure: Any,
        batch: Any,
        learner: Learner,
        facts: dict[str, Any],
        held_out: Callable[[Floats], float] | None,
        random: np.random.Generator,
    ) -> None:
        plain = None
        if self._has_loops and isinstance(learner, CRF) and learner.c2 is None:
            from weft.estimators.fold.loop_learning import loop_penalties, mixed_weights

            if learner.prior is None:  # others than the energies are not mixed with anything
                plain = self._without_energies(structure, batch, learner, random)
            learner.set_params(c2=loop_penalties())
        if plain is None:
            super()._learn(structure, batch, learner, facts, held_out, random)
            return

        def mixed(weights: Floats) -> Floats:
            return mixed_weights(structure.prior, weights, plain)

        scored = None if held_out is None else lambda weights: held_out(mixed(weights))
        super()._learn(structure, batch, learner, facts, scored, random)
        self.weights_ = mixed(self.weights_)

    def _without_energies(self, structure: Any, batch: Any, learner: CRF, random: np.random.Generator) -> Floats:
        """Weights of loops by structures alone."""
        from weft.estimators.fold.loop_learning import plain_penalties

        nothing = np.zeros(batch.n_features)
        own = clone(learner).set_params(c2=plain_penalties(), prior=nothing)
        with Monitor(self.verbose) as monitor:
            monitor.learn_from(batch)
            found: Floats = own.learn(batch, nothing, monitor, random)
        check_learned(found, own, structure)
        return found

    def _usual_gamma(self) -> float | None:
        if not self._has_loops:
            return 1.0
        return UNTRAINED_GAMMA if getattr(self, "n_iter_", 1) == 0 else None

    def _new_grammar(self, energies: Energies | None = None) -> Grammar | LoopModel:
        least: Any = self.min_hairpin
        if not (isinstance(least, int | np.integer) and least >= 0):
            raise InputError(f"min_hairpin is {self.min_hairpin!r}; a whole number of at least 0 is needed.")
        if self.unknown not in ("error", "unpaired"):
            raise InputError(f"unknown is {self.unknown!r}; use 'error' or 'unpaired'.")
        if self.invalid not in ("project", "error"):
            raise InputError(f"invalid is {self.invalid!r}; use 'project' or 'error'.")
        if self.energies is not None and not self._has_loops:
            raise InputError("energies are for the loops of RNA, and the grammar is another one; leave one out.")
        if isinstance(self.grammar, Grammar):
            own = self.grammar.get_params()
            own["min_inside"] = max(own["min_inside"], int(least))
            grammar = Grammar(**own)
            if not set("acgu").issuperset(grammar.symbols):
                raise InputError(
                    f"the grammar has terminals {', '.join(map(repr, grammar.symbols))}; to fold, it needs a, c, g, u."
                )
            return grammar
        if self.grammar == "g6":
            return Grammar.g6(int(least))
        if self._has_loops:
            from weft.structures.rna.free_energies import free_energies  # whoever folds by a grammar has no use for it
            from weft.structures.rna.model import LoopModel

            return LoopModel(int(least), energies or free_energies(self._energy_file()))
        raise InputError(f"grammar is {self.grammar!r}; use None, 'g6', 'loops' or a weft.structures.Grammar.")

    def _bind(
        self, structure: Any, X: Any, references: list[Steps] | None = None, sample_weight: Floats | None = None
    ) -> ChartBatch:
        if not isinstance(structure, Grammar):
            from weft.structures.rna.batch import LoopBatch

            symbols = self._symbols(X, structure)
            return LoopBatch(structure, symbols, references, sample_weight, self.n_jobs, self.beam_width)
        return super()._bind(structure, X, references, sample_weight)

    def _symbols(self, X: list[Any], grammar: Grammar | LoopModel) -> list[Ids]:
        return rna_symbols(X, grammar, self.unknown)

    def _references(self, structure: Any, X: Any, y: Any) -> tuple[list[Steps], dict[str, Any]]:
        """Derivations with as many pairs of the references as the grammar can derive, and no others."""
        found, dropped = nearest_derivations(structure, self._symbols(X, structure), X, y, self.invalid)
        return found, {"dropped_pairs_": dropped, "n_projected_": len({pair[0] for pair in dropped})}

    def _written(self, X: Any, i: int, output: Any) -> str:
        return dot_bracket(len(X[i]), derived_pairs(output, self.structure_))

    def predict_marginals(self, X: Asked) -> list[Floats]:
        """Probability of each base pair: a symmetric array (length, length) per sequence."""
        ask = super().predict_marginals
        return self._answered(X, lambda given: [own[0] + own[0].T for own in ask(given)], lambda: np.empty((0, 0)))

    def energy(self, X: Iterable[str], y: Sequence[str]) -> Floats:
        """Free energy of structures in kcal/mol: that of the model, which training moves away from the measured one.

        Parameters
        ----------
        X : list of str
        y : list of str
            A dot-bracket string for each.
        """
        sequences, batch = self._loop_batch(X)
        if len(y) != len(sequences):
            raise InputError(f"X has {len(sequences)} sequences but y has {len(y)} structures; one each is needed.")
        scores = self.structure_.scores(self.weights_)
        found = np.empty(len(sequences))
        for i in range(len(sequences)):
            counts = self._counted_loops(sequences, y, i, batch.sequences[i])
            parts = np.flatnonzero(counts)
            found[i] = counts[parts] @ scores[parts] * -HEAT
        return found

    def ensemble_energy(self, X: Iterable[str]) -> Floats:
        """Free energy in kcal/mol of all structures of each sequence together, ``-kT log Z``."""
        return np.asarray(self._loop_batch(X)[1].log_partitions(self.weights_) * -HEAT)

    def _loop_batch(self, X: Any) -> tuple[Any, Any]:
        X, batch = self._batch(X)
        if isinstance(self.structure_, Grammar):
            raise InputError("a grammar has no free energies; use Folder(grammar='loops'), or Folder.from_energies().")
        return X, batch

    def _counted_loops(self, X: Any, y: Any, i: int, symbols: Ids) -> Floats:
        """Parts of a structure; its loops may be longer than those of predicted ones."""
        pairs = np.array(sorted(pairs_of(y[i], len(X[i]), i)), dtype=np.int32).reshape(-1, 2)
        try:
            found: Floats = self.structure_.counts(symbols, pairs, longest=len(symbols))
        except InputError:
            raise InputError(
                f"y[{i}] is not a structure of loops of X[{i}]: need pairs AU, GC and GU that do not cross; fix it."
            ) from None
        return found

    def _scorer(self, structure: Any, X: Any, y: Any, sample_weight: Floats | None) -> Callable[[Floats], float]:
        """F1 of the predicted base pairs, those of all sequences counted together."""
        wanted = [pairs_of(brackets, len(x), index) for index, (x, brackets) in enumerate(zip(X, y, strict=True))]
        return self._f1_scorer(structure, X, wanted, derived_pairs, sample_weight)

    def _training_summary(self) -> dict[str, Any]:
        return {
            **super()._training_summary(),
            "n_projected": self.n_projected_,
            "n_dropped_pairs": len(self.dropped_pairs_),
        }

    def _structure_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        own = {}
        if self.energies is not None:
            own = {"energies": self.structure_.energies.values, "codes": self.structure_.energies.codes}
        return {"dropped_pairs": self.dropped_pairs_}, own

    def _structure_from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
        if self.energies is None:
            return super()._structure_from_state(state, arrays)
        if not self._has_loops:
            raise ModelFileError("the file has free energies for a grammar that has none")
        from weft.structures.rna.features import loop_features
        from weft.structures.rna.nearest_neighbours import LONGEST_SPECIAL, Energies
        from weft.structures.rna.tables import N_SPECIAL, N_VALUES

        check_state(self.noun, state, {"history": HISTORY, **self.state_rules})
        rules = {
            "weights": floats("n_weights"),
            "energies": floats(N_VALUES),
            "codes": integers("n_codes", below=2 * 5**LONGEST_SPECIAL, order="distinct"),
        }
        sizes = check_arrays(self.noun, arrays, rules, n_weights=len(loop_features()[0]) + 1)
        if sizes["n_codes"] > N_SPECIAL:
            raise ModelFileError(
                f"{self.noun} has {sizes['n_codes']} hairpins by their letters; {N_SPECIAL} is the most"
            )
        return self._new_grammar(Energies(arrays["energies"], arrays["codes"]))

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._from_state(state, arrays)
        self.dropped_pairs_ = [tuple(pair) for pair in state["dropped_pairs"]]
        self.n_projected_ = len({pair[0] for pair in self.dropped_pairs_})
