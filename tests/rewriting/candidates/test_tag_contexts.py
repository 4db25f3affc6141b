"""Contexts of tagged words: equal exactly where what they see is equal."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import InputError
from weft.rewriting.candidates.tag_contexts import TagContexts, TagView

KINDS, VOWELS = np.array([0, 0, 0, 1, 1, 1]), np.array([1, 0, 1, 0, 0, 0])


def pictures(word, tags, t, shared):
    """All that a context may see, by its definition."""

    def at(place):
        return word[place] if 0 <= place < len(word) else None

    middle = None if shared else word[t]
    seen = [("middle",)]
    for sign in (-1, 1):
        seen += [(sign, *(at(t + sign * d) for d in range(1, n + 1))) for n in range(1, 6)]
    left, right = at(t - 1), at(t + 1)
    seen += [("both", left, right), ("left", left, right, at(t - 2)), ("right", left, right, at(t + 2))]
    seen += [("wide", left, right, at(t - 2), at(t + 2))]
    seen += [("end", min(len(word) - t, 6)), ("begin", min(t, 6))]
    classes = [None if at(t + d) is None else VOWELS[at(t + d)] for d in (-1, 1, -2, 2, -3, 3)]
    seen += [("classes", *classes)]
    before = [s for s in word[:t][::-1] if VOWELS[s]]
    # Without a vowel two pictures are the same; without a second one, the second says that there is none.
    seen += [("vowels", *before[:1]), ("vowels", *before[:2]) if len(before) > 1 else ("vowels",)]
    seen += [("next", *[s for s in word[t + 1 :] if VOWELS[s]][:1])]
    # What all symbols share is not seen with pairs of tags.
    grouped = [(), *((tag,) for tag in tags), *([] if shared else itertools.combinations(tags, 2))]
    grouped += [tuple(tags)] if len(tags) > 2 else []
    return Counter((middle, each, group) for each in seen for group in grouped)


WORDS = st.lists(
    st.tuples(st.lists(st.integers(0, 2), min_size=1, max_size=7), st.sets(st.integers(3, 5))), min_size=1, max_size=5
)


@given(WORDS, st.booleans(), st.integers(1, 2), st.booleans())
def test_contexts_are_what_the_definition_says(words, shared, min_count, backwards):
    listed = [(word, sorted(tags)) for word, tags in words]
    flat = [symbol for word, tags in listed for symbol in ([*word, *tags] if backwards else [*tags, *word])]
    symbols = np.array(flat, dtype=np.int32)
    offsets = np.cumsum([0, *(len(word) + len(tags) for word, tags in listed)])
    contexts = TagView(KINDS, VOWELS, shared).collect(symbols, offsets, min_count)
    rows, found = contexts.find(symbols, offsets)
    wanted = [pictures(word, tags, t, shared) for word, tags in listed for t in range(len(word))]
    total = sum(wanted, Counter())
    assert len(contexts) == sum(count >= min_count for count in total.values())
    places = np.flatnonzero(KINDS[symbols] == 0)
    assert rows[-1] == sum(n for each in wanted for name, n in each.items() if total[name] >= min_count)
    for place, each in zip(places, wanted, strict=True):
        here = Counter(found[rows[place] : rows[place + 1]].tolist())
        assert sorted(here.values()) == sorted(n for name, n in each.items() if total[name] >= min_count)


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="kinds"):
        TagView(np.array([0, 2]), np.zeros(2, dtype=np.int64))
    with pytest.raises(InputError, match="do not rise"):
        TagContexts(TagView(KINDS, VOWELS), np.array([3, 3]))
