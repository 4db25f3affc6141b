"""Files of shards: what is written is found again, in as many files as it takes, and can be let go."""

import errno
from pathlib import Path

import numpy as np
import pytest

from weft.errors import InputError
from weft.scale import shard_files
from weft.scale.shard_files import MappedFile, ShardWriter

RANDOM = np.random.default_rng(2)
SHARDS = [
    {"a": RANDOM.integers(9, size=n).astype(np.int32), "b": RANDOM.random(n), "none": np.empty(0), "c": np.arange(7)}
    for n in (20_000, 3, 50_001, 1)
]


def same(mapped, place, shard):
    found = mapped.arrays(place["begin"], place["end"])
    return found.keys() == shard.keys() and all(
        found[name].dtype == shard[name].dtype and np.array_equal(found[name], shard[name]) for name in shard
    )


@pytest.mark.parametrize("file_bytes", [1, 400_000, 2**30])
def test_shards_are_found_again_after_they_were_let_go(file_bytes, tmp_path, monkeypatch):
    monkeypatch.setattr(shard_files, "FILE_BYTES", file_bytes)
    writer = ShardWriter(tmp_path)
    places = [writer.append(shard) for shard in SHARDS]
    assert len(list(tmp_path.iterdir())) == {1: 4, 400_000: 2, 2**30: 1}[file_bytes]
    files = {place["file"]: MappedFile(tmp_path / place["file"]) for place in places}
    for _ in range(2):
        for place, shard in zip(places, SHARDS, strict=True):
            assert same(files[place["file"]], place, shard)
            files[place["file"]].let_go(place["begin"], place["end"])


def resident_bytes(path):
    """Bytes of a file that this process has in memory."""
    entries, own = Path("/proc/self/smaps").read_text().splitlines(), False
    total = 0
    for line in entries:
        if "-" in line.split()[0]:
            own = line.endswith(str(path))
        elif own and line.startswith("Rss:"):
            total += 1024 * int(line.split()[1])
    return total


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux says what is in memory")
def test_what_is_let_go_is_out_of_memory(tmp_path):
    place = ShardWriter(tmp_path).append({"x": np.ones(2**18)})
    mapped = MappedFile(tmp_path / place["file"])
    array = mapped.arrays(place["begin"], place["end"])["x"]
    assert array.sum() == 2**18
    assert resident_bytes(tmp_path / place["file"]) >= 2**21
    mapped.let_go(place["begin"], place["end"])
    assert resident_bytes(tmp_path / place["file"]) < shard_files.PAGE_BYTES
    assert array.sum() == 2**18


def test_a_file_that_was_cut_is_refused(tmp_path):
    place = ShardWriter(tmp_path).append(SHARDS[0])
    path = tmp_path / place["file"]
    whole = path.read_bytes()
    for size, said in ((0, "damaged"), (4, "damaged"), (place["end"] - 8, "damaged")):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=f"{said}; delete the folder of --spill"):
            MappedFile(path).arrays(place["begin"], place["end"])
    with pytest.raises(InputError, match="cut short; delete the folder of --spill"):
        MappedFile(path).arrays(place["begin"], place["end"] - 16)


def test_a_full_disk_is_said_in_one_line(tmp_path, monkeypatch):
    def full(*given):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(InputError, match="No space left on device; make room, or name another folder for --spill"):
        ShardWriter(tmp_path).append(SHARDS[0])
