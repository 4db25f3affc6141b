"""Aligner: which positions of two sequences belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weft.annotations import Client, FilePath, Inputs, Seed, Symbols
from weft.arrays import Floats
from weft.checkpoint import pack_named, unpack_named
from weft.core.vectors import product
from weft.errors import InputError, ModelFileError
from weft.estimators.align.chosen_structure import alphabet_of, mode_of, structure_over
from weft.estimators.align.inputs import as_pairs, as_references, upper
from weft.estimators.align.prior import PRIOR_C2, PROTEIN_PRIOR, as_matrix, is_protein, prior_weights
from weft.estimators.predictions import Predictions
from weft.estimators.structured_estimator import StructuredEstimator
from weft.learners.base import Learner
from weft.parameters import check_is_fitted
from weft.sequences.checks import as_list
from weft.state_rules import (
    HISTORY,
    anything,
    boolean,
    check_arrays,
    check_state,
    choice,
    floats,
    optional,
    packed_symbols,
)
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.context import ContextAlignment
from weft.structures.alignment.context_batch import ContextBatch
from weft.structures.alignment.ends import MODES, EndsAlignment, EndsBatch
from weft.structures.alignment.loops.passes import FIRST, SECOND
from weft.structures.alignment.pair_corpus import Alignments, gapped_pair, gapped_pairs
from weft.structures.alignment.references import References
from weft.structures.alignment.structure import Alignment
from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

if TYPE_CHECKING:
    from weft.estimators.annotations import Asked, Training

ONE_SIDE_ALONE = np.array([FIRST, SECOND], dtype=np.uint8)
PRIOR_NAME = anything("the name of a matrix or null", lambda value: value is None or isinstance(value, str))


class MaskedRows(NamedTuple):
    """A reference alignment of which some columns are known."""

    rows: tuple[Any, Any]
    mask: Any


class Aligner(StructuredEstimator):
    """Learns to align two sequences.

    Parameters
    ----------
    model : {"substitution", "match"}
        A weight for each unordered pair of symbols, or one for equal and one for different symbols.
    gaps : {"affine", "linear"}
        Weights for the first symbol of a gap and for further ones, or one for all. Where a gap in one sequence
        follows directly on a gap in the other, a new gap opens.
    learner : learner, optional
        How the weights are found; ``None`` means `CRF`, with ``c2=10`` if there is a prior. A fit works on a copy,
        ``learner_``.
    alphabet : sequence of symbols, optional
        Symbols that have weights; by default those of the training sequences, and of proteins whose weights are pulled
        towards a matrix all amino acids, B, Z and X. Model "match" takes any symbols.
    context : int
        How many neighbours on each side score as well, by their classes: what stands around two positions tells
        whether they belong together, and where gaps go. 0 means none; 6 finds more in proteins and takes several
        times as long. Needs model "substitution", and memory for all pairs of positions of two sequences.
    classes : sequence of sequences of symbols, optional
        Symbols that are alike as neighbours. None means three classes of hydropathy for proteins, each symbol by
        itself for others.
    mode : {"auto", "global", "end-gaps", "semi-global", "local"}
        Align two sequences from end to end; the same, where gaps at the ends have weights of their own, which finds
        more in whole proteins; with gaps at the ends that cost nothing, as where one lies within the other or overlaps
        with it; or those stretches of both that fit best. What a local alignment leaves out is written as gaps. All but
        the first need model "substitution", and fits take several times as long. "auto" means "end-gaps" for proteins
        whose weights are pulled towards a substitution matrix, as they are by default, and "global" otherwise. For
        proteins that were cut to the same domain at both ends, give "global".
    reliable : {"all", "upper"}
        With "upper", only reference columns of two upper-case letters are known, as in PREFAB. The others are neither
        learned nor scored: a reference is then the set of all alignments that contain the known columns. `CRF`
        raises the likelihood of the set, moment learners use its mean, `Perceptron` steps to its best member, and
        `StructuredSVM` to the one that pairs most equal letters in fewest gaps. Case of `X` does not matter.
    prior : {"auto"}, str, SubstitutionMatrix, ndarray, optional
        Weights that the penalty of the learner pulls towards, so that little or unfit data do no harm: a substitution
        matrix (`weft.SubstitutionMatrix`) or the name of one, weights, or ``None`` for zero. "auto" means BLOSUM62
        where the alphabet is that of proteins (nothing but amino acids, B, Z, X and ``*``, and not nucleotides alone)
        and the learner has a prior, as `CRF` has; zero otherwise.
    decode : {"expected", "best"}, optional
        What to predict: the alignment that is expected to have most right, which finds more of the right pairs, or the
        one of the largest score. The first needs the probabilities of all pairs of positions in memory. None means
        "expected" where the learner fits probabilities (`CRF`, `ExpectedLoss`, `MomentSteps`, `Generative`, `EM`) and
        "best" after others, whose weights have no such scale.
    gamma : float, optional
        With ``decode="expected"``, how many times more a right pair counts than two symbols that are rightly against
        gaps; with ``np.inf`` only pairs count. None means 2.
    validation_fraction : float
        Share of the training pairs held out to score each iteration.
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
        One weight per feature, in the order of `feature_names_`.
    structure_ : weft.structures.Alignment
    history_ : list of dict
        Objective, held-out score and seconds of each iteration.
    learner_ : learner
        The learner that was used.
    mode_ : str
        The mode that was used.
    prior_ : str or None
        What the weights were pulled towards: the name of a matrix, "given", or None for zero.

    Examples
    --------
    >>> import weft
    >>> X = [("ACGT", "AGT"), ("CCAT", "CCT")]
    >>> y = [("ACGT", "A-GT"), ("CCAT", "CC-T")]
    >>> aligner = weft.Aligner("match", learner=weft.CRF(c2=0.1)).fit(X, y)
    >>> aligner.predict([("GATTC", "GTTC")])
    [('GATTC', 'G-TTC')]
    """

    noun: ClassVar[str] = "an aligner"
    words: ClassVar[tuple[str, str]] = ("pairs", "alignments")
    default_gamma: ClassVar[float] = 2.0

    def __init__(
        self,
        model: str = "substitution",
        gaps: str = "affine",
        learner: Learner | None = None,
        *,
        alphabet: Symbols | None = None,
        context: int = 0,
        classes: Sequence[Symbols] | None = None,
        mode: str = "auto",
        reliable: str = "all",
        prior: str | SubstitutionMatrix | ArrayLike | None = "auto",
        decode: str | None = None,
        gamma: float | None = None,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = -1,
        verbose: int = 0,
    ) -> None:
        self.model = model
        self.gaps = gaps
        self.learner = learner
        self.alphabet = alphabet
        self.context = context
        self.classes = classes
        self.mode = mode
        self.reliable = reliable
        self.prior = prior
        self.decode = decode
        self.gamma = gamma
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---------------------------------------------------------------- learning

    def fit(
        self,
        X: Training,
        y: Inputs | None = None,
        sample_weight: ArrayLike | None = None,
        X_dev: Inputs | None = None,
        y_dev: Inputs | None = None,
        *,
        columns: Iterable[ArrayLike] | None = None,
        client: Client | None = None,
        spill: FilePath | None = None,
    ) -> Aligner:
        """Learn from pairs of sequences and their alignments.

        Parameters
        ----------
        X : list of pairs (s1, s2)
            Strings or lists of symbols, without gaps.
        y : list of pairs (t1, t2)
            The same with gaps ``"-"``; not needed by `EM`, which learns without them.
        sample_weight : array of shape (n_pairs,), optional
        X_dev, y_dev : optional
            Held-out pairs, scored at each iteration (instead of `validation_fraction`).
        columns : list of boolean arrays, optional
            Which columns of each alignment are known, instead of `reliable`.
        client, spill
            As in `StructuredEstimator.fit`.
        """
        if columns is not None and y is not None:
            masks = as_list(columns, "columns", "a list of masks is needed")
            rows = as_pairs(y, "y")
            if len(masks) != len(rows):
                raise InputError(f"columns has {len(masks)} masks but y has {len(rows)} alignments; need one each.")
            y = [MaskedRows(*each) for each in zip(rows, masks, strict=True)]
        return super().fit(X, y, sample_weight, X_dev, y_dev, client=client, spill=spill)

    def _as_inputs(self, X: Any, name: str = "X") -> list[tuple[Any, Any]]:
        return as_pairs(X, name)

    def _as_outputs(self, y: Any) -> list[Any]:
        return y if isinstance(y, list) and y and isinstance(y[0], MaskedRows) else as_pairs(y, "y")

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.reliable not in ("all", "upper"):
            raise InputError(f"reliable is {self.reliable!r}; use 'all' or 'upper'.")

    def _collect(self, X: Any, y: Any, learner: Learner) -> Alignment:
        structure = self._new_structure(self._read(X))
        self.prior_: str | None = None
        self._chosen_prior(structure, learner)  # what cannot be meant is refused before anything is encoded
        return structure

    def _chosen_prior(self, structure: Alignment, learner: Learner) -> Any:
        """Scores that learning is pulled towards, None without any."""
        able = getattr(learner, "prior", self) is None  # has one, and nothing else was given
        prior = self.prior
        if isinstance(prior, str) and prior == "auto":
            return PROTEIN_PRIOR if able and is_protein(structure) else None
        if prior is not None and not able:
            raise InputError(
                f"prior given, but {type(learner).__name__} has none, or has another one; use a learner that has, "
                "such as weft.CRF(), or prior=None."
            )
        return prior

    def _learn(self, structure: Alignment, batch: Any, learner: Any, *others: Any) -> None:
        prior = self._chosen_prior(structure, learner)
        self.prior_ = prior if prior is None or isinstance(prior, str) else "given"
        if prior is not None:
            usual = {"c2": PRIOR_C2} if self.learner is None else {}
            learner.set_params(prior=prior_weights(prior, structure), **usual)
        super()._learn(structure, batch, learner, *others)

    def _merged(self, structures: Any) -> Alignment:
        return self._new_structure([(each.alphabet, ()) for each in structures])

    def _references(self, structure: Alignment, X: Any, y: Any) -> tuple[References, dict[str, Any]]:
        columns = None
        if isinstance(y[0], MaskedRows):
            y, columns = [each.rows for each in y], [each.mask for each in y]
        pairs = self._read(X)
        moves, masks = as_references(pairs, y, self.reliable, columns)
        references = References.build(structure.encode(pairs), moves, masks)
        if references.is_partial and not references.n_anchors.any():
            raise InputError(
                "no column of y is reliable, so there is nothing to learn; mark some or use reliable='all'."
            )
        return references, {}

    def _bind(
        self, structure: Alignment, X: Any, references: Any = None, sample_weight: Floats | None = None
    ) -> AlignmentBatch:
        kind: Any = AlignmentBatch
        if isinstance(structure, ContextAlignment):
            kind = EndsBatch if isinstance(structure, EndsAlignment) else ContextBatch
        batch: AlignmentBatch = kind(structure, structure.encode(self._read(X)), references, sample_weight, self.n_jobs)
        return batch

    def _written(self, X: Any, i: int, output: Any) -> tuple[Any, Any]:
        return gapped_pair(X[i], output)

    def _all_written(self, X: Any, batch: Any, outputs: Alignments) -> list[Any]:
        return gapped_pairs(X, outputs)

    def predict(self, X: Asked) -> list[Any]:
        """The two rows of each pair; those of a pair with an empty side are its symbols beside gaps."""
        check_is_fitted(self, "weights_")
        pairs = as_pairs(X, may_be_empty=True)
        empty = {i for i, pair in enumerate(pairs) if not all(map(len, pair))}
        full = next((pair for i, pair in enumerate(pairs) if i not in empty), None)
        # Another pair takes the place of an empty one while the others are answered, so that errors count right.
        asked = [full if i in empty else pair for i, pair in enumerate(pairs)] if empty else pairs
        found = [None] * len(pairs) if full is None else super().predict(asked)
        for i in empty:
            found[i] = gapped_pair(pairs[i], np.repeat(ONE_SIDE_ALONE, list(map(len, pairs[i]))))
        return Predictions(found)

    def predict_marginals(self, X: Asked, threshold: float | None = None) -> list[Any]:
        """Probability that each two positions are paired: an array (n, m) per pair.

        With a `threshold`, a sparse matrix of those that reach it: all pairs of long sequences would not fit in memory.
        """
        if threshold is None:
            return super().predict_marginals(X)
        found: list[Any] = self._batch(X)[1].likely_pairs(self.weights_, threshold)
        return found

    def _scorer(self, structure: Alignment, X: Any, y: Any, sample_weight: Floats | None) -> Callable[[Floats], float]:
        """Share of the known reference columns without gaps that the predictions have."""
        batch = self._bind(structure, X, self._references(structure, X, y)[0], sample_weight)
        total = product(batch.sample_weight, batch.reference().n_anchors)
        if total == 0.0:
            raise InputError("no reference alignment has a column to score; give at least one without a gap.")
        return lambda weights: 1.0 - product(batch.sample_weight, batch.losses(self._outputs(batch, weights))) / total

    @classmethod
    def from_matrix(
        cls,
        matrix: str | SubstitutionMatrix,
        gap_open: float | None = None,
        gap_extend: float | None = None,
        *,
        mode: str = "global",
        end_open: float | None = None,
        end_extend: float | None = None,
        decode: str | None = None,
        gamma: float | None = None,
        n_jobs: int | None = -1,
    ) -> Aligner:
        """An aligner with given scores, such as BLOSUM62, that has nothing to learn.

        Parameters
        ----------
        matrix : str or SubstitutionMatrix
            Symmetric; or the name or path of one, see `SubstitutionMatrix.load`. The symbols J, O and U, which proteins
            may have, score as X does.
        gap_open, gap_extend : float, optional
            Scores of gaps, in the unit of the matrix, such as -11 and -1; None means those of the matrix.
        end_open, end_extend : float, optional
            The same for gaps at the ends, with ``mode="end-gaps"``; None means half of the others.
        mode, decode, gamma, n_jobs
            As in the constructor. Scores count as logarithms of odds, in the unit of the matrix.

        Examples
        --------
        >>> import weft
        >>> aligner = weft.Aligner.from_matrix("BLOSUM62", gap_open=-11, gap_extend=-1)
        >>> aligner.predict([("HEAGKVWGHEE", "HEAGWGHEE")])
        [('HEAGKVWGHEE', 'HEAG--WGHEE')]
        >>> aligner = weft.Aligner.from_matrix("BLOSUM62", mode="local", decode="best")
        >>> aligner.predict([("PPPHEAGKVW", "HEAGKVWSS")])
        [('PPPHEAGKVW--', '---HEAGKVWSS')]
        """
        given, matrix = matrix, as_matrix(matrix, gap_open, gap_extend)
        aligner = cls(
            alphabet=list(matrix.alphabet),
            prior=given if isinstance(given, str) and (gap_open, gap_extend) == (None, None) else matrix,
            mode=mode,
            decode=decode,
            gamma=gamma,
            n_jobs=n_jobs,
        )
        aligner._check_settings()
        structure = aligner._new_structure([])
        weights = prior_weights(matrix, structure)
        of_ends: tuple[tuple[str, Any], ...] = (("end_open", end_open), ("end_extend", end_extend))
        for k, (name, value) in enumerate(of_ends):
            if value is None:
                continue
            if not isinstance(structure, EndsAlignment) or structure.end_gap_features is None:
                raise InputError(f"{name}={value!r} given, but mode is {mode!r}; use mode='end-gaps'.")
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not -np.inf < value <= 0.0:
                raise InputError(f"{name} is {value!r}; a score is needed, of at most 0, such as -5.")
            weights[structure.end_gap_features[k]] = matrix.scale * value
        aligner._keep(structure, weights, [], aligner._new_learner(), {"prior_": None})
        return aligner

    def _read(self, pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """Pairs as the model reads them."""
        return [(upper(a), upper(b)) for a, b in pairs] if self.reliable == "upper" else pairs

    def _new_structure(self, pairs: list[tuple[Any, Any]]) -> Alignment:
        return structure_over(self, alphabet_of(self, pairs))

    @property
    def mode_(self) -> str:
        """The mode that was used."""
        check_is_fitted(self, "structure_")
        return mode_of(self.structure_)

    # ------------------------------------------------------------- inspecting

    @property
    def substitution_matrix_(self) -> SubstitutionMatrix:
        """Weights of pairs and gaps as a labelled matrix, which can be written for Biopython and parasail.

        Gaps are those within alignments; what ``mode`` says of gaps at the ends is not part of a matrix.
        """
        check_is_fitted(self, "weights_")
        alphabet = self.structure_.alphabet
        if alphabet is None:
            raise InputError("model 'match' has no alphabet; give Aligner(alphabet='ACGT') to get a matrix.")
        if isinstance(self.structure_, ContextAlignment) and self.structure_.context:
            raise InputError("scores depend on neighbours, which no matrix has; use weights_, or learn with context=0.")
        values, gap_open, gap_extend = self.structure_.tables(self.weights_, len(alphabet))
        return SubstitutionMatrix(alphabet, values, gap_open, gap_extend)

    # ------------------------------------------------------------ model files

    def _structure_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        alphabet = self.structure_.alphabet
        arrays = {} if alphabet is None else pack_named("alphabet", list(alphabet))
        return {"has_alphabet": alphabet is not None, "prior": self.prior_, "mode": self.mode_}, arrays

    def _structure_from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Alignment:
        rules = {"history": HISTORY, "has_alphabet": boolean(), "prior": PRIOR_NAME, "mode": optional(choice(*MODES))}
        check_state("an aligner", state, rules)
        self.prior_ = state["prior"]
        letters = packed_symbols("alphabet", "n_letters") if state["has_alphabet"] else {}
        sizes = check_arrays("an aligner", arrays, {"weights": floats("n_weights"), **letters})
        alphabet = unpack_named("alphabet", arrays) if state["has_alphabet"] else None
        # Files of before "auto" have no mode of their own.
        mode = state.get("mode", "global" if self.mode == "auto" else None)
        structure = structure_over(self, alphabet, mode)
        if sizes["n_weights"] != structure.n_features:
            raise ModelFileError(f"an aligner has {sizes['n_weights']} weights; needed {structure.n_features}")
        return structure
