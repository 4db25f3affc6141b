"""`weft train classify`: one class for each text."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.errors import InputError
from weft.kinds.classify.doubts import doubt_training
from weft.kinds.classify.kind import ClassFormat, ClassifyKind
from weft.kinds.options import LEARNING, Dev, default_of, held_out
from weft.kinds.recipe import Recipe
from weft.kinds.settings import Setting
from weft.kinds.texts import Units


class KernelName(StrEnum):
    """Kernels that --kernel knows."""

    BLENDED = "blended"
    NGRAM = "ngram"
    GAPPY = "gappy"
    MISMATCH = "mismatch"
    GKM = "gkm"
    WEIGHTED_DEGREE = "weighted-degree"
    LOCALITY = "locality"
    LOCAL_ALIGNMENT = "local-alignment"
    DNA = "dna"
    PROTEIN = "protein"


COUNTING = (KernelName.BLENDED, KernelName.NGRAM, KernelName.GAPPY, KernelName.MISMATCH, KernelName.GKM)
READY = (KernelName.LOCAL_ALIGNMENT, KernelName.DNA, KernelName.PROTEIN)
"""Kernels whose counts have weights, and those without a length to give."""

Anchor = StrEnum("Anchor", ["START", "CENTRE", "END"])
Loss = StrEnum("Loss", {"SQUARED_HINGE": "squared_hinge", "HINGE": "hinge"})

PARTS = "Parts of a text"
WEIGHTS = "Words, marks and weights"
BLENDED_N, OTHER_N = default_of("BlendedSpectrumKernel", "n"), default_of("NGramKernel", "n")
SHORT = 30
"""Symbols of a text on average up to which gaps of any length are tried: their number grows with a power of it."""
AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWYBZXUO"
"""With the letters for one of several, and the two rare ones."""


def prepare(
    kind: ClassifyKind,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Training data; - for standard input, or gzip.")],
    file_format: Annotated[
        ClassFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    units: Annotated[
        Units, typer.Option(help="What a text is a sequence of.", rich_help_panel=PARTS)
    ] = Units.CHARACTERS,
    kernel: Annotated[
        KernelName,
        typer.Option(help=f"Which parts are counted: {', '.join(KernelName)}.", metavar="NAME", rich_help_panel=PARTS),
    ] = KernelName.BLENDED,
    n: Annotated[
        int | None,
        typer.Option(
            "--n", help=f"Length of the parts; {BLENDED_N} for blended, else {OTHER_N}.", rich_help_panel=PARTS
        ),
    ] = None,
    min_n: Annotated[
        int | None,
        typer.Option("--min-n", help="Length of the shortest parts; 1, for ngram N.", rich_help_panel=PARTS),
    ] = None,
    ends: Annotated[
        bool | None,
        typer.Option("--ends/--no-ends", help="Mark where texts begin and end (blended).", rich_help_panel=WEIGHTS),
    ] = None,
    words: Annotated[
        bool | None,
        typer.Option(
            "--words/--no-words",
            help="Compare words too (blended); if not given, where texts have several.",
            rich_help_panel=WEIGHTS,
        ),
    ] = None,
    decay: Annotated[
        float | None, typer.Option(help="Weight of a skipped symbol (gappy).", rich_help_panel=PARTS)
    ] = None,
    max_gap: Annotated[
        int | None, typer.Option(help="Maximum number of skipped symbols (gappy).", rich_help_panel=PARTS)
    ] = None,
    free: Annotated[
        int | None,
        typer.Option("--m", help="Symbols that may differ (mismatch, gkm).", rich_help_panel=PARTS),
    ] = None,
    reverse_complement: Annotated[
        bool | None,
        typer.Option("--reverse-complement", help="Both strands of DNA (gkm).", rich_help_panel=PARTS),
    ] = None,
    half_life: Annotated[
        float | None,
        typer.Option(help="Distance from the centre at which weights halve (gkm).", rich_help_panel=PARTS),
    ] = None,
    filtered: Annotated[
        bool | None,
        typer.Option("--filtered", help="Estimate counts as LS-GKM does (gkm, DNA).", rich_help_panel=PARTS),
    ] = None,
    shift: Annotated[
        int | None,
        typer.Option(help="How far apart equal parts may be (weighted-degree).", rich_help_panel=PARTS),
    ] = None,
    anchor: Annotated[
        Anchor | None,
        typer.Option(help="Where positions are counted from (weighted-degree).", rich_help_panel=PARTS),
    ] = None,
    inner: Annotated[
        int | None,
        typer.Option(help="Exponent of the matches in a window (locality).", rich_help_panel=PARTS),
    ] = None,
    idf: Annotated[
        bool,
        typer.Option("--idf/--no-idf", help="Weight parts by inverse document frequency.", rich_help_panel=WEIGHTS),
    ] = default_of("NGramKernel", "idf"),
    sublinear: Annotated[
        bool | None,
        typer.Option(
            "--sublinear/--no-sublinear",
            help="Replace counts by 1 + log(count); the default of blended.",
            rich_help_panel=WEIGHTS,
        ),
    ] = None,
    normalize: Annotated[
        bool,
        typer.Option(
            "--normalize/--no-normalize",
            help="Normalise, so that long texts do not count more.",
            rich_help_panel=WEIGHTS,
        ),
    ] = True,
    matrix_rows: Annotated[
        bool,
        typer.Option(
            "--matrix-rows", help="Use kernel values with all training texts as features.", rich_help_panel=PARTS
        ),
    ] = False,
    cost: Annotated[
        float | None, typer.Option("--C", help="Cost of an error; chosen if not given.", rich_help_panel=LEARNING)
    ] = default_of("SequenceSVC", "C"),
    loss: Annotated[
        Loss, typer.Option(help="What an error costs, by its distance.", rich_help_panel=LEARNING)
    ] = default_of("SequenceSVC", "loss"),
    bias: Annotated[
        bool, typer.Option("--bias/--no-bias", help="Add a constant feature.", rich_help_panel=LEARNING)
    ] = default_of("SequenceSVC", "bias"),
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Give rare classes more weight.", rich_help_panel=LEARNING)
    ] = False,
    probability: Annotated[
        bool, typer.Option("--probability", help="Calibrate probabilities.", rich_help_panel=LEARNING)
    ] = default_of("SequenceSVC", "probability"),
    min_count: Annotated[
        int,
        typer.Option("--min-count", min=1, help="Leave out parts that occur in fewer texts.", rich_help_panel=WEIGHTS),
    ] = default_of("SequenceSVC", "min_count"),
    tol: Annotated[
        float, typer.Option(help="Stop when gradients differ by less than this.", rich_help_panel=LEARNING)
    ] = default_of("SequenceSVC", "tol"),
    max_iter: Annotated[
        int, typer.Option(help="Maximum number of passes over the examples.", rich_help_panel=LEARNING)
    ] = default_of("SequenceSVC", "max_iter"),
    dev: Dev = None,
    **scored: Any,
) -> None:
    """Learn to put each text into a class.

    Example: `weft train classify texts.tsv -o topics.weft --cv 5`

    **tsv**: text, tab, label; **csv** (.csv): the same with commas and quotes. A header is recognised, or --columns
    names the columns.

    **fasttext** (.ft): `__label__name text`.

    **jsonl** (.jsonl): one object per line with "text" and "label". **fasta** (.fa, .fasta): the last word of a header
    is the label; letters are read as capitals.

    Kernels: **blended** compares runs of up to N symbols, each length alike, and words if the texts have several;
    **ngram** counts runs of N symbols; **gappy** lets symbols be skipped; **mismatch** lets M of N differ; **gkm**
    compares N - M of N positions, for DNA and proteins; **weighted-degree** compares runs of up to N symbols at the
    same place, **locality** windows of N symbols on either side; **local-alignment** aligns proteins. **dna** and
    **protein** were chosen on the training data of many sets: gapped k-mers of both strands; and rows of alignment and
    k-mer kernels.

    **dna** chooses the best of five such kernels by 3-fold cross-validation on your data (up to 300,000 letters; of two
    if there are more; with --half-life of three or one; with --spill it takes the first): about a second of one
    processor for 1,500 letters, ten times as long as one kernel.

    With --spill DIR, features of jsonl and fasttext files are kept in files there, and --tol is the duality gap.
    """
    weights: dict[str, Any] = {"idf": idf} | ({} if sublinear is None else {"sublinear": sublinear})
    strands = {"reverse_complement": reverse_complement, "half_life": half_life, "filtered": filtered}
    own = {**strands, "shift": shift, "anchor": anchor, "inner": inner}
    own |= {"min_n": min_n, "ends": ends, "words": words, "decay": decay, "max_gap": max_gap, "m": free}
    chosen = _kernel(kernel, n, normalize, weights, **own)
    found = held_out(scored, dev)
    kind.units, kind.facts = units, {"units": str(units)}
    kind.read_training(file, file_format, dev)
    doubt_training(kind, balanced)
    if kernel == KernelName.DNA and not kind.in_parts:  # to choose a kernel needs all examples
        chosen = _dna_kernels(kind, half_life)
    if kernel == KernelName.BLENDED and words is not False:
        chosen = _with_words(chosen, kind, words is True, idf=min_count == 1 and not (kind.in_parts or matrix_rows))
    if matrix_rows:
        from weft.kernels.empirical import EmpiricalKernelMap

        chosen = list(map(EmpiricalKernelMap, chosen)) if isinstance(chosen, list) else EmpiricalKernelMap(chosen)
    from weft.estimators.classify.sequence_svc import SequenceSVC

    kind.estimator = SequenceSVC(
        chosen,
        C=cost,
        loss=loss,
        bias=bias,
        class_weight="balanced" if balanced else None,
        probability=probability,
        min_count=min_count,
        tol=tol,
        max_iter=max_iter,
        **found,
    )


def _kernel(name: KernelName, n: int | None, normalize: bool, weights: dict[str, Any], **given: Any) -> Any:
    import weft

    allowed = {
        KernelName.BLENDED: ("min_n", "ends", "words"),
        KernelName.NGRAM: ("min_n",),
        KernelName.GAPPY: ("decay", "max_gap"),
        KernelName.MISMATCH: ("m",),
        KernelName.GKM: ("m", "reverse_complement", "half_life", "filtered"),
        KernelName.WEIGHTED_DEGREE: ("min_n", "shift", "anchor"),
        KernelName.LOCALITY: ("inner",),
        KernelName.LOCAL_ALIGNMENT: (),
        KernelName.DNA: ("half_life",),
        KernelName.PROTEIN: (),
    }[name]
    if name not in COUNTING:  # which have no counts to weigh
        given |= {key: value or None for key, value in weights.items()}
    if name in READY:  # which have no length to give
        given["n"] = n
    if name in (*READY, KernelName.BLENDED):  # which are normalized as they are
        given["no_normalize"] = None if normalize else True
    chosen = {key: value for key, value in given.items() if value is not None}
    unknown = [
        f"--{'no-' if value is False else ''}{key.replace('_', '-')}"
        for key, value in chosen.items()
        if key not in allowed
    ]
    if unknown:
        raise InputError(f"{', '.join(unknown)} given with --kernel {name}, which has no such option; leave it out.")
    kernel: Any
    if name in READY:
        return _ready(name, chosen)
    if name == KernelName.BLENDED:
        chosen.pop("words", None)  # which are for `_with_words`
        return weft.BlendedSpectrumKernel(BLENDED_N if n is None else n, **chosen, **weights)
    n = OTHER_N if n is None else n
    if name == KernelName.GKM:
        kernel = weft.GappedKMerKernel(n, n - chosen.pop("m", n // 3), **chosen, **weights)
    elif name == KernelName.WEIGHTED_DEGREE:
        if "anchor" in chosen:
            chosen["anchor"] = str(chosen["anchor"])
        kernel = weft.WeightedDegreeKernel(n, **chosen)
    elif name == KernelName.LOCALITY:
        kernel = weft.LocalityImprovedKernel(n, **chosen)
    else:
        kinds = {
            KernelName.NGRAM: "NGramKernel",
            KernelName.GAPPY: "GappyKernel",
            KernelName.MISMATCH: "MismatchKernel",
        }
        kernel = getattr(weft, kinds[name])(n, **chosen, **weights)
    return weft.Normalized(kernel) if normalize else kernel


def _ready(name: KernelName, chosen: dict[str, Any]) -> Any:
    """What did best in training data of many sets; `weft reproduce accuracy --task classify` scores the test parts."""
    import weft

    if name == KernelName.DNA:
        return weft.dna_kernels([], **chosen)[0]
    aligned = weft.Normalized(weft.LocalAlignmentKernel())
    if name == KernelName.LOCAL_ALIGNMENT:
        return aligned
    return weft.EmpiricalKernelMap(aligned + weft.Normalized(weft.GappedKMerKernel(5, 3)))


def _with_words(kernel: Any, kind: ClassifyKind, asked: bool, idf: bool) -> Any:
    """The kernel, and words beside it if they are asked for or there are some; weights of words need all texts."""
    from weft.kernels.words import WordKernel, has_words

    return kernel + WordKernel(idf=idf) if asked or has_words(kind.inputs(kind.examples)) else kernel


def _dna_kernels(kind: ClassifyKind, half_life: float | None = None) -> list[Any]:
    import weft

    texts = kind.inputs(kind.examples)
    if all(set("ACGTU").isdisjoint(text) for text in texts):
        raise InputError(
            f"--kernel dna given, but no text has a letter of ACGT: the first is {texts[0]!r:.40}; give DNA in "
            "capitals, letter by letter, or leave --kernel out."
        )
    return weft.dna_kernels(texts, half_life=half_life)


OF_BLENDED = frozenset({"min-n", "ends", "no-ends", "words", "no-words"})
"""Options of the default alone."""
OF_KERNELS = OF_BLENDED | {"n", "idf", "sublinear", "no-normalize", "normalize", "matrix-rows"}
"""Options of the kernel that counts n-grams, of which those without counts or lengths have none."""


def wholes(kind: ClassifyKind) -> list[Setting]:
    """Other kernels, those for DNA and proteins if the texts are such, and classes by their size."""
    import weft
    from weft.kernels.base import KernelSum

    parts: list[Setting] = [Setting({"balanced": True}, {"class_weight": "balanced"})]
    now = kind.estimator.kernel
    if isinstance(now, KernelSum) and isinstance(now.left, weft.BlendedSpectrumKernel):
        path, others = "kernel__left__", [KernelName.NGRAM, KernelName.MISMATCH]
    elif isinstance(now, weft.BlendedSpectrumKernel):
        path, others = "kernel__", [KernelName.NGRAM, KernelName.MISMATCH]
    elif isinstance(now, weft.Normalized) and isinstance(now.kernel, weft.NGramKernel):
        path, others = "kernel__kernel__", [KernelName.MISMATCH]
    else:
        return parts
    parts.append(Setting({"idf": True, "sublinear": True}, {f"{path}idf": True, f"{path}sublinear": True}))
    texts = kind.inputs(kind.examples)
    if sum(map(len, texts)) <= SHORT * len(texts):
        others.append(KernelName.GAPPY)
    if len(set(map(len, texts))) == 1:  # places may mean the same in all of them
        others.append(KernelName.WEIGHTED_DEGREE)
    for name in others:
        made = _kernel(name, None, True, {"idf": False})
        parts.append(Setting({"kernel": str(name)}, {"kernel": made}, OF_BLENDED, OF_KERNELS))
    letters = {letter for text in texts for letter in text}
    if letters <= set("ACGTN"):
        parts.append(Setting({"kernel": "dna"}, {"kernel": _dna_kernels(kind)}, OF_KERNELS, OF_KERNELS))
    elif letters <= set(AMINO_ACIDS):
        found: dict[str, Any] = {"kernel": _ready(KernelName.PROTEIN, {}), "bias": True, "class_weight": "balanced"}
        options = {"kernel": "protein", "bias": True, "balanced": True}
        parts.append(Setting(options, found, OF_KERNELS | {"half-life"}, OF_KERNELS))
    return parts


RECIPE = Recipe(
    prepare,
    {
        "SequenceSVC": {"C": (1.0, 0.1, 10.0)},
        "BlendedSpectrumKernel": {"n": (BLENDED_N, 4, 6)},
        "NGramKernel": {"n": (OTHER_N, 3, 5)},
    },
    wholes,
)
