"""Objects that look like sequences and are none, for tests: tables of other libraries, sets, and liars."""

from collections import UserDict

import numpy as np
import scipy.sparse


def stand_in(module, name, items, length=None, **methods):
    """An object of a class that seems to come from another library, which need not be installed."""
    body = {
        "__module__": module,
        "__iter__": lambda self: iter(items),
        "__len__": lambda self: len(items) if length is None else length,
        **{method: lambda self, answer=answer: answer for method, answer in methods.items()},
    }
    return type(name, (), body)()


class Liar:
    """Says that it has `length` items and gives others."""

    def __init__(self, items, length):
        self.items, self.length = items, length

    def __len__(self):
        return self.length

    def __iter__(self):
        return iter(self.items)

    def __getitem__(self, place):
        return self.items[place]


class LyingList(list):
    def __len__(self):
        return super().__len__() + 7


class LyingTuple(tuple):
    def __iter__(self):
        return iter(())


class LyingText(str):
    def __len__(self):
        return 9


class LyingArray(np.ndarray):
    def __len__(self):
        return 50


class Endless(Liar):
    def __init__(self, item="a", length=3):
        super().__init__([], length)
        self.item = item

    def __iter__(self):
        while True:
            yield self.item


class Failing(Liar):
    def __iter__(self):
        raise KeyError(0)


class Fading:
    """Gives its items once, and then none, as an iterator does; its length stays."""

    def __init__(self, items):
        self.items, self.length = list(items), len(items)

    def __len__(self):
        return self.length

    def __iter__(self):
        while self.items:
            yield self.items.pop(0)


def odd_sequences(items):
    """Name -> object that must not pass for the sequence of `items`."""
    items = list(items)
    n = len(items)
    return {
        "frame": stand_in("pandas.core.frame", "DataFrame", ["word"], n, to_numpy=np.zeros((n, 1))),
        "square frame": stand_in("pandas", "DataFrame", [f"c{i}" for i in range(n)]),
        "series": stand_in("pandas.core.series", "Series", items, tolist=items),
        "polars frame": stand_in("polars.dataframe.frame", "DataFrame", ["word"], n),
        "polars series": stand_in("polars.series.series", "Series", items, to_list=items),
        "lazy frame": stand_in("polars.lazyframe.frame", "LazyFrame", []),
        "arrow table": stand_in("pyarrow.lib", "Table", ["word"], n, to_pylist=[{}] * n),
        "arrow array": stand_in("pyarrow.lib", "StringArray", items, to_pylist=items),
        "data array": stand_in("xarray.core.dataarray", "DataArray", items),
        "tensor": stand_in("torch", "Tensor", items),
        "sparse": scipy.sparse.csr_array(np.eye(3)),
        "set": set(items),
        "frozenset": frozenset(items),
        "dict": dict.fromkeys(items, 1),
        "mapping": UserDict(dict.fromkeys(items, 1)),
        "generator": (item for item in items),
        "map": map(str, items),
        "bytes": b"ACGU",
        "bytearray": bytearray(b"ACGU"),
        "short": Liar(items[:1], n + 5),
        "long": Liar(items * 9, 1),
        "lying list": LyingList(items),
        "lying tuple": LyingTuple(items),
        "lying text": LyingText("ACGU"),
        "lying array": np.array(items).view(LyingArray),
        "endless": Endless(items[0], n),
        "failing": Failing(items, n),
        "masked": np.ma.array([1, 2, 3], mask=[0, 1, 0]),
        "structured": np.zeros(2, dtype=[("a", "U3"), ("b", "U3")]),
        "no dimension": np.array("a"),
        "number": 3,
        "nothing": None,
    }


def odd_containers(values):
    """Name -> object that must not pass for the list of all sequences in `values`."""
    n = len(values)
    return {
        "frame": stand_in("pandas.core.frame", "DataFrame", ["text"], n),
        "square frame": stand_in("pandas", "DataFrame", ["abc"] * n),
        "groups": stand_in("pandas.core.groupby", "DataFrameGroupBy", values),
        "polars frame": stand_in("polars.dataframe.frame", "DataFrame", ["text"], n),
        "lazy frame": stand_in("polars.lazyframe.frame", "LazyFrame", []),
        "arrow table": stand_in("pyarrow.lib", "Table", ["text"], n, to_pylist=[{}] * n),
        "data set": stand_in("xarray.core.dataset", "Dataset", ["abc"] * n),
        "tensor": stand_in("torch", "Tensor", values),
        "sparse": scipy.sparse.csr_array(np.eye(n)),
        "set": set(map(str, values)),
        "dict": dict(enumerate(values)),
        "mapping": UserDict({str(value): 1 for value in values}),
        "text": "ACGU",
        "bytes": b"ACGU",
        "short": Liar(values[:1], n + 3),
        "long": Liar(values * 5, 1),
        "lying list": LyingList(values),
        "lying tuple": LyingTuple(values),
        "failing": Failing(values, n),
        "no dimension": np.array("a"),
        "number": 3,
    }
