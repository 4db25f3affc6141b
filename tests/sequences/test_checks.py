import re
from collections import deque, namedtuple

import numpy as np
import pandas
import pytest

import weft
from odd_sequences import Fading, odd_containers, odd_sequences, stand_in
from weft.errors import InputError
from weft.sequences.checks import as_examples, as_sequences, check_same_lengths, check_symbols, locate


@pytest.mark.parametrize(
    "values",
    [["ab", "c"], ("ab", "c"), [["a"], ["b", "c"]], np.array([[1, 2], [3, 4]]), [np.zeros((2, 3))], iter(["ab"])],
)
def test_lists_of_sequences_pass(values):
    expected = [1] if hasattr(values, "__next__") else range(len(values))
    assert len(as_sequences(values, "X")) == len(expected)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("abc", r"X is one string, 'abc'; a list of sequences is needed: wrap it as \[X\]"),
        (b"abc", r"X is one string, b'abc'"),
        ("a\nb", r"X is one string, 'a\\nb'"),
        (3, "X is a int; a list of sequences is needed"),
        (None, "X is a NoneType; a list of sequences is needed"),
        ([], "X is empty; at least one sequence is needed"),
        ({"a": "b"}, "X is a dict; a list of sequences is needed: pass its values"),
        (["ab", ""], r"X\[1\] has length 0; drop empty sequences"),
        ([np.zeros((0, 2))], r"X\[0\] has length 0"),
        ([1, 2], r"X\[0\] is 1 of type int; a sequence"),
        (np.zeros(3), r"X\[0\] is .* a sequence"),
        (np.array("abc"), r"X is a ndarray; a list of sequences is needed"),
        (["ab", None], r"X\[1\] is None, a missing value; a sequence"),
        ([lambda: "very\nlong"], r"X\[0\] is .* of type function"),
    ],
)
def test_everything_else_is_refused_in_one_line(values, message):
    with pytest.raises(InputError, match=message) as caught:
        as_sequences(values, "X")
    assert "\n" not in str(caught.value)


def test_lengths_must_agree():
    check_same_lengths(["ab", "c"], [[1, 2], [3]])
    with pytest.raises(InputError, match="X has 1 sequences but y has 2; each sequence needs its own"):
        check_same_lengths(["ab"], ["ab", "c"])
    with pytest.raises(InputError, match=r"X\[1\] has 1 tokens but y\[1\] has 2 labels; one label per token"):
        check_same_lengths(["ab", "c"], ["ab", "cd"])


def test_locate_inverts_concatenation():
    lengths = [2, 1, 3]
    places = [(i, t) for i, length in enumerate(lengths) for t in range(length)]
    assert [locate(flat, lengths) for flat in range(6)] == places


ODD = odd_sequences("ab")
FRAME = (
    'X[0] is a pandas DataFrame; a sequence (string, list or array) is needed: use a column, X[0]["name"].tolist(), '
)


@pytest.mark.parametrize("name", ODD)
def test_what_is_no_sequence_is_refused_in_one_line(name):
    with pytest.raises(InputError) as caught:
        as_sequences([odd_sequences("ab")[name]], "X")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("X[0]")


@pytest.mark.parametrize("name", odd_containers(["ab", "c"]))
def test_what_is_no_list_of_sequences_is_refused_in_one_line(name):
    with pytest.raises(InputError) as caught:
        as_sequences(odd_containers(["ab", "c"])[name], "X")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("X")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("frame", FRAME + "or X[0].to_numpy() if its rows are vectors."),
        ("series", "X[0] is a pandas Series; a sequence (string, list or array) is needed: use X[0].tolist()."),
        ("polars series", "is a polars Series; a sequence (string, list or array) is needed: use X[0].to_list()."),
        (
            "arrow table",
            'is a pyarrow Table; a sequence (string, list or array) is needed: use a column, X[0].column("',
        ),
        ("set", "X[0] is a set, which has no order; a sequence (string, list or array) is needed: use sorted(X[0])."),
        ("generator", "X[0] is a generator, which has no length; a sequence (string, list or array) is needed: use li"),
        ("short", "X[0], a Liar, says that it has 7 items but gives 1; a sequence (string, list or array) is needed: "),
        ("long", "X[0], a Liar, says that it has 1 items but gives more; a sequence"),
        ("failing", "X[0] is a Failing whose items cannot be read (KeyError: 0); a sequence"),
        ("masked", "use X[0].compressed() to drop them, or X[0].filled(...)."),
        (
            "structured",
            "X[0] is a structured array; a sequence (string, list or array) is needed: use one field, X[0]['a",
        ),
        ("bytes", "use bytes(X[0]).decode() for text, or list(X[0]) for numbers."),
    ],
)
def test_the_message_says_what_to_write_instead(name, message):
    with pytest.raises(InputError, match=re.escape(message)):
        as_sequences([odd_sequences("ab")[name]], "X")


def test_columns_of_tables_are_lists_of_sequences():
    texts = ["ab", "c"]
    for module, name, method in (
        ("pandas", "Series", "tolist"),
        ("pandas.core.indexes.base", "Index", "tolist"),
        ("polars.series.series", "Series", "to_list"),
        ("pyarrow.lib", "ChunkedArray", "to_pylist"),
    ):
        # Iteration of an Arrow array gives scalars, not strings: the method is what counts.
        assert as_sequences(stand_in(module, name, [1, 2], **{method: texts}), "X") == texts


def test_rows_of_itertuples_are_tuples():
    row = namedtuple("Pandas", ["a", "b"])("x", "y")
    type(row).__module__ = "pandas.core.frame"
    assert as_sequences([row], "X") == [("x", "y")]


def test_a_sequence_is_read_once():
    assert as_sequences([Fading("abc")], "X") == [["a", "b", "c"]]
    assert as_sequences(Fading(["ab", "c"]), "X") == ["ab", "c"]


def test_subclasses_become_plain():
    class Text(str):
        pass

    class Words(str):
        def __iter__(self):
            return iter(self.split())

        def __len__(self):
            return len(self.split())

    given = [
        Text("ab"),
        np.str_("cd"),
        deque("e"),
        range(2),
        np.ma.array([1, 2]),
        np.zeros((1, 1)).view(np.matrix),
        Words("to be"),
    ]
    found = as_sequences(given, "X")
    assert [type(x) for x in found] == [str, str, list, list, np.ndarray, np.ndarray, list]
    assert found[6] == ["to", "be"]
    assert as_sequences({"ab": 1}.keys(), "X") == ["ab"]


def test_examples_of_unknown_classes_are_left_to_a_kernel():
    class Tree:
        def __len__(self):
            return 3

    tree = Tree()
    assert as_examples([tree, 1.5], "X", keep_objects=True) == [tree, 1.5]
    with pytest.raises(InputError, match=r"X\[0\] is a Tree whose items cannot be read"):
        as_examples([tree], "X")


def test_real_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"word": ["a", "b"], "tag": ["x", "y"]})
    with pytest.raises(InputError, match=re.escape(FRAME)):
        as_sequences([frame], "X")
    with pytest.raises(InputError, match="X is a pandas DataFrame; a list of sequences is needed: use a column"):
        as_sequences(frame, "X")
    with pytest.raises(InputError, match=r"X\[0\] is a pandas Series; .* use X\[0\].tolist"):
        as_sequences([frame["word"]], "X")
    with pytest.raises(
        InputError, match=r"X is a pandas DataFrameGroupBy; .* use \[group.tolist\(\) for _, group in X"
    ):
        as_sequences(frame.groupby("tag"), "X")
    assert as_sequences(frame["word"], "X") == as_sequences(frame.set_index("word").index, "X") == ["a", "b"]
    assert as_sequences(list(frame.itertuples(index=False)), "X") == [("a", "x"), ("b", "y")]


def test_real_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"word": ["a", "b"], "tags": [["x"], ["y", "z"]]})
    for table in (frame, frame.lazy()):
        with pytest.raises(
            InputError, match=r"X is a polars (Data|Lazy)Frame; a list of sequences is needed: use a col"
        ):
            as_sequences(table, "X")
        with pytest.raises(InputError, match=r"X\[0\] is a polars (Data|Lazy)Frame"):
            as_sequences([table], "X")
    with pytest.raises(InputError, match=r"X\[0\] is a polars Series; .* use X\[0\].to_list"):
        as_sequences([frame["word"]], "X")
    assert as_sequences(frame["word"], "X") == ["a", "b"]
    assert as_sequences(frame["tags"], "X") == [["x"], ["y", "z"]]


def test_real_arrow():
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"word": ["a", "b"], "tag": ["x", "y"]})
    for each in (table, table.to_batches()[0]):
        with pytest.raises(
            InputError, match=r"X is a pyarrow (Table|RecordBatch); a list of sequences is needed: use a"
        ):
            as_sequences(each, "X")
        with pytest.raises(InputError, match=r"X\[0\] is a pyarrow (Table|RecordBatch)"):
            as_sequences([each], "X")
    with pytest.raises(InputError, match=r"X\[0\] is a pyarrow StringArray; .* use X\[0\].to_pylist"):
        as_sequences([arrow.array(["a"])], "X")
    assert as_sequences(arrow.array(["a", "b"]), "X") == as_sequences(table["word"], "X") == ["a", "b"]


@pytest.mark.parametrize("missing", [None, float("nan"), pandas.NA, np.float64("nan")], ids=str)
@pytest.mark.parametrize(
    "fit",
    [
        lambda X: weft.SequenceSVC(weft.NGramKernel(2)).fit(X, [0, 1, 1]),
        lambda X: weft.Tagger().fit(X, ["xy"] * 3),
        lambda X: weft.Rewriter().fit(X, ["xy"] * 3),
        lambda X: weft.StringRegressor(weft.NGramKernel(2)).fit(X, ["xy"] * 3),
    ],
    ids=["SequenceSVC", "Tagger", "Rewriter", "StringRegressor"],
)
def test_missing_cells_of_tables_are_called_so(fit, missing):
    """As a column has them in which some texts are missing."""
    for X in (["ab", missing, "cd"], pandas.Series(["ab", missing, "cd"], dtype=object)):
        with pytest.raises(
            InputError, match=r"X\[1\] is .*, a missing value; .* is needed: fill it, or drop the example"
        ):
            fit(X)
    with pytest.raises(InputError, match=r"holds a token of type \w+, which may be a missing value"):
        weft.Tagger().fit([["a", missing]], ["xy"])


@pytest.mark.parametrize("symbol", [["b"], {"b"}, {}, np.zeros(2), None, float("nan")], ids=repr)
def test_what_equals_nothing_or_has_no_hash_is_no_symbol(symbol):
    with pytest.raises(InputError, match=r"^X\[0\] has .* at position 1, which is no symbol; use strings, numbers"):
        check_symbols(["a", symbol], "X[0]")
    check_symbols(["a", 1, ("b", 2.0)], "X[0]")


@pytest.mark.parametrize(
    "fit",
    [
        lambda symbol: weft.Aligner("match").fit([(["a", symbol], ["a"])], [(["a", symbol], ["a", "-"])]),
        lambda symbol: weft.Aligner().fit([(["a", symbol], ["a"])], [(["a", symbol], ["a", "-"])]),
        lambda symbol: weft.ChunkAligner().fit([(["a", symbol], ["a"])]),
        lambda symbol: weft.StringRegressor().fit(["a", "b"], [["a", symbol], ["b"]]),
        lambda symbol: weft.StringRegressor(candidates=[["a", symbol]]).fit(["a", "b"], [["a"], ["b"]]),
    ],
    ids=["match", "substitution", "chunks", "regressor", "candidates"],
)
@pytest.mark.parametrize("symbol", [["b"], np.zeros((2, 2)), float("nan")], ids=["list", "array", "nan"])
def test_estimators_refuse_what_is_no_symbol_in_one_line(fit, symbol):
    with pytest.raises(InputError, match=r"at position 1, which is no symbol") as refused:
        fit(symbol)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("estimator", [weft.SequenceSVC(), weft.StringRegressor(), weft.KernelDependencyEstimator()])
def test_arrays_without_a_dimension_are_no_sequences(estimator):
    with pytest.raises(InputError, match=r"^X\[0\] is a ndarray; .* it holds one value, use \[X\[0\].item\(\)\]"):
        estimator.fit([np.array(1.0), np.array(2.0)], ["a", "b"])


def test_vectors_without_numbers_are_all_alike():
    X = [np.zeros((3, 0)), np.zeros((2, 0))]
    assert weft.KernelDependencyEstimator().fit(X, ["a", "b"]).predict(X[:1])[0] in ("a", "b")
