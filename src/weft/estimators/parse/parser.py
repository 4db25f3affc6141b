"""Parser: parse trees under any weighted context-free grammar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from weft.annotations import Seed
from weft.arrays import Floats, Ids
from weft.errors import InputError
from weft.estimators.parse.tree_estimator import TreeEstimator
from weft.estimators.parse.trees import read_tree, tree_of_steps, tree_rules, tree_tokens, write_tree
from weft.learners.base import Learner
from weft.state_rules import choice
from weft.structures.grammar.structure import Grammar, Steps

if TYPE_CHECKING:
    from weft.estimators.annotations import Asked

PROBABLE = 1e-6
"""Nodes of a smaller probability are left out of the marginals."""


class Parser(TreeEstimator):
    """Learns the weights of a context-free grammar from parse trees.

    A tree is bracketed text, ``"(S (A the) (B cat))"``, or nested tuples, ``("S", ("A", "the"), ("B", "cat"))``;
    predictions come in the form that `fit` was given.

    Parameters
    ----------
    grammar : Grammar or str
        A `weft.structures.Grammar`, or the text of its rules.
    learner : learner, optional
        How the weights are found; ``None`` means `CRF`. A fit works on a copy, ``learner_``.
    unknown : {"error", "wildcard"}
        What to do about tokens that the grammar does not have: refuse them, or let each rule that derives one token
        derive them too, without a weight.
    decode : {"best", "expected"}
        Predict the tree of the best score, or the one whose nodes are expected to be right most often.
    gamma : float
        With ``decode="expected"``, how many times more a right node counts than a wrong one costs.
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
    grammar_ : Grammar
    history_ : list of dict
        Objective and seconds of each iteration.

    Examples
    --------
    >>> import weft
    >>> parser = weft.Parser("S -> S S | a", weft.CRF(c2=0.1))
    >>> y = ["(S (S a) (S (S a) (S a)))"]
    >>> parser.fit([["a", "a", "a"]], y).predict([["a", "a"]])
    ['(S (S a) (S a))']
    """

    noun: ClassVar[str] = "a parser"
    marks: ClassVar[Literal["pairs", "nodes"]] = "nodes"
    state_rules: ClassVar[dict[str, Any]] = {"form": choice("text", "tuples")}

    def _facts_without_references(self) -> dict[str, Any]:
        return {"form_": "text"}

    form_: str

    def __init__(
        self,
        grammar: str | Grammar,
        learner: Learner | None = None,
        *,
        unknown: str = "error",
        decode: str = "best",
        gamma: float = 1.0,
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
        self.decode = decode
        self.gamma = gamma
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _new_grammar(self) -> Grammar:
        if self.unknown not in ("error", "wildcard"):
            raise InputError(f"unknown is {self.unknown!r}; use 'error' or 'wildcard'.")
        return self.grammar if isinstance(self.grammar, Grammar) else Grammar(self.grammar)

    def _symbols(self, X: list[Any], grammar: Grammar) -> list[Ids]:
        found = []
        for index, tokens in enumerate(X):
            try:
                found.append(grammar.encode(tokens, unknown=self.unknown))  # type: ignore[arg-type]
            except InputError as error:
                raise InputError(f"X[{index}]: {error}") from None
        return found

    def _references(self, structure: Grammar, X: Any, y: Any) -> tuple[list[Steps], dict[str, Any]]:
        found = [self._steps(x, tree, structure, index) for index, (x, tree) in enumerate(zip(X, y, strict=True))]
        return found, {"form_": "text" if isinstance(y[0], str) else "tuples"}

    def _steps(self, x: Any, tree: Any, grammar: Grammar, index: int) -> Steps:
        try:
            nested = read_tree(tree) if isinstance(tree, str) else tree
            steps = grammar.steps(tree_rules(nested, grammar))
        except InputError as error:
            raise InputError(f"y[{index}]: {error}") from None
        tokens = [str(token) for token in tree_tokens(nested)]
        if tokens != [str(token) for token in x]:
            raise InputError(f"y[{index}] has the leaves {tokens}, but X[{index}] is {list(x)}; they must be the same.")
        return steps

    def _written(self, X: Any, i: int, output: Any) -> Any:
        tree = tree_of_steps(X[i], output, self.structure_)
        return write_tree(tree) if self.form_ == "text" else tree

    def predict_marginals(self, X: Asked) -> list[dict[tuple[str, int, int], float]]:
        """Probability of each node (nonterminal, first and last token), one dict per sequence, without tiny ones."""
        found = super().predict_marginals(X)
        names = self.structure_.nonterminals
        return [
            {(names[a], int(s), int(t)): float(own[a, s, t]) for a, s, t in np.argwhere(own > PROBABLE)}
            for own in found
        ]

    def _scorer(self, structure: Grammar, X: Any, y: Any, sample_weight: Floats | None) -> Callable[[Floats], float]:
        """F1 of the labelled brackets above single tokens, those of all trees counted together."""
        wanted = [_brackets(steps, structure) for steps in self._references(structure, X, y)[0]]
        return self._f1_scorer(structure, X, wanted, _brackets, sample_weight)

    def _structure_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"form": self.form_}, {}

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._from_state(state, arrays)
        self.form_ = state["form"]


def _brackets(steps: Steps, grammar: Grammar) -> set[tuple[str, int, int]]:
    """Nodes above single tokens."""
    rules = grammar.productions
    return {(rules[rule].head, s, t) for rule, s, t in steps.tolist() if rules[rule].children}
