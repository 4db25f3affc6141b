"""What is too large is refused before it is taken, and the message says what to do."""

import resource
import tracemalloc

import numpy as np
import pytest

import weft
from weft.core import memory
from weft.core.memory import free_memory, require_memory
from weft.errors import InputError
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.structure import Alignment
from weft.structures.chain.label_grams import LabelGrams
from weft.structures.grammar.structure import Grammar


@pytest.fixture
def little(monkeypatch):
    """A machine with a gigabyte left."""
    monkeypatch.setattr(memory, "free_memory", lambda: 10**9)


def test_more_than_is_free_is_refused(little):
    require_memory(9e8, "tables", "take fewer")
    with pytest.raises(InputError, match=r"^tables take 2\.0 GB and 1\.0 GB are free; take fewer$"):
        require_memory(2e9, "tables", "take fewer")


def test_an_unknown_amount_refuses_nothing(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    require_memory(1e18, "tables", "take fewer")


def test_container_and_user_limits_count(monkeypatch, tmp_path):
    (tmp_path / "memory.max").write_text("3000\n")
    (tmp_path / "memory.current").write_text("2000\n")
    (tmp_path / "memory.stat").write_text("anon 5\ninactive_file 500\n")
    monkeypatch.setattr(memory, "CONTROL_GROUP", tmp_path)
    assert free_memory() == 1500
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory() > 1500
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1, 1))
    assert free_memory() == 0


def test_long_sequences_are_refused_before_their_tables_are_made(little):
    folder = weft.Folder("loops", weft.Perceptron(max_iter=1)).fit(["GGGAAACCC"], ["(((...)))"])
    with pytest.raises(InputError, match=r"structures of 24,000 bases take \d+\.\d GB .*windows"):
        folder.predict(["ACGU" * 6000])
    with pytest.raises(InputError, match=r"parses of 20,000 symbols take .*shorter"):
        Grammar("S -> S S | a").best("a" * 20_000, np.zeros(2))


@pytest.mark.parametrize("grammar", ["loops", "g6"])
def test_fits_to_long_structures_are_refused_before_their_pairs_are_laid_out(little, grammar):
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"of 24,000 (bases|symbols) take \d\d\.\d GB"):
            weft.Folder(grammar).fit(["ACGU" * 6000], ["." * 24_000])
        assert tracemalloc.get_traced_memory()[1] < 10**8
    finally:
        tracemalloc.stop()


def test_long_pairs_are_refused_only_where_all_their_cells_are_wanted(little):
    structure = Alignment("match", gaps="linear")
    batch = AlignmentBatch(structure, structure.encode([("AC" * 10_000, "AC" * 10_000)]))
    weights = np.array([1.0, -1.0, -1.0])
    with pytest.raises(InputError, match=r"1 alignments take 3\.2 GB .*likely_pairs"):
        batch.marginals(weights)
    with pytest.raises(InputError, match=r"20,000 and 20,000 symbols take 400\.0 GB"):
        batch.kbest(weights, 2)
    with pytest.raises(InputError, match=r"take 3\.2 GB"):
        batch.most_accurate(weights)


def test_k_best_of_long_pairs_are_refused_before_all_alignments_are_summed(little, monkeypatch):
    aligner = weft.Aligner("match", learner=weft.Perceptron(max_iter=1)).fit([("AC", "AC")], [("AC", "AC")])
    monkeypatch.setattr(AlignmentBatch, "log_partitions", lambda *_: pytest.fail("a minute for nothing"))
    with pytest.raises(InputError, match=r"20,000 and 20,000 symbols take 400\.0 GB"):
        aligner.predict_kbest([("AC" * 10_000, "AC" * 10_000)], 2)


def test_many_labels_are_refused(little):
    with pytest.raises(
        InputError, match=r"9,000,000 label n-grams of a chain of order 1 over 3,000 labels take 2\.\d GB"
    ):
        LabelGrams.build(3000)
    with pytest.raises(InputError, match=r"over 100,000 labels has 10,000,000,000 label n-grams, which take 2,500 GB"):
        LabelGrams.build(100_000)


LEARNERS = [weft.CRF(), weft.Perceptron(), weft.StructuredSVM(), weft.Generative(), weft.Spectral(), weft.ZScore()]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_taggers_refuse_many_labels_before_their_weights_are_made(little, learner):
    X, y = [[f"word {i}" for i in range(10_000)]], [[f"label {i}" for i in range(10_000)]]
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"over 10,000 labels has 100,000,000 label n-grams.*merge labels"):
            weft.Tagger(learner).fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < 5 * 10**7
    finally:
        tracemalloc.stop()


def test_many_pairs_of_attributes_and_labels_are_refused(little):
    X = [[f"word {i} {place}" for i in range(1000)] for place in range(60)]
    y = [[f"label {i}" for i in range(1000)]] * 60
    with pytest.raises(InputError, match=r"pairs of 60,000 attributes and 1,000 labels take 1\.2 GB .*min_count"):
        weft.Tagger(weft.CRF(), pairs="all").fit(X, y)


def test_many_classes_and_kernel_matrices_are_refused(little):
    texts = [f"text {i}" for i in range(20_000)]
    with pytest.raises(InputError, match=r"20,000 examples in 20,000 classes take 3\.2 GB .*merge classes"):
        weft.SequenceSVC().fit(texts, [f"class {i}" for i in range(20_000)])
    for kernel in (weft.NGramKernel(2), weft.SubsequenceKernel(2), weft.LossKernel("edit")):
        with pytest.raises(InputError, match=r"all pairs of 20,000 and 20,000 examples take 3\.2 GB .*fewer examples"):
            kernel.gram(texts)
    with pytest.raises(InputError, match=r"all pairs of 20,000 and 20,000 examples take 3\.2 GB"):
        weft.RBFKernel().gram(np.zeros((20_000, 2)))
