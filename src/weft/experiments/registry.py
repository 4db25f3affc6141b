"""Which experiments there are. A new one adds a line here and a module with a function `run`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import InputError
from weft.experiments.kept_parts import keeping
from weft.experiments.run_settings import command_of, run_settings

if TYPE_CHECKING:
    from weft.experiments.report import Report


@dataclass(frozen=True)
class Experiment:
    """Where an experiment is defined, and what it shows.

    Attributes
    ----------
    module : str
        Has ``run(quick, n_replicates, seed, progress) -> Report``; another name follows a colon.
    description : str
    data : tuple of str
        Public data sets that it needs.
    """

    module: str
    description: str
    data: tuple[str, ...] = ()


EXPERIMENTS = {
    "accuracy": Experiment(
        "weft.experiments.accuracy.rows",
        "public sets of every kind of task, beside a peer in the same run and the best published values",
        (
            "conll2000",
            "conll2002_es",
            "nettalk",
            "fastsk",
            "reuters21578",
            "g2p_sigmorphon2021",
            "inflection_sigmorphon2017",
            "protein_prefab4",
            "rna_rfam",
            "rna_archiveii",
        ),
    ),
    "accuracy-tag": Experiment(
        "weft.experiments.accuracy.rows:run_tag",
        "its rows on tagging: chunks, entities, phonemes, parts of speech",
        ("conll2000", "conll2002_es", "nettalk", "reuters21578"),
    ),
    "accuracy-classify": Experiment(
        "weft.experiments.accuracy.rows:run_classify",
        "its rows on classifying: binding sites in DNA, families of proteins, news",
        ("fastsk", "reuters21578"),
    ),
    "accuracy-rewrite": Experiment(
        "weft.experiments.accuracy.rows:run_rewrite",
        "its rows on rewriting: sounds of 20 languages by effort, forms of one, and whether confidence is honest",
        ("g2p_sigmorphon2021", "inflection_sigmorphon2017"),
    ),
    "accuracy-align": Experiment(
        "weft.experiments.accuracy.rows:run_align",
        "its rows on aligning: pairs of proteins, some of them left out",
        ("protein_prefab4",),
    ),
    "accuracy-fold": Experiment(
        "weft.experiments.accuracy.rows:run_fold",
        "its rows on folding: RNA of families that were not trained on",
        ("rna_rfam", "rna_archiveii"),
    ),
    "hmm": Experiment(
        "weft.experiments.moments.hmm", "labelling errors under label noise on two HMMs (Magic Moments 5.2 and 5.4)"
    ),
    "hmm-random": Experiment("weft.experiments.moments.random_hmm", "the same on random HMMs, none of them picked"),
    "hmm-size": Experiment(
        "weft.experiments.moments.hmm_curves:run_size", "learning curve and training time (Magic Moments, Figure 5)"
    ),
    "hmm-sampled": Experiment(
        "weft.experiments.moments.hmm_curves:run_sampled",
        "exact and sampled moments, growing alphabet (Magic Moments, Figure 6)",
    ),
    "hmm-constraints": Experiment(
        "weft.experiments.moments.constraints_needed",
        "constraints until a hidden sequence comes back (Magic Moments, Figure 7)",
    ),
    "ner": Experiment(
        "weft.experiments.moments.ner",
        "named entities in Spanish news, 300 and 1,500 sentences (Magic Moments, Tables 3 and 4)",
        ("conll2002_es",),
    ),
    "alignment-size": Experiment(
        "weft.experiments.moments.alignment_size",
        "alignments learned from 1 to 500 pairs, and the learned matrix (Magic Moments, Table 5 and Figure 8)",
    ),
    "rfam": Experiment(
        "weft.experiments.moments.rfam", "base pairs of five RNA families by G6 (Magic Moments, Table 7)", ("rna_rfam",)
    ),
    "prefab": Experiment(
        "weft.experiments.public_sets.prefab",
        "pairs of proteins: learned scores beside BLOSUM62 with tuned gaps",
        ("protein_prefab4",),
    ),
    "archiveii": Experiment(
        "weft.experiments.public_sets.archiveii",
        "structures of RNA families that were not trained on, beside ViennaRNA",
        ("rna_archiveii", "rna_rfam"),
    ),
    "nettalk-size": Experiment(
        "weft.experiments.spectral.nettalk:run_sizes",
        "spectral taggers against training size (SP, Figure 1)",
        ("nettalk",),
    ),
    "nettalk-path": Experiment(
        "weft.experiments.spectral.nettalk:run_path", "strength of the spectral penalty (SP, Figure 2)", ("nettalk",)
    ),
    "steps": Experiment(
        "weft.experiments.moments.steps",
        "from moment learners to the CRF, step by step",
        ("conll2000", "conll2002_es"),
    ),
    "sigmorphon": Experiment(
        "weft.experiments.public_sets.sigmorphon",
        "pronunciation in 20 languages beside the baseline of SIGMORPHON 2021",
        ("g2p_sigmorphon2021",),
    ),
    "sigmorphon-low": Experiment(
        "weft.experiments.public_sets.sigmorphon:run_low",
        "its ten languages with 800 words only",
        ("g2p_sigmorphon2021",),
    ),
    "sigmorphon-medium": Experiment(
        "weft.experiments.public_sets.sigmorphon:run_medium",
        "its ten languages with 8,000 words only",
        ("g2p_sigmorphon2021",),
    ),
    "sigmorphon-high": Experiment(
        "weft.experiments.public_sets.sigmorphon:run_high",
        "its American English, 33,344 words",
        ("g2p_sigmorphon2021",),
    ),
    "inflection": Experiment(
        "weft.experiments.public_sets.inflection",
        "forms of lemmas in nine languages beside the rule baseline of CoNLL-SIGMORPHON 2017",
        ("inflection_sigmorphon2017",),
    ),
    "inflection-low": Experiment(
        "weft.experiments.public_sets.inflection:run_low",
        "the same with 100 forms to train",
        ("inflection_sigmorphon2017",),
    ),
    "inflection-medium": Experiment(
        "weft.experiments.public_sets.inflection:run_medium",
        "the same with 1,000 forms to train",
        ("inflection_sigmorphon2017",),
    ),
    "nettalk-rewriting": Experiment(
        "weft.experiments.public_sets.nettalk_rewriting",
        "letters to phonemes with the alignment learned, beside CRFsuite with the alignment given",
        ("nettalk",),
    ),
    "lattice-kernels": Experiment(
        "weft.experiments.lattices.lattice_kernels",
        "training times and sizes on Reuters-21578 (Lattice kernels, Tables 4 and 5), and test F1",
        ("reuters21578",),
    ),
    "storage-growth": Experiment(
        "weft.experiments.lattices.storage_growth",
        "how the costs of a sum, a trie and a minimal automaton grow (Lattice kernels, Table 3)",
    ),
    "string-classification": Experiment(
        "weft.experiments.lattices.string_classification",
        "news, binding sites and proteins put into classes, beside FastSK",
        ("reuters21578", "fastsk"),
    ),
    "protein-kernels": Experiment(
        "weft.experiments.accuracy.protein_kernels",
        "which kernel finds remote families of proteins, within training data",
        ("fastsk",),
    ),
    "ocr-lattices": Experiment(
        "weft.experiments.lattices.ocr_lattices",
        "handwritten words: lattices of letters against the best string",
        ("ocr_letters",),
    ),
    "ocr-segmented": Experiment(
        "weft.experiments.regression.ocr_segmented",
        "handwritten words, letter by letter: ridge, constraints, Viterbi (regression to strings, Table 1.1)",
        ("ocr_letters",),
    ),
    "ocr-unsegmented": Experiment(
        "weft.experiments.regression.ocr_unsegmented",
        "handwritten words without segmentation: Euler paths and nearest strings (regression to strings, 1.7.3)",
        ("ocr_letters",),
    ),
    "ocr-basis": Experiment(
        "weft.experiments.regression.basis_functions",
        "letters: test error against the number of basis functions (RG, Figure 1.7)",
        ("ocr_letters",),
    ),
    "kde-strings": Experiment(
        "weft.experiments.dependency.kde_strings",
        "random strings of three classes to strings (kernel dependency estimation)",
    ),
    "kde-classes": Experiment(
        "weft.experiments.dependency.kde_digits:run_classes",
        "USPS digits, 200 to train (kernel dependency estimation)",
        ("usps",),
    ),
    "kde-halves": Experiment(
        "weft.experiments.dependency.kde_digits:run_halves",
        "lower halves of USPS digits from upper halves (kernel dependency estimation), with a picture",
        ("usps",),
    ),
}


def run_experiment(
    name: str,
    *,
    quick: bool = False,
    n_replicates: int | None = None,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    folder: Path | None = None,
    again: bool = False,
) -> Report:
    """Run an experiment by name.

    Parameters
    ----------
    name : str
        One of `EXPERIMENTS`.
    quick : bool
        Few and small runs: shows that all works, not what the numbers are.
    n_replicates : int, optional
        Number of runs, if not the experiment's own.
    seed : int
    progress : callable, optional
        Told what runs now.
    folder : Path, optional
        Keeps finished parts of an experiment that has several: a run after an interruption takes them from there.
    again : bool
        Run parts anew that the folder keeps.

    Examples
    --------
    >>> run_experiment("alchemy")
    Traceback (most recent call last):
    weft.errors.InputError: there is no experiment 'alchemy'; choose one of accuracy, accuracy-tag, ...
    """
    if name not in EXPERIMENTS:
        raise InputError(f"there is no experiment {name!r}; choose one of {', '.join(EXPERIMENTS)}.")
    if n_replicates is not None and n_replicates < 1:
        raise InputError(f"n_replicates is {n_replicates}; at least 1 is needed.")
    # Noted here and not by the experiments, so that none can forget it; and before the run, which may take hours.
    settings = run_settings(quick, n_replicates, seed)
    module, _, function = EXPERIMENTS[name].module.partition(":")
    tell = progress or (lambda text: None)
    with keeping(folder, settings, again=again, tell=tell):
        report: Report = getattr(importlib.import_module(module), function or "run")(
            quick=quick, n_replicates=n_replicates, seed=seed, progress=tell
        )
    return replace(
        report, run={"command": command_of(name, settings), **settings, "data": list(EXPERIMENTS[name].data)}
    )
