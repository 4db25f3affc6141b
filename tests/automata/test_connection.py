"""Tests of `weft.automata.connection`."""

from hypothesis import given, settings

from automata_oracle import assert_same, machines, series
from weft.automata import (
    connect,
)


@given(machines())
@settings(max_examples=40)
def test_connection_keeps_the_strings_and_only_useful_states(machine):
    connected = connect(machine)
    assert_same(series(connected), series(machine))
    assert connected.n_states <= machine.n_states
    assert connect(connected) is connected or not series(machine)
    used = {int(state) for state in connected.targets} | {connected.start}
    assert used == set(range(connected.n_states))
