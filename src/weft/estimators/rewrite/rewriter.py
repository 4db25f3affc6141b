"""Rewriter: strings to strings, learned from pairs that nobody has aligned."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Client, FilePath, Seed, Strings, Tags
from weft.arrays import Floats
from weft.core.kept import kept
from weft.errors import InputError
from weft.estimators.inputs import check_weights, checked_sample_weight
from weft.estimators.rewrite.inputs import Side, as_outputs, checked_tags, normalised, with_tags
from weft.estimators.rewrite.state import rewriter_from_state, rewriter_to_state
from weft.estimators.rewrite.unknown import copies_of, known_tags, read_in_known_case
from weft.language_model.model import NGramLanguageModel
from weft.learners.base import Learner
from weft.metrics.strings import normalized_edit_similarity
from weft.parameters import Parameters, check_is_fitted
from weft.rewriting.chunks.alignment import Pairs
from weft.rewriting.edits.two_ways import N_VOTES, mixed, words_of
from weft.rewriting.model import MARGIN
from weft.rewriting.names import weight_names, weight_text
from weft.rewriting.network.learner import RecurrentNetwork
from weft.rewriting.ranking import N_LIST, Copies, best_outputs, ranked_outputs, vote
from weft.rewriting.spectral import SpectralRewriteModel
from weft.rewriting.tagged import Tagged, is_mark

if TYPE_CHECKING:
    from weft.rewriting.calibration import Calibration
    from weft.rewriting.edits.two_ways import Edits
    from weft.rewriting.reranking import Reranker
    from weft.scale.examples import Examples

SHARE_OF_EDITS = 0.9
"""Of the probability of a form; the rest is the chain's."""


class Rewriter(Parameters):
    """Learns to rewrite strings: spelling to sounds, one script to another, lemmas to forms, old spelling to new.

    Pairs are aligned chunk by chunk by expectation-maximisation. A chain then labels each input symbol with what it
    becomes, from the symbols around it; its score is mixed with that of an n-gram model over (symbol, label) pairs,
    and the mixture tuned on held-out pairs.

    Parameters
    ----------
    learner : learner, optional
        How the weights of the chain are found: `Perceptron`, `CRF`, `StructuredSVM`; ``None`` means ``Perceptron(8)``.
        `Spectral` puts a tagger with latent states in its place, best of order 2: see `SpectralTagger`.
    max_chunk : int or (int, int), optional
        Maximum symbols of an input and an output chunk. One symbol becomes none or several, or several become one; no
        symbol is left over. ``None`` chooses from the data: of (2, 2), (1, 2) and (1, 4) those under which held-out
        pairs are the most probable, by n-grams of aligned chunks; (1, 9) with tags.
    context : int
        Symbols on each side that a label depends on.
    language_model : NGramLanguageModel, optional
        Score outputs by an n-gram model of them as well, learned from the training outputs.
    random_state : int, optional
        Seed of everything random.
    effort : {"fast", "balanced", "best", None}
        A combination of `learner`, `language_model`, `network`, `n_models` and `rerank` that suits the number of
        pairs: "fast" is what these are by default, "balanced" takes about 10 times as long (with few pairs, 35),
        "best" longer. ``None``: they are as given; with an effort they cannot be. With tags all efforts are "fast".
    network : RecurrentNetwork, optional
        Score labels by small recurrent networks as well, to which similar symbols look similar.
    joint_n : int
        Length of the n-grams of (symbol, label) pairs.
    n_models : int
        Models that vote: they differ in the seed, in the direction of reading and in the chunks of the alignment.
    rerank : int
        If 2 or more: learn to order the best outputs anew by what they look like as a whole, from outputs for each of
        so many parts of the words by models of the others; the mixture is tuned on these outputs too. That costs as
        many more trainings; it helps where accents or lengths of vowels depend on the whole word, and is left out
        where it does not. Fewer than 200 words are too few for it.
    beam_width : int
        Beginnings of outputs that decoding keeps.
    invalid : {"skip", "error"}
        What to do with pairs that have an empty side or no alignment within `max_chunk`: leave them out, with a
        warning that counts and names them (``skipped_`` has all), or stop.
    unknown : {"copy", "drop", "error"}
        What becomes of an input symbol unseen in training: it is copied, unless outputs have neither it nor
        most symbols of their inputs, as sounds have not those of letters; left out; or refused. A warning names the
        symbols. Where outputs do not repeat inputs and training had letters of one case alone, "copy" reads those of
        the other case as the same letters, and a warning says so.
    normal_form : {"auto", "NFC", "NFD", "NFKC", "NFKD", None}
        Unicode form of all text. "auto" is NFC, or NFD if that makes the alphabet at least three times smaller.
    validation_fraction : float
        Share of the inputs held out to score each iteration of the chain, and of the network, by how many of them it
        alone rewrites rightly (a network that reads outputs with the n-grams); the mixture is tuned on them too.
    patience : int, optional
        Stop each of these after this many iterations without a better held-out score; the best weights are kept. Not
        for `Spectral`.
    n_jobs : int
        Threads; -1 for all cores.
    verbose : int
        1 shows progress bars.

    Attributes
    ----------
    models_ : list
        The models that vote.
    max_chunk_ : (int, int)
        As given, or as chosen.
    copying_ : bool
        Whether outputs have most symbols of their inputs, so that symbols unseen in training are copied.
    mixture_ : tuple of float
        Weights of the chain, the joint n-gram model, the language model, the model of some output symbols only, and
        the network, of the first model.
    skipped_ : list of (int, str)
        Numbers of the pairs left out, and why.
    rare_ : list of int
        Numbers of the pairs that the chain is not learned from because a symbol has a label there that it has nowhere
        else; only with 10,000 pairs or more, where such labels are mostly errors of the data.
    history_ : list of dict
        Of the chain of the first model.
    alignment_history_ : list of float
        Log-likelihood of each iteration of the alignment.
    normal_form_ : str or None
    reranker_ : Reranker or None
    calibration_ : Calibration or None
        How the probability of a best output becomes `confidence`: learned from held-out words, if these are 100 or
        more. With tags, where outputs repeat their inputs, these are `X_dev`, or halves of the training words that
        models of the other half write.
    votes_calibration_ : Calibration or None
        The same of what the models of `models_` say where `edits_` have their say too; only with `rerank`.
    edits_ : Edits or None
        With tags, where outputs repeat their inputs: models that write forms symbol by symbol, from their beginning and
        from their end.

    Examples
    --------
    >>> import weft
    >>> X = ["cat", "chat", "hat", "tac", "ach"]
    >>> y = [["K", "A", "T"], ["SH", "A", "T"], ["H", "A", "T"], ["T", "A", "K"], ["A", "SH"]]
    >>> rewriter = weft.Rewriter(random_state=0).fit(X, y)
    >>> rewriter.predict(["tach"])
    [['T', 'A', 'SH']]
    """

    input_side_: Side
    output_side_: Side
    normal_form_: str | None
    has_tags_: bool
    copying_: bool
    max_chunk_: tuple[int, int]
    skipped_: list[tuple[int, str]]
    rare_: list[int]
    models_: list[Any]
    mixture_: tuple[float, ...]
    history_: list[dict[str, Any]]
    alignment_history_: list[float]
    reranker_: Reranker | None
    calibration_: Calibration | None
    votes_calibration_: Calibration | None
    edits_: Edits | None

    def __init__(
        self,
        learner: Learner | None = None,
        max_chunk: int | Sequence[int] | None = None,
        context: int = 5,
        language_model: NGramLanguageModel | None = None,
        random_state: Seed = None,
        *,
        effort: str | None = None,
        network: RecurrentNetwork | None = None,
        joint_n: int = 8,
        n_models: int = 1,
        rerank: int = 0,
        beam_width: int = 20,
        invalid: str = "skip",
        unknown: str = "copy",
        normal_form: str | None = "auto",
        validation_fraction: float = 0.0,
        patience: int | None = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.max_chunk = max_chunk
        self.context = context
        self.language_model = language_model
        self.random_state = random_state
        self.effort = effort
        self.network = network
        self.joint_n = joint_n
        self.n_models = n_models
        self.rerank = rerank
        self.beam_width = beam_width
        self.invalid = invalid
        self.unknown = unknown
        self.normal_form = normal_form
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---------------------------------------------------------------- learning

    def fit(
        self,
        X: Strings | Examples,
        y: Strings | None = None,
        sample_weight: ArrayLike | None = None,
        tags: Tags | None = None,
        X_dev: Strings | None = None,
        y_dev: Strings | None = None,
        tags_dev: Tags | None = None,
        *,
        client: Client | None = None,
        spill: FilePath | None = None,
    ) -> Rewriter:
        """Learn from pairs.

        Parameters
        ----------
        X : list of strings or of token lists, `weft.scale.Examples`, or Dask bag of (input, output)
        y : list of strings or of token lists
            Output of each. An input with several outputs stands there several times.
        sample_weight : array of shape (n_pairs,), optional
        tags : list of lists of tags, or of strings with tags separated by ";", optional
            What the output depends on beside the input, such as the features of an inflected form.
        X_dev, y_dev, tags_dev : optional
            Pairs to tune the mixture on, instead of a part of the training pairs; with `patience`, iterations are
            scored on them too.
        client : dask.distributed.Client, optional
            Alignments and contexts of examples in parts are kept on the workers of its cluster.
        spill : path, optional
            Folder for alignments and contexts of examples in parts; pairs as numbers and n-grams stay in memory.
        """
        # What only learning needs is opened here, so that no prediction passes through it.
        from weft.estimators.given_parts import given_parts
        from weft.estimators.inputs import check_held_out
        from weft.estimators.rewrite.learning import learn, learn_sides, set_sides
        from weft.estimators.rewrite.settings import checked_settings

        settings = checked_settings(self)
        check_held_out(X_dev, y_dev)
        examples = given_parts(X, client, spill, y=y, tags=tags, sample_weight=sample_weight)
        if examples is not None:
            if client is not None or spill is not None:
                from weft.estimators.rewrite.parts import pairs_in_parts

                with pairs_in_parts(self, examples, client, spill) as (found, place):
                    set_sides(self, found.sides, found.n_foreign, found.copying)
                    settings = replace(settings, place=place)
                    learn(self, found.pairs, settings, None, (X_dev, y_dev, None), found.shown_input)
                return self
            X, y = examples.read()
        inputs, outputs = learn_sides(self, X, y, tags)
        sample_weight = checked_sample_weight(sample_weight, len(inputs))
        pairs = Pairs(*self.input_side_.encode(inputs), *self.output_side_.encode(outputs))
        learn(self, pairs, settings, sample_weight, (X_dev, y_dev, tags_dev), inputs.__getitem__)
        return self

    def _tagged(self) -> Tagged:
        inputs, outputs = (list(side.alphabet.symbols) for side in (self.input_side_, self.output_side_))
        return Tagged.of_names(inputs, outputs, self.copying_)

    # -------------------------------------------------------------- predicting

    def _prepared(self, X: Any, tags: Any, name: str = "X") -> list[Any]:
        inputs, kind = as_outputs(X, name)
        if kind != self.input_side_.kind:
            raise InputError(f"{name} holds {kind}, but training had {self.input_side_.kind}; give the same.")
        if self.has_tags_ != (tags is not None):
            given, wanted = ("no tags", "tags") if self.has_tags_ else ("tags", "none")
            raise InputError(f"{name} has {given}, but training had {wanted}; give the same.")
        inputs = normalised(inputs, self.normal_form_)
        if kind == "characters" and self.unknown == "copy" and not self.copying_:
            inputs = read_in_known_case(inputs, self.input_side_.alphabet, name)
        return inputs if tags is None else with_tags(inputs, known_tags(self, checked_tags(tags, len(inputs)), name))

    def _ranked(self, X: Any, tags: Any, k: int) -> list[list[tuple[Any, float]]]:
        """Outputs of each sequence with their probabilities, best first."""
        sizes = self._sizes_of_weights()
        inputs = self._prepared(X, tags)
        side = self.output_side_
        ranked: list[list[tuple[Any, float]]] = [[(side.join([]), 1.0)] for _ in inputs]
        present = [i for i, sequence in enumerate(inputs) if len(sequence)]
        if not present:
            return ranked
        chosen = [inputs[i] for i in present]
        symbols, offsets = self.input_side_.encode(chosen)
        copies, lost, names = copies_of(self, chosen, symbols)
        found = self._voted(symbols, offsets, k, copies, sizes)
        for i, outputs in zip(present, found, strict=True):
            ranked[i] = [(side.join([names[s] for s in output]), probability) for output, probability in outputs]
        for number, i in enumerate(present if lost else []):
            own = [offsets[number] + k for k, symbol in enumerate(chosen[number]) if not is_mark(symbol)]
            if own and lost.issuperset(own):  # nothing was read, so nothing is known of the output
                ranked[i] = [(output, 0.0) for output, _ in ranked[i]]
        return ranked

    def _sizes_of_weights(self) -> list[float | None]:
        check_is_fitted(self, "models_")
        return [
            kept(_weights_of(model), model, partial(_size_of_weights, model), copied=False) for model in self.models_
        ]

    def _voted(self, symbols: Any, offsets: Any, k: int, copies: Copies, sizes: list[float | None]) -> list[Any]:
        """Outputs of each sequence as numbers, with their probabilities, best first."""
        n_best = k if self.edits_ is None else max(k, N_VOTES)
        k_found = n_best if self.reranker_ is None else max(n_best, N_LIST)
        found = vote(
            self.models_, symbols, offsets, k_found, beam_width=self.beam_width, n_jobs=self.n_jobs, copies=copies,
            sizes=sizes,
        )  # fmt: skip
        if self.reranker_ is not None:
            found = [outputs[:n_best] for outputs in self.reranker_.rank(symbols, offsets, found)]
        if self.edits_ is not None:
            if self.votes_calibration_ is not None:
                found = [self.votes_calibration_.apply(outputs) for outputs in found]
            written = self.edits_.rank(words_of(symbols, offsets, self._tagged(), copies), n_best, self.n_jobs)
            found = mixed(found, written, SHARE_OF_EDITS, k)
        if self.calibration_ is not None:
            found = [self.calibration_.apply(outputs) for outputs in found]
        return found

    def predict(self, X: Strings, tags: Tags | None = None) -> list[Any]:
        """Best output of each sequence; an empty sequence becomes an empty one."""
        sizes = self._sizes_of_weights()
        inputs = self._prepared(X, tags)
        side = self.output_side_
        chosen = [sequence for sequence in inputs if len(sequence)]
        if not chosen:
            return [side.join([]) for _ in inputs]
        symbols, offsets = self.input_side_.encode(chosen)
        copies, _, names = copies_of(self, chosen, symbols)
        if len(self.models_) > 1 or copies.symbols or self.reranker_ is not None or self.edits_ is not None:
            found = [ranked[0][0] for ranked in self._voted(symbols, offsets, 1, copies, sizes)]
        else:  # one model: how probable its outputs are need not be known
            model = self.models_[0]
            found = best_outputs(
                model, symbols, offsets, beam_width=self.beam_width, n_jobs=self.n_jobs, size=sizes[0]
            )  # fmt: skip
        predicted = [side.join([names[s] for s in output]) for output in found]
        if len(chosen) == len(inputs):
            return predicted
        outputs = iter(predicted)
        return [next(outputs) if len(sequence) else side.join([]) for sequence in inputs]

    def predict_kbest(self, X: Strings, k: int, tags: Tags | None = None) -> list[list[tuple[Any, float]]]:
        """The k best different outputs of each sequence with their probabilities, best first; fewer if fewer exist.

        The probability of an output is the sum over its labellings, relative to all that the beam holds, and set right
        on held-out words (`calibration_`).
        """
        number: Any = k
        if isinstance(number, bool) or not (isinstance(number, int | np.integer) and number >= 1):
            raise InputError(f"k is {k!r}; a whole number of at least 1 is needed.")
        return self._ranked(X, tags, int(k))

    def confidence(self, X: Strings, tags: Tags | None = None) -> Floats:
        """Probability of the prediction, one number per sequence."""
        return np.array([best[0][1] for best in self._ranked(X, tags, 1)])

    def score(self, X: Strings, y: Strings, sample_weight: ArrayLike | None = None, tags: Tags | None = None) -> float:
        """Mean of one minus the edit distance divided by the longer length."""
        check_is_fitted(self, "models_")
        outputs = normalised(as_outputs(y, "y")[0], self.output_side_.form)
        predicted = self.predict(X, tags)
        if len(predicted) != len(outputs):
            raise InputError(f"X has {len(predicted)} sequences but y has {len(outputs)}; each needs its own output.")
        sample_weight = checked_sample_weight(sample_weight, len(outputs))
        if sample_weight is None:
            return normalized_edit_similarity(outputs, predicted)
        values = [normalized_edit_similarity([a], [b]) for a, b in zip(outputs, predicted, strict=True)]
        return float(np.average(values, weights=sample_weight))

    def beam_loss(self, X: Strings, tags: Tags | None = None, beam_width: int = 200) -> dict[str, float]:
        """What decoding loses against a beam of another width: share of other outputs, and mean loss of log-score."""
        check_is_fitted(self, "models_")
        symbols, offsets = self.input_side_.encode([each for each in self._prepared(X, tags) if len(each)])
        changed, gaps = [], []
        for model in self.models_:
            narrow, wide = (
                model.decode(symbols, offsets, 2, beam_width=each, margin=margin, n_jobs=self.n_jobs)
                for each, margin in ((self.beam_width, MARGIN), (beam_width, 4 * MARGIN))
            )
            first, second = (ranked_outputs(model, found, offsets) for found in (narrow, wide))
            changed.append(np.mean([a[0][0] != b[0][0] for a, b in zip(first, second, strict=True)]))
            gaps.append(np.maximum(wide.scores.max(axis=1) - narrow.scores.max(axis=1), 0.0).mean())
        return {"changed": float(np.mean(changed)), "mean_gap": float(np.mean(gaps))}

    # ---------------------------------------------------------------- pruning

    def prune(self, min_weight: float, min_gain: float) -> Rewriter:
        """A smaller rewriter with nearly the same answers; measure on your own data what it loses.

        Parameters
        ----------
        min_weight : float
            Weights of the chain that are smaller than this share of their mean size go, and contexts without any.
        min_gain : float
            N-grams go that are worth less than this, in nats per symbol; 1e-7 to 1e-5 are of use.

        Returns
        -------
        Rewriter
            A new one.

        Examples
        --------
        >>> rewriter = Rewriter(random_state=0).fit(["cat", "tac", "act"] * 2, ["kat", "tak", "akt"] * 2)
        >>> rewriter.prune(0.5, 1e-6).predict(["cat"])
        ['kat']
        """
        check_is_fitted(self, "models_")
        for name, value in (("min_weight", min_weight), ("min_gain", min_gain)):
            number: Any = value
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0.0 <= number < float("inf"):
                raise InputError(f"{name} is {value!r}; a number of at least 0 is needed.")
        if any(isinstance(model, SpectralRewriteModel) for model in self.models_):
            raise InputError("a rewriter of a Spectral learner has no weights to prune; save it with compress=True.")
        from weft.rewriting.pruning import prune_model

        smaller = copy(self)
        smaller.models_ = [prune_model(model, min_weight, min_gain) for model in self.models_]
        smaller.edits_ = None if self.edits_ is None else self.edits_.prune(min_weight)
        return smaller

    # ------------------------------------------------------------- inspecting

    @property
    def weights_(self) -> Floats:
        """Weights of the chain of the first model, or of its spectral tagger."""
        check_is_fitted(self, "models_")
        return _weights_of(self.models_[0])

    @property
    def feature_names_(self) -> list[tuple[Any, ...]]:
        """What each of `weights_` belongs to: (middle, neighbours, output), or ("step", pair, pair).

        With a spectral learner names are those of `Tagger`, with outputs as labels.
        """
        check_is_fitted(self, "models_")
        inputs, outputs = (side.alphabet.symbols for side in (self.input_side_, self.output_side_))
        return weight_names(self.models_[0], inputs, outputs)

    _feature_text = staticmethod(weight_text)

    def _training_summary(self) -> dict[str, Any]:
        return {
            "n_models": len(self.models_),
            "n_input_symbols": len(self.input_side_),
            "n_output_symbols": len(self.output_side_),
            "n_weights": sum(model.n_weights for model in self.models_)
            + (0 if self.edits_ is None else self.edits_.n_weights),
            "n_skipped": len(self.skipped_),
        }

    # ------------------------------------------------------------ model files

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        check_is_fitted(self, "models_")
        return rewriter_to_state(self)

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        rewriter_from_state(self, state, arrays)


def _size_of_weights(model: Any) -> float | None:
    """Look at the weights, and give their size where the search asks for it."""
    check_weights(_weights_of(model))
    return None if isinstance(model, SpectralRewriteModel) else float(model.size_of_weights())


def _weights_of(model: Any) -> Floats:
    found: Floats = model.tagger.weights_ if isinstance(model, SpectralRewriteModel) else model.weights
    return found
