"""Words of texts: against scikit-learn's tf-idf, rows in every form equal, and when the default takes them."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import weft
from weft.apps.cli import app
from weft.errors import InputError, ModelFileError
from weft.kernels.words import DEFAULTS, WordKernel, default_name, has_words

TEXTS = ["To be, or not to be.", "that is the question", "", "be be be that", "  "]
OTHERS = [*TEXTS, "to unknown words be be", "nothing"]
KERNELS = [WordKernel(idf=idf, sublinear=sublinear) for idf in (True, False) for sublinear in (True, False)]
NEWS = ["oil prices rise again", "crude oil falls", "bank buys a rival", "two banks merge", "oil rises", "bank sold"]
TOPICS = ["oil", "oil", "bank", "bank", "oil", "bank"]

texts = st.lists(st.text(alphabet="aB ,é", max_size=12), min_size=1, max_size=6)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_rows_equal_those_of_scikit_learn(kernel):
    from sklearn.feature_extraction.text import TfidfVectorizer

    pattern = r"\w+|[^\w\s]"
    peer = TfidfVectorizer(token_pattern=pattern, sublinear_tf=kernel.sublinear, use_idf=kernel.idf)
    mapped, rows = kernel.feature_map(TEXTS)
    np.testing.assert_allclose(rows.toarray(), peer.fit_transform(TEXTS).toarray(), rtol=1e-14)
    assert mapped.names() == [f"word={word}" for word in peer.get_feature_names_out()]
    if kernel.idf:  # unknown words count nothing, as there
        np.testing.assert_allclose(mapped.transform(OTHERS).toarray(), peer.transform(OTHERS).toarray(), rtol=1e-14)


@pytest.mark.parametrize("form", ["strings", "tokens"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_one_row_a_batch_and_a_file_agree_to_the_last_bit(kernel, form):
    X, Y = (TEXTS, OTHERS) if form == "strings" else ([x.split() for x in TEXTS], [y.split() for y in OTHERS])
    mapped, learned = kernel.feature_map(X)
    rows, norms = mapped.transform_with_norms(Y)
    assert np.array_equal(rows[: len(X)].toarray(), learned.toarray())
    again = kernel.restore_feature_map(mapped.to_state())
    assert np.array_equal(again.transform(Y).toarray(), rows.toarray())
    for text, row, norm in zip(Y, rows.toarray(), norms, strict=True):
        values, columns, own = mapped.one_row(text)
        single = np.zeros(mapped.n_features)
        single[columns] = values
        assert np.array_equal(single, row)
        assert own == norm


@given(texts, texts)
def test_values_are_cosines_of_counts(X, Y):
    def count(text, word):
        found = weft.kernels.words.WORD.findall(text)
        return sum(each.lower() == word for each in found)

    words = sorted({each.lower() for text in X + Y for each in weft.kernels.words.WORD.findall(text)})
    left, right = (np.array([[count(text, word) for word in words] for text in side], dtype=float) for side in (X, Y))
    lengths = np.outer(np.linalg.norm(left, axis=1), np.linalg.norm(right, axis=1))
    expected = np.divide(left @ right.T, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    kernel = WordKernel(idf=False, sublinear=False)
    np.testing.assert_allclose(kernel.gram(X, Y), expected, atol=1e-12)
    np.testing.assert_array_equal(kernel.diagonal(X), (left.sum(axis=1) > 0).astype(float))


def test_spans_are_where_known_words_stand():
    mapped, _ = WordKernel().feature_map(["to be"])
    spans = mapped.spans("so To BE!")
    assert [("so To BE!"[a:b], mapped.words[c]) for a, b, c in zip(*spans, strict=True)] == [("To", "to"), ("BE", "be")]
    mapped, _ = WordKernel().feature_map([["to", "be"]])
    assert mapped.spans(["or", "be"]).start.tolist() == [1]
    assert not len(mapped.spans([]).start)


def test_what_cannot_be_meant_is_refused():
    lattice = weft.automata.Automaton.from_string("ab")
    with pytest.raises(InputError, match="lattices"):
        WordKernel().feature_map([lattice])
    with pytest.raises(InputError, match="idf='yes' given; need True or False"):
        WordKernel(idf="yes").feature_map(TEXTS)
    mapped, _ = WordKernel().feature_map(TEXTS)
    with pytest.raises(InputError, match="X holds lists of tokens, but training had strings"):
        mapped.transform([["to", "be"]])
    with pytest.raises(InputError, match="use fit, or idf=False"):
        mapped.grown(TEXTS)
    with pytest.raises(InputError, match="leave min_count out, or use idf=False"):
        mapped.selected(np.array([0]))
    with pytest.raises(InputError, match="idf=True learns its weights"):
        WordKernel().diagonal(TEXTS)


def test_a_file_with_a_word_twice_is_refused():
    kernel = WordKernel(idf=False)
    twice = weft.kernels.words.WordMap("characters", ["be", "be"], True).to_state()
    with pytest.raises(ModelFileError, match="the same one twice"):
        kernel.restore_feature_map(twice)


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (["to be or not", "to be", "be"], True),
        (["to", "be", "or not"], False),
        ([" GATTACA ", "ACCGT"], False),
        ([["to", "be", "or", "not"], ["to", "be"]], True),
        ([["B", "IY"], ["IY", "B", "B"]], False),
        ([weft.automata.Automaton.from_string("ab")], False),
        ([[["a"]], [["b"]]], False),  # tokens that cannot be looked up
    ],
)
def test_words_are_told_from_symbols(X, expected):
    assert has_words(X) is expected
    if isinstance(X[0], weft.automata.Automaton):  # counts of lattices may be below 1
        assert default_name(X) == "symbols"
    else:
        assert default_name(X) == ("logarithms of words" if expected else "logarithms of symbols")


def test_the_default_compares_words_of_texts_alone():
    assert str(weft.SequenceSVC().fit(NEWS, TOPICS).kernel_) == str(DEFAULTS["logarithms of words"])
    assert str(weft.SequenceSVC(min_count=2).fit(NEWS, TOPICS).kernel_) == str(
        DEFAULTS["logarithms of words without idf"]
    )
    single = [text.split()[0] for text in NEWS]
    assert str(weft.SequenceSVC().fit(single, TOPICS).kernel_) == str(DEFAULTS["logarithms of symbols"])


@pytest.mark.parametrize("form", ["strings", "tokens"])
def test_a_default_is_saved_and_loaded(tmp_path, form):
    X = NEWS if form == "strings" else [text.split() for text in NEWS]
    svc = weft.SequenceSVC(C=1.0, random_state=0).fit(X, TOPICS)
    weft.save(svc, tmp_path / "model.weft")
    again = weft.load(tmp_path / "model.weft")
    assert str(again.kernel_) == str(svc.kernel_)
    assert again.kernel is None
    assert np.array_equal(again.decision_function(X), svc.decision_function(X))
    assert [again.decision_function([x])[0] for x in X] == svc.decision_function(X).tolist()


@pytest.mark.parametrize("name", ["words", "words without idf"])
def test_a_file_of_an_earlier_default_is_read(tmp_path, monkeypatch, name):
    monkeypatch.setattr("weft.estimators.classify.inputs.default_name", lambda X, idf=True: name)
    svc = weft.SequenceSVC(C=1.0, random_state=0).fit(NEWS, TOPICS)
    weft.save(svc, tmp_path / "model.weft")
    monkeypatch.undo()
    again = weft.load(tmp_path / "model.weft")
    assert str(again.kernel_) == str(DEFAULTS[name])
    new = ["oil banks rise", "a rival sold oil"]
    assert np.array_equal(again.decision_function(new), svc.decision_function(new))


@pytest.mark.parametrize("storage", ["array", "trie", "minimal", "hash", "naive"])
def test_every_storage_takes_words(storage):
    decisions = weft.SequenceSVC(C=1.0, storage=storage, random_state=0).fit(NEWS, TOPICS).decision_function(NEWS)
    expected = weft.SequenceSVC(C=1.0, random_state=0).fit(NEWS, TOPICS).decision_function(NEWS)
    np.testing.assert_allclose(decisions, expected, atol=1e-3)


def test_a_stream_compares_words_without_idf():
    svc = weft.SequenceSVC(C=1.0, random_state=0)
    svc.partial_fit(NEWS[:4], TOPICS[:4], classes=["oil", "bank"])
    assert str(svc.kernel_) == str(DEFAULTS["logarithms of words without idf"])
    svc.partial_fit(NEWS[4:], TOPICS[4:])
    assert "word=sold" in svc.features_.names()
    assert svc.predict(["oil oil"]).tolist() == ["oil"]


def test_examples_in_parts_compare_words_without_idf(tmp_path):
    path = tmp_path / "news.jsonl"
    path.write_text("".join(f'{{"text": "{x}", "label": "{y}"}}\n' for x, y in zip(NEWS, TOPICS, strict=True)))
    arguments = ["train", "classify", str(path), "-o", str(tmp_path / "m.weft"), "--spill", str(tmp_path / "spill")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner().invoke(app, [*arguments, "--C", "1"])
    assert done.exit_code == 0, done.output
    assert "WordKernel(idf=False)" in str(weft.load(tmp_path / "m.weft").kernel_)


def test_features_with_words_have_names_of_their_own():
    svc = weft.SequenceSVC(C=1.0, random_state=0).fit(NEWS, TOPICS)
    names = svc.features_.names()
    assert len(set(names)) == len(names)
    assert any(name.startswith("word=") for name, _ in svc.top_features("oil", 5))
