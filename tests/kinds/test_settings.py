"""Tests of `weft.kinds.settings`: what options say and what the estimator gets are the same."""

import inspect

import pytest

import weft
from weft.kinds import kind_of_command
from weft.kinds.options import HELD_OUT_OPTIONS, LEARNER_OPTIONS
from weft.kinds.settings import Setting, changes_of, documented, merged, settings_to_try

FILES = {
    "tag": ("t.conll", "a x\nb y\n\nb y\na x\n\n" * 3),
    "dna": ("d.tsv", "ACGTACGTAC\tp\nGGGTACGTAC\tn\n" * 3),
    "protein": ("p.tsv", "MKVLAAGIWKD\tp\nGGSTPEDWKQR\tn\n" * 3),
    "text": ("w.tsv", "no rain\tw\nshares fell\tm\n" * 3),
    "rewrite": ("r.tsv", "ab\tx y\nba\ty x\n" * 3),
    "align": ("a.tsv", "p\tq\tAC-D\tACCD\nr\ts\tAD\tAD\n" * 3),
    "fold": ("f.tsv", "GGGAAACCC\t(((...)))\nGGAAACC\t((...))\n" * 3),
    "parse": ("p.mrg", "(S a (S b))\n(S b)\n" * 3),
    "regress": ("n.tsv", "uno\tone\ndos\ttwo\n" * 3),
}
COMMANDS = {**{name: name for name in FILES}, **dict.fromkeys(("dna", "protein", "text"), "classify")}


def prepared(name, folder, **said):
    """A kind that is about to be trained, with options as they would be typed."""
    file, text = FILES[name]
    (folder / file).write_text(text)
    kind = kind_of_command(COMMANDS[name])()
    prepare = kind.recipe().prepare
    arguments = {}
    for each in list(inspect.signature(prepare).parameters.values())[1:]:
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            held_out = dict.fromkeys(HELD_OUT_OPTIONS)
            arguments = {
                **(held_out if each.name == "scored" else {**dict.fromkeys(LEARNER_OPTIONS), **held_out}),
                **arguments,
            }
        elif each.default is not inspect.Parameter.empty:
            arguments[each.name] = each.default
    if COMMANDS[name] == "parse":
        (folder / "rules.txt").write_text("S -> a S | b S | b\n")
        arguments["grammar"] = str(folder / "rules.txt")
    named = {"C": "cost", "alpha": "alphas"} if COMMANDS[name] in ("classify", "regress") else {}
    given = {named.get(option, option.replace("-", "_")): value for option, value in said.items()}
    assert set(given) <= set(arguments)
    prepare(kind, **{**arguments, **given, "file": str(folder / file)})
    return kind


OPTIONS = {name.replace("_", "-") for name in LEARNER_OPTIONS} | {
    *("n", "min-n", "idf", "sublinear", "bias", "decay", "half-life", "order", "width", "ngrams", "affixes", "shape"),
    *("gamma", "context", "output-order", "preimage"),
}


@pytest.mark.parametrize("name", FILES)
def test_every_setting_is_what_its_options_say(name, tmp_path):
    kind = prepared(name, tmp_path)
    found = settings_to_try(kind, OPTIONS, (), 0, 40)
    alone = documented(kind, OPTIONS, ())
    assert [each.options for each in found[: len(alone)]] == [each.options for each in alone]
    assert len(alone) > 2
    together = merged(kind.estimator, [each for each in alone if each.options][:3])
    for setting in [*found, *together]:
        again = prepared(name, tmp_path, **setting.options)
        assert repr(again.estimator) == repr(setting.of(kind.estimator)), setting.options


def test_kernels_for_dna_and_proteins_are_tried_where_texts_are_such(tmp_path):
    for name, kernel in (("dna", "dna"), ("protein", "protein"), ("text", None)):
        tried = {each.options.get("kernel") for each in documented(prepared(name, tmp_path), OPTIONS, ())}
        assert tried - {None, "ngram", "gappy", "mismatch", "weighted-degree"} == {kernel} - {None}


def test_places_are_compared_where_all_texts_are_equally_long(tmp_path):
    tried = {each.options.get("kernel") for each in documented(prepared("dna", tmp_path), OPTIONS, ())}
    others = {each.options.get("kernel") for each in documented(prepared("text", tmp_path), OPTIONS, ())}
    assert "weighted-degree" in tried - others


@pytest.mark.parametrize(
    ("name", "given", "gone"),
    [
        ("dna", "n", {"kernel": "dna"}),
        ("dna", "kernel", {"kernel": "gappy"}),
        ("tag", "c2", {"learner": "svm"}),
        ("fold", "c2", {"grammar": "g6"}),
        ("align", "gamma", {"decode": "best"}),
        ("rewrite", "max-iter", {"learner": "crf"}),
    ],
)
def test_what_would_undo_an_option_that_was_given_is_not_tried(name, given, gone, tmp_path):
    kind = prepared(name, tmp_path)
    assert gone in [dict(each.options) for each in documented(kind, OPTIONS, ())]
    assert gone not in [dict(each.options) for each in documented(kind, OPTIONS, {given})]
    assert all(given not in each.options for each in settings_to_try(kind, OPTIONS, {given}, 0, 40))


def test_changes_that_do_not_go_together_are_not_merged(tmp_path):
    kind = prepared("tag", tmp_path)
    by_options = {tuple(each.options.items()): each for each in documented(kind, OPTIONS, ())}
    svm, c2, order = (by_options[each,] for each in (("learner", "svm"), ("c2", 1.0), ("order", 2)))
    assert [dict(each.options) for each in merged(kind.estimator, [svm, c2, order])] == [
        {"learner": "svm", "order": 2},
        {"c2": 1.0, "order": 2},
    ]


def test_values_that_an_estimator_has_are_no_change():
    tagger = weft.Tagger(weft.CRF(c2=0.3))
    assert 0.3 not in changes_of(tagger, {"c2"}, ())["learner__c2"][1]
    assert Setting({"c2": 1.0}, {"learner__c2": 1.0}).of(tagger).learner.c2 == 1.0
    assert tagger.learner.c2 == 0.3
