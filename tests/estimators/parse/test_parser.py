"""Parser: parse trees under any grammar."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import weft
from weft.errors import InputError
from weft.estimators.parse.trees import read_tree, tree_of_steps, tree_rules, tree_tokens, write_tree
from weft.structures import Grammar

ENGLISH = """
S -> NP VP
NP -> D N | NP PP
VP -> V NP | VP PP
PP -> P NP
D -> the | a
N -> man | dog | telescope | park
V -> saw | walked
P -> with | in
"""
NOUN = "(NP (D the) (N {}))".format
LOW = f"(S {NOUN('man')} (VP (V saw) (NP {NOUN('dog')} (PP (P in) {NOUN('park')}))))"
HIGH = f"(S {NOUN('man')} (VP (VP (V saw) {NOUN('dog')}) (PP (P with) {NOUN('telescope')})))"
TREES = [LOW, HIGH, HIGH.replace("telescope", "park"), HIGH.replace("saw", "walked")] * 2
SENTENCES = [tree_tokens(read_tree(tree)) for tree in TREES]


@pytest.fixture(scope="module")
def parser():
    return weft.Parser(Grammar(ENGLISH), weft.CRF(c2=0.1)).fit(SENTENCES, TREES)


def test_it_learns_something(parser):
    assert 0.8 < parser.score(SENTENCES, TREES) < 1.0  # rules cannot tell one preposition from another
    assert parser.predict(SENTENCES)[1:4] == TREES[1:4]
    assert len(parser.weights_) == len(parser.feature_names_) == 16


def test_tuples_in_tuples_out():
    trees = [read_tree(tree) for tree in TREES]
    model = weft.Parser(ENGLISH).fit(SENTENCES, trees)
    predicted = model.predict(SENTENCES[:1])[0]
    assert isinstance(predicted, tuple)
    assert tree_tokens(predicted) == SENTENCES[0]
    assert predicted[0] == "S"


def test_probabilities_agree_with_each_other(parser):
    x = SENTENCES[1]
    ranked = parser.predict_kbest([x], k=10)[0]
    assert len(ranked) == 2
    assert sum(probability for _, probability in ranked) == pytest.approx(1.0)
    assert parser.predict([x])[0] == ranked[0][0]
    assert parser.confidence([x])[0] == pytest.approx(ranked[0][1])
    marginals = parser.predict_marginals([x])[0]
    assert marginals["S", 0, len(x) - 1] == pytest.approx(1.0)
    high = dict(ranked)[HIGH]
    assert marginals["VP", 2, 4] == pytest.approx(high)
    assert marginals["NP", 3, 7] == pytest.approx(1.0 - high)
    assert parser.z_score([x])[0] == pytest.approx(1.0)  # two trees: mean plus or minus one deviation
    assert parser.relative_rank_bound([x])[0] == pytest.approx(0.5)


def test_a_bind_has_references_and_leaves_the_model_alone(parser):
    batch = parser.bind(SENTENCES[:2], [read_tree(tree) for tree in TREES[:2]])
    assert parser.form_ == "text"
    found = parser.predict(SENTENCES[:2])
    losses = batch.losses(batch.argmax(parser.weights_)[0])
    assert [loss == 0.0 for loss in losses] == [tree == wanted for tree, wanted in zip(found, TREES[:2], strict=True)]


def test_pair_rules_and_lone_tokens():
    model = weft.Parser("S -> ( S ) | S S | x", weft.Perceptron()).fit(
        [["(", "x", ")", "x"]], [("S", ("S", "(", ("S", "x"), ")"), ("S", "x"))]
    )
    assert model.predict([["x", "(", "x", ")"]]) == [("S", ("S", "x"), ("S", "(", ("S", "x"), ")"))]
    assert model.score([["x"]], [("S", "x")]) == 1.0


@pytest.mark.parametrize("learner", [weft.StructuredSVM(), weft.SODA(), weft.MarginRegression()], ids=str)
def test_other_learners(learner):
    assert weft.Parser(ENGLISH, learner, random_state=0).fit(SENTENCES, TREES).score(SENTENCES, TREES) > 0.8


def test_unknown_tokens(parser):
    sentence = ["the", "man", "saw", "the", "unicorn"]
    with pytest.raises(InputError, match=r"X\[0\]: symbol 'unicorn' at position 4"):
        parser.predict([sentence])
    lenient = weft.Parser(ENGLISH, unknown="wildcard").fit(SENTENCES, TREES)
    assert lenient.predict([sentence]) == ["(S (NP (D the) (N man)) (VP (V saw) (NP (D the) (N unicorn))))"]


def test_clone_pickle_grid_search_and_files(parser, tmp_path):
    assert pickle.loads(pickle.dumps(parser)).predict(SENTENCES) == parser.predict(SENTENCES)
    np.testing.assert_allclose(clone(parser).fit(SENTENCES, TREES).weights_, parser.weights_)
    search = GridSearchCV(weft.Parser(ENGLISH, weft.CRF()), {"learner__c2": [0.1, 1.0]}, cv=2)
    assert search.fit(SENTENCES, TREES).best_score_ > 0.5
    weft.save(parser, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    assert loaded.predict(SENTENCES) == parser.predict(SENTENCES)
    assert loaded.feature_names_ == parser.feature_names_


@pytest.mark.parametrize(
    ("grammar", "parameters", "x", "y", "message"),
    [
        (ENGLISH, {"unknown": "skip"}, SENTENCES, TREES, "unknown is 'skip'"),
        ("S -> Q", {}, SENTENCES, TREES, "nonterminal Q has no rules"),
        ("S -> a", {}, ["a"], ["(S a"], "not one balanced tree"),
        ("S -> a", {}, ["a"], ["S a)"], "nothing opens"),
        ("S -> a", {}, ["a"], ['(S "a)'], "stray quote"),
        ("S -> a", {}, ["a"], ["(S b)"], r"y\[0\]: the tree uses the rule 'S -> b'"),
        ("S -> a", {}, ["a"], [("S",)], "is not a tree"),
        ("S -> S S | a", {}, ["a"], ["(S (S a) (S a))"], r"y\[0\] has the leaves"),
        ("S -> A A\nA -> a", {}, ["a"], ["(A a)"], "the tree begins with A"),
        ("S -> a", {}, ["a", "a"], ["(S a)"], "2 sequences but y has 1 trees"),
    ],
)
def test_bad_input_is_refused_with_a_reason(grammar, parameters, x, y, message):
    with pytest.raises(InputError, match=message):
        weft.Parser(grammar, **parameters).fit(x, y)


def test_trees_survive_writing_and_reading():
    tree = ("S", ("A", "(", ("B", "two words")), "", ("C", "x"))
    assert read_tree(write_tree(tree)) == tree
    grammar = Grammar(ENGLISH)
    rules = tree_rules(read_tree(HIGH), grammar)
    assert write_tree(tree_of_steps(SENTENCES[1], grammar.steps(rules), grammar)) == HIGH


def test_score_checks_its_arguments(parser):
    with pytest.raises(InputError, match="each of the sequences needs its own"):
        parser.score(SENTENCES, TREES[:1])
