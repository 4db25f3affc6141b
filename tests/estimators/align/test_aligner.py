"""Aligner: learns, predicts, refuses bad input; with every learner, and with references known in part."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import weft
from weft.errors import InputError
from weft.metrics import alignment_accuracy

LETTERS = "ACGT"


def related_pairs(n_pairs, seed=0, length=14):
    """Pairs that differ by substitutions within {A, G} and {C, T} and by one deletion, and their alignments."""
    random = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n_pairs):
        first = random.choice(list(LETTERS), length)
        row = [str(random.choice(list("CT" if letter in "CT" else "AG"))) for letter in first]
        begin = int(random.integers(1, length - 4))
        row[begin : begin + 3] = "---"
        rows = ("".join(first), "".join(row))
        X.append((rows[0], rows[1].replace("-", "")))
        y.append(rows)
    return X, y


X_TRAIN, Y_TRAIN = related_pairs(60)
X_TEST, Y_TEST = related_pairs(40, seed=1)

LEARNERS = {
    "CRF": weft.CRF(c2=0.1),
    "Newton": weft.CRF(c2=0.1, solver="newton"),
    "Perceptron": weft.Perceptron(),
    "StructuredSVM": weft.StructuredSVM(max_iter=20),
    "ZScore": weft.ZScore(),
    "constrained": weft.ZScore(margin_constraints=True, max_rounds=5),
    "sampled": weft.ZScore(moments="sampled", n_samples=50),
    "SODA": weft.SODA(),
    "MarginRegression": weft.MarginRegression(),
    "LossRegression": weft.LossRegression(),
    "MomentSteps": weft.MomentSteps(c2=0.1),
    "MomentLearner": weft.MomentLearner(),
    "Generative": weft.Generative(),
    "ExpectedLoss": weft.ExpectedLoss(0.1, start=weft.CRF(c2=0.1, max_iter=20), max_iter=10),
}


def chance():
    """Accuracy of aligning without gaps as far as possible: all zero weights."""
    aligner = weft.Aligner("match").fit(X_TRAIN[:1], Y_TRAIN[:1])
    aligner.weights_ = np.zeros(4)
    return aligner.score(X_TEST, Y_TEST)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("gaps", ["affine", "linear"])
def test_every_learner_beats_chance(name, gaps):
    aligner = weft.Aligner("substitution", gaps, LEARNERS[name], random_state=0).fit(X_TRAIN, Y_TRAIN)
    assert aligner.score(X_TEST, Y_TEST) > chance() + 0.1
    assert aligner.weights_.shape == (len(aligner.feature_names_),) == (12 if gaps == "affine" else 11,)
    assert aligner.history_


def test_the_crf_finds_which_letters_are_alike():
    aligner = weft.Aligner(learner=weft.CRF(c2=0.1)).fit(X_TRAIN, Y_TRAIN)
    matrix = aligner.substitution_matrix_
    assert matrix["A", "G"] == matrix["G", "A"] > matrix["A", "C"]
    assert min(matrix["A", "A"], matrix["C", "T"]) > max(matrix["A", "T"], matrix["C", "G"])
    assert matrix.gap_open < matrix.gap_extend
    assert aligner.score(X_TEST, Y_TEST) > 0.8
    assert aligner.score(X_TEST, Y_TEST) == pytest.approx(alignment_accuracy(Y_TEST, aligner.predict(X_TEST)))


def test_predictions_spell_their_input():
    aligner = weft.Aligner().fit(X_TRAIN, Y_TRAIN)
    for pair, rows in zip(X_TEST, aligner.predict(X_TEST), strict=True):
        assert tuple(row.replace("-", "") for row in rows) == pair
        assert len(rows[0]) == len(rows[1])


def test_lists_of_symbols_of_any_kind():
    X = [(["na", "ka", 1], ["na", 1]), (["ka", 1], ["ka", "na", 1])]
    y = [(["na", "ka", 1], ["na", "-", 1]), (["ka", "-", 1], ["ka", "na", 1])]
    aligner = weft.Aligner("match", learner=weft.CRF(c2=0.1)).fit(X, y)
    assert aligner.predict(X) == y
    assert aligner.predict([(["new"], ["new", "na"])]) == [(["new", "-"], ["new", "na"])]


def test_probabilities_agree_with_each_other():
    aligner = weft.Aligner("match", learner=weft.CRF(c2=0.1)).fit(X_TRAIN, Y_TRAIN)
    pair = ("ACG", "AG")
    ranked = aligner.predict_kbest([pair], 30)[0]
    assert len(ranked) == 25
    assert sum(probability for _, probability in ranked) == pytest.approx(1.0)
    assert ranked[0][0] == aligner.predict([pair])[0]
    assert aligner.confidence([pair])[0] == pytest.approx(ranked[0][1])
    marginals = aligner.predict_marginals([pair])[0]
    assert marginals.shape == (3, 2)
    wanted = sum(p for (first, second), p in ranked if (first[0], second[0]) == ("A", "A"))
    assert marginals[0, 0] == pytest.approx(wanted)
    assert aligner.z_score([pair])[0] > 1
    assert aligner.relative_rank_bound([pair])[0] == pytest.approx(1 / (1 + aligner.z_score([pair])[0] ** 2))


def marked(y):
    """Lower case around the gap, whose neighbours are shifted at random."""
    random = np.random.default_rng(5)
    rows = []
    for first, second in y:
        begin, end = second.index("-"), second.rindex("-") + 1
        low, high = max(begin - 1, 0), min(end + 1, len(first))
        middle = [symbol for symbol in second[low:high] if symbol != "-"]
        shifted = ["-"] * (high - low)
        for place, symbol in zip(sorted(random.choice(high - low, len(middle), replace=False)), middle, strict=True):
            shifted[place] = symbol
        rows.append(
            (
                first[:low] + first[low:high].lower() + first[high:],
                second[:low] + "".join(shifted).lower() + second[high:],
            )
        )
    return rows


@pytest.mark.filterwarnings("ignore:ZScore stopped after max_rounds")
@pytest.mark.parametrize("name", LEARNERS)
def test_unreliable_columns_are_neither_learned_nor_scored(name):
    aligner = weft.Aligner(learner=LEARNERS[name], reliable="upper", random_state=0).fit(X_TRAIN, marked(Y_TRAIN))
    accuracy = aligner.score(X_TEST, marked(Y_TEST))
    assert accuracy > chance() + 0.1
    wanted = alignment_accuracy(marked(Y_TEST), aligner.predict(X_TEST), scored="upper")
    assert accuracy == pytest.approx(wanted)


def test_a_mask_of_columns_does_what_lower_case_does():
    y = marked(Y_TRAIN)
    columns = [[a.isupper() and b.isupper() for a, b in zip(*rows, strict=True)] for rows in y]
    plain = [(first.upper(), second.upper()) for first, second in y]
    masked = weft.Aligner().fit(X_TRAIN, plain, columns=columns)
    cased = weft.Aligner(reliable="upper").fit(X_TRAIN, y)
    np.testing.assert_allclose(masked.weights_, cased.weights_)


def test_weights_of_samples_count_like_copies():
    weighted = weft.Aligner("match").fit(X_TRAIN[:3], Y_TRAIN[:3], sample_weight=[2, 1, 0])
    copied = weft.Aligner("match").fit([*X_TRAIN[:2], X_TRAIN[0]], [*Y_TRAIN[:2], Y_TRAIN[0]])
    np.testing.assert_allclose(weighted.weights_, copied.weights_, atol=1e-3)


def test_held_out_pairs_stop_the_fit():
    aligner = weft.Aligner("match", learner=weft.Perceptron(max_iter=30), patience=2, random_state=0)
    aligner.fit(X_TRAIN, Y_TRAIN, X_dev=X_TEST, y_dev=Y_TEST)
    scores = [entry["score"] for entry in aligner.history_]
    assert max(scores) == pytest.approx(aligner.score(X_TEST, Y_TEST))


@pytest.mark.parametrize("model", ["match", "substitution"])
def test_is_saved_cloned_pickled_and_tuned(model, tmp_path):
    aligner = weft.Aligner(model, learner=weft.CRF(c2=0.5)).fit(X_TRAIN[:10], Y_TRAIN[:10])
    weft.save(aligner, tmp_path / "aligner.weft")
    loaded = weft.load(tmp_path / "aligner.weft")
    assert loaded.predict(X_TEST) == aligner.predict(X_TEST) == pickle.loads(pickle.dumps(aligner)).predict(X_TEST)
    np.testing.assert_array_equal(loaded.weights_, aligner.weights_)
    assert clone(loaded).get_params()["learner__c2"] == 0.5
    search = GridSearchCV(weft.Aligner(model, learner=weft.CRF()), {"learner__c2": [0.1, 10.0]}, cv=2)
    assert search.fit(X_TRAIN[:8], Y_TRAIN[:8]).best_score_ > 0.3


def test_the_matrix_in_other_forms():
    matrix = weft.Aligner(learner=weft.CRF(c2=0.1)).fit(X_TRAIN, Y_TRAIN).substitution_matrix_
    lines = matrix.scaled(10).to_text().splitlines()
    assert lines[0].split() == list(LETTERS)
    assert [line[0] for line in lines[1:]] == list(LETTERS)
    values = np.array([[int(cell) for cell in line.split()[1:]] for line in lines[1:]])
    np.testing.assert_array_equal(values, np.round(10 * matrix.values))
    assert matrix.to_dict()["A", "C"] == matrix["A", "C"] == np.asarray(matrix)[0, 1]
    with pytest.raises(InputError, match="not in the alphabet"):
        matrix["A", "X"]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ("ACG", "ACG", "a list of pairs is needed"),
        ([], [], "X is empty"),
        (["AC"], [("AC", "AC")], r"X\[0\] is 'AC'; a pair of sequences"),
        ([("AC", "")], [("AC", "--")], r"X\[0\] holds an empty sequence"),
        ([("AC", 3)], [("AC", "--")], r"X\[0\]\[1\] is 3 of type int"),
        ([("AC", "A")], [], "y is empty"),
        ([("AC", "A")], [("AC", "A-")] * 2, "1 pairs but y has 2"),
        ([("AC", "A")], [("AC", "A")], r"rows of y\[0\] have 2 and 1 columns"),
        ([("AC", "A")], [("AC-", "A--")], "gap in both rows"),
        ([("AC", "A")], [("AG", "A-")], r"row 1 of y\[0\] spells 'AG' but X\[0\] has 'AC'"),
        ([("A-C", "A")], [("A-C", "A--")], "gap in both|spells|without gaps"),
    ],
)
def test_bad_input(X, y, message):
    with pytest.raises(InputError, match=message):
        weft.Aligner().fit(X, y)


def test_a_pair_with_an_empty_side_is_answered_beside_others():
    aligner = weft.Aligner.from_matrix("BLOSUM62")
    pairs = [("ACD", ""), ("ACD", "AD"), ("", list("AW")), ("", "")]
    [whole] = aligner.predict(pairs[1:2])
    assert aligner.predict(pairs) == [("ACD", "---"), whole, ("--", ["A", "W"]), ("", "")]
    assert aligner.predict(pairs[:1]) == [("ACD", "---")]
    with pytest.raises(InputError, match=r"X\[1\]\[0\] is 3 of type int"):
        aligner.predict([("ACD", ""), (3, "A")])


def test_bad_parameters_and_unknown_letters():
    X, y = [("AC", "A")], [("AC", "A-")]
    for parameters, message in [
        ({"model": "blosum"}, "'match' or 'substitution'"),
        ({"gaps": "free"}, "'affine' or 'linear'"),
        ({"reliable": "lower"}, "'all' or 'upper'"),
        ({"learner": 3}, "a learner such as"),
        ({"patience": 2}, "patience needs held-out data"),
        ({"alphabet": "AG"}, "not in the alphabet AG"),
        ({"learner": weft.MomentLearner()}, "MomentLearner needs at least 2 sequences"),
    ]:
        with pytest.raises(InputError, match=message):
            weft.Aligner(**parameters).fit(X, y)
    with pytest.raises(InputError, match="no column of y is reliable"):
        weft.Aligner(reliable="upper").fit(X, [("ac", "a-")])
    aligner = weft.Aligner().fit(X, y)
    with pytest.raises(InputError, match=r"X\[1\] has 'G' at position 1"):
        aligner.predict([("A", "C"), ("AG", "C")])
    with pytest.raises(InputError, match="k is 0"):
        aligner.predict_kbest(X, 0)
    with pytest.raises(InputError, match="has no alphabet"):
        _ = weft.Aligner("match").fit(X, y).substitution_matrix_


def test_expected_accuracy_is_chosen_by_name_and_kept_in_files(tmp_path):
    aligner = weft.Aligner(learner=weft.CRF(c2=0.1), decode="expected", gamma=np.inf).fit(X_TRAIN, Y_TRAIN)
    found = aligner.predict(X_TEST)
    assert aligner.score(X_TEST, Y_TEST) == pytest.approx(alignment_accuracy(Y_TEST, found))
    marginals = aligner.predict_marginals(X_TEST)
    weft.save(aligner, tmp_path / "model.weft")
    assert weft.load(tmp_path / "model.weft").predict(X_TEST) == found
    best = clone(aligner).set_params(decode="best", gamma=1.0).fit(X_TRAIN, Y_TRAIN)
    assert np.array_equal(best.weights_, aligner.weights_)
    for mine, other, probable in zip(found, best.predict(X_TEST), marginals, strict=True):
        assert _expected(mine, probable) >= _expected(other, probable) - 1e-9
    assert (aligner.confidence(X_TEST) <= best.confidence(X_TEST) + 1e-12).all()
    assert (aligner.z_score(X_TEST) <= best.z_score(X_TEST) + 1e-9).all()
    with pytest.raises(InputError, match="'best' or 'expected'"):
        weft.Aligner(decode="worst").fit(X_TRAIN, Y_TRAIN)


def _expected(rows, probabilities):
    i = j = 0
    total = 0.0
    for a, b in zip(*rows, strict=True):
        if "-" not in (a, b):
            total += probabilities[i, j]
        i += a != "-"
        j += b != "-"
    return total


def test_expected_loss_falls_from_where_it_starts():
    start = weft.CRF(c2=1.0, max_iter=20)
    aligner = weft.Aligner(learner=weft.ExpectedLoss(0.01, start=start)).fit(X_TRAIN, Y_TRAIN)
    values = [entry["objective"] for entry in aligner.history_]
    assert values[-1] < 0.9 * values[0]
    assert (np.diff(values) <= 0.0).all()
    fixed = weft.Aligner(learner=start).fit(X_TRAIN, Y_TRAIN)
    assert np.array_equal(aligner.learner_.start_weights_, fixed.weights_)


PROTEINS = [("MKVLAWGE", "MKVAWGE"), ("HEAGAWGHEE", "PAWHEAE"), ("LIFEKQ", "LVFEQ")]
ALIGNED = [("MKVLAWGE", "MKV-AWGE"), ("HEAGAWGHEE-", "--P-AW-HEAE"), ("LIFEKQ", "LVFE-Q")]


def test_a_strong_penalty_pulls_proteins_towards_blosum62_and_others_towards_zero():
    X, y = [PROTEINS[0], PROTEINS[2]], [ALIGNED[0], ALIGNED[2]]
    pulled = weft.Aligner(learner=weft.CRF(c2=1e6)).fit(X, y)
    assert pulled.prior_ == "BLOSUM62"
    matrix = weft.SubstitutionMatrix.load("BLOSUM62")
    assert pulled.substitution_matrix_["W", "W"] == pytest.approx(11 * matrix.scale, abs=1e-3)
    assert pulled.substitution_matrix_.gap_open == pytest.approx(matrix.gap_open * matrix.scale, abs=1e-3)
    free = weft.Aligner(learner=weft.CRF(c2=1e6), prior=None).fit(X, y)
    assert free.prior_ is None
    assert np.abs(free.weights_).max() < 1e-3
    bases = weft.Aligner(learner=weft.CRF(c2=1e6)).fit([("ACGT", "AGT")], [("ACGT", "A-GT")])
    assert bases.prior_ is None
    assert np.abs(bases.weights_).max() < 1e-3


def test_the_default_strength_is_stronger_with_a_prior():
    X, y = [PROTEINS[0], PROTEINS[2]], [ALIGNED[0], ALIGNED[2]]
    assert weft.Aligner().fit(X, y).learner_.c2 == 10.0
    assert weft.Aligner(prior=None).fit(X, y).learner_.c2 == weft.CRF().c2


def test_a_prior_needs_a_learner_that_has_one_and_a_matrix_that_fits():
    X, y = [PROTEINS[0]], [ALIGNED[0]]
    with pytest.raises(weft.InputError, match="SODA has none"):
        weft.Aligner(learner=weft.SODA(), prior="BLOSUM62").fit(X, y)
    with pytest.raises(weft.InputError, match="model is 'match'"):
        weft.Aligner("match", prior="BLOSUM62").fit(X, y)
    with pytest.raises(weft.InputError, match=r"prior of shape .*one weight for each of the"):
        weft.Aligner(prior=np.zeros(3)).fit(X, y)
    assert weft.Aligner(learner=weft.SODA()).fit(X, y).prior_ is None


def test_decoding_is_by_the_learner_unless_it_is_given():
    X, y = [("ACGT", "AGT")], [("ACGT", "A-GT")]
    assert weft.Aligner()._decoding() == "expected"
    assert weft.Aligner(learner=weft.SODA())._decoding() == "best"
    assert weft.Aligner(decode="best")._decoding() == "best"
    with pytest.raises(weft.InputError, match=r"gamma=3\.0 has no meaning"):
        weft.Aligner(learner=weft.SODA(), gamma=3.0).fit(X, y)


def test_a_named_matrix_aligns_untrained_with_every_letter_of_proteins(tmp_path):
    aligner = weft.Aligner.from_matrix("BLOSUM62", gap_open=-11, gap_extend=-1)
    assert aligner.predict([("HEAGKVWGHEEBZXJOU*", "HEAGWGHEEBZXJOU*")]) == [
        ("HEAGKVWGHEEBZXJOU*", "HEAG--WGHEEBZXJOU*")
    ]
    weft.save(aligner, tmp_path / "model.weft")
    again = weft.load(tmp_path / "model.weft")
    np.testing.assert_array_equal(again.weights_, aligner.weights_)
    assert again.prior.gap_open == -11.0
    with pytest.raises(weft.InputError, match="gap_open is 11; a score is needed, of at most 0: gap_open=-11"):
        weft.Aligner.from_matrix("BLOSUM62", gap_open=11)
    with pytest.raises(weft.InputError, match="a dict given in place of a matrix"):
        weft.Aligner.from_matrix({})


def test_the_best_alignment_scores_what_parasail_says():
    parasail = pytest.importorskip("parasail")
    for name in weft.SubstitutionMatrix.names():
        matrix = weft.SubstitutionMatrix.load(name)
        aligner = weft.Aligner.from_matrix(matrix, -12, -2, decode="best")
        for a, b in PROTEINS:
            best = aligner.bind([(a, b)]).argmax(aligner.weights_)[1][0] / matrix.scale
            assert best == pytest.approx(parasail.nw(a, b, 12, 2, getattr(parasail, name.lower())).score)


# ---------------------------------------------------------------------- ends


def test_a_local_alignment_leaves_out_what_does_not_fit():
    aligner = weft.Aligner.from_matrix("BLOSUM62", mode="local", decode="best")
    [rows] = aligner.predict([("PPPPPPHEAGKVWGHEE", "WWHEAGKVWGHEEWWWW")])
    assert rows == ("PPPPPP--HEAGKVWGHEE----", "------WWHEAGKVWGHEEWWWW")


def test_gaps_at_the_ends_are_free_in_semi_global_alignments():
    pair = ("HEAGKVWGHEEPPPPPPPPPPPPPPPPPPPP", "HEAGKVWGHEE")
    found = {}
    for mode in ("global", "semi-global"):
        aligner = weft.Aligner.from_matrix("BLOSUM62", mode=mode, decode="best")
        [rows] = aligner.predict([pair])
        found[mode] = float(aligner.bind([pair], [rows]).argmax(aligner.weights_)[1][0])
        assert rows[1] == "HEAGKVWGHEE" + "-" * 20
    half_bit = np.log(2.0) / 2
    assert found["semi-global"] - found["global"] == pytest.approx((18 + 19) * half_bit)


def test_gaps_at_the_ends_have_scores_of_their_own():
    pair, half_bit = ("HEAGKVWGHEEPPPP", "HEAGKVWGHEE"), np.log(2.0) / 2
    same = weft.Aligner.from_matrix("BLOSUM62", -12, -2, decode="best")
    best = {}
    for ends in ((-12.0, -2.0), (-5.0, -1.5), (None, None)):
        aligner = weft.Aligner.from_matrix(
            "BLOSUM62", -12, -2, mode="end-gaps", end_open=ends[0], end_extend=ends[1], decode="best"
        )
        best[ends] = float(aligner.bind([pair]).argmax(aligner.weights_)[1][0]) / half_bit
    score = float(same.bind([pair]).argmax(same.weights_)[1][0]) / half_bit
    assert best[-12.0, -2.0] == pytest.approx(score)
    assert best[-5.0, -1.5] == pytest.approx(score + (12 + 3 * 2) - (5 + 3 * 1.5))
    assert best[None, None] == pytest.approx(score + (12 + 3 * 2) / 2)  # half of the others


def test_amino_acids_that_training_lacks_have_scores_of_the_matrix():
    X, y = [("HEAGKVW", "HEAGW")], [("HEAGKVW", "HEAG--W")]
    aligner = weft.Aligner(learner=weft.CRF(c2=10.0, max_iter=3)).fit(X, y)
    assert aligner.structure_.alphabet == tuple("ABCDEFGHIKLMNPQRSTVWXYZ")
    matrix, learned = (
        weft.SubstitutionMatrix.load("BLOSUM62"),
        dict(zip(aligner.feature_names_, aligner.weights_, strict=True)),
    )
    half_bit = np.log(2.0) / 2
    for pair in (("B", "X"), ("C", "F"), ("M", "M")):
        assert learned[pair] == pytest.approx(half_bit * matrix[pair], abs=1e-6)
    assert aligner.predict([("HEABXKVW", "HEAZW")])[0][0].replace("-", "") == "HEABXKVW"
    with pytest.raises(InputError, match="'B' at position 3, which is not in the alphabet"):
        weft.Aligner(prior=None, learner=weft.CRF(c2=10.0, max_iter=3)).fit(X, y).predict([("HEABXKVW", "HEAZW")])


def test_proteins_have_gaps_at_the_ends_of_their_own_by_default(tmp_path):
    X, y = [("HEAGKVW", "HEAGW"), ("WGHEEPP", "WGHEE")], [("HEAGKVW", "HEAG--W"), ("WGHEEPP", "WGHEE--")]
    quick = {"max_iter": 3}
    aligner = weft.Aligner(learner=weft.CRF(c2=10.0, **quick)).fit(X, y)
    assert (aligner.mode, aligner.mode_) == ("auto", "end-gaps")
    weft.save(aligner, tmp_path / "aligner.weft")
    again = weft.load(tmp_path / "aligner.weft")
    assert (again.mode_, again.predict(X)) == ("end-gaps", aligner.predict(X))
    prior = np.zeros(len(weft.Aligner(prior=None, learner=weft.CRF(**quick)).fit(X, y).weights_))
    for options in (
        {"prior": None},
        {"prior": prior},
        {"learner": weft.CRF(prior=prior, **quick)},
        {"learner": weft.Perceptron(max_iter=2)},
        {"mode": "global"},
    ):
        assert weft.Aligner(**{"learner": weft.CRF(**quick)} | options).fit(X, y).mode_ == "global"
    assert weft.Aligner(learner=weft.CRF(**quick)).fit([("ACGT", "AGT")], [("ACGT", "A-GT")]).mode_ == "global"


def test_scores_of_ends_that_cannot_be_meant_are_refused():
    for options, message in (
        ({"end_open": -5}, "end_open=-5 given, but mode is 'global'; use mode='end-gaps'"),
        ({"mode": "semi-global", "end_extend": -1}, "end_extend=-1 given, but mode is 'semi-global'"),
        ({"mode": "end-gaps", "end_open": 5}, "end_open is 5; a score is needed, of at most 0"),
        ({"mode": "end-gaps", "end_extend": float("nan")}, "end_extend is nan; a score is needed"),
    ):
        with pytest.raises(InputError, match=message):
            weft.Aligner.from_matrix("BLOSUM62", **options)
    aligner = weft.Aligner.from_matrix("BLOSUM62", mode="end-gaps")
    assert aligner.substitution_matrix_.gap_open == pytest.approx(-18 * np.log(2.0) / 2)  # of gaps within


def test_gaps_at_the_ends_are_told_from_others_by_learning():
    random = np.random.default_rng(1)
    X, y = [], []
    for (a, b), rows in zip(X_TRAIN[:20], Y_TRAIN[:20], strict=True):
        before = "".join(random.choice(list(LETTERS), 9))
        X.append((before + a, b))
        y.append((before + rows[0], "-" * 9 + rows[1]))
    aligner = weft.Aligner(learner=weft.CRF(c2=0.1), mode="end-gaps").fit(X, y)
    *_, opening, extension, end_opening, end_extension = aligner.weights_
    assert end_opening + 8 * end_extension > opening + 8 * extension + 2.0
    assert aligner.score(X, y) > weft.Aligner(learner=weft.CRF(c2=0.1)).fit(X, y).score(X, y)
    [found] = aligner.predict_kbest(X[:1], 3)
    assert len(found) == 3
    assert found[0][1] == pytest.approx(aligner.confidence(X[:1])[0])
    # A moment learner needs means and covariances of all alignments, which come from the graph.
    short = [(a[:6], b[:5]) for a, b in X_TRAIN[:6]]
    moments = weft.Aligner(learner=weft.ZScore(1.0), mode="end-gaps", prior=None)
    assert np.isfinite(moments.fit(short, [(a.ljust(6, "-"), b.ljust(6, "-")) for a, b in short]).weights_).all()


@pytest.mark.parametrize("mode", ["end-gaps", "semi-global", "local"])
@pytest.mark.parametrize(("learner", "least"), [(weft.CRF(c2=0.1), 0.7), (weft.Perceptron(max_iter=5), 0.5)])
def test_weights_are_learned_with_free_ends(mode, learner, least, tmp_path):
    random = np.random.default_rng(0)
    X, y = [], []
    for (a, b), rows in zip(X_TRAIN[:20], Y_TRAIN[:20], strict=True):
        before, after = ("".join(random.choice(list(LETTERS), 4)) for _ in range(2))
        X.append((before + a, b + after))
        y.append((before + rows[0] + "-" * 4, "-" * 4 + rows[1] + after))
    aligner = weft.Aligner(learner=learner, mode=mode, decode="best", random_state=0).fit(X, y)
    assert aligner.score(X, y) > least
    weft.save(aligner, tmp_path / "aligner.weft")
    assert weft.load(tmp_path / "aligner.weft").predict(X) == aligner.predict(X)


def test_modes_that_cannot_be_meant_are_refused():
    for options, message in (
        ({"mode": "glocal"}, "mode is 'glocal'; use one of 'auto', 'global', 'end-gaps', 'semi-global', 'local'"),
        ({"mode": "local", "model": "match"}, "mode='local' needs weights of symbols"),
        ({"mode": "local", "learner": weft.ZScore(1.0)}, "mode='local' has no "),
        ({"mode": "local", "learner": weft.EM()}, "EM counts pairs and gaps of whole alignments, but mode is .local."),
    ):
        with pytest.raises(InputError, match=message):
            weft.Aligner(**options).fit(X_TRAIN[:3], Y_TRAIN[:3])


# ---------------------------------------------------------------- neighbours


def test_neighbours_find_what_symbols_alone_cannot():
    X = [("GAAAC", "GAAC"), ("CAAAG", "CAAG")] * 5
    y = [("GAAAC", "GA-AC"), ("CAAAG", "CA-AG")] * 5  # the A that is missing stands between two others
    alone = weft.Aligner(learner=weft.CRF(c2=0.1), decode="best").fit(X, y)
    around = weft.Aligner(learner=weft.CRF(c2=0.1), decode="best", context=1).fit(X, y)
    assert around.structure_.n_classes == 4  # each letter by itself, and none
    assert alone.score(X, y) < 1.0
    assert around.score(X, y) == 1.0


def test_classes_of_amino_acids_are_those_of_hydropathy():
    X, y = [("HEAGKVWGHEE", "HEAGWGHEE")], [("HEAGKVWGHEE", "HEAG--WGHEE")]
    aligner = weft.Aligner(alphabet="ACDEFGHIKLMNPQRSTVWYX", context=6).fit(X, y)
    assert aligner.structure_.classes == ("CFILMVWY", "AGHPST", "DEKNQR")
    assert aligner.prior_ == "BLOSUM62"
    assert aligner.predict(X) == y
    with pytest.raises(InputError, match="which no matrix has"):
        aligner.substitution_matrix_  # noqa: B018


def test_a_model_with_neighbours_is_saved_and_loaded(tmp_path):
    aligner = weft.Aligner(learner=weft.CRF(c2=1.0), context=2, classes=["AG", "CT"]).fit(X_TRAIN, Y_TRAIN)
    weft.save(aligner, tmp_path / "aligner.weft")
    loaded = weft.load(tmp_path / "aligner.weft")
    np.testing.assert_array_equal(loaded.weights_, aligner.weights_)
    assert loaded.predict(X_TEST) == aligner.predict(X_TEST)
    assert loaded.feature_names_[10] == (1, "AG", "AG")


@pytest.mark.parametrize("learner", [weft.Perceptron(max_iter=2), weft.StructuredSVM(max_iter=2), weft.ZScore(1.0)])
def test_other_learners_take_neighbours_too(learner):
    aligner = weft.Aligner(learner=learner, context=1, classes=["AG", "CT"]).fit(X_TRAIN[:10], Y_TRAIN[:10])
    assert aligner.score(X_TEST, Y_TEST) > 0.5


def test_neighbours_that_cannot_be_meant_are_refused():
    for options, message in (
        ({"context": -1}, "context is -1"),
        ({"context": False}, "context is False"),
        ({"classes": ["AG"]}, "context is 0"),
        ({"model": "match", "context": 1}, "context needs weights of symbols"),
        ({"context": 1, "learner": weft.EM()}, "EM counts pairs"),
        ({"context": 1, "learner": weft.Generative()}, "Generative counts pairs"),
    ):
        with pytest.raises(InputError, match=message):
            weft.Aligner(**options).fit(X_TRAIN[:3], Y_TRAIN[:3])
