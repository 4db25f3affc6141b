"""Rewriter over parts: the model of one machine, in files and on a cluster."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.estimators.rewrite.inputs import SideSurvey
from weft.scale import Examples, connected

RANDOM = np.random.default_rng(4)
SOUNDS = {"a": "A", "b": "B", "c": "K", "e": "E", "h": "", "s": "SS", "t": "T"}
X = sorted({"".join(RANDOM.choice(list(SOUNDS), size=RANDOM.integers(3, 9))) for _ in range(420)})
Y = ["".join("Z" if word[i - 1 : i + 1] == "as" else SOUNDS[word[i]] for i in range(len(word))) for word in X]
X, Y = zip(*[(x, y) for x, y in zip(X, Y, strict=True) if y], strict=True)
X, Y = list(X), list(Y)


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """Several shards of little data."""
    monkeypatch.setattr("weft.core.shards.LEAST_COST", 64)
    monkeypatch.setattr("weft.core.shards.WEIGHTS_PER_COST", 1024)


def rewriter(**settings):
    return weft.Rewriter(weft.CRF(c2=0.1, max_iter=4), context=2, joint_n=3, random_state=0, **settings)


def saved(estimator, folder, name):
    weft.save(estimator, folder / name)
    return (folder / name).read_bytes()


SETTINGS = {
    "as it comes": {},
    "reading both ways": {"max_chunk": 2, "n_models": 2, "language_model": weft.NGramLanguageModel(3)},
    "scored": {"max_chunk": 2, "validation_fraction": 0.2, "patience": 2},
    "ordered anew": {"max_chunk": 2, "rerank": 2},
    "with a network": {"max_chunk": 2, "network": weft.RecurrentNetwork(max_iter=1)},
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SETTINGS)
def test_files_give_the_model_of_memory(name, tmp_path):
    alone = saved(rewriter(**SETTINGS[name]).fit(X, Y), tmp_path, "alone")
    for n_parts in (1, 7):
        for _ in range(2):  # the second finds the numbers
            parts = Examples.from_lists(X, Y, n_parts)
            parted = rewriter(**SETTINGS[name]).fit(parts, spill=tmp_path / f"s{n_parts}")
            assert saved(parted, tmp_path, "parted") == alone
            left = sorted(path.name for path in (tmp_path / f"s{n_parts}").iterdir())
            assert left == ["manifest.json", "numbers"]


@pytest.mark.filterwarnings("ignore")
def test_all_pairs_are_in_several_shards(tmp_path, monkeypatch):
    from weft.estimators.rewrite import parts as rewrite_parts

    sizes = []

    def keep(self, prepare, bind, common, parts):
        parts = list(parts)
        sizes.append([size for _, _, size in parts])
        return kept(self, prepare, bind, common, parts)

    kept = rewrite_parts.FilePlace.keep
    monkeypatch.setattr(rewrite_parts.FilePlace, "keep", keep)
    rewriter(max_chunk=2).fit(Examples.from_lists(X, Y, 3), spill=tmp_path / "s")
    assert len(sizes) == 2  # alignments, then the chain
    assert all(len(own) >= 4 and sum(own) == len(X) for own in sizes)


@pytest.mark.filterwarnings("ignore")
def test_a_perceptron_mixes_its_weights(tmp_path):
    model = weft.Rewriter(context=2, joint_n=3, random_state=0)
    model.fit(Examples.from_lists(X, Y, 3), spill=tmp_path / "s")
    assert np.mean([a == b for a, b in zip(model.predict(X), Y, strict=True)]) > 0.9


def test_pairs_without_alignment_are_named_as_in_memory(tmp_path):
    bad_X, bad_Y = [*X[:50], "t", ""], [*Y[:50], "TTTTTTTTTTTT", "T"]
    messages = []
    for fit in (
        lambda: rewriter().fit(bad_X, bad_Y),
        lambda: rewriter().fit(Examples.from_lists(bad_X, bad_Y, 4), spill=tmp_path / "s"),
    ):
        with pytest.warns(UserWarning, match="2 of 52 pairs have no alignment") as found:
            assert [i for i, _ in fit().skipped_] == [50, 51]
        messages.append([str(each.message) for each in found if "no alignment" in str(each.message)])
    assert messages[0] == messages[1]


def test_what_cannot_be_meant_is_refused(tmp_path):
    parts = Examples.from_lists(X, Y, 4)
    with pytest.raises(InputError, match="need examples in parts"):
        rewriter().fit(X, Y, spill=tmp_path / "s")
    with pytest.raises(InputError, match="no tags"):
        rewriter().fit(parts, tags=["V"] * len(X), spill=tmp_path / "s")
    with pytest.raises(InputError, match="pass one of them"):
        rewriter().fit(parts, spill=tmp_path / "s", client=object())
    with pytest.raises(InputError, match="Spectral learns from all pairs in one place"):
        weft.Rewriter(weft.Spectral(2)).fit(parts, spill=tmp_path / "s")
    mixed = Examples([*parts.readers, lambda: ([["a"]], ["A"])], [*parts.names, "tokens.tsv"], [])
    with pytest.raises(InputError, match=r"tokens\.tsv holds tokens but part 0 holds characters"):
        rewriter().fit(mixed, spill=tmp_path / "s")
    empty = Examples([*parts.readers, lambda: ([], [])], [*parts.names, "empty.tsv"], [])
    with pytest.raises(InputError, match=r"empty\.tsv has no example; leave it out"):
        rewriter().fit(empty, spill=tmp_path / "s")
    uneven = Examples([*parts.readers, lambda: (["a", "b"], ["A"])], [*parts.names, "last.tsv"], [])
    with pytest.raises(InputError, match=r"last\.tsv: X has 2 sequences but y has 1"):
        rewriter().fit(uneven, spill=tmp_path / "s")
    assert not list((tmp_path / "s").glob("*"))
    numbers = tmp_path / "t" / "numbers"
    with pytest.warns(UserWarning, match="CRF stopped"):
        rewriter(max_chunk=2).fit(parts, spill=tmp_path / "t")
    with pytest.raises(InputError, match="belongs to other data or settings"):
        rewriter(normal_form="NFD").fit(parts, spill=tmp_path / "t")
    numbers.write_bytes(numbers.read_bytes()[:-1000])
    with pytest.raises(InputError, match="delete the folder of --spill"):
        rewriter(max_chunk=2).fit(parts, spill=tmp_path / "t")


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (["abc", "cab"], ("NFC", 0)),
        (["e\u0301", "abc", "\u00e9"], ("NFC", 1)),
        (["e\u0301", "abc"], ("NFC", 0)),
        ([chr(0xAC00 + 28 * i) for i in range(200)], ("NFD", 0)),
        ([""], ("NFC", 0)),
    ],
)
def test_parts_agree_on_a_normal_form_as_one_list_does(texts, wanted):
    whole = SideSurvey.of(texts, "characters", "auto")
    parts = [SideSurvey.of([text], "characters", "auto") for text in texts]
    joined = parts[0]
    for each in parts[1:]:
        joined = joined.joined(each)
    assert joined == whole
    assert whole.chosen() == wanted


@pytest.fixture(scope="module")
def client():
    pytest.importorskip("distributed")
    with connected(workers=2) as found:
        yield found


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_model_of_memory(client, tmp_path):
    alone = saved(rewriter(max_chunk=2).fit(X, Y), tmp_path, "alone")
    parted = rewriter(max_chunk=2).fit(Examples.from_lists(X, Y, 5), client=client)
    assert saved(parted, tmp_path, "parted") == alone
