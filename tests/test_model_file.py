from __future__ import annotations

import errno
import inspect
import json
import pickle
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weft
from golden_models import NAMES, golden_file, loaded, plain
from weft import checkpoint, model_file
from weft.errors import ModelFileError
from weft.model_file.classes import class_of, is_of_type, parameter_types


class Part(BaseEstimator):
    def __init__(self, strength=1.0, inner=None):
        self.strength = strength
        self.inner = inner


class Model(BaseEstimator):
    def __init__(self, learner=None, features=None, options=None):
        self.learner = learner
        self.features = features
        self.options = options

    def fit(self, labels, weights):
        self.labels_ = labels
        self.weights_ = weights
        self.note_ = ("fitted", 1)
        return self

    def _to_state(self):
        data, offsets, kinds = model_file.pack_symbols(self.labels_)
        return {"note": self.note_}, {
            "labels": data,
            "label_offsets": offsets,
            "label_kinds": kinds,
            "weights": self.weights_,
        }

    def _from_state(self, state, arrays):
        self.labels_ = model_file.unpack_symbols(arrays["labels"], arrays["label_offsets"], arrays["label_kinds"])
        self.weights_ = arrays["weights"]
        if self.weights_.shape != (len(self.labels_),):
            raise IndexError("weights do not fit")
        self.note_ = state["note"]

    def _training_summary(self):
        return {"iterations": np.int64(12), "objective": np.float64(3.5), "diverged": float("nan")}


class Other(Model):
    pass


@pytest.fixture(autouse=True)
def classes(monkeypatch):
    for kind in (Part, Model, Other):
        monkeypatch.setitem(model_file.CLASSES, kind.__name__, f"{__name__}:{kind.__name__}")


def fitted(**parameters):
    return Model(**parameters).fit(["B-x", "O", 7, True], np.array([0.5, -1.0, 1e90, 0.1]))


def attempt(path):
    """The model of a file, or the one error that loading may give."""
    try:
        return model_file.load(path), None
    except ModelFileError as error:
        return None, str(error)


def assert_equal_models(a, b):
    assert type(a) is type(b)
    assert a.labels_ == b.labels_
    assert a.note_ == b.note_
    np.testing.assert_array_equal(a.weights_, b.weights_)


def test_round_trip_of_state_and_nested_components(tmp_path):
    model = fitted(learner=Part(strength=2, inner=Part(strength=None)), options={"a": [1, (2.5, None)], 3: True})
    model_file.save(model, tmp_path / "model")
    back = model_file.load(str(tmp_path / "model"), expected="Model")
    assert_equal_models(back, model)
    assert (back.learner.strength, back.learner.inner.strength, back.features) == (2, None, None)
    assert back.options == {"a": [1, (2.5, None)], 3: True}
    assert isinstance(back.options["a"][1], tuple)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_saving_again_gives_the_same_bytes(tmp_path):
    model_file.save(fitted(options={"b": 1, "a": np.arange(2)}), tmp_path / "a")
    model_file.save(model_file.load(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[]), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=values)
def test_plain_parameters_come_back_with_their_types(tmp_path, value):
    model_file.save(fitted(options=value), tmp_path / "model")
    back = model_file.load(tmp_path / "model").options
    assert repr(back) == repr(value)


def test_numpy_parameters_come_back(tmp_path):
    options = [np.float32(0.5), np.int8(3), np.bool_(False), np.arange(6.0).reshape(2, 3), np.array([True])]
    model_file.save(fitted(options=options), tmp_path / "model")
    back = model_file.load(tmp_path / "model").options
    assert back[:3] == [0.5, 3, False]
    np.testing.assert_array_equal(back[3], options[3])
    np.testing.assert_array_equal(back[4], options[4])


@pytest.mark.parametrize(
    "value", [lambda x: x, {1, 2}, np.random.RandomState(0), object(), np.array(["a"]), b"x", pytest]
)
def test_parameters_that_hold_code_or_objects_are_named(tmp_path, value):
    model = fitted(learner=Part(inner=[value]))
    with pytest.raises(ModelFileError, match=r"parameter 'inner' of Part: it is a .*hold no code") as caught:
        model_file.save(model, tmp_path / "model")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_subclass_is_not_saved_as_its_parent(tmp_path):
    class Mine(Model):
        pass

    with pytest.raises(ModelFileError, match="cannot save a Mine: model files hold none"):
        model_file.save(Mine().fit([], np.zeros(0)), tmp_path / "model")


def test_a_component_alone_is_not_a_model(tmp_path):
    with pytest.raises(ModelFileError, match="cannot save a Part"):
        model_file.save(Part(), tmp_path / "model")


def test_an_estimator_must_be_fitted(tmp_path):
    with pytest.raises(ModelFileError, match="a Model that is not fitted; call fit first"):
        model_file.save(Model(), tmp_path / "model")


def test_arrays_in_the_summary_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(Model, "_training_summary", lambda self: {"x": np.zeros(2)})
    with pytest.raises(ModelFileError, match="summary of Model: it holds arrays"):
        model_file.save(fitted(), tmp_path / "model")


def test_header_can_be_read_alone(tmp_path):
    model_file.save(fitted(), tmp_path / "model")
    header = model_file.read_header(tmp_path / "model")
    assert (header.class_name, header.format_version) == ("Model", 1)
    assert header.summary["iterations"] == 12
    assert np.isnan(header.summary["diverged"])


@pytest.mark.parametrize("version", range(1, model_file.FORMAT_VERSION + 1))
def test_a_file_of_an_earlier_version_is_read(version):
    """``weft.Tagger(weft.CRF(c2=0.1)).fit(["abab", "bbaa"], ["xyxy", "yyxx"])``, by the first weft of each format."""
    file = Path(__file__).parent / "golden" / f"tagger-format-{version}.weft"
    assert model_file.read_header(file).format_version == version
    assert model_file.load(file).predict(["abba"]) == [["x", "y", "y", "x"]]


@pytest.mark.parametrize("version", range(1, model_file.FORMAT_VERSION + 1))
@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_every_class_of_an_earlier_version_is_read(name, version):
    """What each was asked when it was written, it still answers; `tests/golden_models.py` wrote them."""
    asked = json.loads(golden_file(name, version, ".json").read_text("utf-8"))
    assert model_file.read_header(golden_file(name, version)).format_version == version
    found = getattr(loaded(name, version), asked["query"])(asked["inputs"], **asked["options"])
    if asked["query"] == "log_probability":
        np.testing.assert_allclose(found, asked["outputs"], rtol=1e-9)
    else:
        assert plain(found) == asked["outputs"]


@pytest.mark.parametrize("version", range(1, model_file.FORMAT_VERSION + 1))
def test_every_class_that_learns_has_a_file(version):
    there = {model_file.read_header(golden_file(name, version)).class_name for name in NAMES}
    learn = {
        name
        for name, place in model_file.CLASSES.items()
        if place.startswith("weft.") and hasattr(class_of(name), "_to_state")
    }
    assert learn - there == set()


@pytest.mark.parametrize("name", sorted(model_file.CLASSES))
def test_the_types_of_parameters_are_known_where_files_are_checked(name):
    """A type that is imported for checkers alone would let any value of a file pass."""
    made = class_of(name)
    given = set(inspect.signature(made.__init__).parameters) - {"self", "args", "kwargs"}
    assert given <= set(parameter_types(name))


def test_a_parameter_of_another_type_is_refused(tmp_path):
    header, arrays = checkpoint.read_array_file(Path(__file__).parent / "golden" / "tagger-format-1.weft")
    for name, value in (("learner", "CRF"), ("random_state", 0.5), ("order", "1")):
        changed = {**header, "parameters": {**header["parameters"], name: value}}
        checkpoint.write_array_file(tmp_path / "model", changed, arrays)
        with pytest.raises(ModelFileError, match=f"parameter '{name}' of Tagger is a (str|float), which it cannot be"):
            model_file.load(tmp_path / "model")


def test_lists_are_read_where_tuples_are_usual():
    for name, parameter in (("Rewriter", "max_chunk"), ("StringRegressor", "output_order")):
        assert is_of_type([2, 3], parameter_types(name)[parameter])


def test_full_disk_while_saving_leaves_the_old_model(tmp_path, monkeypatch):
    path = tmp_path / "model"
    model_file.save(fitted(options="old"), path)

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ModelFileError, match=f"cannot write '{path}': No space left on device; nothing was changed"):
        model_file.save(fitted(options="new"), path)
    monkeypatch.undo()
    assert [each.name for each in tmp_path.iterdir()] == ["model"]
    assert checkpoint.read_array_file(path)[0]["parameters"]["options"] == "old"


def test_missing_file_folder_and_missing_target_folder(tmp_path):
    with pytest.raises(ModelFileError, match="No such file or directory"):
        model_file.load(tmp_path / "none")
    with pytest.raises(ModelFileError, match="Is a directory"):
        model_file.load(tmp_path)
    with pytest.raises(ModelFileError, match="No such file or directory"):
        model_file.save(fitted(), tmp_path / "none" / "model")


def test_foreign_files_are_refused(tmp_path):
    path = tmp_path / "model"
    for data in (b"", b"PK\x03\x04 a zip", pickle.dumps({"a": 1}), b"\x00" * 64, b"{}", b"\xff" * 100):
        path.write_bytes(data)
        with pytest.raises(ModelFileError, match="cut short, damaged or not a weft file"):
            model_file.load(path)
    save_file({"x": np.zeros(3)}, path)
    with pytest.raises(ModelFileError, match="safetensors file, but weft did not write it"):
        model_file.load(path)
    checkpoint.Checkpoint(path).save(1, {}, {})
    with pytest.raises(ModelFileError, match="holds 'weft checkpoint', not a model"):
        model_file.load(path)


def forge(path, header, arrays):
    """A file with any text as its header and the checksum that belongs to it."""
    save_file({**arrays, "weft.checksum": checkpoint.array_file._checksum(header, arrays)}, path, {"weft": header})


def rewritten(path, **changes):
    header, arrays = checkpoint.read_array_file(path)
    checkpoint.write_array_file(path, {**header, **changes}, arrays)


@pytest.fixture
def saved(tmp_path):
    model_file.save(fitted(learner=Part()), tmp_path / "model")
    return tmp_path / "model"


def test_another_estimator_than_expected(saved):
    with pytest.raises(ModelFileError, match="holds a Model; needed a Tagger"):
        model_file.load(saved, expected="Tagger")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"format_version": 2, "library_version": "9.0"},
            r"format version 2, written by weft 9\.0; .* Upgrade weft",
        ),
        ({"format_version": "1"}, "format version is '1', not a whole number from 1 on"),
        ({"format_version": True}, "format version is 'True', not a whole number"),
        ({"format_version": 1.0}, "format version is '1.0', not a whole number"),
        ({"format_version": 0}, "format version is '0', not a whole number"),
        ({"format_version": -3}, "format version is '-3', not a whole number"),
        ({"format": "other"}, "not a model"),
        ({"class": "os.system"}, "'os.system', which this weft does not know"),
        ({"class": ["Model"]}, "which this weft does not know"),
        ({"summary": None}, "header is not whole"),
        ({"summary": {"$array": "value/0"}}, "header is not whole"),
        ({"library_version": None}, "header is not whole"),
        ({"parameters": {"unknown": 1}}, "does not hold a whole Model .*unexpected keyword"),
        ({"parameters": None}, "header is not whole"),
        ({"parameters": [1]}, "header is not whole"),
        ({"parameters": {"learner": {"$component": "subprocess:Popen", "parameters": {}}}}, "unknown class"),
        ({"parameters": {"learner": {"$component": {}, "parameters": {}}}}, "unknown class"),
        ({"parameters": {"learner": {"$code": "1"}}}, "value of an unknown kind"),
        ({"parameters": {"learner": {"$array": "value/7"}}}, "KeyError"),
        ({"state": {"$dict": []}}, "KeyError: 'note'"),
        ({"state": None}, "does not hold a whole Model"),
    ],
)
def test_headers_that_lie_are_refused(saved, changes, message):
    rewritten(saved, **changes)
    with pytest.raises(ModelFileError, match=message) as caught:
        model_file.load(saved)
    assert "\n" not in str(caught.value)


def test_weights_that_are_no_numbers_are_not_saved(tmp_path):
    for odd in (np.nan, np.inf, -np.inf):
        with pytest.raises(ModelFileError, match="cannot save a Model whose weights are not finite"):
            model_file.save(Model().fit(["a"], np.array([odd])), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key", ["parameters", "state", "summary", "library_version", "class", "format_version"])
def test_headers_that_lack_something_are_refused(saved, key):
    header, arrays = checkpoint.read_array_file(saved)
    del header[key]
    checkpoint.write_array_file(saved, header, arrays)
    with pytest.raises(ModelFileError, match=r"header is not whole|format version|does not know"):
        model_file.load(saved)


def test_parameters_of_another_type_or_beyond_all_numbers_are_refused(saved):
    for odd, kind in ((10**30, "int"), ("3", "str"), ([1], "list")):
        header, arrays = checkpoint.read_array_file(saved)
        window = {"$component": "WindowFeatures", "parameters": {"width": odd}}
        checkpoint.write_array_file(saved, {**header, "parameters": {"features": window}}, arrays)
        with pytest.raises(ModelFileError, match=f"'width' of WindowFeatures is a {kind}, which it cannot be"):
            model_file.load(saved)


def test_deeply_nested_headers_are_refused(saved):
    header, _ = checkpoint.read_array_file(saved)
    text = json.dumps(header | {"state": 0}).replace('"state": 0', '"state": ' + "[" * 100_000 + "]" * 100_000)
    forge(saved, text, {})
    with pytest.raises(ModelFileError):
        model_file.load(saved)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.pop("state/weights"),
        lambda arrays: arrays.update({"state/weights": np.zeros(9)}),
        lambda arrays: arrays.update({"state/labels": np.zeros(9)}),
        lambda arrays: arrays.update({"state/label_offsets": np.zeros((2, 2), np.int64)}),
        lambda arrays: arrays.update({"state/label_kinds": np.zeros(4, np.float32)}),
    ],
)
def test_missing_and_wrong_arrays_are_refused(saved, change):
    header, arrays = checkpoint.read_array_file(saved)
    change(arrays)
    checkpoint.write_array_file(saved, header, arrays)
    with pytest.raises(ModelFileError, match="does not hold a whole Model") as caught:
        model_file.load(saved)
    assert "\n" not in str(caught.value)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choice=st.data())
def test_damaged_files_give_one_error_or_the_same_model(saved, tmp_path, choice):
    data = bytearray(saved.read_bytes())
    for _ in range(choice.draw(st.integers(1, 3))):
        data[choice.draw(st.integers(0, len(data) - 1))] = choice.draw(st.integers(0, 255))
    if choice.draw(st.booleans()):
        data = data[: choice.draw(st.integers(0, len(data)))]
    path = tmp_path / "damaged"
    path.write_bytes(data)
    model, error = attempt(path)
    if error is not None:
        assert "\n" not in error
    else:
        assert_equal_models(model, fitted())


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choice=st.data())
def test_forged_headers_give_one_error_or_a_model(saved, tmp_path, choice):
    """A header changed by someone who also fixed the checksum still cannot do more than fail."""
    header, arrays = checkpoint.read_array_file(saved)
    text = list(json.dumps(header))
    for _ in range(choice.draw(st.integers(1, 3))):
        text[choice.draw(st.integers(0, len(text) - 1))] = choice.draw(st.sampled_from('0a"{}[],:$'))
    forged = "".join(text)
    path = tmp_path / "forged"
    forge(path, forged, arrays)
    model, error = attempt(path)
    if error is not None:
        assert "\n" not in error
    else:
        assert isinstance(model, Model)


def test_hundreds_of_thousands_of_strings_are_quick(tmp_path):
    labels = [f"attribute {i}" for i in range(300_000)]
    model = Model().fit(labels, np.zeros(len(labels)))
    model_file.save(model, tmp_path / "model")
    assert model_file.load(tmp_path / "model").labels_ == labels
    header, _ = checkpoint.read_array_file(tmp_path / "model", header_only=True)
    assert len(json.dumps(header)) < 1000


def test_what_holds_an_estimator_is_not_saved_and_says_what_to_do(tmp_path):
    svc = weft.SequenceSVC()
    window = weft.WindowFeatures()
    search = GridSearchCV(svc, {})
    search.best_estimator_ = svc
    for value, words in (
        (
            make_pipeline(StandardScaler(), svc),
            "no StandardScaler before it; save the last step, weft.save\\(it\\[-1\\]",
        ),
        (make_pipeline(window, weft.Tagger(features=window)), "no WindowFeatures before it; save the last step"),
        (make_pipeline(window, StandardScaler()), "its last step is a StandardScaler"),
        (search, "save the best one, weft.save\\(it.best_estimator_, path\\)"),
    ):
        with pytest.raises(ModelFileError, match=words):
            weft.save(value, tmp_path / "model")


def test_what_to_do_with_a_pipeline_does_it(tmp_path):
    X, y = np.array([[0.0, 1.0], [100.0, 2.0], [200.0, 1.0], [300.0, 2.0]]), ["aa", "ab", "ba", "bb"]
    pipeline = make_pipeline(StandardScaler(), weft.StringRegressor(weft.RBFKernel(), 1, preimage="nearest"))
    pipeline.fit(X, y)
    weft.save(pipeline[-1], tmp_path / "model")
    joblib.dump(pipeline[:-1], tmp_path / "before")
    transformed = joblib.load(tmp_path / "before").transform(X)
    assert weft.load(tmp_path / "model").predict(transformed) == pipeline.predict(X)


def test_a_pipeline_of_our_own_is_saved_as_the_estimator_that_does_the_same(tmp_path):
    X = [["the", "cat", "sleeps"], ["a", "dog", "barks"], ["the", "dog", "sleeps"]]
    y = [["D", "N", "V"]] * 3
    pipeline = make_pipeline(weft.WindowFeatures(1), "passthrough", weft.Tagger(weft.CRF(c2=0.1))).fit(X, y)
    weft.save(pipeline, tmp_path / "model")
    assert pipeline[-1].features is None
    loaded = weft.load(tmp_path / "model")
    assert isinstance(loaded, weft.Tagger)
    assert loaded.features.width == 1
    fitted = weft.Tagger(weft.CRF(c2=0.1), features=weft.WindowFeatures(1)).fit(X, y)
    weft.save(fitted, tmp_path / "same")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "same").read_bytes()
    assert loaded.predict(X) == pipeline.predict(X) == y
    weft.save(make_pipeline(fitted), tmp_path / "alone")
    assert (tmp_path / "alone").read_bytes() == (tmp_path / "same").read_bytes()
    with pytest.raises(ModelFileError, match="cannot save a Tagger that is not fitted"):
        weft.save(make_pipeline(weft.WindowFeatures(), weft.Tagger()), tmp_path / "model")


@pytest.mark.parametrize("path", [None, 3, b"model.weft", ["model.weft"]], ids=repr)
def test_a_path_is_text_or_a_path(path):
    tagger = weft.Tagger().fit(["ab"], ["xy"])
    for use in (weft.load, lambda path: weft.save(tagger, path)):
        with pytest.raises(weft.InputError, match=r"^the path of a model is .*; text or a pathlib.Path is needed\.$"):
            use(path)


@pytest.mark.parametrize("notes", [[1], "CC0", 3], ids=repr)
def test_notes_are_a_dict(notes, tmp_path):
    tagger = weft.Tagger().fit(["ab"], ["xy"])
    with pytest.raises(weft.InputError, match=r"^notes are .*; a dict of facts is needed"):
        weft.save(tagger, tmp_path / "model.weft", notes)
    assert not list(tmp_path.iterdir())


def test_a_file_of_parameters_that_no_fit_would_take_now_is_read(tmp_path):
    tagger = weft.Tagger().fit(["ab"], ["xy"])
    tagger.set_params(warm_start=1, patience=0)
    weft.save(tagger, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    assert loaded.predict(["ab"]) == [["x", "y"]]
    with pytest.raises(weft.InputError, match=r"^warm_start of Tagger is 1"):
        loaded.fit(["ab"], ["xy"])
