"""What errors say stands on one line, whatever values they show."""

import numpy as np

import weft


def test_a_message_is_one_line_though_it_shows_an_array():
    message = str(weft.InputError(f"X[0] is {np.zeros((3, 2))!r};\r\n a string is needed."))
    assert message == "X[0] is array([[0., 0.], [0., 0.], [0., 0.]]); a string is needed."
