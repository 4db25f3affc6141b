"""What all kinds of models share: reading files once, answers, evaluating; a task adds what only it knows.

Numerical modules are imported inside methods, so that ``weft --help`` answers at once.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from weft.errors import InputError
from weft.kinds.locations import noted
from weft.kinds.terminal import status
from weft.sequences.formats.table import parse_columns
from weft.sequences.formats.text import NamedBytes, Source, name_of, read_once
from weft.spelling import with_article

if TYPE_CHECKING:
    from weft.kinds.measures import Measure
    from weft.kinds.recipe import Recipe
    from weft.model_file import ModelHeader
    from weft.reports import Report
    from weft.scale import Examples

Answer = dict[str, Any]

TABLES = frozenset({"tsv", "csv"})
"""Formats whose columns have the same names."""


class Kind(ABC):
    """A model of one kind: opened from its file, or about to be trained.

    Parameters
    ----------
    model : Path, optional
    header : ModelHeader, optional
    estimator : estimator, optional

    Attributes
    ----------
    estimator : estimator
        Fitted if it was opened; of a training, what `prepare` has built.
    examples : list
        Of a training.
    dev : list or None
        Examples of other data, to tune and stop on.
    in_parts : bool
        Whether a training is on data in parts.
    notes : dict
        What the model file is to keep of a training.
    """

    command: ClassVar[str]
    """Its name below ``weft train``."""
    task: ClassVar[str]
    """What a model of this kind does, after "It ..."."""
    doing: ClassVar[str]
    """The same, while it works."""
    one: ClassVar[str] = "sequence"
    """What an example is called."""
    held: ClassVar[str | None] = None
    """What a file lacks that has none, if not `one`."""
    input_name: ClassVar[str]
    reference_name: ClassVar[str]
    """Attributes of an example: what an estimator predicts from, and what it learns to predict."""
    answer_key: ClassVar[str]
    """What an output is called in JSON."""
    formats: ClassVar[type[StrEnum] | None] = None
    suffixes: ClassVar[Mapping[str, StrEnum]] = {}
    keeps_format: ClassVar[bool] = True
    """Whether a file of no known suffix has the format of the training data."""
    unlabelled: ClassVar[tuple[StrEnum, ...]] = ()
    """Formats that hold no references."""
    give_instead: ClassVar[str] = ""
    """What those who give one of these for references should do."""
    takes: ClassVar[frozenset[str]] = frozenset({"kbest", "confidence"})
    """Options of `weft predict` and `weft evaluate` that not all kinds have a use for, but this one."""
    takes_parts: ClassVar[bool] = False
    """Whether it can be trained on data in parts (`weft.kinds.parted`)."""
    has_columns: ClassVar[bool] = False
    """Whether its files may be tables whose columns have names."""
    has_groups: ClassVar[bool] = False
    """Whether its tables may have a token a row, and a column that says of which example it is."""
    batch: ClassVar[int] = 200
    """Examples that are read before they are answered together: memory stays bounded, and a stream waits for them."""
    checked: ClassVar[tuple[str, ...]]
    """Measures of cross-validation and tuning; the first one decides."""
    evaluated: ClassVar[Mapping[str, tuple[str, str]]]
    """Of `weft evaluate`: name in JSON, to the measure and its title."""
    reported: ClassVar[tuple[str, ...]]
    """Measures of `weft report`, the most telling first."""
    titles: ClassVar[Mapping[str, str]] = {}
    """Of what `counts` has, where a longer name is printed."""
    advice: ClassVar[Mapping[str, str]] = {}
    """What messages of its estimators advise in Python, to what commands advise."""
    shown: ClassVar[str | None] = None
    """What an example is called in a report, if not `one`."""

    def __init__(self, model: Path | None = None, header: ModelHeader | None = None, estimator: Any = None) -> None:
        self.model, self.header, self.estimator = model, header, estimator
        self.examples: list[Any] = []
        self.dev: list[Any] | None = None
        self.in_parts = False
        self.notes: dict[str, Any] = {}
        self.file = ""
        self.digests: list[str] = []
        self.kbest, self.confidence = 1, False
        self.lines_of: dict[int, int] = {}
        """Line of the file in which an example begins, as far as it is known."""
        facts = None if header is None else header.summary.get("input")
        self.facts: dict[str, Any] = facts if isinstance(facts, dict) else {}
        kept = self.facts.get("columns")
        is_whole = isinstance(kept, list) and len(kept) > 0 and all(isinstance(name, str) for name in kept)
        self.columns: tuple[str, ...] | None = tuple(kept) if is_whole and isinstance(kept, list) else None
        self.kept_columns = self.columns
        self.grouped_by: str | None = None
        """Column of a table with a token a row that says which example a row is of."""
        self.kept_group: str | None = None
        if estimator is not None:
            self.recall()

    # ------------------------------------------------------- what a kind says

    def recall(self) -> None:  # noqa: B027 - most kinds need none
        """Find out what reading needs to know of the training, from `facts` and the estimator."""

    @abstractmethod
    def iter_examples(self, source: Source, file_format: Any, labelled: bool) -> Iterator[Any]:
        """Examples of a file, one at a time; `labelled` says that references must be there, else they may."""

    @abstractmethod
    def json_item(self, example: Any) -> dict[str, Any]:
        """An example as JSON, "gold" its reference."""

    @abstractmethod
    def text_lines(self, example: Any, answer: Answer, file_format: Any, number: int) -> Iterator[str]:
        """Lines of text that answer an example, the `number`-th of its file."""

    @abstractmethod
    def measures(self, examples: list[Any], predicted: list[Any]) -> dict[str, Measure]:
        """Scores of predictions, by name."""

    @abstractmethod
    def counts(self, examples: list[Any], measures: Mapping[str, Measure]) -> dict[str, int]:
        """How many there are of what is scored, the examples first."""

    @classmethod
    def recipe(cls) -> Recipe:
        """How it is trained: `RECIPE` of the file beside it, which only training needs."""
        found: Recipe = import_module(f"weft.kinds.{cls.command}.training").RECIPE
        return found

    def sections(self, examples: list[Any], predicted: list[Any]) -> dict[str, Any]:
        """Fields of `weft.reports.Report` that differ from kind to kind; its file `report.py` makes them."""
        found: dict[str, Any] = import_module(f"weft.kinds.{self.command}.report").sections(self, examples, predicted)
        return found

    @abstractmethod
    def training_facts(self, estimator: Any) -> dict[str, Any]:
        """What to tell about an estimator that was just fitted."""

    def name_of_example(self, example: Any) -> str:
        """Name that an example has in its file, if any."""
        return ""

    def stratum(self, example: Any) -> Any:
        """Class of an example, to be spread evenly over folds."""
        return None

    def group(self, example: Any) -> Any:
        """What examples of one fold share."""
        return None

    def check_answers(self) -> None:  # noqa: B027 - most kinds need none
        """Refuse `kbest` and `confidence` where the model cannot give them."""

    def calibrate(self, file: str, coverage: float) -> None:
        """Answer by sets that have the right output with a stated probability, for those who take --coverage."""
        raise NotImplementedError

    def check_labels(self, examples: list[Any], file: str) -> None:  # noqa: B027 - most kinds need none
        """Refuse references unseen in training."""

    def to_compare(self, file: str, file_format: Any) -> list[Any]:
        """All examples of a file that is scored, or scored against, without a model."""
        return self.read(file, file_format)

    def as_predicted(self, examples: list[Any]) -> list[Any]:
        """References of examples as predictions."""
        return self.references(examples)

    def to_score(self, examples: list[Any]) -> list[Any]:
        """The examples as they are scored."""
        return examples

    def figure(self, example: Any) -> Any:
        """A picture of the answer, for those who take --plot."""
        raise NotImplementedError

    def parts(self) -> Examples:
        """Examples of a training in parts."""
        from weft.kinds.parted import examples_in_memory

        return examples_in_memory(self)

    def learned_from(self, examples: list[Any]) -> tuple[list[Any], list[Any]]:
        """Inputs and outputs as `fit` gets them."""
        return self.inputs(examples), self.references(examples)

    def scored_on(self, dev: list[Any]) -> dict[str, Any]:
        """Held-out examples as `fit` of examples in parts gets them."""
        return dict(zip(("X_dev", "y_dev"), self.learned_from(dev), strict=True))

    def check_part(self, examples: list[Any], name: str) -> None:  # noqa: B027 - most kinds need none
        """Refuse a part of the data that is laid out as others are not."""

    def write_more(self, estimator: Any) -> None:  # noqa: B027 - most kinds need none
        """Write what a training was asked for beside its model."""

    # ---------------------------------------------------------------- reading

    def choose_columns(self, text: str | None) -> None:
        """Take the columns that the user names; those of the training are kept otherwise."""
        if text is None:
            return
        if not self.has_columns:
            raise InputError(f"--columns {text} given, but a model that {self.task} has no use for it; leave it out.")
        self.columns = parse_columns(text)

    def choose_group(self, column: str | None) -> None:
        """Take the column that tells examples apart in a table with a token a row; that of the training is kept."""
        if column is None:
            return
        if not self.has_groups:
            raise InputError(f"--group {column} given, but a model that {self.task} has no use for it; leave it out.")
        if not column.strip():
            raise InputError("--group is empty; give the name of a column, or its number from 1.")
        self.grouped_by, self.kept_group = column.strip(), None

    def columns_of(self, file_format: Any) -> tuple[str, ...] | None:
        """Columns that the user names, else those of the training: they say nothing of objects after a table."""
        known = self.facts.get("format")
        is_other = known is not None and known != file_format and not {known, str(file_format)} <= TABLES
        return None if self.columns is self.kept_columns and is_other else self.columns

    def own_format(self, given: StrEnum | None) -> Any:
        """A format of any kind as a member of the kind's own."""
        if given is None:
            return None
        name = with_article(type(self.estimator).__name__ if self.header is None else self.header.class_name)
        if self.formats is None:
            raise InputError(f"--format given, but {self.model} is {name}, which has no use for it; leave it out.")
        if str(given) not in list(self.formats):
            takes = ", ".join(self.formats)
            raise InputError(
                f"--format {given} given, but {self.model} is {name}, which takes {takes}; choose one of them."
            )
        return self.formats(str(given))

    def choose_format(self, path: str, given: Any, labelled: bool, data: Any = None) -> Any:
        """Format as given, by the file's suffix, as the model was trained, or the usual one; `data` is in the file."""
        known = self.facts.get("format") if self.keeps_format else None
        usual = self.formats(known) if known and self.formats is not None else self.usual_format(labelled)
        chosen = given or self.suffixes.get(Path(path.removesuffix(".gz")).suffix.lower()) or usual
        if labelled and chosen in self.unlabelled:
            raise InputError(self.give_instead.format(chosen))
        return chosen

    def usual_format(self, labelled: bool) -> Any:
        """Format where nothing says it."""
        return "tsv"

    def looks_inside(self, path: str) -> bool:
        """Whether `choose_format` must see what is in a file."""
        return False

    def open(self, path: str) -> NamedBytes:
        """The bytes of a file, read once; they mark the data of a training."""
        data = read_once(path)
        self.digests.append(hashlib.sha256(data.getbuffer()).hexdigest())
        return data

    def read(self, path: str, given: Any = None) -> list[Any]:
        """All examples of a file, each with its reference; at least one."""
        data = self.open(path)
        chosen = self.choose_format(path, given, labelled=True, data=data)
        return self.some(list(noted(self, data, chosen, labelled=True)), path, chosen)

    def some(self, examples: list[Any], path: str, file_format: Any) -> list[Any]:
        """The examples; without any, an error."""
        if not examples:
            raise InputError(
                f"{name_of(path)} holds no {self.held or self.one}s; give a {file_format} file with at least one."
            )
        return examples

    def inputs(self, examples: Sequence[Any]) -> list[Any]:
        """What an estimator predicts from."""
        return [getattr(example, self.input_name) for example in examples]

    def entries(self, examples: Sequence[Any]) -> Sequence[int]:
        """For each entry of what an estimator learns from, the number of its example."""
        return range(len(examples))

    def references(self, examples: Sequence[Any]) -> list[Any]:
        """What an estimator learns to predict."""
        return [getattr(example, self.reference_name) for example in examples]

    def refuse_useless(self, **given: bool) -> None:
        """Refuse options that came but that this kind has no use for."""
        for option, came in given.items():
            if came and option not in self.takes:
                name = with_article("" if self.header is None else self.header.class_name)
                shown = f"--{option.replace('_', '-')}"
                raise InputError(f"{shown} given, but {self.model} is {name}, which has no use for it; leave it out.")

    # --------------------------------------------------------------- learning

    def read_training(self, file: str, file_format: Any, dev: str | None) -> None:
        """Read what is to be learned from, and other data to tune and stop on."""
        self.file = file
        with status(f"reading {name_of(file)}"):
            chosen = self.choose_format(file, file_format, labelled=True)
            self.facts = {"format": str(chosen), **self.facts}
            self.notes = {"input": self.with_columns(self.facts)}
            self.examples = self.read(file, chosen)
            if dev is not None:
                lines_of = self.lines_of
                self.dev = self.read(dev, file_format)
                self.lines_of = lines_of

    def with_columns(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Facts about the file, with the columns that the user has named."""
        return dict(facts) if self.columns is None else {**facts, "columns": list(self.columns)}

    def fit(self, estimator: Any, examples: list[Any], dev: list[Any] | None = None) -> Any:
        """Train an estimator on examples, and stop on other data where there are some."""
        scored = {} if dev is None else {"X_dev": self.inputs(dev), "y_dev": self.references(dev)}
        return estimator.fit(self.inputs(examples), self.references(examples), **scored)

    def predict(self, estimator: Any, examples: list[Any]) -> list[Any]:
        """The prediction for each example."""
        return list(estimator.predict(self.inputs(examples)))

    def scores(self, estimator: Any, examples: list[Any]) -> dict[str, float]:
        """What cross-validation and tuning compare; names that end in ``error`` are better when they are small."""
        scored = self.to_score(examples)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # unseen symbols: the scores show what they cost
            found = self.measures(scored, self.predict(estimator, scored))
        return {name: found[name].value for name in self.checked if name in found}

    # -------------------------------------------------------------- answering

    def answers(self, examples: list[Any]) -> list[Answer]:
        """For each example the best output, and "kbest", "confidence" and "z_score" if asked for."""
        X, key = self.inputs(examples), self.answer_key
        answers: list[Answer] = []
        if self.kbest > 1:
            for ranked in self.estimator.predict_kbest(X, self.kbest):
                kbest = [{key: output, "probability": _digits(probability)} for output, probability in ranked]
                answers.append({key: kbest[0][key], "kbest": kbest})
        else:
            answers += [{key: output} for output in self.estimator.predict(X)]
        if self.confidence:
            sure = zip(self.estimator.confidence(X).tolist(), self.estimator.z_score(X).tolist(), strict=True)
            for answer, (probability, z) in zip(answers, sure, strict=True):
                answer |= {"confidence": _digits(probability), "z_score": round(z, 4)}
        return answers

    def hypotheses(self, answer: Answer) -> Iterator[tuple[Any, dict[str, str]]]:
        """Each output, best first, with what is known of it as text."""
        for rank, each in enumerate(answer.get("kbest", [answer])):
            facts = {}
            probability = each.get("probability", answer.get("confidence"))
            if probability is not None:
                facts["probability"] = f"{probability:.4g}"
            if rank == 0 and "z_score" in answer:
                facts["z_score"] = f"{answer['z_score']:.2f}"
            yield each[self.answer_key], facts

    def lines(self, answered: Iterable[tuple[Any, Answer]], file_format: Any, n_before: int) -> list[str]:
        """Lines that answer the examples after the first `n_before`."""
        lines: list[str] = []
        for number, (example, answer) in enumerate(answered, start=n_before + 1):
            if file_format == "jsonl":
                lines.append(json.dumps({**self.json_item(example), **answer}, ensure_ascii=False))
            else:
                lines += self.text_lines(example, answer, file_format, number)
        return lines

    # ------------------------------------------------------------- evaluating

    def read_scored(self, file: str, file_format: StrEnum | None, allow_unknown: bool) -> list[Any]:
        """Examples to score the model on."""
        self.file = file
        read = self.read(file, self.own_format(file_format))
        examples = self.to_score(read)
        if len(examples) != len(read):  # several lines became one example
            self.lines_of = {}
        if not allow_unknown:
            self.check_labels(examples, name_of(file))
        return examples

    def predictions(self, examples: list[Any]) -> list[Any]:
        """What the model predicts for each example."""
        return self.predict(self.estimator, examples)

    def more_scores(self, examples: list[Any], predicted: list[Any], measures: Mapping[str, Measure]) -> dict[str, Any]:
        """Scores of `weft evaluate` as they are in JSON."""
        return {name: measures[key].as_json() for name, (key, _) in self.evaluated.items()}

    def print_scores(self, file: str, facts: Mapping[str, Any], measures: Mapping[str, Measure]) -> None:
        """Scores of `weft evaluate` for people."""
        counted = ", ".join(f"{n:,} {self.titles.get(what, what)}" for what, n in facts.items() if isinstance(n, int))
        print(f"{file}: {counted}\n")
        width = max(len(title) for _, title in self.evaluated.values())
        for key, title in self.evaluated.values():
            print(f"{title:<{width}}  {measures[key].as_text()}")

    # -------------------------------------------------------------- reporting

    def history(self) -> list[dict[str, Any]]:
        """What each iteration of the training reported."""
        return list(getattr(self.estimator, "history_", []))

    def report(
        self, file: str, file_format: StrEnum | None, allow_unknown: bool, learning_curve: str | None = None
    ) -> Report:
        """Everything that a page about the model shows; with training data, also how the score grows with them."""
        from weft.kinds.reporting import make_report

        with status(f"looking at {name_of(file)}"), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            examples = self.read_scored(file, file_format, allow_unknown)
            return make_report(self, examples, self.own_format(file_format), learning_curve)


def learned_facts(estimator: Any) -> dict[str, Any]:
    """What there is to tell of every learner."""
    return {
        "weights": len(estimator.weights_),
        "iterations": estimator.n_iter_,
        "objective": (estimator.history_[-1] if estimator.history_ else {}).get("objective"),
    }


def _digits(probability: float) -> float:
    """Six digits that count: probabilities of long outputs are small."""
    return float(f"{probability:.6g}")
