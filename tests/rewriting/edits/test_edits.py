"""Edits: the cheapest ones, their probabilities, and the forms that they write, each held against enumeration."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.checkpoint import Journal, journal_kept
from weft.errors import InputError
from weft.rewriting.edits.loops.pictures import describe_states
from weft.rewriting.edits.loops.steps import COPY, DELETE, FIRST_INSERTION, RUN, RUN_AT_END, STOP
from weft.rewriting.edits.model import EditModel, Words
from weft.rewriting.edits.training import edits_of, learn_edits
from weft.rewriting.edits.two_ways import Edits, mixed

SYMBOLS = st.lists(st.integers(0, 2), min_size=1, max_size=4)


def flat(sequences):
    joined = np.array([symbol for each in sequences for symbol in each], dtype=np.int32)
    return joined, np.cumsum([0, *map(len, sequences)])


def words_of(pairs):
    return Words(*flat([word for word, _, _ in pairs]), *flat([tags for _, tags, _ in pairs]))


def all_edits(word, form):
    """Every way to write a form in which no deletion follows an insertion."""
    found = [[STOP]] if not word and not form else []
    if word and form and word[0] == form[0]:
        found += [[COPY, *rest] for rest in all_edits(word[1:], form[1:])]
    if word:
        found += [[DELETE, *rest] for rest in all_edits(word[1:], form)]
    if form:
        rests = [rest for rest in all_edits(word, form[1:]) if rest[0] != DELETE]
        found += [[FIRST_INSERTION + form[0], *rest] for rest in rests]
    return found


def cost(edits):
    """One for each deletion and insertion, and what their runs cost."""
    changes = "".join("c" if edit == COPY else "x" for edit in edits[:-1])
    runs = [run for run in changes.split("c") if run]
    n_at_ends = (changes[:1] == "x") + (changes[-1:] == "x" and "c" in changes)
    # A word without a copy is one run, at both ends.
    least = RUN_AT_END - (RUN - RUN_AT_END) if runs and "c" not in changes else 0.0
    inside = len(runs) - n_at_ends
    return changes.count("x") + (least or RUN_AT_END * n_at_ends + RUN * inside)


@settings(max_examples=60)
@given(SYMBOLS, SYMBOLS)
def test_edits_are_the_cheapest_that_write_the_form(word, form):
    edits, offsets = edits_of(words_of([(word, [0], form)]), *flat([form]))
    ways = all_edits(word, form)
    assert offsets.tolist() == [0, len(edits)]
    assert edits.tolist() in ways
    assert cost(edits.tolist()) == pytest.approx(min(map(cost, ways)))


PAIRS = [
    ([0, 1], [5], [0, 1, 2]),
    ([1, 1, 0], [5], [1, 1, 2]),
    ([1, 0], [6], [2, 1, 0]),
    ([0, 0, 1], [5, 6], [2, 0, 0, 1, 2]),
]


def model_of(pairs):
    return learn_edits(words_of(pairs), *flat([form for _, _, form in pairs]), np.array([1, 0, 0]), n_jobs=1)


def probabilities(model, word, tags, edits):
    """Probability of each edit after others, from the descriptions of the state and the weights alone."""
    words = words_of([(word, tags, None)])
    codes, n = np.array([*edits, STOP]), len(edits)
    kinds, rows = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 2, dtype=np.int64)
    asked = (words.symbols, words.offsets, words.tags, words.tag_offsets, codes, np.array([0, n + 1]), model.vowels)
    keys = np.empty(describe_states(*asked, kinds, rows, np.empty(0, dtype=np.int64)), dtype=np.int64)
    describe_states(*asked, kinds, rows, keys)
    scores = np.zeros(len(model.inserted))
    for key in keys[rows[n] :]:
        place = np.searchsorted(model.keys, key)
        if place < len(model.keys) and model.keys[place] == key:
            for e in range(model.entry_offsets[place], model.entry_offsets[place + 1]):
                scores[model.entry_edits[e]] += model.weights[e]
    at_end = sum(edit in (COPY, DELETE) for edit in edits) == len(word)
    inserting = bool(edits) and edits[-1] >= FIRST_INSERTION
    allowed = [not at_end, not at_end and not inserting, at_end, *[True] * (len(scores) - FIRST_INSERTION)]
    shares = np.where(allowed, np.exp(scores - scores.max()), 0.0)
    return shares / shares.sum()


def all_forms(model, word, tags, least=1e-5):
    """Forms and their probabilities, by going through all edits that are not too improbable."""
    found, waiting = {}, [([], 1.0)]
    while waiting:
        edits, share = waiting.pop()
        for a, p in enumerate(probabilities(model, word, tags, edits).tolist()):
            if share * p < least:
                continue
            if a == STOP:
                form, place = [], 0
                for edit in edits:
                    form += [word[place]] if edit == COPY else [] if edit == DELETE else [edit - FIRST_INSERTION]
                    place += edit in (COPY, DELETE)
                found[tuple(form)] = found.get(tuple(form), 0.0) + share * p
            else:
                code = a if a < FIRST_INSERTION else FIRST_INSERTION + int(model.inserted[a])
                waiting.append(([*edits, code], share * p))
    return found


@pytest.mark.parametrize(("word", "tags"), [([0, 1], [5]), ([1, 0, 1], [6]), ([0, 7], [5, 6]), ([], [5])])
def test_the_search_finds_the_most_probable_forms(word, tags):
    model = model_of(PAIRS)
    [found] = model.rank(words_of([(word, tags, None)]), 3, beam_width=200, n_jobs=1)
    wanted = sorted(all_forms(model, word, tags).items(), key=lambda item: -item[1])[:3]
    assert [form for form, _ in found] == [form for form, _ in wanted]
    np.testing.assert_allclose([share for _, share in found], [share for _, share in wanted], atol=2e-3)


def test_learning_makes_the_known_edits_probable():
    model = model_of(PAIRS)
    ranked = model.rank(words_of(PAIRS), 1, n_jobs=1)
    assert [found[0][0] for found in ranked] == [tuple(form) for _, _, form in PAIRS]
    # Half the weights say less: every known form is less probable with them.
    other = replace(model, weights=0.5 * model.weights)
    weaker = other.rank(words_of(PAIRS), 1, n_jobs=1)
    assert all(a[0][1] > b[0][1] for a, b in zip(ranked, weaker, strict=True))


def test_a_new_combination_writes_what_each_of_its_tags_writes():
    # Tag 5 adds symbol 2 behind, tag 6 adds it before; both together were never seen.
    pairs = [(word, [tag], [*word, 2] if tag == 5 else [2, *word])
             for word in ([0, 1], [1, 0], [0, 0, 1], [1, 1], [1, 0, 0]) for tag in (5, 6)]  # fmt: skip
    turned = [(word[::-1], tags, form[::-1]) for word, tags, form in pairs]
    edits = Edits(model_of(pairs), model_of(turned))
    [found] = edits.rank(words_of([([0, 1, 1], [5, 6], None)]), 1, n_jobs=1)
    assert found[0][0] == (2, 0, 1, 1, 2)
    assert edits.prune(0.0).n_weights == edits.n_weights > edits.prune(0.5).n_weights > 0


def test_lists_are_mixed_by_their_shares():
    assert mixed([[((1,), 0.5), ((2,), 0.5)]], [[((3,), 1.0)]], 0.9, 2) == [[((3,), 0.9), ((1,), pytest.approx(0.05))]]


def test_arrays_of_another_model_are_refused():
    model = model_of(PAIRS)
    with pytest.raises(InputError, match="do not rise"):
        EditModel(
            model.keys[::-1], model.entry_offsets, model.entry_edits, model.weights, model.inserted, model.vowels, 3
        )
    with pytest.raises(InputError, match="need at least 3"):
        EditModel(np.array([1]), np.array([0, 1]), np.array([0]), np.ones(1), np.array([0]), model.vowels, 3)


def test_words_that_are_left_out_are_said(monkeypatch):
    monkeypatch.setattr("weft.rewriting.edits.training.MOST_WORDS", 4)
    words = ["walk", "talk", "play", "jump", "camp", "lift"]
    with pytest.warns(UserWarning, match="edits are learned from 4 of 6 words"):
        weft.Rewriter(random_state=0, n_jobs=1).fit(words, [word + "ed" for word in words], tags=["V;PST"] * 6)


def test_a_fit_that_was_interrupted_goes_on_to_the_same_file(tmp_path, monkeypatch):
    # Edits themselves keep no journal: they are learned again, from the same words, of which some are drawn.
    monkeypatch.setattr("weft.rewriting.edits.training.MOST_WORDS", 4)
    words, steps = ["walk", "talk", "play", "jump", "camp", "lift"], []

    def save(name, journal, stop=None):
        def check():
            steps.append(name)
            if steps.count(name) == stop:
                raise KeyboardInterrupt

        rewriter = weft.Rewriter(random_state=0, n_jobs=1)
        with (
            warnings.catch_warnings(),
            journal_kept(Journal(tmp_path / journal, lambda: "key", check=check, resume=name == "later")),
        ):
            warnings.simplefilter("ignore", UserWarning)
            weft.save(rewriter.fit(words, [word + "ed" for word in words], tags=["V;PST"] * 6), tmp_path / name)

    save("whole", "a")
    with pytest.raises(KeyboardInterrupt):
        save("cut", "b", stop=steps.count("whole"))
    save("later", "b")
    assert steps.count("later") < steps.count("whole")
    assert (tmp_path / "later").read_bytes() == (tmp_path / "whole").read_bytes()
