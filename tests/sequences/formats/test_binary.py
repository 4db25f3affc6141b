"""Files that are no text: readers say what they are; each is made by the library that writes such files."""

import bz2
import gzip
import io
import lzma
import pickle
import sqlite3
import tarfile
import zipfile

import numpy as np
import pytest

from weft.checkpoint import write_array_file
from weft.errors import InputError
from weft.sequences.formats import read_lines
from weft.sequences.formats.binary import is_model

TEXT = b"Rain\tNN\nfell\tVBD\n" * 40


def model(path):
    write_array_file(path, {"format": "weft"}, {"weights": np.linspace(-1, 1, 50)})


def array(path):
    with path.open("wb") as stream:
        np.save(stream, np.arange(300.0))


def tar(path):
    (path.parent / "member.txt").write_bytes(TEXT)
    with tarfile.open(path, "w") as archive:
        archive.add(path.parent / "member.txt", "member.txt")


def zipped(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("member.txt", TEXT)


def database(path):
    connection = sqlite3.connect(path)
    connection.execute("create table t (x)")
    connection.commit()
    connection.close()


def picture(suffix):
    def save(path):
        from matplotlib.figure import Figure

        Figure((1, 1)).savefig(path, format=suffix)

    return save


MAKERS = {
    "a model file": model,
    "a tar archive": tar,
    "a zip file": zipped,
    "an SQLite database": database,
    "a PNG image": picture("png"),
    "a PDF": picture("pdf"),
    "a gzip file": lambda path: path.write_bytes(gzip.compress(gzip.compress(TEXT))),
    "a bzip2 file": lambda path: path.write_bytes(bz2.compress(TEXT)),
    "an xz file": lambda path: path.write_bytes(lzma.compress(TEXT)),
    "a NumPy array": array,
    "a Python pickle": lambda path: path.write_bytes(pickle.dumps(np.arange(300.0))),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_binary_file_is_named_and_not_sent_to_iconv(tmp_path, kind):
    path = tmp_path / "data"
    MAKERS[kind](path)
    with pytest.raises(InputError, match=f"data, line .*looks like {kind}") as error:
        list(read_lines(path))
    assert "iconv" not in str(error.value)
    assert is_model(path) == (kind == "a model file")


@pytest.mark.parametrize("content", [bytes(range(256)), b"\x01\x02\xf0\xff", b"some\0text\n"])
def test_unknown_bytes_are_a_binary_file(content):
    with pytest.raises(InputError, match=r"looks like a binary file.*give a text file"):
        list(read_lines(io.BytesIO(content)))


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-16LE", "UTF-16BE"])
def test_wide_text_is_sent_to_iconv_with_its_encoding(encoding):
    with pytest.raises(InputError, match=f"iconv -f {encoding} -t UTF-8"):
        list(read_lines(io.BytesIO("Rain fell\n".encode(encoding))))
