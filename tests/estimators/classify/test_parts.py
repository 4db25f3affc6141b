"""SequenceSVC over parts: as good as on all examples, with features that are the same."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import weft
from weft.apps.cli import app
from weft.errors import InputError
from weft.scale import Examples

RANDOM = np.random.default_rng(2)
X = ["".join(RANDOM.choice(list("abcde"[i % 3 :]), size=RANDOM.integers(8, 20))) for i in range(120)]
Y = [("u", "v", "w")[i % 3] for i in range(120)]


def objective(svc, C, sequences=X):
    decisions = svc.decision_function(sequences)
    signs = np.where(np.array(Y)[:, None] == svc.classes_, 1.0, -1.0)
    squares = (svc.weights_**2).sum(axis=1) + svc.bias_**2
    losses = np.maximum(0.0, 1.0 - signs * decisions)
    return 0.5 * squares + C * (losses if svc.loss == "hinge" else losses**2).sum(axis=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("settings", [{"loss": "hinge"}, {"loss": "hinge", "min_count": 5}, {}, {"min_count": 5}])
@pytest.mark.parametrize("kernel", [weft.NGramKernel(2), weft.Normalized(weft.NGramKernel(3))], ids=["2", "cosine"])
def test_files_give_the_minimum_of_memory(kernel, settings, bias, tmp_path):
    settings = {**settings, "bias": bias}
    alone = weft.SequenceSVC(kernel, C=0.5, tol=1e-4, **settings).fit(X, Y)
    for _ in range(2):  # the second finds the files
        parted = weft.SequenceSVC(kernel, C=0.5, tol=1e-3, random_state=0, **settings)
        parted.fit(Examples.from_lists(X, Y, 9), spill=tmp_path / "s")
        assert parted.feature_names_ == alone.feature_names_
        assert len(list((tmp_path / "s").glob("shard-*"))) == 3
        assert (objective(parted, 0.5) <= 1.0011 * objective(alone, 0.5)).all()
    weft.save(parted, tmp_path / "m.weft")
    assert weft.load(tmp_path / "m.weft").predict(X).tolist() == parted.predict(X).tolist()
    assert parted.alpha_.shape == (3, 120)


def test_lattices_in_files_give_the_minimum_of_memory(tmp_path):
    # Of two readings of each text, one with its first two symbols the other way round.
    lattices = []
    for text in X:
        arcs = [(0, text[0], 1, 0.75), (1, text[1], 3, 1.0), (0, text[1], 2, 0.25), (2, text[0], 3, 1.0)]
        arcs += [(i + 1, symbol, i + 2, 1.0) for i, symbol in enumerate(text[2:], start=2)]
        lattices.append(weft.automata.Automaton.from_arcs(arcs, final={len(text) + 1: 1.0}))
    alone = weft.SequenceSVC(weft.NGramKernel(2), C=0.5, tol=1e-4).fit(lattices, Y)
    parted = weft.SequenceSVC(weft.NGramKernel(2), C=0.5, tol=1e-3, random_state=0)
    parted.fit(Examples.from_lists(lattices, Y, 9), spill=tmp_path / "s")
    assert parted.feature_names_ == alone.feature_names_
    assert (objective(parted, 0.5, lattices) <= 1.0011 * objective(alone, 0.5, lattices)).all()


def test_rare_features_are_left_out_but_count_for_lengths():
    svc = weft.SequenceSVC(weft.Normalized(weft.NGramKernel(1)), C=1.0, min_count=2).fit(["aab", "ac"], ["x", "y"])
    assert svc.feature_names_ == ["a"]
    np.testing.assert_allclose(svc.features_.transform(["aab"]).toarray(), [[2 / np.sqrt(5)]])


def test_a_cost_is_chosen_on_the_first_parts(tmp_path):
    svc = weft.SequenceSVC(weft.NGramKernel(2)).fit(Examples.from_lists(X, Y, 6), spill=tmp_path / "s")
    assert svc.C_ in (0.3, 1.0, 3.0, 10.0)
    assert svc.score(X, Y) > 0.8


def test_what_cannot_be_meant_is_refused(tmp_path):
    parts = Examples.from_lists(X, Y, 4)
    with pytest.raises(InputError, match=r"pass weft\.scale\.Examples with spill"):
        weft.SequenceSVC().fit(X, Y, spill=tmp_path / "s")
    with pytest.raises(InputError, match="and no client"):
        weft.SequenceSVC().fit(parts, client=object())
    with pytest.raises(InputError, match="need all examples in one place"):
        weft.SequenceSVC(probability=True).fit(parts, spill=tmp_path / "s")
    with pytest.raises(InputError, match="no feature is in at least 500 sequences"):
        weft.SequenceSVC(weft.NGramKernel(2), min_count=500).fit(parts, spill=tmp_path / "s")
    bad = Examples.from_lists(["ab", "ba"], ["x", float("nan")], 2)
    with pytest.raises(InputError, match=r"part 1: y\[0\] is nan, a missing label"):
        weft.SequenceSVC(weft.NGramKernel(2)).fit(bad, spill=tmp_path / "s")
    with pytest.raises(InputError, match="needs explicit features"):
        weft.SequenceSVC(weft.RBFOver(weft.NGramKernel(2))).fit(parts, spill=tmp_path / "s")
    assert not (tmp_path / "s").exists() or not list((tmp_path / "s").iterdir())
    with pytest.raises(InputError, match="leave it out of a stream"):
        weft.SequenceSVC(min_count=2).partial_fit(X, Y, classes=["u", "v", "w"])
    weft.SequenceSVC(weft.NGramKernel(2), C=1.0).fit(parts, spill=tmp_path / "s")
    with pytest.raises(InputError, match="belongs to other data or settings"):
        weft.SequenceSVC(weft.NGramKernel(3), C=1.0).fit(parts, spill=tmp_path / "s")


def test_the_command_line_learns_from_pieces(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("weft.scale.pieces.cut_file.__defaults__", (300,))
    lines = [json.dumps({"text": x, "label": y}) for x, y in zip(X, Y, strict=True)]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))
    given = ["train", "classify", "texts.jsonl", "-o", "m.weft", "--n", "2", "--C", "1", "--json"]
    result = CliRunner().invoke(app, [*given, "--spill", "s", "--min-count", "2"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["texts"] == 120
    assert weft.load("m.weft").score(X, Y) > 0.8
    result = CliRunner().invoke(app, [*given, "--workers", "2"])
    assert result.exit_code == 2
    assert "SequenceSVC learns on this machine" in result.stderr
    (tmp_path / "texts.tsv").write_text("ab\tx\nba\ty\n")
    result = CliRunner().invoke(app, ["train", "classify", "texts.tsv", "-o", "m.weft", "--spill", "s"])
    assert "follows from all lines" in result.stderr
