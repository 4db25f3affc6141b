"""What a fitted model shows of itself."""

import weft


def page(**options):
    tagger = weft.Tagger(weft.CRF(c2=0.1))
    return tagger.fit([["<b>", "cat"], ["a", "dog"]], [["D", "N"], ["D", "N"]], **options)._repr_html_()


def test_sizes_curve_and_largest_weights():
    shown = page()
    assert "<td>n_labels</td><td>2</td>" in shown
    assert "<polyline" in shown
    assert "&lt;b&gt; → D" in shown
    assert "<b>" not in shown.split("learned")[1].replace("<b>weft", "")
    assert "+" in shown.split("largest weights")[1]


def test_a_held_out_score_is_told():
    shown = page(X_dev=[["a", "cat"]], y_dev=[["D", "N"]])
    assert "1.0000 on held-out data, 1.0000 at best" in shown
    assert shown.count("<svg") == 2


def test_nothing_before_a_fit():
    assert "learned" not in weft.Tagger()._repr_html_()


def test_weights_of_a_rewriter_are_told_as_people_read_them():
    words = ["phone", "graph", "note", "hero", "photo"]
    sounds = ["fon", "graf", "not", "hero", "foto"]
    shown = weft.Rewriter(random_state=0).fit(words, sounds)._repr_html_().split("largest weights")[1]
    names = shown.split("<tr><td>")[1:]
    assert len(names) == len({name.split("</td>")[0] for name in names}) == 10
    assert all(" → " in name or " then " in name for name in names)
    assert "((" not in shown
    assert "None" not in shown


def test_every_estimator_tells_something(request):
    svc = weft.SequenceSVC(weft.NGramKernel(2)).fit(["aab", "bba"], ["x", "y"])
    assert "learned" in svc._repr_html_()


def test_a_bundled_model_tells_its_scores_until_it_is_trained_anew():
    model = weft.load("align-protein")
    page = model._repr_html_()
    for each in weft.models.card("align-protein")["scores"]:
        assert each["measure"] in page
        assert f"{each['value']:.4f}" in page
    pairs = [("ACDE", "ACE"), ("AACD", "ACD")]
    model.set_params(learner=weft.CRF(max_iter=1)).fit(pairs, [("ACDE", "AC-E"), ("AACD", "A-CD")])
    assert "PREFAB" not in model._repr_html_()
