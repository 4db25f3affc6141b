"""The examples run, and a script for sklearn-crfsuite gives the same after its two lines are changed."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPT = EXAMPLES / "coming_from_sklearn_crfsuite.py"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_examples_run(path):
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def original_script():
    """The script before the change: each commented line instead of the line below it."""
    text, n_changed = re.subn(r"(?m)^( *)# (import sklearn_crfsuite|crf = .*)\n.*$", r"\1\2", SCRIPT.read_text())
    assert n_changed == 2
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
    assert labels == [list(sequence) for sequence in peer_labels]
    assert crf.classes_.tolist() == sorted(peer.classes_)
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
