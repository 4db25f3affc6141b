"""Tests of `weft.experiments.accuracy.tag`."""

import pytest

from quick_runs import quick_report
from weft.estimators.tag.stacked_tagger import StackedTagger
from weft.experiments.accuracy import tag
from weft.learners.crf import CRF
from weft.learners.structured_svm import StructuredSVM
from weft.sequences.window import WindowFeatures


@pytest.mark.slow
@pytest.mark.needs_data("conll2000", "conll2002_es", "nettalk", "reuters21578")
def test_quick_rows_on_tagging(tmp_path):
    found = quick_report("accuracy-tag", tmp_path)
    sets = {each.data for each in tag.SETS}
    assert {setting for _, setting, _ in found} == sets
    for each in tag.SETS:
        scores = {
            method: value
            for (quantity, data, method), value in found.items()
            if (quantity, data) == (each.measure, each.data)
        }
        ours, theirs = scores.pop("weft"), scores.popitem()[1]
        # The CRFs of both sides have the same optimum; few iterations leave them near each other.
        assert ours == pytest.approx(theirs, abs=4 if isinstance(each.learner, CRF) else 12)


def test_attributes_of_two_taggers_are_those_of_the_stacked_one():
    rows = [[("he", "PRP"), ("ran", "VBD")], [("the", "DT"), ("cat", "NN"), ("ran", "VBD")], [("cats", "NNS")]] * 4
    labels = [["B-NP", "B-VP"], ["B-NP", "I-NP", "B-VP"], ["B-NP"]] * 4
    template = {"width": 1, "ngrams": 1, "joined": 2}
    first = StructuredSVM(0.1, max_iter=2)
    each = tag.TagSet("toy", "F1 in %", lambda seed: None, CRF(), 1.0, template, first=first)
    known, asked = tag.attributes_of(each, (rows, labels), rows[:2], seed=3, max_iter=1000)
    by_hand = tag.limited_fit(CRF(c2=1.0), 3, 1000)(known, labels)
    stacked = StackedTagger(CRF(c2=1.0), WindowFeatures(**template), first=first, random_state=3, n_jobs=1)
    stacked.fit(rows, labels)
    assert stacked.feature_names_ == by_hand.feature_names_
    assert (stacked.weights_ == by_hand.weights_).all()
    assert stacked.predict_kbest(rows[:2], 2) == by_hand.predict_kbest(asked, 2)
