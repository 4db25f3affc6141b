"""Every learner on every structure: it learns, or says what is missing and what to use instead.

The page `docs/reference/learners.md` shows the table; it is written here.
"""

from functools import cache
from pathlib import Path

import pytest
from scipy.sparse import csr_array

import weft
from weft.core import DerivationGraph
from weft.errors import InputError
from weft.kinds.options import LEARNERS as NAMES
from weft.kinds.options import REFUSED, learners_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "learners.md"

LEARNERS = {
    "CRF": weft.CRF(),
    "EM": weft.EM(),
    "ExpectedLoss": weft.ExpectedLoss(max_iter=10),
    "Generative": weft.Generative(),
    "LossRegression": weft.LossRegression(),
    "MarginRegression": weft.MarginRegression(),
    "MomentLearner": weft.MomentLearner(),
    "MomentSteps": weft.MomentSteps(),
    "Perceptron": weft.Perceptron(),
    "RecurrentNetwork": weft.RecurrentNetwork(max_iter=2),
    "SODA": weft.SODA(),
    "Spectral": weft.Spectral(order=2, tau=0.1),
    "StructuredSVM": weft.StructuredSVM(),
    "ZScore": weft.ZScore(),
}


class Pick(weft.structures.GraphStructure):
    """One character of a string."""

    feature_names = ("a", "b", "c")

    def compile(self, x):
        return DerivationGraph.build([0] * len(x), [[-1, -1]] * len(x), range(len(x)), 1, len(x))

    def part_features(self, x):
        return csr_array([[float(letter == name) for name in self.feature_names] for letter in x])

    def encode(self, x, y):
        return [x.index(y)]

    def decode(self, x, parts):
        return x[parts[0]]


WORDS, LABELS = ["abab", "bbaa", "ab", "ba", "aab", "bba"], ["xyxy", "yyxx", "xy", "yx", "xxy", "yyx"]
RNA, FOLDS = ["GGGAAACCC", "GCGAAAAGC", "GGCAAAGCC", "GACAAAGUC"], ["(((...)))", "((.....))", "(((...)))", "(((...)))"]
TREES = ["(S (S a) (S (S a) (S b)))", "(S (S a) (S b))", "(S (S b) (S (S a) (S b)))"]

STRUCTURES = {
    "Tagger": (lambda learner: weft.Tagger(learner, random_state=0, n_jobs=1), WORDS, LABELS),
    "Aligner": (
        lambda learner: weft.Aligner(learner=learner, random_state=0, n_jobs=1),
        [("AC", "A"), ("GAT", "GT"), ("CAT", "CT"), ("GG", "G")],
        [("AC", "A-"), ("GAT", "G-T"), ("CAT", "C-T"), ("GG", "G-")],
    ),
    "Folder": (lambda learner: weft.Folder("g6", learner, random_state=0, n_jobs=1), RNA, FOLDS),
    "loops": (lambda learner: weft.Folder("loops", learner, random_state=0, n_jobs=1), RNA, FOLDS),
    "Parser": (
        lambda learner: weft.Parser("S -> S S | a | b", learner, random_state=0, n_jobs=1),
        ["aab", "ab", "bab"],
        TREES,
    ),
    "graph": (
        lambda learner: weft.StructuredEstimator(Pick(), learner, random_state=0, n_jobs=1),
        ["abc", "cab", "bc", "ba"],
        ["b", "b", "b", "b"],
    ),
    "Rewriter": (lambda learner: weft.Rewriter(learner, random_state=0, n_jobs=1), WORDS * 3, LABELS * 3),
}

TITLES = {"loops": "Folder", "Folder": 'Folder(grammar="g6")', "graph": "a graph of one's own"}


ENDS = (
    "A fit that `max_iter` ends before `tol` is reached says so in a `ConvergenceWarning`. Not so `Perceptron`,",
    "`MomentSteps` and `RecurrentNetwork`, which have no goal to miss: `max_iter` (or `n_steps`) is the number of",
    "passes that they are to make, and a perceptron ends sooner only where a pass makes no mistake.",
)


@cache
def outcome(learner, structure):
    """What the model scores on what it learned, or the message of the refusal."""
    make, X, y = STRUCTURES[structure]
    try:
        return make(LEARNERS[learner]).fit(X, y).score(X, y)
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_learns_or_says_why_not(learner, structure):
    found = outcome(learner, structure)
    if structure not in REFUSED.get(learner, ("", ()))[1]:
        # Nobody learns by heart: moment learners see all outputs, EM the inputs alone.
        assert isinstance(found, float), found
        assert found > 0.3
        return
    assert isinstance(found, str), found
    assert "\n" not in found
    assert "use weft." in found or "weft.CRF()" in found or "give it as" in found
    if learner in ("EM", "Generative", "Spectral"):
        assert f"{learner} needs '" in found


@pytest.mark.parametrize("structure", ["Tagger", "Aligner", "Folder", "Parser", "Rewriter"])
def test_the_command_line_offers_what_works(structure):
    works = {learner for learner in LEARNERS if isinstance(outcome(learner, structure), float)}
    assert {NAMES[name] for name in learners_of(structure)} == works


def table():
    lines = [
        "# Every learner on every structure",
        "",
        "A learner asks questions and a structure answers them, so that they combine freely; "
        "[Who answers what](queries.md) has the",
        "questions. This table is written by the test that fits every cell "
        "(`tests/estimators/test_estimators_learners.py`).",
        "",
        f"| learner | {' | '.join(TITLES.get(name, name) for name in STRUCTURES)} |",
        f"|---|{'---|' * len(STRUCTURES)}",
    ]
    for learner in LEARNERS:
        marks = ["" if isinstance(outcome(learner, name), str) else "yes" for name in STRUCTURES]
        lines.append(f"| `{learner}` | {' | '.join(marks)} |")
    lines += ["", "Why some cells are empty:", ""]
    lines += [f"* `{learner}`: {reason}." for learner, (reason, _) in REFUSED.items()]
    lines += ["", *ENDS]
    return "\n".join(lines) + "\n"


def test_the_page_of_the_documentation_is_this_table():
    wanted = table()
    if not PAGE.exists() or PAGE.read_text() != wanted:
        PAGE.write_text(wanted)
        pytest.fail(f"{PAGE.name} was written anew; look at it and commit it")
