from weft.reports.lattice_pictures import MOST_ARCS, lattice_drawing


def test_arcs_that_go_round_in_circles_are_drawn_too():
    shown = lattice_drawing([(0, "a", 1, 1.0), (1, "b", 0, 0.5), (1, None, 1, 0.5)], 0, [1], "a cycle")
    assert shown.count("<path") == 3
    assert "ε 0.5" in shown


def test_longer_ways_stand_to_the_right_and_text_is_escaped():
    shown = lattice_drawing([(0, "<b>", 1, 1.0), (1, "c", 2, 1.0), (0, "d", 2, 1.0)], 0, [2], "<three>")
    assert "<b>" not in shown
    assert "<three>" not in shown
    assert 'cx="248"' in shown  # the end is in the third column though an arc leads there at once


def test_nothing_and_too_much_are_drawn():
    assert lattice_drawing([], 0, [], "nothing").count("<circle") == 1
    many = [(k, "a", k + 1, 1.0) for k in range(2 * MOST_ARCS)]
    assert lattice_drawing(many, 0, [], "much").count("<path") == MOST_ARCS
