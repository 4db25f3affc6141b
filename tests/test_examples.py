"""The examples run, and a script for sklearn-crfsuite gives the same after its import is changed."""

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPT = EXAMPLES / "coming_from_sklearn_crfsuite.py"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_examples_run(path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)  # as `python` does for a script: one may import another
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.count("\n") >= 2


def test_examples_are_short():
    # What was a script for another library keeps its length; a structure or a learner of one's own takes some.
    texts = {path.name: path.read_text() for path in EXAMPLES.glob("*.py") if path != SCRIPT}
    lengths = {name: (len(text.splitlines()), 160 if "\nclass " in text else 30) for name, text in texts.items()}
    assert {name: length for name, (length, allowed) in lengths.items() if length > allowed} == {}


def test_every_estimator_has_an_example():
    listed = (EXAMPLES.parent / "docs" / "reference" / "weft.md").read_text()
    estimators = re.findall(r"   weft\.(\w+)\n", listed.partition("## Estimators")[2].partition("## Learners")[0])
    scripts = "\n".join(path.read_text() for path in EXAMPLES.glob("*.py"))
    assert len(estimators) >= 9
    assert [name for name in estimators if f"weft.{name}(" not in scripts] == []


def original_script():
    """The script before the change: the commented line instead of the one below it."""
    text, n_changed = re.subn(r"(?m)^( *)# (import sklearn_crfsuite)\n.*$", r"\1\2", SCRIPT.read_text())
    assert n_changed == 1
    assert "import weft" not in text
    return text


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_changed_script_gives_what_the_original_gave(tmp_path, capsys):
    original = tmp_path / "original.py"
    original.write_text(original_script())
    crf, labels, marginals = runpy.run_path(str(SCRIPT))["main"]()
    printed = capsys.readouterr().out
    peer, peer_labels, peer_marginals = runpy.run_path(str(original))["main"]()
    peer_printed = capsys.readouterr().out
    assert type(peer).__module__.startswith("sklearn_crfsuite")
    assert [list(sequence) for sequence in labels] == [list(sequence) for sequence in peer_labels]
    assert crf.classes_ == sorted(peer.classes_)
    assert set(crf.transition_features_) == set(peer.transition_features_)
    assert set(crf.state_features_) == set(peer.state_features_)
    for name, weight in peer.state_features_.items():
        assert crf.state_features_[name] == pytest.approx(weight, abs=0.05)
    for sequence, peer_sequence in zip(marginals, peer_marginals, strict=True):
        for token, peer_token in zip(sequence, peer_sequence, strict=True):
            assert token == pytest.approx(dict(peer_token), abs=0.01)
    tagged = [line for line in printed.splitlines() if "/" in line]
    assert tagged == [line for line in peer_printed.splitlines() if "/" in line]
    assert len(tagged) == 3
