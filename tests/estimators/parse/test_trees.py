"""Trees as text."""

import pytest

from weft.errors import InputError
from weft.estimators.parse.trees import read_tree, write_tree


def test_a_node_without_a_label_is_refused():
    with pytest.raises(InputError, match="empty brackets at position 10"):
        read_tree("(S (A a) ())")
    assert write_tree(read_tree("(S (A a) (B b))")) == "(S (A a) (B b))"
