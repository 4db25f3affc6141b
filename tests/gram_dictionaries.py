"""Rows of grams by name."""


def as_dictionaries(mapped, rows):
    names = mapped.names()
    return [
        {names[j]: value for j, value in zip(row.indices, row.data, strict=True)}
        for row in (rows[[i]] for i in range(rows.shape[0]))
    ]
