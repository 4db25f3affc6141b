"""Small RNA structures and their parts."""

import numpy as np

from weft.losses import base_pairs
from weft.structures.rna.parameter_file import HEADER, SHAPES, SPECIAL


def as_pairs(structure):
    return np.array(sorted(base_pairs(structure)), dtype=np.int32).reshape(-1, 2)


def parameter_text(tables):
    """Tables as a parameter file, rounded to 0.01 kcal/mol."""

    def padded(table, n_pairs):
        """The table with a row for pairs of other letters."""
        return np.pad(table, [(0, 1)] * n_pairs + [(0, 0)] * (table.ndim - n_pairs))

    sections = {
        "stack": padded(tables.stack, 2),
        **{name: padded(getattr(tables, name), 1) for name in SHAPES if name.startswith(("mismatch", "dangle"))},
        "int11": padded(tables.int11, 2),
        "int21": padded(tables.int21, 2),
        "int22": tables.int22[:, :, 1:, 1:, 1:, 1:],
        **{name: getattr(tables, name) for name in ("hairpin", "bulge", "interior")},
        "ml_params": np.array([tables.multi_base, 0, tables.multi_close, 0, tables.multi_branch, 0]),
        "ninio": np.array([tables.asymmetry, 0, tables.most_asymmetry]),
        "misc": np.array([0, 0, tables.terminal_au, 0, tables.lxc, 0]),
    }
    lines = [HEADER]
    for name, table in sections.items():
        lines += [f"# {name}", " ".join(f"{100 * number:.3f}" for number in table.ravel())]
    for name, length in SPECIAL.items():
        lines += [
            f"# {name}",
            *(f"{own} {100 * tables.special[own]:.0f}" for own in tables.special if len(own) == length),
        ]
    return "\n".join([*lines, "# END"])
