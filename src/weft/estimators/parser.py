"""Parser: parse trees under any weighted context-free grammar."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from weft.errors import InputError
from weft.estimators.tree_estimator import TreeEstimator
from weft.estimators.trees import read_tree, tree_of_steps, tree_rules, tree_tokens, write_tree
from weft.state_rules import HISTORY, check_state, choice
from weft.structures.grammar.structure import Grammar, Steps

__all__ = ["Parser"]

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
    n_jobs : int
        Threads; -1 for all cores.
    verbose : int
        1 shows a progress bar.
    random_state : int, optional
        Seed of everything random.

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

    marks: ClassVar[Literal["pairs", "nodes"]] = "nodes"
    form_: str

    def __init__(
        self,
        grammar: Any,
        learner: Any = None,
        *,
        unknown: str = "error",
        n_jobs: int | None = -1,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.grammar = grammar
        self.learner = learner
        self.unknown = unknown
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _new_grammar(self) -> Grammar:
        if self.unknown not in ("error", "wildcard"):
            raise InputError(f"unknown is {self.unknown!r}; use 'error' or 'wildcard'.")
        return self.grammar if isinstance(self.grammar, Grammar) else Grammar(self.grammar)

    def _symbols(self, X: list[Any], grammar: Grammar) -> list[NDArray[np.int32]]:
        found = []
        for index, tokens in enumerate(X):
            try:
                found.append(grammar.encode(tokens, unknown=self.unknown))  # type: ignore[arg-type]
            except InputError as error:
                raise InputError(f"X[{index}]: {error}") from None
        return found

    def _references(
        self, X: list[Any], y: list[Any], symbols: list[NDArray[np.int32]], grammar: Grammar
    ) -> tuple[list[Steps], dict[str, Any]]:
        found = [self._steps(x, tree, grammar, index) for index, (x, tree) in enumerate(zip(X, y, strict=True))]
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

    def _output(self, x: Any, steps: Steps) -> Any:
        tree = tree_of_steps(x, steps, self.grammar_)
        return write_tree(tree) if self.form_ == "text" else tree

    def predict_marginals(self, X: Any) -> list[dict[tuple[str, int, int], float]]:
        """Probability of each node (nonterminal, first and last token), one dict per sequence, without tiny ones."""
        _, batch = self._batch(X)
        names = self.grammar_.nonterminals
        return [
            {(names[a], int(s), int(t)): float(own[a, s, t]) for a, s, t in np.argwhere(own > PROBABLE)}
            for own in batch.marginals(self.weights_)
        ]

    def score(self, X: Any, y: Any) -> float:
        """F1 of the labelled brackets above single tokens, those of all trees counted together."""
        check_is_fitted(self, "weights_")
        X, y = self._as_examples(X, y)
        wanted = [self._steps(x, tree, self.grammar_, index) for index, (x, tree) in enumerate(zip(X, y, strict=True))]
        predicted = self._batch(X)[1].argmax(self.weights_)[0]
        n_shared = n_all = 0
        for truth, guess in zip(map(self._brackets, wanted), map(self._brackets, predicted), strict=True):
            n_shared += len(truth & guess)
            n_all += len(truth) + len(guess)
        return 2 * n_shared / n_all if n_all else 1.0

    def _brackets(self, steps: Steps) -> set[tuple[str, int, int]]:
        productions = self.grammar_.productions
        return {(productions[rule].head, s, t) for rule, s, t in steps.tolist() if productions[rule].children}

    def _to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        state, arrays = super()._to_state()
        return {**state, "form": self.form_}, arrays

    def _from_state(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        check_state("a parser", state, {"history": HISTORY, "form": choice("text", "tuples")})
        super()._from_state({"history": state["history"]}, arrays)
        self.form_ = state["form"]
