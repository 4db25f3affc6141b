"""Settings that `--tune auto` compares: each documented change alone first, then several together."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from weft.errors import InputError
from weft.estimators.search_space import search_space
from weft.parameters import clone

if TYPE_CHECKING:
    from weft.kinds.base import Kind

TIMED = frozenset({"order", "context"})
"""Options whose values may take much longer than others."""
N_MERGED = 3
"""Of so many of the best changes all combinations are tried."""
N_DRAWS = 20
"""Draws for each setting that is wanted: small spaces have no more different ones."""


class Setting(NamedTuple):
    """What is different from the settings as they were given.

    Attributes
    ----------
    options : dict
        As they would be typed.
    parameters : dict
        The same for `set_params` of the estimator.
    void : frozenset of str
        Options that have no meaning beside it.
    resets : frozenset of str
        Options that it would set back: where one of them was given, it is not tried.
    """

    options: Mapping[str, Any]
    parameters: Mapping[str, Any]
    void: frozenset[str] = frozenset()
    resets: frozenset[str] = frozenset()

    def of(self, estimator: Any) -> Any:
        """A copy of the estimator with this setting."""
        # Parts are copied too: another setting may have the same part with another parameter.
        return clone(estimator).set_params(**clone(dict(self.parameters)))


AS_GIVEN = Setting({}, {})


def is_slow(setting: Setting) -> bool:
    """Whether it may take much longer than others, as another part or a larger structure does.

    Examples
    --------
    >>> is_slow(Setting({"order": 2}, {"order": 2})), is_slow(Setting({"c2": 0.1}, {"learner__c2": 0.1}))
    (True, False)
    """
    is_part = any(isinstance(value, list) or hasattr(value, "get_params") for value in setting.parameters.values())
    return is_part or not TIMED.isdisjoint(setting.options)


def changes_of(estimator: Any, options: Collection[str], given: Collection[str]) -> dict[str, tuple[str, list[Any]]]:
    """Parameters to try, each with the option that sets it and other values than it has; those given stay as they are.

    Examples
    --------
    >>> import weft
    >>> changes_of(weft.Aligner(learner=weft.Perceptron(5)), {"gamma", "max-iter"}, given={"gamma"})
    {'learner__max_iter': ('max-iter', [10, 20, 40])}
    """
    parameters = estimator.get_params(deep=True)
    found = {}
    for path, values in search_space(estimator).items():
        option = path.rsplit("__", 1)[-1].replace("_", "-")
        if option in options and option not in given:
            plain = [value for value in values if isinstance(value, bool | int | float | str)]  # None cannot be typed
            found[path] = (option, [value for value in plain if value != parameters[path]])
    return found


def documented(kind: Kind, options: Collection[str], given: Collection[str]) -> list[Setting]:
    """The settings as given, and each change alone: other parts, then other values of options.

    Of the values, the first of each option comes first, then the second of each: where time is short, every option has
    had its turn.

    Parameters
    ----------
    kind : Kind
        About to be trained.
    options : set of str
        Options of the command: only what they can say is tried.
    given : set of str
        Options that the user chose.
    """
    space = changes_of(kind.estimator, options, given)
    by_option = [
        [Setting({option: value}, {path: value}) for value in values] for path, (option, values) in space.items()
    ]
    alone = [each for row in zip_longest(*by_option) for each in row if each is not None]
    return _different([AS_GIVEN, *_wholes(kind, given), *alone])


def settings_to_try(
    kind: Kind, options: Collection[str], given: Collection[str], seed: int, number: int
) -> list[Setting]:
    """What is `documented`, then some of several changes, drawn at random until there are `number` settings."""
    found = documented(kind, options, given)
    bases = [AS_GIVEN, AS_GIVEN, *_wholes(kind, given)]
    spaces: dict[int, dict[str, tuple[str, list[Any]]]] = {}
    draw = random.Random(seed)
    for _ in range(N_DRAWS * number if len(found) > 1 else 0):
        if len(found) >= number:
            break
        place = draw.randrange(len(bases))
        base = bases[place]
        if place not in spaces:
            fixed = {*given, *base.void, *base.options}
            own = changes_of(base.of(kind.estimator), options, fixed)
            spaces[place] = {path: each for path, each in own.items() if each[1]}
        space = spaces[place]
        drawn = draw.sample(sorted(space), min(len(space), draw.choice((2, 2, 3))))
        found = _different(
            [*found, _changed(base, {path: (space[path][0], draw.choice(space[path][1])) for path in drawn})]
        )
    return found


def _wholes(kind: Kind, given: Collection[str]) -> list[Setting]:
    return [each for each in kind.recipe().wholes(kind) if not set(given) & {*each.void, *each.resets, *each.options}]


def merged(estimator: Any, best: Sequence[Setting]) -> list[Setting]:
    """The best changes together: all combinations of some that go together.

    Examples
    --------
    >>> import weft
    >>> first, second = Setting({"c2": 0.1}, {"learner__c2": 0.1}), Setting({"order": 2}, {"order": 2})
    >>> third = Setting({"c2": 1}, {"learner__c2": 1})
    >>> [each.options for each in merged(weft.Tagger(weft.CRF()), [first, second, third])]
    [{'c2': 0.1, 'order': 2}, {'order': 2, 'c2': 1}]
    """
    chosen = [each for each in best if each.options][:N_MERGED]
    found = []
    for size in range(2, len(chosen) + 1):
        for parts in combinations(chosen, size):
            together = _together(estimator, parts)
            if together is not None:
                found.append(together)
    return _different(found)


def _together(estimator: Any, parts: Iterable[Setting]) -> Setting | None:
    """Several changes at once, or None if they are about the same."""
    options: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    void: set[str] = set()
    for part in parts:
        if part.options.keys() & options.keys():
            return None
        options |= part.options
        parameters |= part.parameters
        void |= part.void
    if void & options.keys():
        return None
    setting = Setting(options, parameters, frozenset(void))
    try:
        setting.of(estimator)
    except InputError:
        return None
    return setting


def _changed(base: Setting, chosen: Mapping[str, tuple[str, Any]]) -> Setting:
    options = {**base.options, **dict(chosen.values())}
    parameters = {**base.parameters, **{path: value for path, (_, value) in chosen.items()}}
    return base._replace(options=options, parameters=parameters)


def _different(settings: Iterable[Setting]) -> list[Setting]:
    found: list[Setting] = []
    for each in settings:
        if all(each.options != other.options for other in found):
            found.append(each)
    return found
