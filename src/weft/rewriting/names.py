"""What each weight of a rewriting model belongs to."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from weft.rewriting.candidates.contexts import Contexts
from weft.rewriting.candidates.tag_contexts import TagContexts
from weft.rewriting.model import RewriteModel
from weft.rewriting.spectral import SpectralRewriteModel

UNKNOWN, BOUNDARY = "<unknown>", "<boundary>"
NOTHING = "∅"
"""No output, as people read it."""


def weight_names(model: RewriteModel, inputs: list[Any], outputs: list[Any]) -> list[tuple[Any, ...]]:
    """One tuple per weight of the chain.

    A context is ``(middle, neighbours, output)``: the symbol in the middle, pairs of an offset and what stands there (a
    symbol, the boundary, or a class as ``("class", number)``), and the output symbols, or a trait of outputs as
    ``("trait", number)``. A step is ``("step", pair, pair)`` with pairs of a symbol and its output. A context of a word
    with tags is ``("context", number)``.
    """
    chain = model.chain
    symbols = [*inputs, UNKNOWN]
    spelled = [
        tuple(outputs[s] for s in model.label_symbols[a:b].tolist()) for a, b in pairwise(model.label_offsets.tolist())
    ]
    if isinstance(model, SpectralRewriteModel):
        return [_renamed(name, list(map(str, symbols)), spelled) for name in model.tagger.feature_names_]
    most = int((chain.first[1:] - chain.first[:-1]).max(initial=0))
    names: list[tuple[Any, ...]] = []
    number = 0
    offsets, places = chain.entry_offsets.tolist(), chain.entry_places.tolist()
    for contexts in chain.contexts:
        if isinstance(contexts, TagContexts):
            # They are known by a number alone, so that their weights have no other names.
            names += [("context", entry) for entry in range(offsets[number], offsets[number + len(contexts)])]
            number += len(contexts)
            continue
        for middle, neighbours in _context_names(contexts, symbols):
            for entry in range(offsets[number], offsets[number + 1]):
                place = places[entry]
                if place >= most:
                    names.append((None if contexts.view.roots is not None else symbols[middle], neighbours,
                                  ("trait", place - most)))  # fmt: skip
                else:
                    names.append((symbols[middle], neighbours, spelled[chain.labels[chain.first[middle] + place]]))
            number += 1
    # The rarest candidates share the last class, which the first of them stands for.
    pairs: dict[int, tuple[Any, ...]] = {}
    for middle, (a, b) in enumerate(pairwise(chain.first.tolist())):
        for candidate in range(a, b):
            pairs.setdefault(int(chain.classes[candidate]), (symbols[middle], spelled[chain.labels[candidate]]))
    names += [("step", pairs[a], pairs[b]) for a in range(chain.n_classes) for b in range(chain.n_classes)]
    return names


def weight_text(name: tuple[Any, ...]) -> str:
    """A name as people read it: the context with its middle in brackets, and the output; or two pairs in a row.

    ``|`` is the boundary, ``*`` a class of symbols, ``·`` anything, ``∅`` no output.

    Examples
    --------
    >>> weight_text(("p", ((1, "h"), (2, ("class", 3))), ("F",)))
    '[p]h* → F'
    >>> weight_text(("step", ("e", ()), ("r", ("ER",))))
    'e:∅ then r:ER'
    """
    if name[0] == "step" and len(name) == 3 and isinstance(name[1], tuple):
        return " then ".join(f"{symbol}:{_written(output)}" for symbol, output in name[1:])
    if isinstance(name[0], tuple):  # windows and steps of a spectral learner
        return " ".join(":".join(_written(part) for part in each) for each in name)
    if len(name) == 2:
        return f"{name[0]} → {_written(name[1])}"
    middle, neighbours, output = name
    around = {0: "·" if middle is None else str(middle)}
    for place, what in neighbours:
        if place != 0:
            around[int(place)] = "|" if what == BOUNDARY else "*" if isinstance(what, tuple) else str(what)
    low, high = min(around), max(around)
    shown = "".join(f"[{around[k]}]" if k == 0 else around.get(k, "·") for k in range(low, high + 1))
    return f"{shown} → {_written(output)}"


def _written(output: Any) -> str:
    """Output symbols, a symbol, or nothing."""
    if output is None:
        return "·"
    return " ".join(map(str, output)) or NOTHING if isinstance(output, tuple) else str(output)


def _renamed(name: Any, symbols: list[str], spelled: list[tuple[Any, ...]]) -> Any:
    """The name of a weight of a tagger whose symbols and labels are numbers, with what the numbers stand for."""
    if isinstance(name, tuple):
        return tuple(_renamed(part, symbols, spelled) for part in name)
    if isinstance(name, int):
        return spelled[name]
    if not isinstance(name, str):
        return name
    place, equals, values = name.rpartition("=")
    return place + equals + "|".join(symbols[int(v)] if v.isdigit() else v for v in values.split("|"))


def _context_names(contexts: Contexts, symbols: list[Any]) -> list[tuple[int, tuple[Any, ...]]]:
    """Symbol in the middle and neighbours of each context."""
    view = contexts.view
    boundary = view.packed[2]
    found: list[tuple[int, int, tuple[Any, ...]]] = []
    before: tuple[Any, ...]
    for key in contexts.keys.tolist():
        parent, what = divmod(key, boundary + 1)
        if parent < contexts.n_roots:
            walk, middle = divmod(parent, view.n_symbols)
            place, before = walk - view.width, ()
        else:
            middle, place, before = found[parent - contexts.n_roots]
        if place == 0 and before:
            place = 1  # the middle is known
        name: Any = BOUNDARY if what == boundary else ("class", what - view.n_symbols)
        if what < view.n_symbols:
            name = symbols[what]
        found.append((middle, place + 1, (*before, (place, name))))
    return [(middle, neighbours) for middle, _, neighbours in found]
