"""Experiments with string and lattice kernels: their parts on small cases, and quick runs on the real data."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from weft import NGramKernel
from weft.experiments import lattice_kernels, ocr_lattices, string_classification
from weft.experiments.registry import run_experiment
from weft.experiments.selection import choose_cost, choose_kernel
from weft.kernel_methods.keys import KeySet
from weft.kernel_methods.trie_storage import TrieStorage


def test_trie_size_is_the_number_of_prefixes():
    rng = np.random.default_rng(0)
    for n in (1, 2, 4):
        names = sorted({"".join(rng.choice(list("abc"), size=rng.integers(1, n + 1))) for _ in range(40)})
        keys = KeySet.from_names(names)
        prefixes = {name[:k] for name in names for k in range(1, len(name) + 1)}
        trie = TrieStorage(keys)
        trie.add(0, np.arange(len(names), dtype=np.uint32), np.ones(len(names), dtype=np.float32), 1.0)
        assert lattice_kernels.trie_size(keys) == len(prefixes) == trie.size().transitions


def test_minimal_size_leaves_out_keys_without_weight():
    keys = KeySet.from_names(["aa", "ab", "ba", "bb"])
    assert lattice_kernels.minimal_size(keys, np.array([1.0, 2.0, 3.0, 6.0])) == 4
    assert lattice_kernels.minimal_size(keys, np.array([1.0, 0.0, 0.0, 0.0])) == 2


def test_a_line_of_the_tables_has_all_methods_and_one_that_is_stopped_says_so():
    texts = [f"{'abc' if i % 3 else 'xyz'} {i * i} {i % 7}" for i in range(60)]
    signs = np.array([1.0 if i % 3 else -1.0 for i in range(60)])
    cell = lattice_kernels.Cell("subset", 4, True)
    found = {m.method: m for m in lattice_kernels.measure(cell, texts, signs, limit=60.0)}
    assert {"subset: Algorithm 2, array", "subset: Algorithm 2, trie", "subset: SMO", "subset: trie"} <= set(found)
    assert found["subset: SMO"].published == 138
    assert found["subset: minimal automaton"].mean < found["subset: trie"].mean
    stopped = {m.method for m in lattice_kernels.measure(cell, texts, signs, limit=-1.0)}
    assert "subset: Algorithm 2, trie, stopped" in stopped


def test_costs_are_chosen_without_the_rows_that_judge():
    # Every row has a column of its own, so whoever had seen it would get its random sign right.
    rng = np.random.default_rng(1)
    signs = np.where(rng.random((1, 200)) < 0.5, 1.0, -1.0)
    accuracy = lambda y, decisions: np.mean(y * decisions > 0)  # noqa: E731
    assert choose_cost(csr_array(np.eye(200)), signs, [1.0], accuracy, rng)[1] == 0.0
    rows = csr_array(np.hstack([np.eye(200), 0.1 * signs.T]))
    assert choose_cost(rows, signs, [1e-6, 100.0], accuracy, rng)[1] == 1.0


def test_the_kernel_that_sees_the_difference_is_chosen():
    X, signs = ["ab", "ba"] * 20, np.resize([1.0, -1.0], (1, 40))
    accuracy = lambda y, decisions: np.mean(y * decisions > 0)  # noqa: E731
    assert choose_kernel([NGramKernel(1), NGramKernel(2)], X, signs, [1.0], accuracy, 0).kernel.n == 2


def test_micro_f1_counts_over_all_classes():
    signs, decisions = np.array([[1.0, -1.0, -1.0], [1.0, 1.0, -1.0]]), np.array([[1.0, 1.0, -1.0], [1.0, -1.0, -1.0]])
    assert string_classification.micro_f1(signs, decisions) == pytest.approx(100 * 2 * 2 / (2 * 2 + 1 + 1))
    assert string_classification.micro_f1(signs[:1], decisions[:1]) == pytest.approx(100 * 2 / 3)  # no true negatives


def test_lattices_know_more_than_their_best_strings():
    # The second letter is a guess between b and c; the lattice keeps that c is never likely for the second class.
    letters, rng = ["a", "b", "c", "d"], np.random.default_rng(0)
    rows, words = [], []
    for _ in range(120):
        c_is_possible = rng.random() < 0.5
        posteriors = np.array([[0.97, 0.01, 0.01, 0.01], [0.02, 0.5, 0.46, 0.02], [0.01, 0.01, 0.01, 0.97]])
        if not c_is_possible:
            posteriors[1] = [0.02, 0.5, 0.02, 0.46]
        rows.append(posteriors)
        words.append("acd" if c_is_possible else "add")
    strings = [ocr_lattices.best_string(each, letters) for each in rows]
    lattices = [ocr_lattices.letter_lattice(each, letters, 2) for each in rows]
    assert set(strings) == {"abd"}
    assert ocr_lattices.words_wrong(lattices[:60], words[:60], lattices[60:], words[60:]) == 0.0
    assert ocr_lattices.words_wrong(strings[:60], words[:60], strings[60:], words[60:]) > 25.0


@pytest.mark.slow
@pytest.mark.needs_data("reuters21578", "fastsk")
def test_quick_runs_on_texts():
    report = run_experiment("lattice-kernels", quick=True)
    assert {"transitions", "times as fast", "F1 of acq in %"} <= set(report.quantities)
    report = run_experiment("string-classification", quick=True)
    assert report.find("gapped k-mers", "dna_CTCF", "area under the curve in %").mean > 94


@pytest.mark.slow
@pytest.mark.needs_data("fastsk")
def test_rows_of_the_kernel_matrix_reach_what_fastsk_prints():
    task = "scop_3.33"
    found = string_classification.auc_of_matrix_rows(task, *string_classification.FASTSK_SETTINGS[task])
    assert found == pytest.approx(string_classification.FASTSK[task], abs=0.5)


@pytest.mark.slow
@pytest.mark.needs_data("ocr_letters")
def test_quick_run_on_handwriting():
    errors = {m.method: m.mean for m in run_experiment("ocr-lattices", quick=True).measurements}
    assert errors["lattice of 3"] < errors["best string"] < errors["best string, unclassified"]


@pytest.mark.slow
@pytest.mark.needs_data("reuters21578")
def test_tries_are_as_large_as_published():
    texts, _ = lattice_kernels.stories()
    names = NGramKernel(4).feature_map(texts)[0].names()
    assert lattice_kernels.trie_size(KeySet.from_names(names)) == pytest.approx(242_570, rel=0.02)
