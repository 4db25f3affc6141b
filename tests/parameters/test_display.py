"""Texts as scikit-learn writes them, tables of our own."""

import pytest
from sklearn.pipeline import Pipeline

import weft
from parameter_twins import CASES, Ours, Theirs
from weft.parameters import Parameters


@pytest.mark.parametrize("case", CASES)
def test_text_is_that_of_scikit_learn(case):
    assert repr(CASES[case](Ours)) == repr(CASES[case](Theirs))


def test_the_table_is_escaped_and_holds_all_parameters():
    page = Ours("<script>alert(1)</script>", Ours(name="a & b"))._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "a &amp; b" in page
    assert page.startswith("<div")
    assert page.count("<details") == page.count("</details>") == 2
    assert page.count("<tr>") == 8
    assert "<b>a</b>" in page  # changed
    assert "<td>longer_name_of_a_parameter</td>" in page  # not changed
    bundle = Ours()._repr_mimebundle_(include=None, exclude=None)
    assert bundle == {"text/plain": "Twin()", "text/html": Ours()._repr_html_()}


def test_the_table_says_whether_anything_was_learned_and_cuts_long_values():
    ours = Ours(list(range(1000)))
    assert "(not fitted)" in ours._repr_html_()
    assert "(fitted)" in ours.fit([[0]], [1.0])._repr_html_()
    assert "..." in ours._repr_html_()
    assert len(ours._repr_html_()) < 1000


def test_a_name_of_a_class_is_escaped():
    odd = type("<b>Odd</b>", (Parameters,), {})
    assert "&lt;b&gt;Odd" in odd()._repr_html_()


def test_scikit_learn_draws_pipelines_that_hold_ours():
    pipeline = Pipeline([("window", weft.WindowFeatures()), ("tagger", weft.Tagger(weft.CRF()))])
    assert "WindowFeatures" in pipeline._repr_html_()
    assert "Tagger(learner=CRF())" in repr(pipeline)
