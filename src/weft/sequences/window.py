r"""Window features: what stands around a token, as attribute names.

Every name says what it describes before it says the value, so that no two attributes share a name:

===================  ==========================================================================
``0[-1]=the``        column 0 of the token before is ``the``
``1[-1:0]=DT|NN``    column 1 reads ``DT NN`` from the token before to this one
``1[-1]0[0]=DT|cat`` column 1 of the token before is ``DT`` and column 0 of this one is ``cat``
``0[2]=\end``        the sequence ends before the second token after this one; ``\start`` likewise
``prefix=un``        the token begins with ``un``; ``suffix=`` likewise
``suffix2[-1]=ed``   the last two characters of the token before are ``ed``
``lower=un``         the token in lower case; ``lower[-1]=``, ``lower[-1:0]=`` of the window
``shape[0]=Xx-d``    its letters, digits and other characters, runs shortened to one
``class[0]=17``      its class, as `WordClasses` has found it; ``\rare`` if it is not known
``class4[0]=0110``   the first four steps to its class in the tree of classes
===================  ==========================================================================

A backslash or a bar inside a token is written with a backslash before it, which keeps ``|`` and the two
boundary symbols apart from everything that a token can hold.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, chain, combinations, product
from typing import Any

import numpy as np

from weft.annotations import Inputs
from weft.errors import InputError
from weft.parameters import Parameters, Transformer
from weft.parameters.fitted import is_fitted
from weft.sequences.checks import as_sequences, each_sequence
from weft.sequences.word_classes import RARE, WordClasses

START, END = "\\start", "\\end"
SEPARATOR = "|"
NEIGHBOUR_SUFFIXES = (2, 3)
FARTHEST = 1000
"""Tokens of a window on either side, columns or letters: more of them are more names than fit into memory."""
"""Lengths of suffixes of direct neighbours, as far as `affixes` goes: others do not pay."""

FORMS = "strings, lists of tokens, or lists of rows of columns such as [word, part of speech]"


class WindowFeatures(Transformer, Parameters):
    r"""Describes each token by itself and its neighbours, as a list of attributes.

    Parameters
    ----------
    width : int
        Neighbours on each side: 2 takes the positions -2 to +2 of every column.
    ngrams : int or list of int
        Longest run of adjacent positions of a column that becomes one attribute, if it lies in the window and
        touches the token itself; 1 for none. A list gives one number for each column.
    joined : int
        Of tokens with several columns, longest run of adjacent positions, each by any column but not all by the same,
        that becomes one attribute, such as a word after a part of speech; 1 joins two columns of the token itself, 0 is
        for none. Runs lie in the window and touch the token.
    affixes : int
        Longest prefix and suffix of the token (its first column); 0 for none. From 2 on also suffixes of two and three
        characters of its direct neighbours.
    shape : bool
        Two columns more: the tokens in lower case, and their shapes (capitals, digits, punctuation).
    lower : bool
        Read the first column in lower case alone: in the window, in its runs and in prefixes and suffixes. Only the
        token itself, and what `joined` joins, is told as it was written too.
    classes : WordClasses, optional
        Fitted on text of the same kind: the classes of the tokens in the window are told too, without runs.
    class_prefixes : list of int
        With `classes`: lengths of beginnings of their paths that are told too, such as ``[4, 6, 10]``: classes that
        are alike share them, so that what is learned of one helps with the other. Runs are as of the first column.

    Examples
    --------
    >>> WindowFeatures(width=1).transform([["the", "cat"]])
    [[('0[-1]=\\start', '0[0]=the', '0[1]=cat', '0[-1:0]=\\start|the', '0[0:1]=the|cat'),
      ('0[-1]=the', '0[0]=cat', '0[1]=\\end', '0[-1:0]=the|cat', '0[0:1]=cat|\\end')]]
    >>> WindowFeatures(width=0, affixes=2, shape=True).transform([["U2"]])
    [[('0[0]=U2', 'shape[0]=Xd', 'prefix=U', 'prefix=U2', 'suffix=2', 'suffix=U2', 'lower=u2')]]
    >>> WindowFeatures(width=0, affixes=2, shape=True, lower=True).transform([["U2"]])
    [[('0[0]=U2', 'lower[0]=u2', 'shape[0]=Xd', 'prefix=u', 'prefix=u2', 'suffix=2', 'suffix=u2')]]
    >>> WindowFeatures(1, 1, joined=2).transform([[["the", "DT"], ["cat", "NN"]]])[0][1][6:]
    ('0[0]1[0]=cat|NN', '0[-1]1[0]=the|NN', '1[-1]0[0]=DT|cat', '0[0]1[1]=cat|\\end', '1[0]0[1]=NN|\\end')
    """

    def __init__(
        self,
        width: int = 2,
        ngrams: int | Sequence[int] = 2,
        *,
        joined: int = 0,
        affixes: int = 0,
        shape: bool = False,
        lower: bool = False,
        classes: WordClasses | None = None,
        class_prefixes: Sequence[int] = (),
    ) -> None:
        self.width = width
        self.ngrams = ngrams
        self.joined = joined
        self.affixes = affixes
        self.shape = shape
        self.lower = lower
        self.classes = classes
        self.class_prefixes = class_prefixes

    @classmethod
    def suited_to(cls, X: Inputs) -> WindowFeatures:
        """The template that `weft train tag` takes for such tokens: one for words, one for single characters.

        Parameters
        ----------
        X : list of sequences
            As for `transform`; training data, of which any part will do.

        Returns
        -------
        WindowFeatures

        Examples
        --------
        >>> WindowFeatures.suited_to([["the", "cat"]])
        WindowFeatures(affixes=5, lower=True, shape=True)
        >>> WindowFeatures.suited_to(["cat"])
        WindowFeatures(ngrams=4, width=4)
        """
        columns = _columns([_plain(sequence) for sequence in as_sequences(X, "X")])
        if len(columns) == 1 and all(len(token) == 1 for token in columns[0]):
            return cls(4, 4)  # letters say little one by one
        return cls(2, 2, affixes=5, shape=True, lower=True)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Inputs, y: object = None) -> WindowFeatures:
        """Do nothing: a window has nothing to learn."""
        return self

    def transform(self, X: Inputs) -> list[list[tuple[str, ...]]]:
        """Attributes of every token of every sequence.

        Parameters
        ----------
        X : list of sequences
            Strings, lists of tokens, or lists of rows of columns such as ``[word, part of speech]``.

        Returns
        -------
        list of lists of tuples of str
        """
        sequences = [_plain(sequence) for sequence in as_sequences(X, "X")]
        columns = _columns(sequences)
        lengths = self._checked_ngrams(len(columns))
        ends = list(accumulate(map(len, sequences)))
        begins = [0, *ends[:-1]]
        attributes: list[list[str]] = []
        escaped = list(map(_escaped, columns))
        words = list(map(_Memory(str.lower).__getitem__, columns[0])) if self.lower else columns[0]
        for number, (column, longest) in enumerate(zip(escaped, lengths, strict=True)):
            if self.lower and number == 0:
                attributes.append(_named("0[0]=", column))
                attributes += self._column_attributes("lower", _escaped(words), longest, begins, ends)
            else:
                attributes += self._column_attributes(f"{number}", column, longest, begins, ends)
        attributes += self._joined_attributes(escaped, begins, ends)
        if self.classes is not None:
            for length in (None, *self.class_prefixes):
                known = self.classes.names(length)
                values = [known.get(token, RARE) for token in columns[0]]
                # Runs of classes do not pay, those of larger ones do.
                name, longest = ("class", 1) if length is None else (f"class{length}", lengths[0])
                attributes += self._column_attributes(name, values, longest, begins, ends)
        if self.shape:
            shapes = _changed(_shape, columns[0])
            attributes += self._column_attributes("shape", shapes, lengths[0], begins, ends)
            if not self.lower:
                around = self._column_attributes("lower", _changed(str.lower, words), lengths[0], begins, ends)
                attributes += [*around[: self.width], *around[self.width + 1 :]]  # the token itself has a shorter name
        for length in NEIGHBOUR_SUFFIXES if self.width else ():
            if length <= self.affixes:
                values = _changed(partial(_ending, length=length), words)
                for offset in (-1, 1):
                    attributes.append(_named(f"suffix{length}[{offset}]=", _shifted(values, offset, begins, ends)))
        rows: list[tuple[str, ...]] = list(zip(*attributes, strict=True))
        if self.affixes or self.shape:
            rows = list(map(operator.add, rows, map(_Memory(self._own_attributes).__getitem__, columns[0])))
        return [rows[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def _checked_ngrams(self, n_columns: int) -> list[int]:
        """Check the parameters; longest n-gram of each column."""
        for name, smallest in (("width", 0), ("joined", 0), ("affixes", 0)):
            _whole(name, getattr(self, name), smallest)
        if self.joined and n_columns == 1:
            raise InputError(
                f"joined of WindowFeatures is {self.joined} but the tokens have 1 column; give rows of several columns "
                "such as [word, part of speech], or 0."
            )
        for name in ("shape", "lower"):
            if not isinstance(value := getattr(self, name), bool | np.bool_):
                raise InputError(f"{name} of WindowFeatures is {value!r}; use True or False.")
        classes: Any = self.classes
        if classes is not None and not (isinstance(classes, WordClasses) and is_fitted(classes)):
            raise InputError(
                f"classes of WindowFeatures is {classes!r}; fitted ones are needed, such as "
                "weft.WordClasses().fit(sentences), or None."
            )
        self._check_prefixes()
        if isinstance(self.ngrams, list | tuple):
            if len(self.ngrams) != n_columns:
                raise InputError(
                    f"ngrams of WindowFeatures has {len(self.ngrams)} numbers but the tokens have {n_columns} "
                    "column(s); give one number for each column, or one for all."
                )
            return [_whole("ngrams", number, 1) for number in self.ngrams]
        return [_whole("ngrams", self.ngrams, 1)] * n_columns

    def _check_prefixes(self) -> None:
        prefixes: Any = self.class_prefixes
        is_list = isinstance(prefixes, list | tuple)
        if not is_list or len(set(map(_length_of_prefix, prefixes))) < len(prefixes):
            raise InputError(f"class_prefixes of WindowFeatures is {prefixes!r:.60}; give lengths such as [4, 6, 10].")
        if prefixes and self.classes is None:
            raise InputError("class_prefixes of WindowFeatures is given without classes; give both, or neither.")

    def _column_attributes(
        self, name: str, values: list[str], longest: int, begins: list[int], ends: list[int]
    ) -> list[list[str]]:
        """One list over all tokens for each position and each n-gram of one column."""
        window = range(-self.width, self.width + 1)
        shifted = {offset: _shifted(values, offset, begins, ends) for offset in window}
        attributes = [_named(f"{name}[{offset}]=", shifted[offset]) for offset in window]
        for length in range(2, longest + 1):
            for first in _firsts(length, self.width):
                last = first + length - 1
                parts = [shifted[offset] for offset in range(first, last + 1)]
                joined = map(SEPARATOR.join, zip(*parts, strict=True))
                attributes.append(_named(f"{name}[{first}:{last}]=", joined))
        return attributes

    def _joined_attributes(self, columns: list[list[str]], begins: list[int], ends: list[int]) -> list[list[str]]:
        """One list over all tokens for each run of positions of different columns."""
        reach = min(self.width, max(self.joined - 1, 0))
        shifted = {
            (number, offset): _shifted(column, offset, begins, ends)
            for offset in range(-reach, reach + 1)
            for number, column in enumerate(columns)
        }
        attributes = []
        for places in _joined_places(len(columns), self.joined, self.width):
            name = "".join(f"{number}[{offset}]" for number, offset in places)
            values = map(SEPARATOR.join, zip(*map(shifted.__getitem__, places), strict=True))
            attributes.append(_named(f"{name}=", values))
        return attributes

    def _own_attributes(self, token: str) -> tuple[str, ...]:
        """Attributes that depend on the token alone, however many they are."""
        lower = token.lower()
        read = lower if self.lower else token
        lengths = range(1, min(self.affixes, len(read)) + 1)
        prefixes = [f"prefix={read[:length]}" for length in lengths]
        suffixes = [f"suffix={read[-length:]}" for length in lengths]
        return (*prefixes, *suffixes, *([f"lower={lower}"] if self.shape and not self.lower else []))


def _joined_places(n_columns: int, longest: int, width: int) -> list[tuple[tuple[int, int], ...]]:
    """Columns and offsets of each joined attribute: those of the token itself in pairs, then runs by their lengths.

    Examples
    --------
    >>> _joined_places(2, 2, 1)
    [((0, 0), (1, 0)), ((0, -1), (1, 0)), ((1, -1), (0, 0)), ((0, 0), (1, 1)), ((1, 0), (0, 1))]
    """
    found = [((one, 0), (other, 0)) for one, other in combinations(range(n_columns), 2)] if longest else []
    return found + [
        tuple(zip(numbers, range(first, first + length), strict=True))
        for length in range(2, longest + 1)
        for first in _firsts(length, width)
        for numbers in product(range(n_columns), repeat=length)
        if len(set(numbers)) > 1
    ]


def _firsts(length: int, width: int) -> range:
    """Where runs of a length begin that lie in the window and touch the token."""
    return range(max(1 - length, -width), min(0, width - length + 1) + 1)


class _Memory(dict[str, Any]):
    """Results of a function of a string, each computed once: words repeat."""

    def __init__(self, function: Callable[[str], Any]) -> None:
        self._function = function

    def __missing__(self, key: str) -> Any:
        value = self[key] = self._function(key)
        return value


def _whole(name: str, value: Any, smallest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < smallest:
        raise InputError(f"{name} of WindowFeatures is {value!r}; a whole number of at least {smallest} is needed.")
    if value > FARTHEST:
        raise InputError(f"{name} of WindowFeatures is {value!r:.30}; at most {FARTHEST} is possible.")
    return int(value)


def _length_of_prefix(value: Any) -> int:
    return _whole("class_prefixes", value, 1)


def _plain(sequence: Any) -> Any:
    return sequence.tolist() if isinstance(sequence, np.ndarray) else sequence


def _columns(sequences: list[Any]) -> list[list[str]]:
    """Each column of all tokens, one sequence after the other."""
    tokens = list(chain.from_iterable(sequences))
    kinds = set(map(type, tokens))
    if any(kind not in (list, tuple) and issubclass(kind, list | tuple) for kind in kinds):
        tokens = each_sequence(tokens, "a row of X")
        kinds = set(map(type, tokens))
    if all(issubclass(kind, str) for kind in kinds):
        return [tokens]
    if all(issubclass(kind, list | tuple) for kind in kinds) and len(widths := set(map(len, tokens))) == 1:
        columns = [list(column) for column in zip(*tokens, strict=True)]
        if 0 not in widths and all(issubclass(kind, str) for column in columns for kind in set(map(type, column))):
            return columns
    raise _explained(sequences)


def _explained(sequences: list[Any]) -> InputError:
    """Find the first token that cannot be used, and say why."""
    first = sequences[0][0]
    for index, sequence in enumerate(sequences):
        for position, token in enumerate(sequence):
            where = f"X[{index}][{position}]"
            if isinstance(token, str) and isinstance(first, str):
                continue
            if not isinstance(token, str | list | tuple):
                return InputError(f"{where} is a {type(token).__name__}; WindowFeatures takes {FORMS}.")
            if isinstance(token, str) != isinstance(first, str):
                return InputError(f"{where} and X[0][0] have different forms; WindowFeatures takes {FORMS}.")
            if len(token) != len(first):
                return InputError(f"{where} has {len(token)} column(s), X[0][0] has {len(first)}; give each as many.")
            for column, value in enumerate(token):
                if not isinstance(value, str):
                    return InputError(
                        f"{where}[{column}] is a {type(value).__name__}; columns hold strings, convert it with str()."
                    )
    return InputError(f"the tokens have no columns; WindowFeatures takes {FORMS}.")


def escape(value: str) -> str:
    r"""A value as names have it.

    Examples
    --------
    >>> print(escape("a|b"))
    a\|b
    """
    return value.replace("\\", "\\\\").replace(SEPARATOR, "\\" + SEPARATOR)


def _escaped(values: list[str]) -> list[str]:
    return list(map(_Memory(escape).__getitem__, values))


def _changed(change: Callable[[str], str], values: list[str]) -> list[str]:
    """What a function makes of each value, with its backslashes and bars marked."""
    return list(map(_Memory(lambda value: escape(change(value))).__getitem__, values))


def _shifted(values: list[str], offset: int, begins: list[int], ends: list[int]) -> list[str]:
    """For each token the value `offset` tokens further on, or a boundary symbol beyond its sequence."""
    if offset == 0:
        return values
    reach = min(abs(offset), len(values))
    if offset < 0:
        shifted = [START] * reach + values[: len(values) - reach]
        for begin, end in zip(begins, ends, strict=True):
            for place in range(begin, min(begin + reach, end)):
                shifted[place] = START
    else:
        shifted = values[reach:] + [END] * reach
        for begin, end in zip(begins, ends, strict=True):
            for place in range(max(end - reach, begin), end):
                shifted[place] = END
    return shifted


def _ending(token: str, length: int) -> str:
    return token[-length:]


def _named(name: str, values: Any) -> list[str]:
    """Put a name before each value; equal attributes are one object, which saves memory and hashing."""
    return list(map(_Memory(name.__add__).__getitem__, values))


def _shape(token: str) -> str:
    """Upper-case letters as X, other letters as x, digits as d, and runs of any character shortened to one."""
    classes = ("X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in token)
    return re.sub(r"(.)\1+", r"\1", "".join(classes), flags=re.DOTALL)
