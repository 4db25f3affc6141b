"""Parameter files: what they fill, and what is refused."""

import io

import numpy as np
import pytest

from rna_examples import parameter_text
from weft.errors import InputError
from weft.structures.rna.free_energies import published_tables
from weft.structures.rna.nearest_neighbours import energies_of
from weft.structures.rna.parameter_file import HEADER, SHAPES, read_parameter_file


def text(**sections):
    """A file with a number of its own in each section, and some sections in place of others."""
    lines = [HEADER, ""]
    for k, (name, shape) in enumerate(SHAPES.items()):
        lines += [f"# {name}", "/* a comment */"]
        lines += sections.get(name, [" ".join([str(100 * k)] * int(np.prod(shape)))])
        lines += ["", f"# {name}_enthalpies", "7 7 7"]
    lines += ["# Tetraloops", *sections.get("tetraloops", ["CGAAAG -300 -400"]), "# END", "what follows is not read"]
    return io.StringIO("\n".join(lines))


def test_every_table_is_filled():
    tables = read_parameter_file(text())
    for k, name in enumerate(SHAPES):
        if name not in ("ml_params", "ninio", "misc"):
            own = getattr(tables, name)
            assert (own == k).all()
    assert tables.int22.shape == (6, 6, 5, 5, 5, 5)
    assert tables.special == {"cgaaag": -3.0}


def test_single_numbers_words_and_internal_loops():
    tables = read_parameter_file(
        text(
            ml_params=["1 0 2 0 3 0"],
            ninio=["60 320 300"],
            misc=["410 360 50 370"],
            bulge=["INF DEF NST " + "5 " * 28],
        )
    )
    assert (tables.multi_base, tables.multi_close, tables.multi_branch) == (0.01, 0.02, 0.03)
    assert (tables.asymmetry, tables.most_asymmetry, tables.terminal_au) == (0.6, 3.0, 0.5)
    assert tables.lxc == pytest.approx(1.07856)
    assert tables.bulge[:4].tolist() == [1000.0, -0.5, 0.0, 0.05]
    renamed = io.StringIO(text().getvalue().replace("# interior", "# internal"))
    assert (read_parameter_file(renamed).interior == tables.interior).all()


def test_an_unknown_letter_has_the_largest_energy():
    numbers = np.zeros((6, 6, 4, 4, 4, 4))
    numbers[0, 0, 1, 1, 1, 1] = 250
    tables = read_parameter_file(text(int22=[" ".join(map(str, numbers.ravel()))]))
    assert tables.int22[0, 0, 0, 2, 2, 2] == tables.int22[0, 0, 0, 0, 0, 0] == 2.5
    assert tables.int22[0, 0, 0, 1, 2, 2] == 0.0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (io.StringIO(">RNA\nGGG"), "line 1: '>RNA' given; a file that begins"),
        (text(stack=["1 2 3"]), "line [0-9]+: section 'stack' has 3 numbers; 49 are needed"),
        (text(stack=["1 2 x"]), "line 5: 'x' given; a number"),
        (text(stack=["nan"]), "line 5: 'nan' given; an energy"),
        (text(tetraloops=["CGAAAA 3"]), "'CGAAAA 3' given; 6 letters"),
        (text(tetraloops=["CGAAG 3"]), "'CGAAG 3' given; 6 letters"),
        (text(tetraloops=["CGAAAG"]), "'CGAAAG' given; 6 letters"),
    ],
)
def test_what_cannot_be_meant_is_refused(source, message):
    with pytest.raises(InputError, match=message):
        read_parameter_file(source)


def test_too_many_hairpins():
    from itertools import product

    lines = [f"C{''.join(own)}G 100" for own in product("ACGU", repeat=4)][:201]
    with pytest.raises(InputError, match="201 hairpins with an energy of their own"):
        read_parameter_file(text(tetraloops=lines))


def test_what_is_written_is_read():
    tables = published_tables()
    found = energies_of(read_parameter_file(io.StringIO(parameter_text(tables))))
    np.testing.assert_allclose(found.values, energies_of(tables).values, atol=1e-4)
    np.testing.assert_array_equal(found.codes, energies_of(tables).codes)
