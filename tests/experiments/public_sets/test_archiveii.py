"""The ArchiveII experiment: families without leaks, and a small run on the real data."""

import gzip

import pytest

from weft.errors import InputError
from weft.experiments.public_sets import archiveii
from weft.experiments.public_sets.rfam_structures import published_structures
from weft.experiments.registry import run_experiment

ROW = "GGGGG.CCCAAA-AGGGACCCCC.AAAAAAAAAAAA"
FOLD = "<<<<<.(((_____)))A>>>>>.aaaa........"


def seeds(tmp_path, *families):
    path = tmp_path / "seed.gz"
    records = [
        f"# STOCKHOLM 1.0\n#=GF AC   {accession}\n#=GF ID   {name}\n#=GF DE   {about}\n#=GF SS   {source}\n\n"
        f"one {row}\n#=GC SS_cons {fold}\n//\n"
        for accession, name, about, source, row, fold in families
    ]
    path.write_bytes(gzip.compress("".join(records).encode("latin-1")))
    return path


def test_published_structures_of_other_families(tmp_path):
    path = seeds(
        tmp_path,
        ("RF1", "MicroX", "small RNA", "Published; PMID:1", ROW, FOLD),
        ("RF2", "tRNA-Sec", "transfer", "Published; PMID:1", ROW, FOLD),
        ("RF3", "X", "Signal recognition particle (signal recognition)", "Published; PMID:1", ROW, FOLD),
        ("RF4", "Y", "guess", "Predicted; RNAalifold", ROW, FOLD),
        ("RF5", "Z", "unknown letters", "Published; PMID:1", ROW.replace("A", "N"), FOLD),
        ("RF6", "W", "pairs that do not fit", "Published; PMID:1", ROW.replace("C", "A"), FOLD),
    )
    [family] = published_structures(path, max_length=40)
    assert family.accession == "RF1"
    assert family.sequence == ROW.replace(".", "").replace("-", "")
    assert family.structure == "(((((" + "(((...." + ")))" + "." + ")))))" + "." * 12
    assert family.clan == "RF1"
    assert published_structures(path, max_length=40, n_each=3) == [family]  # there is one
    assert published_structures(path, max_length=20) == []
    with pytest.raises(InputError, match="without '#=GF AC'"):
        published_structures(seeds(tmp_path, ("", "", "", "", ROW, FOLD)))


def test_f1_counts_exact_pairs_in_percent():
    assert archiveii.f1({(0, 5), (1, 4)}, [(0, 5)]) == pytest.approx(200 / 3)
    assert (archiveii.f1({(0, 5)}, []), archiveii.f1([], [])) == (0.0, 100.0)


def test_settings_are_chosen_on_the_other_families():
    weak, strong = (1.0, 2.0), (9.0, 2.0)
    scores = {
        weak: {"5s": [90.0], "srp": [10.0], "tRNA": [10.0]},
        strong: {"5s": [10.0], "srp": [20.0], "tRNA": [20.0]},
    }
    assert archiveii.choose(scores, "5s", scores) == strong
    assert archiveii.choose(scores, "srp", scores) == weak


@pytest.mark.slow
@pytest.mark.needs_data("rna_archiveii", "rna_rfam")
def test_quick_run():
    report = run_experiment("archiveii", quick=True)
    assert {"G6", archiveii.MOST_PROBABLE, archiveii.MOST_ACCURATE} <= set(report.methods)
    assert report.settings[-1] == "mean of families"
    assert 30 < report.find("mean of families", archiveii.MOST_ACCURATE).mean < 90
