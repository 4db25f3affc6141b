"""Every table and figure of the five documents: the experiment that measures it, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

DOCUMENTS = {
    "RG": "Cortes, Mohri, Weston: A general regression framework for learning string-to-string mappings, 2007",
    "MM": "Ricci, De Bie, Cristianini: Magic moments for structured output prediction, 2008",
    "LK": "Allauzen, Cortes, Mohri: SVM optimization for lattice kernels",
    "SP": "Quattoni, Balle, Carreras, Globerson: Spectral regularization for max-margin sequence tagging, 2014",
    "KDE": "Slides on Weston, Chapelle, Elisseeff, Schoelkopf, Vapnik: Kernel dependency estimation, 2002",
}


@dataclass(frozen=True)
class Item:
    """A table, a figure or a section with numbers.

    Attributes
    ----------
    document : str
        One of `DOCUMENTS`.
    name : str
        As the document calls it.
    what : str
    experiments : tuple of str
        Names of the experiments that measure it.
    note : str
        Without an experiment, why there is none; with one, what of it cannot be compared.
    test : str
        The test that holds a worked example to account, as ``file::name`` below ``tests/``.
    """

    document: str
    name: str
    what: str
    experiments: tuple[str, ...] = ()
    note: str = ""
    test: str = ""


DRAWING = "a drawing without numbers"
WORKED = "a worked example: a test holds it to account"
FIRST_PASS = "kernel_methods/svm/storages/test_kinds.py::test_first_pass_of_the_worked_example"

ITEMS = (
    Item("RG", "Figure 1.1", "regression and pre-image, the two halves of the method", note=DRAWING),
    *(
        Item("RG", f"Figure 1.{k}", what, note=WORKED, test="preimages/test_euler.py::test_figures_of_the_paper")
        for k, what in (
            (2, "de Bruijn graph of trigrams, and its expansion"),
            (3, "a pre-image that is an Euler circuit"),
            (4, "a vector with two pre-images"),
            (5, "the generalised algorithm with an edge too many; the printed bcacca is no answer"),
            (6, "the generalised algorithm with an edge missing"),
        )
    ),
    Item(
        "RG",
        "Table 1.1",
        "letters of handwritten words, segmented",
        ("ocr-segmented",),
        "the rows of SVM and M3N were read from a graph of another paper; ours are trained here",
    ),
    Item("RG", "Section 1.7.3", "handwritten words, unsegmented: one regressor, and five voting", ("ocr-unsegmented",)),
    Item(
        "RG",
        "Figure 1.7",
        "test error against the number of basis functions",
        ("ocr-basis",),
        "the text has no numbers of its curves: only their order can be compared",
    ),
    Item("MM", "Figure 1", "graph of a hidden Markov model", note=DRAWING),
    Item("MM", "Figure 2", "an alignment as a path", note=DRAWING),
    Item("MM", "Figure 3", "two RNA structures", note=DRAWING),
    Item(
        "MM",
        "Figure 4",
        "wrong labels under label noise, two HMMs",
        ("hmm", "hmm-random"),
        "the HMMs are not printed; ours were chosen for errors of the published size, with random ones beside them",
    ),
    Item("MM", "Tables 1 and 2", "p-values at 40 % noise", ("hmm",)),
    Item("MM", "Figure 5", "wrong labels and training time against training size", ("hmm-size",)),
    Item("MM", "Figure 6", "exact and sampled moments, growing alphabet", ("hmm-sampled",)),
    Item(
        "MM",
        "Tables 3 and 4",
        "named entities in Spanish news",
        ("ner",),
        "the paper does not name its 300 and 1,500 sentences; ours are several random choices",
    ),
    Item("MM", "Figure 7", "constraints until hidden sequences come back", ("hmm-constraints",)),
    Item(
        "MM",
        "Table 5",
        "wrong alignments against training size",
        ("alignment-size",),
        "the weights that made the reference alignments are not printed; ours are drawn",
    ),
    Item(
        "MM",
        "Figure 8",
        "a given substitution matrix, and the learned one",
        ("alignment-size",),
        "the printed cells are colours without numbers",
    ),
    Item(
        "MM",
        "Tables 6 and 7",
        "base pairs of five RNA families",
        ("rfam",),
        "families are those of Rfam 14.2; the paper used an older release with other sequences and structures",
    ),
    Item(
        "MM",
        "Figure 9",
        "mean and covariance of an HMM as a picture",
        note="a picture without numbers; the formulas behind it are tested against enumeration",
        test="structures/chain/test_structure.py::test_moments_equal_enumeration",
    ),
    Item(
        "LK",
        "Figure 1",
        "a transducer and an automaton, U(aab, baa) = 60",
        note=WORKED,
        test="experiments/test_all_runs.py::test_weight_of_the_first_figure",
    ),
    Item("LK", "Figure 2", "the transducer that counts bigrams", note=DRAWING),
    *(
        Item(
            "LK",
            name,
            what,
            note=WORKED,
            test=FIRST_PASS,
        )
        for name, what in (
            (
                "Tables 1 and 2",
                "three strings and the first pass of coordinate descent; the third one is misprinted",
            ),
            ("Figures 3 to 5", "the automata of that pass"),
        )
    ),
    Item(
        "LK",
        "Table 3",
        "costs of a gradient and an update by representation",
        ("storage-growth",),
        "orders of growth, measured as slopes; the update of the minimal automaton is the paper's open question",
    ),
    Item(
        "LK",
        "Tables 4 and 5",
        "training times and sizes of W' on Reuters-21578",
        ("lattice-kernels",),
        "the paper names neither C nor the tolerance nor the 466 stories of its subset; times are of another machine",
    ),
    Item(
        "SP",
        "Figure 1",
        "accuracy against training size",
        ("nettalk-size",),
        "curves without numbers in the text: their order can be compared",
    ),
    Item(
        "SP",
        "Figure 2",
        "accuracy against the strength of the penalty",
        ("nettalk-path",),
        "curves without numbers and a normalised axis: their shape, and the gains in the text, can be compared",
    ),
    Item(
        "KDE",
        "Strings to strings",
        "losses on random strings of three classes",
        ("kde-strings",),
        "the slides state neither lengths nor kernel settings",
    ),
    Item(
        "KDE",
        "Image reconstruction",
        "lower halves of USPS digits from upper halves",
        ("kde-halves",),
        "the slides do not say which digits, nor that they were smoothed, nor the settings of the Hopfield net; of the "
        "losses, our copy has that of the Hopfield net only",
    ),
    Item(
        "KDE",
        "Character recognition",
        "0-1 loss on 1,000 USPS digits",
        ("kde-classes",),
        "the slides do not say which digits, nor that they were smoothed",
    ),
)
