"""StringRegressor: strings from strings or images, by regression onto n-gram counts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.annotations import Client, FilePath, Inputs, Seed, Strings, Symbols
from weft.arrays import Floats
from weft.core.checks import checked_number
from weft.core.ties import TIE_TOLERANCE
from weft.errors import InputError
from weft.estimators.examples import as_examples, compared_form, default_kernel, is_own, read_examples
from weft.estimators.given_parts import given_parts
from weft.estimators.inputs import check_shared, check_weights, generator
from weft.estimators.ranked_strings import fit_temperature, ranked_probabilities
from weft.estimators.regress.gram_regressor import GUESSED, GramRegressor, average, bigram_votes, warn_of_guesses
from weft.estimators.regress.members import choose_members, joint_lengths
from weft.estimators.regress.settings import candidates_of, check_parameters, ridge_of, ways_of
from weft.estimators.regress.string_regressor_state import regressor_from_state, regressor_to_state
from weft.kernel_methods.ridge.regressor import as_kernel
from weft.kernels.base import Kernel
from weft.kernels.precomputed import PrecomputedKernel
from weft.language_model.model import NGramLanguageModel
from weft.metrics.strings import normalized_edit_similarity
from weft.parameters import Parameters, check_is_fitted, clone, is_fitted, remade
from weft.preimages.candidates import nearest_candidates, nearest_others, places_of_candidates
from weft.preimages.euler_decoder import EulerDecoder, RankedPaths
from weft.preimages.gram_space import GramSpace
from weft.preimages.nearest import NearestStrings, nearest_strings
from weft.sequences.checks import as_list, as_sequences, check_symbols

if TYPE_CHECKING:
    from weft.estimators.annotations import Training

Ranked = list[list[tuple[Any, float]]]

N_RANKED = 10
"""Strings among which probabilities are shared."""
ORDERS = (2, 3)
N_TRIED = 200
"""Leave-one-out predictions that are written out for that, at the most."""


class StringRegressor(Parameters):
    """Learns strings from strings, token lists, or sequences of vectors such as images, without an alignment.

    Kernel ridge regression predicts how often each n-gram occurs in the output; a pre-image algorithm turns these
    counts into a string. Inputs and outputs may differ in length. Output symbols and, for pre-images "euler" and (as a
    default) "nearest", neighbouring symbols are those of training.

    Parameters
    ----------
    input_kernel : kernel, list of kernels or "precomputed", optional
        If precomputed, X is a Gram matrix; later, rows of kernel values with all training inputs. None means a
        normalised kernel that fits the inputs: 1- to 3-grams of strings and token lists, aligned sums of
        ``(1 + x.y / d)^2`` for sequences of vectors. A list gives each regressor its own.
    output_order : int or tuple of int, optional
        Length of the output n-grams; a tuple takes those lengths together. For "nearest" and "candidates", n means
        all lengths from 2 to n. None tries 2 and 3 and keeps the one whose leave-one-out predictions, of at most 200
        examples, are nearer to the outputs (``output_order_``): one more fit. Regressors that vote have 2 or 3.
    alpha : float or sequence of float, optional
        Strength of the ridge penalty; of several the one with the smallest leave-one-out error is taken (``alpha_``).
        None means several from 0.0001 to 1, or 0.01 for an approximation.
    preimage : {"nearest", "euler", "candidates"}, optional
        The string whose n-gram counts are nearest to predictions minus thresholds plus 1/2; an Euler path through the
        n-grams that exceed their thresholds (RG 1.4); or the nearest of `candidates`. None takes "nearest", or
        "candidates" if that comes nearer to outputs that were left out (``preimage_``), unless an option that only one
        of them has decides; Euler paths, which have no probabilities, are not tried.
    approximation : {"greedy", "cholesky", "nystroem", "random"}, optional
        Keep few basis functions, `n_basis` of them; None keeps all examples.
    n_basis : int, optional
        None means a third of the examples. Only for approximations.
    n_regressors : int
        Several regressors vote. With one kernel, they differ in the lengths of input n-grams (the kernel's parameter
        ``n``) and output n-grams. For "euler" bigrams are kept that the majority predicts, for the others shifted
        counts are averaged.
    language_model : NGramLanguageModel, optional
        Ranks Euler paths, or adds to the distance of "nearest". One that is fitted, such as to a larger corpus, is used
        as it is, also by copies (`clone`); one that is not is fitted to the training outputs.
    model_weight : float, optional
        Its weight for "nearest"; None means 0.05.
    candidates : list of strings, optional
        For "candidates"; None means the training outputs.
    new_gram_cost : float, optional
        For "nearest": cost of an n-gram unseen in training. None forbids new pairs of neighbours.
    beam_width : int, optional
        Partial strings that a search keeps, for "nearest" and for Euler paths with a language model; None means 40 and
        200.
    max_length : int, optional
        Of outputs of "nearest"; None means twice the longest of training.
    random_state : int, optional
        Chooses the basis of some approximations.
    n_jobs : int
        Threads of the search.

    Attributes
    ----------
    regressors_ : list of GramRegressor
    space_ : GramSpace
        N-grams that pre-images are made of.
    classes_ : list
        Output symbols.
    output_order_ : int, tuple of int or None
        Length of the output n-grams that was used; None if several regressors vote.
    preimage_ : str
    temperature_ : float or None
        Of probabilities, fitted to leave-one-out predictions.

    Examples
    --------
    >>> import weft
    >>> X = ["uno", "dos", "tres", "uno dos", "dos tres", "uno tres"]
    >>> y = ["one", "two", "three", "one two", "two three", "one three"]
    >>> weft.StringRegressor().fit(X, y).predict(["dos", "uno dos"])
    ['two', 'one two']
    """

    regressors_: list[GramRegressor]
    space_: GramSpace
    candidates_: list[Any]
    output_order_: Any
    preimage_: str

    def __init__(
        self,
        input_kernel: Kernel | str | Sequence[Kernel] | None = None,
        output_order: int | Sequence[int] | None = None,
        alpha: float | Sequence[float] | None = None,
        preimage: str | None = None,
        *,
        approximation: str | None = None,
        n_basis: int | None = None,
        n_regressors: int = 1,
        language_model: NGramLanguageModel | None = None,
        model_weight: float | None = None,
        candidates: Strings | None = None,
        new_gram_cost: float | None = None,
        beam_width: int | None = None,
        max_length: int | None = None,
        random_state: Seed = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.input_kernel = input_kernel
        self.output_order = output_order
        self.alpha = alpha
        self.preimage = preimage
        self.approximation = approximation
        self.n_basis = n_basis
        self.n_regressors = n_regressors
        self.language_model = language_model
        self.model_weight = model_weight
        self.candidates = candidates
        self.new_gram_cost = new_gram_cost
        self.beam_width = beam_width
        self.max_length = max_length
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.input_tags.pairwise = isinstance(self.input_kernel, str)
        tags.target_tags.required = True
        return tags

    def __sklearn_clone__(self) -> StringRegressor:
        """A copy that has learned nothing but keeps a language model that came fitted."""
        made: StringRegressor = remade(self)
        if self.language_model is not None and is_fitted(self.language_model):
            made.language_model = self.language_model
        return made

    # ---------------------------------------------------------------- learning

    def fit(
        self,
        X: Training,
        y: Strings | None = None,
        groups: Symbols | None = None,
        *,
        client: Client | None = None,
        spill: FilePath | None = None,
    ) -> StringRegressor:
        """Learn from inputs and their strings.

        Parameters
        ----------
        X : list of strings, token lists, or arrays of shape (length, d); or `weft.scale.Examples`
        y : list of strings or token lists
        groups : list of hashable, optional
            Examples of one group are held out together when strength, thresholds and probabilities are fitted; None
            holds out one at a time. Where few outputs repeat often and new ones are to come, give the outputs.
        client : dask.distributed.Client, optional
            Examples in parts are read by the workers of its cluster; needs ``approximation="nystroem"``.
        spill : path, optional
            Examples in parts, which need not fit into memory, are read part by part, and the sums over them are kept in
            this folder; likewise. ``n_basis=None`` then means 1,000 at most. Thresholds and probabilities come from
            5,000 examples; ``output_order=None`` and ``preimage=None`` are chosen on 1,000.
        """
        check_shared(self)
        check_parameters(self)
        examples = given_parts(X, client, spill, y=y, groups=groups)
        if examples is not None:
            if client is not None or spill is not None:
                from weft.estimators.regress.parts import fit_strings_in_parts

                fit_strings_in_parts(self, examples, client, spill)
                return self
            X, y = examples.read()
        outputs = as_sequences(y, "y")
        for place, output in enumerate(outputs):
            check_symbols(output, f"y[{place}]")
        inputs = self._inputs(X, fitted=False)
        if len(inputs) != len(outputs):
            raise InputError(f"X has {len(inputs)} sequences but y has {len(outputs)}; each input needs one string.")
        groups = (
            None if groups is None else as_list(groups, "groups", "a list with one group for each sequence is needed")
        )
        if groups is not None and len(groups) != len(inputs):
            raise InputError(f"X has {len(inputs)} sequences but there are {len(groups)} groups; each needs one.")
        self._text = all(isinstance(output, str) for output in outputs)
        seed = int(generator(self.random_state).integers(2**31))
        default = default_kernel(inputs, self._form) if self.input_kernel is None else None
        model = self.language_model
        self.language_model_ = model if model is None or is_fitted(model) else clone(model).fit(outputs)
        self._max_length = int(self.max_length or 2 * max(map(len, outputs)))
        several = self.n_regressors != 1 or isinstance(self.input_kernel, list | tuple)
        orders = ORDERS if self.output_order is None and not several else (self.output_order,)
        self.candidates_ = candidates_of(self, outputs)
        ways, tried = ways_of(self), []
        for order in orders:
            self._fit_regressors(inputs, outputs, groups, order, default, seed, ways[0])
            for way in ways:
                self.preimage_ = way
                similarity = self._held_out_similarity(outputs, groups) if len(orders) * len(ways) > 1 else 0.0
                tried.append((similarity, order, way, self.regressors_, self.space_))
        # Of equal ones the first, with the shorter grams, and the nearest string.
        best = next(each for each in tried if each[0] >= max(one[0] for one in tried) - TIE_TOLERANCE)
        _, self.output_order_, self.preimage_, self.regressors_, self.space_ = best
        if self.preimage_ != "candidates":
            self.candidates_ = []
        self.temperature_: float | None = None
        if self.preimage_ != "euler":
            self._calibrate(outputs)
        for regressor in self.regressors_:
            regressor.held_out = None
        return self

    def _fit_regressors(
        self, inputs: Any, outputs: list[Any], groups: Any, order: Any, default: Kernel | None, seed: int, way: str
    ) -> None:
        """Fit all regressors, and learn what strings are made of, for one length of output n-grams."""
        members = choose_members(self.input_kernel, default, order, self.n_regressors, way)
        all_lengths = joint_lengths(members, way)
        self.regressors_ = [
            GramRegressor.fit(ridge_of(self, kernel, seed), inputs, outputs, lengths, groups)
            for kernel, lengths in members
        ]
        self.space_ = GramSpace.learn(outputs, all_lengths)
        self.classes_ = list(self.space_.alphabet.symbols)

    def _held_out_similarity(self, outputs: list[Any], groups: Any) -> float:
        """How near predictions for examples that were left out come to the outputs."""
        chosen = np.arange(0, len(outputs), max(1, -(-len(outputs) // N_TRIED)))
        truth = [list(outputs[i]) for i in chosen.tolist()]
        counts = [regressor.held_out[chosen] for regressor in self.regressors_ if regressor.held_out is not None]
        if self.preimage_ == "nearest":
            found = [row[0][0] if row else [] for row in self._ranked(self._average(counts), 1)]
        elif self.preimage_ == "candidates":
            owners, known = places_of_candidates(outputs, self.candidates_, groups)
            images = self.space_.counts(self.candidates_)
            places = nearest_others(self._average(counts), images, owners[chosen], known[chosen])
            found = [self.candidates_[place] for place in places.tolist()]
        elif self.language_model_ is not None:
            found = self._ranked_paths(self.regressors_[0].whole(counts[0])).strings
        else:
            found = EulerDecoder(self.space_).decode(self.regressors_[0].whole(counts[0]))
        return normalized_edit_similarity(truth, [list(each) for each in found])

    def _average(self, counts: list[Floats]) -> Floats:
        return average(self.regressors_, counts, self.space_)

    @property
    def alpha_(self) -> list[float]:
        """Strength of the ridge penalty of each regressor."""
        check_is_fitted(self, "regressors_")
        return [float(each.ridge.alpha_) for each in self.regressors_]

    def _inputs(self, X: Any, fitted: bool = True) -> Any:
        """Inputs in one form, that of training; what a kernel of the user's own compares is left as it is."""
        kernels = self.input_kernel if isinstance(self.input_kernel, list | tuple) else [self.input_kernel]
        first = kernels[0] if kernels else None
        first = as_kernel(first, "input_kernel") if isinstance(first, str) else first
        own = any(map(is_own, kernels))
        X = read_examples(X, own=True) if own or isinstance(first, PrecomputedKernel) else as_sequences(X, "X")
        form = compared_form(X, "X", first, own)
        trained = self._form if fitted else form
        if form != trained:
            raise InputError(f"X holds {form}, but {trained} were trained on; give the same form.")
        self._form: str = form
        return as_examples(X, form)

    def _calibrate(self, outputs: list[Any]) -> None:
        """Temperature from leave-one-out predictions of at most 500 examples."""
        chosen = np.arange(0, len(outputs), max(1, len(outputs) // 500))
        held_out = [regressor.held_out[chosen] for regressor in self.regressors_ if regressor.held_out is not None]
        ranked = self._ranked(self._average(held_out), N_RANKED)
        self.temperature_ = fit_temperature(ranked, [list(outputs[i]) for i in chosen.tolist()])

    # -------------------------------------------------------------- predicting

    def _predicted(self, X: Any) -> list[Floats]:
        check_is_fitted(self, "regressors_")
        inputs = self._inputs(X)
        found = [regressor.counts(inputs) for regressor in self.regressors_]
        check_weights(*found, what="the prediction")
        warn_of_guesses(inputs, found)
        return found

    def predict_counts(self, X: Inputs) -> Floats:
        """Predicted counts of the n-grams of `space_`, shifted so that 1/2 is where thresholds are."""
        predicted = self._predicted(X)
        if self.preimage_ == "euler" and len(self.regressors_) > 1:
            return bigram_votes(self.regressors_, predicted, self.space_).astype(np.float64)
        return self._average(predicted)

    def predict(self, X: Inputs) -> list[Any]:
        """String of each input: text if training outputs were text, else a list of symbols.

        An input that shares no feature with training has the prediction of the mean-free regression, all counts zero;
        a warning says so.
        """
        return [self._written(symbols) for symbols in self._decode(X)]

    def is_proven(self, X: Inputs) -> NDArray[np.bool_]:
        """Whether the search of each prediction has shown that it is the best: no string nearer, or none more probable.

        Of Euler paths without a language model any is as good, so that there is nothing to prove.
        """
        check_is_fitted(self, "regressors_")
        if self.preimage_ == "euler" and self.language_model_ is not None:
            return self._ranked_paths(self._whole(X)).is_proven
        shifted = self.predict_counts(X)
        return self._search(shifted, 1).is_proven if self.preimage_ == "nearest" else np.ones(len(shifted), dtype=bool)

    def _whole(self, X: Any) -> NDArray[np.int64]:
        """Counts for Euler paths."""
        predicted = self._predicted(X)
        if len(self.regressors_) > 1:
            return bigram_votes(self.regressors_, predicted, self.space_)
        return self.regressors_[0].whole(predicted[0])

    def _decode(self, X: Any) -> list[list[Any]]:
        check_is_fitted(self, "regressors_")
        if self.preimage_ != "euler":
            return self._best(self.predict_counts(X))
        whole = self._whole(X)
        return self._ranked_paths(whole).strings if self.language_model_ else EulerDecoder(self.space_).decode(whole)

    def _best(self, shifted: Floats) -> list[list[Any]]:
        return [ranked[0][0] if ranked else [] for ranked in self._ranked(shifted, 1)]

    def _ranked_paths(self, whole: NDArray[np.int64]) -> RankedPaths:
        assert self.language_model_ is not None
        return EulerDecoder(self.space_).rank(whole, self.language_model_, beam_width=self.beam_width or 200)

    def _ranked(self, shifted: Floats, k: int) -> Ranked:
        """The k best strings and their costs."""
        if self.preimage_ == "candidates":
            images = self.space_.counts(self.candidates_)
            places, costs = nearest_candidates(shifted, images, min(k, len(self.candidates_)))
            rows = zip(places.tolist(), costs.tolist(), strict=True)
            return [[(self.candidates_[i], cost) for i, cost in zip(*row, strict=True)] for row in rows]
        found = self._search(shifted, k)
        return [
            list(zip(row, costs.tolist(), strict=True)) for row, costs in zip(found.strings, found.costs, strict=True)
        ]

    def _search(self, shifted: Floats, k: int) -> NearestStrings:
        return nearest_strings(
            shifted,
            self.space_,
            beam_width=self.beam_width or 40,
            k=k,
            max_length=self._max_length,
            new_gram_cost=self.new_gram_cost,
            language_model=self.language_model_,
            model_weight=self.model_weight,
            n_jobs=self.n_jobs,
        )

    def predict_kbest(self, X: Inputs, k: int = 5) -> Ranked:
        """The k best strings of each input with probabilities; for pre-images "nearest" and "candidates".

        Strings of equal counts are equally near, and all among the k best if there is room.
        Probabilities fall exponentially with the squared distance, at a rate that leave-one-out predictions of the
        training data decide; they are shared among the ten best, and one place is left for all others.
        """
        checked_number("k", k)
        check_is_fitted(self, "regressors_")
        if self.temperature_ is None:
            raise InputError("Euler paths have no ranking; use preimage='nearest' or 'candidates' for the k best.")
        return self._kbest(self.predict_counts(X), k)

    def _kbest(self, shifted: Floats, k: int) -> Ranked:
        assert self.temperature_ is not None
        ranked = self._ranked(shifted, max(k, N_RANKED))
        chances = ranked_probabilities(ranked, self.temperature_)
        return [
            [(self._written(symbols), float(p)) for (symbols, _), p in zip(row[:k], shares[:k], strict=True)]
            for row, shares in zip(ranked, chances, strict=True)
        ]

    def confidence(self, X: Inputs) -> Floats:
        """Probability of each prediction; see `predict_kbest`."""
        return np.array([row[0][1] if row else 0.0 for row in self.predict_kbest(X, 1)])

    def score(self, X: Inputs, y: Strings) -> float:
        """Mean of one minus the edit distance over the longer length; no warning tells of inputs that are unknown."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", GUESSED)
            predicted = self.predict(X)
        return normalized_edit_similarity(as_sequences(y, "y"), predicted)

    def _written(self, symbols: Sequence[Any]) -> Any:
        return "".join(symbols) if self._text else list(symbols)

    # ------------------------------------------------------------ model files

    def _training_summary(self) -> dict[str, Any]:
        return {
            "preimage": self.preimage_,
            "output_order": self.output_order_,
            "alpha": self.alpha_,
            "n_regressors": len(self.regressors_),
            "n_grams": self.space_.n_grams,
            "symbols": [str(symbol) for symbol in self.classes_[:100]],
        }

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return regressor_to_state(self)

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        regressor_from_state(self, state, arrays)
