"""The spectral learner: a Hankel matrix of low rank beside sparse features."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from weft.arrays import Floats, Ids
from weft.checkpoint import FitState
from weft.core.algebra import one_algebra_thread
from weft.core.vectors import product
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.monitor import Monitor
from weft.learners.spectral.checks import check_parameters
from weft.learners.spectral.constrained_proximal import HankelProximal
from weft.learners.spectral.fobos import Fobos
from weft.learners.spectral.joint import JointObjective
from weft.learners.spectral.matrices import FactoredMatrix, WholeMatrix
from weft.learners.spectral.progress import Progress
from weft.learners.spectral.proximal import Regularizer
from weft.learners.spectral.tuning import choose_step, choose_tau, held_out_part
from weft.sequences.corpus import Corpus
from weft.sequences.encoder import TokenEncoder
from weft.structures.chain.features import ChainFeatures
from weft.structures.hankel.bi_symbols import BiSymbols, symbol_columns
from weft.structures.hankel.chain import HankelChain, without_features
from weft.structures.hankel.rows import reachable_rows
from weft.structures.protocol import Answers

WHOLE_CELLS = 2**26
"""A matrix with more cells is kept in factors: 512 MB."""

TAU_PATH = {"nuclear": (16.0, 8.0, 4.0, 2.0), "frobenius": (80.0, 40.0, 20.0, 10.0)}
SQUARED_PATH = (1.0, 0.3, 0.1, 0.03)
JOINT_PATH = (8.0, 4.0, 2.0, 1.0)
TAU_SEQUENCES = 2500
"""The best tau of a summed loss hardly depends on the number of sequences, so that many are enough to choose it."""

TAU_PASSES = 40
HELD_OUT_SHARE = 0.2


class Spectral(Learner):
    """Scores of windows of symbols and labels, learned as one matrix of low rank, with a margin (SP).

    A bi-symbol is an input symbol with its label. The score of a labelling is that of its windows of `order`
    bi-symbols, looked up in a Hankel matrix, plus that of the sparse features of the tagger. Low rank means few
    latent states: windows never seen are filled in from those that share a state with them. A label is a candidate
    for a symbol if training data have the two together. A symbol never seen has all labels as candidates and scores
    like a boundary, so that its label is left to the sparse features, and among equals to frequency.

    Parameters
    ----------
    order : int
        Bi-symbols in a window, at least 2.
    regularizer : {"nuclear", "frobenius", "frobenius_squared"} or None
        Penalty on the matrix: sum of its singular values, norm, squared norm, or none.
    tau : float, optional
        Strength of the penalty; the loss is a sum over sequences. ``None``: the best of four values on a fifth of the
        sequences (at most 2,500 in all), after short fits without it.
    loss : {"hinge", "log"}, optional
        Viterbi hinge with Hamming cost, or negative log-likelihood. ``None``: hinge for the matrix alone, log beside
        sparse features, where steps on the hinge would have to be tiny.
    step : float, optional
        Hinge: first step size, that after t updates is ``step / sqrt(t)``. ``None``: the one with the lowest objective
        after a few passes, found by a short probe.
    batch_size : int, optional
        Hinge: sequences in a mini-batch; ``None`` for all at once.
    max_iter : int
        Passes over the data.
    tol : float
        Log loss: stop when ten iterations together improve the objective by less than this share.
    c2 : float
        Squared penalty on the sparse weights.
    margin : float
        Log loss: what a wrong label costs inside the log partition, which makes it a smooth hinge (softmax margin);
        0 for the likelihood itself, whose probabilities are better calibrated but whose labels are worse.
    max_rank : int
        Log loss: columns of the factors of the matrix.
    sparse : bool, optional
        Use the sparse features of the tagger. ``None``: if the input has attributes; plain symbols are in the windows.
    shorter_grams : bool
        Score windows of every length up to `order`.
    constrained : bool
        Learn the whole Hankel matrix, with empty and shorter prefixes, in which equal strings have equal values, so
        that operators can be recovered from it by singular vectors. Much slower: ADMM solves the proximal step.
    boundary : bool
        Pad each sequence with a boundary bi-symbol, so that it has one window per token. Without it, sequences
        shorter than `order` have no window and only their shorter grams or sparse features count.
    symbol : str
        How attributes begin that give the symbol of a token; the default is that of `WindowFeatures`. Plain
        symbols need none.
    min_count : int
        Symbols with fewer tokens count as never seen.
    ties : {"frequency", "label"}
        Which candidate wins a tie, as among windows never seen without a penalty: the most frequent label of the
        symbol, or the first in the order of labels. The published experiments compare with the latter.
    checkpoint : path, optional
        File that keeps the state; a fit of the same data and parameters goes on from it. It is removed at the end.
    checkpoint_every : int
        Passes between two writes.

    Attributes
    ----------
    tau_, step_ : float
        What was used.
    tau_path_ : list of dict
        Held-out accuracy of each tau that was tried.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.Spectral(tau=0.1), random_state=0).fit(["abab", "ba"], ["xyxy", "zx"])
    >>> tagger.predict(["bab"])
    [['z', 'x', 'y']]
    """

    needs: ClassVar[tuple[str, ...]] = ("most_violating", "window_steps", "partition_and_windows", "select")
    why_not: ClassVar[str] = ": it has no windows of symbols and labels"

    def __init__(
        self,
        order: int = 3,
        regularizer: Regularizer | None = "nuclear",
        tau: float | None = None,
        *,
        loss: Literal["hinge", "log"] | None = None,
        step: float | None = None,
        batch_size: int | None = None,
        max_iter: int = 100,
        tol: float = 1e-4,
        c2: float = 0.05,
        margin: float = 1.0,
        max_rank: int = 40,
        sparse: bool | None = None,
        shorter_grams: bool = False,
        constrained: bool = False,
        boundary: bool = True,
        symbol: str = "0[0]=",
        min_count: int = 1,
        ties: Literal["frequency", "label"] = "frequency",
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: int = 10,
    ) -> None:
        self.order = order
        self.regularizer = regularizer
        self.tau = tau
        self.loss = loss
        self.step = step
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.c2 = c2
        self.margin = margin
        self.max_rank = max_rank
        self.sparse = sparse
        self.shorter_grams = shorter_grams
        self.constrained = constrained
        self.boundary = boundary
        self.symbol = symbol
        self.min_count = min_count
        self.ties = ties
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every

    # --------------------------------------------------------------- structure

    def extend(self, chain: ChainFeatures, corpus: Corpus, labels: Ids, encoder: TokenEncoder) -> HankelChain:
        """Put the Hankel matrix beside the sparse features of a chain."""
        check_parameters(self)
        columns = symbol_columns(encoder.kind, list(encoder.feature_names), self.symbol)
        pairs = BiSymbols.collect(
            columns, corpus, labels, chain.n_labels, self.min_count, by_frequency=self.ties == "frequency"
        )
        sparse = encoder.kind != "symbols" if self.sparse is None else self.sparse
        extended = HankelChain(
            chain if sparse else without_features(chain),
            pairs,
            self.order,
            self.shorter_grams,
            self.boundary,
            self.constrained,
        )
        if extended.n_rows * extended.n_columns <= WHOLE_CELLS:
            return extended
        if self.constrained or self.regularizer != "nuclear":
            raise InputError(
                f"{pairs.n_pairs:,} bi-symbols make {extended.n_rows:,} rows, too many for a whole matrix; use "
                "regularizer='nuclear' without constraints, a lower order, or a higher min_count."
            )
        return replace(extended, row_numbers=reachable_rows(extended, corpus))

    # ---------------------------------------------------------------- learning

    @one_algebra_thread(scipy=True)
    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights with the lowest objective of all passes."""
        self.check_batch(batch)
        check_parameters(self)
        windows: Any = batch  # `AnswersSpectral`, as was checked
        chain: HankelChain = windows.chain
        loss = self._loss(chain)
        seed = int(random.integers(2**32))
        self.tau_path_: list[dict[str, float]] = []
        progress = Progress(self, batch, monitor)
        if progress.resumed is not None and self.checkpoint is not None:
            self.tau_, self.tau_path_ = progress.resumed.meta["tau"], progress.resumed.meta["tau_path"]
        else:  # a journal has the fits of the choice too, by their numbers
            self.tau_ = self._choose_tau(batch, loss, seed) if self.tau is None else float(self.tau)
        self.step_ = 0.0 if progress.resumed is None else progress.resumed.meta["step"]
        if progress.finished is not None:
            return progress.finished
        if loss == "log":
            return self._learn_log(batch, initial, monitor, progress, seed)
        return self._learn_hinge(batch, initial, monitor, progress, seed)

    def _loss(self, chain: HankelChain) -> str:
        if self.loss is not None:
            if self.loss == "log" and chain.factored:
                raise InputError(
                    f"{chain.pairs.n_pairs:,} bi-symbols are too many for loss='log', which needs a whole matrix; use "
                    "loss='hinge' or a higher min_count."
                )
            return self.loss
        smooth = chain.base.n_features > 0 and not chain.factored and not self.constrained
        return "log" if smooth and self.regularizer != "frobenius" else "hinge"

    def _fobos(self, batch: Any, weights: Floats, tau: float, step: float) -> Fobos:
        chain: HankelChain = batch.chain
        sparse, (values, _, left, right) = chain.split_matrix(weights)
        if chain.factored:
            matrix: Any = FactoredMatrix(left, right)
        else:
            constrained = HankelProximal(chain.string_cells, max_iter=50, tol=1e-4) if self.constrained else None
            matrix = WholeMatrix(values, self.regularizer, constrained)
        n_batches = 1 if self.batch_size is None else max(1, -(-batch.n_sequences // self.batch_size))
        return Fobos(batch, matrix, sparse.copy(), tau, step, self.c2, n_batches)

    def _choose_step(self, batch: Any, weights: Floats, tau: float, seed: int) -> float:
        if self.step is not None:
            return float(self.step)
        # Polyak's step towards a loss of zero is the scale of the problem.
        predicted, losses = batch.most_violating(weights)
        cells, signs = batch.window_steps(predicted)
        width = batch.chain.n_columns
        gradient = np.zeros(batch.chain.n_rows * width) if not batch.chain.factored else None
        if gradient is None:
            _, places = np.unique(cells, axis=0, return_inverse=True)
            square = float(np.sum(np.bincount(places.reshape(-1), weights=signs) ** 2)) if len(cells) else 0.0
        else:
            np.add.at(gradient, cells[:, 0] * width + cells[:, 1], signs)
            square = product(gradient, gradient)
        if batch.chain.base.n_features:
            square += float(np.sum(batch.sparse_steps(predicted) ** 2))
        if square == 0.0:
            return 1.0
        first = product(batch.sample_weight, losses) / square
        return choose_step(lambda step: self._fobos(batch, weights, tau, step), first, seed)

    def _learn_hinge(self, batch: Any, initial: Floats, monitor: Monitor, progress: Progress, seed: int) -> Floats:
        if progress.resumed is None:
            self.step_ = self._choose_step(batch, initial, self.tau_, seed)
        run = self._fobos(batch, initial, self.tau_, self.step_)
        random = np.random.default_rng(seed)
        best, lowest, begin = initial, np.inf, 1
        if progress.resumed is not None:
            arrays, meta = progress.resumed.arrays, progress.resumed.meta
            run = self._fobos(batch, arrays["weights"], self.tau_, self.step_)
            run.t, best, lowest, run.matrix.penalty = meta["t"], arrays["best"], meta["lowest"], meta["penalty"]
            if "multipliers" in arrays:
                run.matrix.constrained.multipliers = arrays["multipliers"]  # type: ignore[attr-defined]
            random.bit_generator.state = progress.restore_random(meta["random"])
            begin = progress.resumed.step + 1
        monitor.start("spectral", self.max_iter)
        iteration = begin - 1
        for iteration in range(begin, self.max_iter + 1):
            # With one batch the objective is that of the point before the step, so this is what it is recorded with.
            before = run.weights() if run.n_batches == 1 else None
            objective = run.run_pass(random)
            now = run.weights() if before is None else before
            if objective < lowest:
                best, lowest = now, objective
            stop = monitor.record(iteration, objective, now)
            constrained = getattr(run.matrix, "constrained", None)
            extra = {} if constrained is None else {"multipliers": constrained.multipliers}
            progress.save(
                iteration,
                {"weights": run.weights(), "best": best, **extra},
                {"t": run.t, "lowest": lowest, "penalty": run.matrix.penalty, "random": progress.random_state(random)},
            )
            if stop:
                break
        monitor.finish(iteration)
        progress.done(best)
        return best

    def _learn_log(self, batch: Any, initial: Floats, monitor: Monitor, progress: Progress, seed: int) -> Floats:
        objective = JointObjective(batch, self.regularizer, self.tau_, self.c2, self.max_rank, self.margin)
        point = objective.start(initial, np.random.default_rng(seed))
        monitor.start("spectral", self.max_iter)
        before = progress.resumed

        def keep(arrays: dict[str, Floats], done: bool, copy: bool, **facts: Any) -> None:  # `save` copies by itself
            if not done:
                progress.save(facts["iteration"], arrays, facts)

        result = objective.minimize(
            point,
            self.max_iter,
            self.tol,
            monitor.record,
            resume=None if before is None else FitState(before.arrays, before.meta),
            keep=keep,
        )
        if not result.converged and result.n_iterations >= self.max_iter:
            monitor.unfinished(self)
        monitor.finish(result.n_iterations)
        weights = objective.weights(result.point)
        progress.done(weights)
        return weights

    def _choose_tau(self, batch: Any, loss: str, seed: int) -> float:
        if self.regularizer is None:
            return 0.0
        if batch.n_sequences < 5:
            return 1.0
        random = np.random.default_rng(seed)
        learned, held_out = held_out_part(batch.n_sequences, TAU_SEQUENCES, HELD_OUT_SHARE, random)
        training, test = batch.select(learned), batch.select(held_out)
        gold = test.reference()
        path = SQUARED_PATH if self.regularizer == "frobenius_squared" else TAU_PATH[self.regularizer]
        path = JOINT_PATH if loss == "log" and self.regularizer == "nuclear" else path
        short = {**self.get_params(), "max_iter": min(self.max_iter, TAU_PASSES), "checkpoint": None}
        nothing = np.zeros(training.n_features)
        if loss == "hinge":
            short["step"] = self._choose_step(training, nothing, path[1], seed)

        def fit(tau: float) -> Floats:
            learner = type(self)(**{**short, "tau": tau})
            with Monitor(warns=False) as quiet:
                return learner.learn(training, nothing, quiet, np.random.default_rng(seed))

        best, self.tau_path_ = choose_tau(path, fit, lambda weights: float(np.mean(test.argmax(weights)[0] == gold)))
        return best
