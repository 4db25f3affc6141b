"""Tests of `weft.experiments.kept_parts`."""

import json

import pytest

from weft.experiments.kept_parts import PARTS, keeping, kept

SETTINGS = {"seed": 0, "quick": False}


def test_without_a_folder_every_part_is_made():
    made = iter(range(5))
    assert [kept("toy", lambda: next(made)) for _ in range(2)] == [0, 1]
    with keeping(None, SETTINGS):
        assert kept("toy", lambda: next(made)) == 2


def test_after_an_interruption_finished_parts_are_taken_from_the_folder(tmp_path):
    made = []

    def part(name):
        def make():
            if name == "second" and len(made) == 1:
                raise KeyboardInterrupt
            made.append(name)
            return {"name": name, "scores": (1, 2.5)}

        return kept(name, make)

    with pytest.raises(KeyboardInterrupt), keeping(tmp_path, SETTINGS):
        first = [part("first"), part("second")]
    made.append("interrupted")
    told = []
    with keeping(tmp_path, SETTINGS, tell=told.append):
        first, second = part("first"), part("second")
    assert made == ["first", "interrupted", "second"]
    assert told == ["first: from an earlier run"]
    # A part just made and one from the folder look the same: pairs have become lists.
    assert (first["scores"], second["scores"]) == ([1, 2.5], [1, 2.5])


def test_other_settings_another_time_and_broken_files_are_made_anew(tmp_path):
    made = iter(range(9))

    def part(settings=SETTINGS, **options):
        with keeping(tmp_path, settings, **options):
            return kept("a/b: 50 %", lambda: next(made))

    assert [part(), part()] == [0, 0]
    assert [part(SETTINGS | {"seed": 1}), part(SETTINGS | {"seed": 1})] == [1, 1]
    assert [part(), part(again=True), part()] == [2, 3, 3]
    [path] = (tmp_path / PARTS).iterdir()
    assert json.loads(path.read_text())["part"] == "a/b: 50 %"
    for text in ("{", "[]", "{}", json.dumps({"settings": SETTINGS})):
        path.write_text(text)
        assert part() == part()


def test_a_folder_inside_another_counts_alone(tmp_path):
    with keeping(tmp_path, SETTINGS):
        with keeping(None, SETTINGS):
            kept("toy", lambda: 1)
        assert not (tmp_path / PARTS).exists()
        kept("toy", lambda: 1)
    assert (tmp_path / PARTS).exists()
