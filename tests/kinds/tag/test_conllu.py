"""What is predicted for CoNLL-U stands in its column, and everything else stays as it was."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from weft.apps.cli import app

SENTENCE = """# sent_id = 1
# text = don't bark
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tdo\tdo\tAUX\tVB\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
2.1\tx\tx\tNOUN\tNN\t_\t_\t_\t0:root\t_
3\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\t_
3.1\ty\ty\tNOUN\tNN\t_\t_\t_\t0:root\t_
"""


def weft_command(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.stdout


def trained(folder):
    (folder / "bank.conllu").write_text(f"{SENTENCE}\n" * 3)
    weft_command("train", "tag", folder / "bank.conllu", "--columns", "2,4", "-o", folder / "m.weft")
    return folder / "m.weft"


def test_a_treebank_comes_back_with_one_column_replaced(tmp_path):
    """Read by the model that was trained on it, a treebank without parts of speech gets them back."""
    model, bare = trained(tmp_path), SENTENCE
    for tag in ("AUX", "PART", "VERB"):
        bare = bare.replace(f"\t{tag}\t", "\t_\t")
    (tmp_path / "bare.conllu").write_text(f"{bare}\n" * 2)
    assert weft_command("predict", model, tmp_path / "bare.conllu") == f"{SENTENCE}\n" * 2
    told = json.loads(weft_command("predict", model, tmp_path / "bare.conllu", "--json").splitlines()[0])
    assert (told["tokens"], told["labels"]) == (["do", "n't", "bark"], ["AUX", "PART", "VERB"])


def test_more_columns_come_after_the_ten_of_each_row(tmp_path):
    model = trained(tmp_path)
    lines = weft_command("predict", model, tmp_path / "bank.conllu", "--kbest", "2", "--confidence").splitlines()
    assert lines[:2] == SENTENCE.splitlines()[:2]
    assert {len(line.split("\t")) for line in lines if line and line[0] != "#"} == {13}
    assert lines[2].endswith("SpaceAfter=No\t_\t_\t_")


def test_comments_of_other_columns_stay_too(tmp_path):
    """A sentence of columns in no treebank gets one more column, after its comments."""
    text = "# sent_id = 7\nRain\tN\nfell\tV\n"
    (tmp_path / "train.conll").write_text(f"{text}\n" * 3)
    weft_command("train", "tag", tmp_path / "train.conll", "-o", tmp_path / "m.weft")
    answer = weft_command("predict", tmp_path / "m.weft", tmp_path / "train.conll")
    assert answer == "# sent_id = 7\nRain\tN\tN\nfell\tV\tV\n\n" * 3
