"""Tests of `weft.reports.tree_pictures`."""

from weft.reports.tree_pictures import tree_drawing


def test_trees_mark_what_is_not_right():
    tree = ("S", ("A", ("B", "x"), ("C", "y")), ("D", "z"))
    assert tree_drawing(tree, {("S", 0, 2), ("A", 0, 1)}, "t").count("underline") == 0
    assert tree_drawing(tree, {("S", 0, 2)}, "t").count("underline") == 1
    assert tree_drawing(tree, None, "t").count("underline") == 0
