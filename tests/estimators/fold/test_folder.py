"""Folder: RNA strings to dot-bracket strings."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import weft
from rna_examples import parameter_text
from weft import datasets, losses
from weft.errors import InputError, ModelFileError
from weft.estimators.fold.loop_learning import loop_penalties, plain_penalties
from weft.learners.moments.ranks import relative_rank_bounds, relative_ranks
from weft.learners.monitor import untimed
from weft.structures import Grammar
from weft.structures.rna.free_energies import published_tables
from weft.structures.rna.tables import HEAT

X = ["GGGAAACCC", "GCGCAAAAGCGC", "GGCUAAAAGCC", "AGGCAAAAGCCA", "GACGAAAACGUC", "AAGGGAAAACCCAA"]
Y = ["(((...)))", "((((....))))", "((((...))))", ".(((....))).", "((((....))))", "..(((....))).."]


@pytest.fixture(scope="module")
def folder():
    return weft.Folder("g6", weft.CRF(c2=0.01), decode="best").fit(X, Y)


def test_it_learns_hairpins(folder):
    assert folder.predict(X) == Y
    assert folder.score(X, Y) == 1.0
    assert folder.predict(["CCGGAAAACCGG"]) == ["((((....))))"]
    assert folder.n_projected_ == 0
    assert len(folder.weights_) == len(folder.feature_names_) == 19
    assert folder.history_[-1]["objective"] < folder.history_[0]["objective"]


def test_t_is_read_as_u_and_case_does_not_matter(folder):
    assert folder.predict(["GACGAAAACGTC"]) == folder.predict(["gacgaaaacguc"]) == folder.predict(["GACGAAAACGUC"])


def test_probabilities_agree_with_each_other(folder):
    x = "GGCGAAAGCC"
    every = folder.predict_kbest([x], k=10_000)[0]
    assert sum(probability for _, probability in every) == pytest.approx(1.0)
    assert len({structure for structure, _ in every}) == len(every)  # G6 is not ambiguous
    pairs = folder.predict_marginals([x])[0]
    np.testing.assert_allclose(pairs, pairs.T)
    wanted = np.zeros_like(pairs)
    for structure, probability in every:
        for i, j in losses.base_pairs(structure):
            wanted[[i, j], [j, i]] += probability
    np.testing.assert_allclose(pairs, wanted, atol=1e-9)
    assert folder.predict([x])[0] == every[0][0]
    assert folder.confidence([x])[0] == pytest.approx(every[0][1])


def test_z_scores_are_those_of_all_structures(folder):
    x = "GGCGAAAGCC"
    log_probabilities = np.log([probability for _, probability in folder.predict_kbest([x], k=10_000)[0]])
    wanted = (log_probabilities.max() - log_probabilities.mean()) / log_probabilities.std()
    assert folder.z_score([x])[0] == pytest.approx(wanted)
    assert folder.z_score(["AA"])[0] == 0.0
    np.testing.assert_allclose(folder.relative_rank_bound([x, "AA"]), [1.0 / (1.0 + wanted**2), 1.0])


def test_other_letters_are_refused_by_position_or_stay_unpaired(folder):
    with pytest.raises(InputError, match=r"X\[1\] has 'N' at position 2"):
        folder.predict(["GGG", "GCNGC"])
    lenient = weft.Folder(unknown="unpaired").fit([*X, "GGNAAACCC"], [*Y, "(((...)))"])
    assert lenient.dropped_pairs_ == [(6, 2, 6, "letters")]
    assert lenient.predict(["NNGGGNNNNCCCNN"])[0].strip(".").startswith("(((....)))")


@pytest.mark.parametrize("learner", [weft.Perceptron(), weft.StructuredSVM(), weft.SODA(), weft.ZScore()], ids=str)
def test_other_learners(learner):
    assert weft.Folder("g6", learner, random_state=0).fit(X, Y).score(X, Y) > 0.8


def test_a_grammar_of_ones_own():
    grammar = Grammar("S -> g S c | c S g | A\nA -> a A | a")
    model = weft.Folder(grammar, weft.CRF(c2=0.1)).fit(["ggaaacc", "gcaaagc"], ["((...))", "((...))"])
    assert model.predict(["GGGAAACCC"]) == ["(((...)))"]
    with pytest.raises(InputError, match=r"no tree for X\[0\]"):
        model.predict(["GGAA"])


def test_clone_pickle_and_grid_search(folder):
    assert pickle.loads(pickle.dumps(folder)).predict(X) == Y
    search = GridSearchCV(weft.Folder("g6", weft.CRF()), {"learner__c2": [0.01, 0.1], "min_hairpin": [3]}, cv=2)
    assert search.fit(X, Y).best_score_ > 0.5
    twin = clone(weft.Folder(Grammar.g6(), weft.CRF(c2=0.01)))
    np.testing.assert_allclose(twin.fit(X, Y).weights_, folder.weights_, atol=1e-3)


@pytest.mark.parametrize("grammar", [None, Grammar.g6()], ids=["default", "own"])
def test_save_and_load(tmp_path, grammar):
    model = weft.Folder(grammar, weft.CRF(c2=0.01)).fit([*X, "GAGAAACCC"], [*Y, "(((...)))"])
    weft.save(model, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    np.testing.assert_array_equal(loaded.weights_, model.weights_)
    assert loaded.predict(X) == model.predict(X)
    assert loaded.dropped_pairs_ == model.dropped_pairs_
    assert loaded.n_projected_ == 1
    assert loaded.history_ == untimed(model.history_)


def test_a_file_of_another_grammar_is_refused(tmp_path, folder):
    broken = pickle.loads(pickle.dumps(folder))
    broken.weights_ = broken.weights_[:5]
    weft.save(broken, tmp_path / "model.weft")
    with pytest.raises(ModelFileError):
        weft.load(tmp_path / "model.weft")


@pytest.mark.parametrize(
    ("parameters", "x", "y", "message"),
    [
        ({"min_hairpin": -1}, X, Y, "min_hairpin is -1"),
        ({"unknown": "skip"}, X, Y, "unknown is 'skip'"),
        ({"invalid": "keep"}, X, Y, "invalid is 'keep'"),
        ({"grammar": "g7"}, X, Y, "grammar is 'g7'"),
        ({"gamma": 0}, X, Y, "gamma is 0"),
        ({"beam_width": 0}, X, Y, "beam_width is 0"),
        ({"beam_width": 2.5}, X, Y, "beam_width is 2.5"),
        ({"beam_width": 100, "grammar": "g6"}, X, Y, "beam_width is for the loops of RNA"),
        ({"beam_width": 100, "decode": "expected"}, X, Y, "needs all structures"),
        ({"grammar": Grammar("S -> x S | x")}, X, Y, "it needs a, c, g, u"),
        ({"learner": "crf"}, X, Y, "learner is 'crf'"),
        ({}, X, Y[:2], "6 sequences but y has 2 trees"),
        ({}, ["GGG"], ["(..."], "3 letters but y"),
        ({}, ["GGG"], ["(.."], r"y\[0\]: .*never closed"),
        ({}, ["GGG"], [[".", ".", "."]], "a dot-bracket string is needed"),
        ({}, [["G", "G"]], [".."], "RNA as a string is needed"),
        ({}, "GGG", "...", "X is one string"),
    ],
)
def test_bad_input_is_refused_with_a_reason(parameters, x, y, message):
    with pytest.raises(InputError, match=message):
        weft.Folder(**parameters).fit(x, y)


def test_questions_before_fit():
    with pytest.raises(NotFittedError):
        weft.Folder().predict(X)
    with pytest.raises(NotFittedError):
        weft.Folder().score(X, Y)


def test_k_must_be_a_positive_whole_number(folder):
    with pytest.raises(InputError, match="k is 0"):
        folder.predict_kbest(X, 0)


@pytest.mark.parametrize("grammar", ["g6", "loops"])
def test_a_bind_has_references_and_leaves_the_model_alone(grammar):
    model = weft.Folder(grammar, weft.CRF(c2=0.1), decode="best", n_jobs=1).fit(X, Y)
    batch = model.bind(["GAGAAACCC", X[1]], ["(((...)))", "." * len(X[1])])
    assert model.dropped_pairs_ == []
    outputs, _ = batch.argmax(model.weights_)
    wanted = [losses.base_pairs(y) for y in ("(.(...).)", "." * len(X[1]))]
    found = [losses.base_pairs(y) for y in model.predict(["GAGAAACCC", X[1]])]
    assert batch.losses(outputs).tolist() == [len(a ^ b) for a, b in zip(found, wanted, strict=True)]
    ranks, is_exact = relative_ranks(model, X, Y)
    assert is_exact.all()
    assert (ranks <= relative_rank_bounds(model, X, Y) + 1e-12).all()
    with pytest.raises(InputError, match="6 sequences but y has 2"):
        model.bind(X, Y[:2])


@pytest.mark.needs_data("rna_rfam")
def test_a_small_rfam_family():
    data = datasets.load_rna_rfam()
    chosen = [i for i, family in enumerate(data.families) if family == "RF00032"]
    sequences, structures = [data.sequences[i] for i in chosen], [data.structures[i] for i in chosen]
    half = len(chosen) // 2
    model = weft.Folder(learner=weft.CRF(c2=0.01), unknown="unpaired").fit(sequences[:half], structures[:half])
    assert model.score(sequences[half:], structures[half:]) > 0.85


# ------------------------------------------------------------------------- loops


@pytest.fixture(scope="module")
def loops():
    return weft.Folder("loops", weft.CRF(c2=0.1), decode="best", n_jobs=1).fit(X, Y)


def test_loops_learn_hairpins(loops):
    assert loops.predict(X) == Y
    assert loops.feature_names_[0] == "free_energy"
    assert loops.weights_[0] < 0.0  # what is stable is likely
    assert loops.n_projected_ == 0


def test_probabilities_of_loops_agree_with_each_other(loops):
    x = "GGCGAAAGCCA"
    every = loops.predict_kbest([x], k=10_000)[0]
    assert sum(probability for _, probability in every) == pytest.approx(1.0)
    assert len({structure for structure, _ in every}) == len(every)
    wanted = np.zeros((len(x), len(x)))
    for structure, probability in every:
        for i, j in losses.base_pairs(structure):
            wanted[[i, j], [j, i]] += probability
    np.testing.assert_allclose(loops.predict_marginals([x])[0], wanted, atol=1e-9)
    assert loops.predict([x])[0] == every[0][0]
    assert loops.confidence([x])[0] == pytest.approx(every[0][1])
    log_probabilities = np.log([probability for _, probability in every])
    spread = (log_probabilities.max() - log_probabilities.mean()) / log_probabilities.std()
    assert loops.z_score([x])[0] == pytest.approx(spread)


def test_loops_save_load_and_unknown_letters(tmp_path):
    model = weft.Folder("loops", weft.CRF(c2=0.1), unknown="unpaired", decode="expected", gamma=2.0, n_jobs=1).fit(
        [*X, "GGNAAACCC"], [*Y, Y[0]]
    )
    weft.save(model, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    assert loaded.gamma == 2.0
    assert loaded.predict(["NGGGANNACCC"]) == model.predict(["NGGGANNACCC"]) == [".(((....)))"]
    assert loaded.dropped_pairs_ == [(6, 2, 6, "letters")]


@pytest.mark.parametrize("grammar", ["g6", "loops"])
def test_gamma_decides_how_many_pairs_are_predicted(grammar):
    model = weft.Folder(grammar, weft.CRF(c2=1.0), n_jobs=1).fit(X, Y)
    x = ["GGACGAAAGCCAGACGAAAAGUCA"]
    found = [clone(model).set_params(decode="expected", gamma=gamma) for gamma in (1e-9, 1.0, 100.0)]
    for own in found:
        own.__dict__.update({key: value for key, value in vars(model).items() if key.endswith("_")})
    sizes = [own.predict(x)[0].count("(") for own in found]
    assert sizes[0] == 0
    assert sizes[0] < sizes[1] <= sizes[2]


def test_a_thousand_bases_in_little_memory(loops):
    import tracemalloc

    x = "".join(np.random.default_rng(0).choice(list("ACGU"), size=1000))
    tracemalloc.start()
    [pairs] = loops.predict_marginals([x])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500e6
    assert pairs.sum(axis=1).max() <= 1.0 + 1e-9


# ---------------------------------------------------------------------- energies

TRNA = "GCGGAUUUAGCUCAGUUGGGAGAGCGCCAGACUGAAGAUCUGGAGGUCCUGUGUUCGAUCCACAGAAUUCGCACCA"

CLOVERLEAF = "(((((((..((((........)))).(((((.......))))).....(((((.......))))))))))))...."


def test_energies_fold_untrained():
    folder = weft.Folder.from_energies(decode="best")
    [best] = folder.predict([TRNA])
    others = [structure for structure, _ in folder.predict_kbest([TRNA], 5)[0]]
    energies = folder.energy([TRNA] * 5, others)
    assert others[0] == best
    assert (np.diff(energies) >= -1e-9).all()
    assert folder.ensemble_energy([TRNA])[0] < energies[0] < 0.0
    assert folder.confidence([TRNA])[0] == pytest.approx(
        np.exp((folder.ensemble_energy([TRNA]) - energies[0]) / HEAT)[0]
    )


def test_a_beam_is_narrower_than_all_structures(tmp_path):
    x = "".join(np.random.default_rng(1).choice(list("ACGU"), size=150))
    exact, wide, narrow = (weft.Folder.from_energies(beam_width=width, decode="best") for width in (None, 150, 1))
    energies = [own.energy([x], own.predict([x]))[0] for own in (exact, wide, narrow)]
    assert energies[1] == pytest.approx(energies[0])
    assert energies[2] > energies[0] + 0.1
    assert weft.Folder.from_energies(beam_width=1).predict([x, ""]) == [*narrow.predict([x]), ""]  # decode is "best"
    assert narrow.ensemble_energy([x]) == exact.ensemble_energy([x])
    weft.save(narrow, tmp_path / "narrow.weft")
    loaded = weft.load(tmp_path / "narrow.weft")
    assert loaded.beam_width == 1
    assert loaded.predict([x]) == narrow.predict([x])


def test_what_has_no_energy_is_refused(folder):
    with pytest.raises(InputError, match="a grammar has no free energies"):
        folder.energy(["GGGAAACCC"], ["(((...)))"])
    untrained = weft.Folder.from_energies()
    with pytest.raises(InputError, match=r"y\[0\] is not a structure of loops"):
        untrained.energy(["GGGAAACCA"], ["(((...)))"])
    with pytest.raises(InputError, match="1 sequences but y has 2"):
        untrained.energy(["GGGAAACCA"], ["(((...)))"] * 2)
    with pytest.raises(InputError, match="which has no free energies"):
        weft.Folder.from_energies(grammar="g6")
    with pytest.raises(InputError, match="energies names 'nowhere'"):
        weft.Folder.from_energies("nowhere")
    with pytest.raises(InputError, match="energies is 3"):
        weft.Folder(energies=3).fit(X, Y)
    with pytest.raises(InputError, match="energies are for the loops of RNA"):
        weft.Folder("g6", energies="nowhere").fit(X, Y)


@pytest.mark.parametrize("learner", [None, weft.CRF(tol=1e-4)], ids=["none", "crf"])
def test_an_open_penalty_mixes_the_energies_with_two_fits(learner):
    model = weft.Folder("loops", learner, n_jobs=1).fit(X, Y)
    prior = model.structure_.prior
    adapted, plain = (
        weft.Folder(learner=weft.CRF(c2=c2, prior=each, tol=1e-4), n_jobs=1, warm_start=True)
        for c2, each in ((loop_penalties(), None), (plain_penalties(), np.zeros_like(prior)))
    )
    adapted, plain = adapted.fit(X, Y).weights_, plain.fit(X, Y).weights_
    assert plain[0] == 0.0  # it knows nothing of energies
    assert np.abs(plain).max() > 0.1
    np.testing.assert_allclose(model.weights_, 0.3 * (prior + adapted + plain), rtol=1e-9, atol=1e-3)
    assert model.predict(X) == Y


def test_what_is_held_out_is_scored_by_the_mixture():
    parts = {"X_dev": X[4:], "y_dev": Y[4:]}
    model = weft.Folder(patience=3, n_jobs=1).fit(X[:4], Y[:4], **parts)
    best = max(each["score"] for each in model.history_)
    assert model.score(X[4:], Y[4:]) == pytest.approx(best)
    first = weft.Folder(learner=weft.CRF(c2=loop_penalties(), tol=1e-4), n_jobs=1).fit(X[:4], Y[:4], **parts)
    assert [each["objective"] for each in first.history_][: len(model.history_)] == pytest.approx(
        [each["objective"] for each in model.history_]
    )


def test_a_prior_of_ones_own_is_not_mixed():
    prior = 0.5 * weft.Folder.from_energies().weights_
    model = weft.Folder(learner=weft.CRF(prior=prior), n_jobs=1).fit(X, Y)
    given = weft.Folder(learner=weft.CRF(c2=loop_penalties(), prior=prior), n_jobs=1).fit(X, Y)
    np.testing.assert_array_equal(model.weights_, given.weights_)


def test_the_fit_from_the_energies_on_lets_shared_weights_move_most():
    model = weft.Folder("loops", weft.CRF(c2=loop_penalties()), n_jobs=1).fit(X, Y)
    names, moved = model.structure_.feature_names, np.abs(model.weights_ - model.structure_.prior)
    is_shared = model.learner_.c2 == model.learner_.c2.min()
    assert {name for name, shared in zip(names, is_shared, strict=True) if shared} == {
        *("free_energy", "hairpin", "bulge", "interior", "multiloop", "multiloop_branch", "multiloop_base"),
        *("exterior_branch", "exterior_base"),
    }
    assert moved[is_shared].max() > 20 * moved[~is_shared].max() > 0
    alike = weft.Folder("loops", weft.CRF(c2=20.0), n_jobs=1).fit(X, Y)
    assert np.abs(alike.weights_ - alike.structure_.prior)[~is_shared].max() > 10 * moved[~is_shared].max()


def test_trained_loops_predict_the_largest_f1_unless_gamma_is_given():
    model = weft.Folder(n_jobs=1).fit(X, Y)
    batch = model.bind([TRNA])
    largest = batch.most_accurate(model.weights_, None)[0]
    assert model.predict([TRNA])[0].count("(") == len(largest) > 0
    assert weft.Folder.from_energies(n_jobs=1).predict([TRNA]) == weft.Folder.from_energies(
        gamma=1.0, n_jobs=1
    ).predict([TRNA])


def test_a_strong_penalty_leaves_the_energies_as_they_are():
    untrained = weft.Folder.from_energies()
    model = weft.Folder(learner=weft.CRF(c2=1e9), gamma=1.0, n_jobs=1).fit(X, ["." * len(x) for x in X])
    np.testing.assert_allclose(model.weights_, untrained.weights_, atol=1e-6)
    assert model.predict([TRNA]) == untrained.predict([TRNA])
    assert "(" in model.predict([TRNA])[0]


def test_a_file_of_energies_goes_into_the_model_file(tmp_path):
    tables = replace(published_tables(), multi_close=3.4)
    path = tmp_path / "own.par"
    path.write_text(parameter_text(tables))
    folder = weft.Folder.from_energies(path, decode="best")
    wanted = weft.Folder.from_energies().energy([TRNA], [CLOVERLEAF]) - 9.3 + 3.4  # it has one multiloop
    np.testing.assert_allclose(folder.energy([TRNA], [CLOVERLEAF]), wanted, atol=1e-3)
    weft.save(folder, tmp_path / "model.weft")
    path.unlink()
    loaded = weft.load(tmp_path / "model.weft")
    assert loaded.predict([TRNA, "GGGAAACCC"]) == folder.predict([TRNA, "GGGAAACCC"])
    np.testing.assert_array_equal(
        loaded.energy([TRNA], loaded.predict([TRNA])), folder.energy([TRNA], loaded.predict([TRNA]))
    )


def test_a_perceptron_starts_from_the_energies():
    model = weft.Folder(learner=weft.Perceptron(max_iter=1), random_state=0, n_jobs=1)
    model.fit(["GGGGAAAACCCC"], ["((((....))))"])
    np.testing.assert_allclose(model.weights_, weft.Folder.from_energies().weights_)


def relatives(n):
    """RNAs of one family that no energies would fold: a hairpin whose strands hold nothing but pairs of G and U."""
    rng = np.random.default_rng(0)
    sequences = []
    for _ in range(n):
        strand = "".join(rng.choice(["G", "U"], size=5))
        other = strand[::-1].translate(str.maketrans("GU", "UG"))
        sequences.append(f"AA{strand}AAAA{other}AA")
    return sequences, ["..(((((....))))).."] * n


def test_structures_of_one_family_are_learned_alone():
    sequences, structures = relatives(24)
    own = weft.Folder(n_jobs=1).fit(sequences[:18], structures[:18])
    assert own.learner_.c2 == 1.0
    plain = weft.Folder(learner=weft.CRF(c2=1.0, tol=1e-4), n_jobs=1).fit(sequences[:18], structures[:18])
    np.testing.assert_array_equal(own.weights_, plain.weights_)
    assert own.predict(sequences[18:]) == structures[18:]


def test_few_structures_or_a_penalty_of_ones_own_are_not_compared():
    sequences, structures = relatives(18)
    assert np.ndim(weft.Folder(n_jobs=1).fit(sequences[:9], structures[:9]).learner_.c2) == 1
    assert weft.Folder(learner=weft.CRF(c2=7.0)).fit(sequences, structures).learner_.c2 == 7.0


def test_what_is_wrong_has_its_number_among_all():
    sequences, structures = relatives(18)
    structures[13] = "(" + structures[13][1:]
    with pytest.raises(InputError, match=r"y\[13\]"):
        weft.Folder().fit(sequences, structures)
