"""Models that give each token a label: how they are read, asked and scored."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from weft.errors import InputError
from weft.kinds.base import TABLES, Answer, Kind, learned_facts
from weft.kinds.measures import Measure, share
from weft.kinds.tag.conllu import comments, conllu_lines, is_conllu
from weft.kinds.tag.doubts import doubted
from weft.kinds.tag.files import (
    SUFFIXES,
    Example,
    Layout,
    TagFormat,
    format_inside,
    iter_attributes,
    iter_fields,
    iter_objects,
    iter_sentences,
    join_tokens,
    split_pair,
)
from weft.kinds.tag.long_tables import TableRows, iter_long, table_lines
from weft.kinds.terminal import console_and_table
from weft.sequences.formats.table import joined_row, numbered_columns
from weft.sequences.formats.text import NamedBytes, Source, name_of

if TYPE_CHECKING:
    from weft.scale import Examples

COLUMNS = frozenset({".conll", ".iob", ".bio", ".conllu"})
"""Suffixes of files that have columns whatever is in them."""
CHUNK_TAG = re.compile(r"O|[BIES]-.+")

Pairs = Sequence[tuple[Sequence[Any], Sequence[Any]]]


class TagKind(Kind):
    """A `Tagger`, `SpectralTagger` or `StackedTagger`."""

    command = "tag"
    takes_parts = True
    input_name, reference_name = "tokens", "labels"
    task = "gives each token of a sequence a label"
    doing = "labelling"
    answer_key = "labels"
    formats = TagFormat
    takes = frozenset({"kbest", "confidence", "allow_unknown"})
    has_columns = has_groups = True
    batch = 1000
    checked = ("chunk_f1", "token_accuracy", "sequence_accuracy")
    evaluated: ClassVar = {
        "token_accuracy": ("token_accuracy", "token accuracy"),
        "sequence_accuracy": ("sequence_accuracy", "sequence accuracy"),
    }
    reported = checked
    layout: Layout | None = None
    characters_only = False
    """Whether features were chosen for data in parts whose tokens are single characters as far as one has seen."""

    def recall(self) -> None:
        """The layout that the model was trained on, None if it was trained from Python."""
        self.estimator = getattr(self.estimator, "tagger_", self.estimator)
        self.layout = Layout.from_facts(self.facts)
        named = self.facts.get("named_columns")
        is_whole = isinstance(named, list) and all(isinstance(each, str) for each in named)
        self.columns = self.kept_columns = tuple(named) if is_whole and isinstance(named, list) else None
        group = self.facts.get("group")
        self.grouped_by = self.kept_group = group if isinstance(group, str) and group.strip() else None
        if self.layout is None and self.estimator.features is None and self._form() == "symbols":
            self.layout = Layout("conll", columns=1)

    def _form(self) -> str:
        """Form of the sequences that the model was trained on."""
        form: str = getattr(self.estimator.structure_, "form", self.estimator.encoder_.kind)
        return form

    # ---------------------------------------------------------------- reading

    def looks_inside(self, path: str) -> bool:
        """Columns are often called .tsv too."""
        return _suffix(path) == ".tsv" and (self.layout is None or self.layout.format == TagFormat.JSONL)

    def check_columns(self, path: str, chosen: TagFormat) -> None:
        """Refuse to learn the last column of CoNLL-U, which is no label."""
        if chosen == TagFormat.CONLL and self.columns is None and _suffix(path) == ".conllu":
            raise InputError(
                f"{name_of(path)} is CoNLL-U, whose last column has no labels; say which column has them: --columns "
                "2,4 for words and their parts of speech (UPOS), 2,5 for XPOS, 2,6 for features."
            )

    def choose_format(self, path: str, given: Any, labelled: bool, data: Any = None) -> TagFormat:
        """Format as given, by the file's suffix, as the model was trained, or columns.

        A .tsv file is what the model was trained on; for one that does not say, it holds pairs if no blank line parts
        its sentences. Of files whose suffix says nothing, those are attributes of CRFsuite that look like them, or that
        come to a model of feature dicts. Columns and pairs are refused for that one, and for a model of numbers.
        """
        by_suffix = SUFFIXES.get(_suffix(path))
        known = None if self.layout is None else TagFormat(self.layout.format)
        chosen: TagFormat
        if given is not None:
            chosen = given
        elif self.grouped_by is not None and by_suffix == TagFormat.TSV:
            chosen = TagFormat.TSV
        elif by_suffix == TagFormat.TSV and known not in (None, TagFormat.JSONL, TagFormat.CSV):
            chosen = known
        elif by_suffix == TagFormat.TSV and isinstance(data, NamedBytes):
            chosen = format_inside(data)
        elif by_suffix is None and (known == TagFormat.CRFSUITE or self._takes_dicts(path)):
            chosen = TagFormat.CRFSUITE
        elif by_suffix is None and _suffix(path) not in COLUMNS and isinstance(data, NamedBytes):
            inside = format_inside(data)
            chosen = inside if inside == TagFormat.CRFSUITE else TagFormat.CONLL
        else:
            chosen = by_suffix or (known if path == "-" else None) or TagFormat.CONLL
        if chosen == TagFormat.FASTTEXT:
            raise InputError("fasttext files have a label for each text, and a tagger needs one for each token.")
        self._check_form(chosen)
        if self.grouped_by is not None and self.kept_group is None and chosen not in TABLES:
            raise InputError(
                f"--group {self.grouped_by} given, but the file is read as {chosen}, which needs none; leave it out, "
                "or say --format csv or tsv for a table."
            )
        return chosen

    def _takes_dicts(self, path: str) -> bool:
        """Whether a file of this name, for a model of feature dicts, can be nothing but attributes of CRFsuite."""
        is_dicts = self.model is not None and self._form() == "dicts" and self.estimator.features is None
        return is_dicts and path != "-" and _suffix(path) not in COLUMNS

    def _check_form(self, chosen: TagFormat) -> None:
        """Refuse a format whose tokens are of another form than those of the training."""
        form = "" if self.model is None or chosen == TagFormat.JSONL else self._form()
        is_plain = form and self.estimator.features is None
        if chosen == TagFormat.CRFSUITE and form and not (is_plain and form == "dicts"):
            raise InputError(
                f"the file is read as crfsuite, whose tokens are attributes, but {self.model} was not trained on such; "
                "give the form of the training data, or train a model on these."
            )
        if chosen != TagFormat.CRFSUITE and is_plain and form in ("dicts", "vectors"):
            what = "feature dicts" if form == "dicts" else "arrays of numbers"
            others = ", or attributes as CRFsuite reads them (--format crfsuite)" if form == "dicts" else ""
            raise InputError(
                f"the file is read as {chosen}, but {self.model} was trained on {what}; "
                f'give JSON lines whose "tokens" hold them (.jsonl, or --format jsonl){others}.'
            )

    def iter_examples(self, source: Source, file_format: TagFormat, labelled: bool) -> Iterator[Example]:
        """Sequences of tokens."""
        layout = self.layout or Layout(file_format)
        columns = self.columns_of(file_format)
        if file_format == TagFormat.CONLL:
            sentences = iter_sentences(source, layout, labelled, columns)
            if labelled or self.model is None:
                yield from sentences
                return
            labels = frozenset(map(str, self.estimator.classes_))
            yield from doubted(sentences, labels.__contains__, self._knows, name_of(source))
        elif file_format == TagFormat.CRFSUITE:
            yield from iter_attributes(source, columns)
        elif file_format == TagFormat.JSONL:
            yield from iter_objects(source, layout, labelled, columns)
        elif self.grouped_by is not None:
            kept, comma = self.kept_group is not None, file_format == TagFormat.CSV
            yield from iter_long(source, comma, self.grouped_by, layout, labelled, columns, may_be_lines=kept)
        else:
            comma = file_format == TagFormat.CSV
            for number, fields in iter_fields(source, comma, columns, labelled):
                yield split_pair(fields, layout, f"{name_of(source)}, line {number}", labelled, comma)

    def _knows(self, token: str) -> bool:
        """Whether training had a token, as far as names are kept."""
        encoder = self.estimator.encoder_
        name = token if self.estimator.features is None else f"0[0]={token}"
        return not encoder.is_hashed and name in encoder.alphabet

    def check_labels(self, examples: list[Example], file: str) -> None:
        """Refuse labels unseen in training, and say where they are."""
        known = set(self.estimator.classes_)
        for number, example in enumerate(examples, start=1):
            for position, label in enumerate(example.labels or [], start=1):
                if label not in known:
                    raise InputError(
                        f"{file}, sequence {number}, token {position}: label {label!r}, unseen in training; the model "
                        f"knows {len(known)} labels such as {self.estimator.classes_[0]!r}: fix it, or count it wrong "
                        "with --allow-unknown."
                    )

    def with_columns(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Facts about the file; the columns that the user has named beside how many a token has."""
        named = {} if self.columns is None else {"named_columns": list(self.columns)}
        return {**facts, **named} if self.grouped_by is None else {**facts, **named, "group": self.grouped_by}

    # --------------------------------------------------------------- learning

    def parts(self) -> Examples:
        """Pieces of files; where there is nothing but a head in memory, it is what the layout was seen from."""
        from weft.kinds.parted import examples_in_files

        return examples_in_files(self, self.file, TagFormat(self.facts["format"]))

    def fit(self, estimator: Any, examples: list[Example], dev: list[Example] | None = None) -> Any:
        """As any kind; sequences of CRFsuite may count more than once."""
        if all(example.weight == 1.0 for example in examples):
            return super().fit(estimator, examples, dev)
        scored = {} if dev is None else self.scored_on(dev)
        weights = [example.weight for example in examples]
        return estimator.fit(self.inputs(examples), self.references(examples), sample_weight=weights, **scored)

    def check_part(self, examples: list[Example], name: str) -> None:
        """Refuse words after characters, for which other features are usual, and weights."""
        if any(example.weight != 1.0 for example in examples):
            raise InputError(
                f"{name} has @weight, and data in parts have no weights; leave out @weight, or --workers, --cluster, "
                "--scheduler-file and --spill."
            )
        if self.characters_only and any(len(token) > 1 for example in examples for token in example.tokens):
            raise InputError(
                f"{name} has longer tokens, the first part single characters, and usual features differ; choose them "
                "by --width, --ngrams, --affixes, --shape or --no-shape, and --lower or --no-lower."
            )

    def training_facts(self, estimator: Any) -> dict[str, Any]:
        """Sizes of data and model, and how learning ended."""
        return {
            "sequences": len(self.examples),
            "tokens": sum(len(example.tokens) for example in self.examples),
            "labels": len(estimator.classes_),
            **learned_facts(estimator),
            "held_out_accuracy": (estimator.history_[-1] if estimator.history_ else {}).get("score"),
        }

    # -------------------------------------------------------------- answering

    def check_answers(self) -> None:
        """Say so where probabilities are none."""
        learner = self.estimator.learner_
        if self.confidence and hasattr(learner, "needs") and "log_partition_and_mean" not in learner.needs:
            print("weft: a perceptron's probabilities are not calibrated; train with --learner crf.", file=sys.stderr)

    def answers(self, examples: list[Example]) -> list[Answer]:
        """For each sequence "labels", and with them "kbest", "confidence", "z_score" and "marginals" if asked for."""
        tagger = self.estimator
        X = tagger.encode(self.inputs(examples))
        ranked = tagger.predict_kbest(X, self.kbest) if self.kbest > 1 else None
        labels = [best[0][0] for best in ranked] if ranked is not None else tagger.predict(X)
        answers: list[Answer] = [{"labels": each} for each in labels]
        if ranked is not None:
            for answer, hypotheses in zip(answers, ranked, strict=True):
                answer["kbest"] = [{"labels": each, "probability": round(p, 6)} for each, p in hypotheses]
        if self.confidence:
            index = {label: number for number, label in enumerate(tagger.classes_)}
            sure = tagger.confidence(X).tolist()
            for answer, whole, marginals in zip(answers, sure, tagger.predict_proba(X), strict=True):
                answer["confidence"] = round(whole, 6)
                for each in (answer, *answer.get("kbest", [])):
                    each["marginals"] = [
                        round(float(row[index[label]]), 6) for row, label in zip(marginals, each["labels"], strict=True)
                    ]
            for answer, z in zip(answers, self._z_scores(X), strict=False):
                answer["z_score"] = round(z, 4)
        return answers

    def _z_scores(self, X: Any) -> list[float]:
        """Z-scores of the predictions; none if the model has no moments of all labellings."""
        try:
            return [float(z) for z in self.estimator.z_score(X)]
        except InputError:
            return []

    def text_lines(self, example: Example, answer: Answer, file_format: TagFormat, number: int) -> Iterator[str]:
        """One more column, or pairs."""
        ranked = answer.get("kbest", [answer])
        labellings = [[str(label) for label in each["labels"]] for each in ranked]
        if isinstance(example.raw, TableRows):
            yield from self._table_lines(example.raw, labellings, answer, file_format, number)
            return
        if file_format in TABLES:
            split = None if self.layout is None else self.layout.label_split
            missing = ["_"] * (self.kbest - len(ranked))
            fields = [example.raw[0], *(join_tokens(labels, split) for labels in labellings), *missing]
            if self.confidence:
                fields += [f"{each.get('probability', answer['confidence']):.4f}" for each in ranked] + missing
            yield joined_row(fields, file_format == TagFormat.CSV)
            return
        if file_format == TagFormat.CRFSUITE:
            yield from self._tagged_lines(labellings, answer)
            return
        columns, place = self._new_columns(labellings, answer), self._label_place()
        if place is not None and is_conllu(example.raw, example.has_tabs):
            yield from conllu_lines(example.raw, example.others, place, columns)
        else:
            yield from comments(example.others)
            for row, *labels in zip(example.raw, *columns, strict=True):
                yield "\t".join([*row, *labels])
        yield ""

    def _label_place(self) -> int | None:
        """Column of the labels in a file of columns, counted from 0, if it has been named."""
        places = numbered_columns(self.columns_of(TagFormat.CONLL))
        return None if places is None else places[-1]

    def _new_columns(self, labellings: list[list[str]], answer: Answer) -> list[list[str]]:
        """Labels, and their probabilities if asked for; every row has as many columns."""
        missing = [["_"] * len(labellings[0])] * (self.kbest - len(labellings))
        if not self.confidence:
            return labellings + missing
        sure = [[f"{value:.4f}" for value in each["marginals"]] for each in answer.get("kbest", [answer])]
        return labellings + missing + sure + missing

    def _table_lines(
        self, table: TableRows, labellings: list[list[str]], answer: Answer, file_format: TagFormat, number: int
    ) -> Iterator[str]:
        """The rows of a table with more columns, its header before the first of them."""
        numbers = ["", *(f"_{k}" for k in range(2, self.kbest + 1))]
        names = [f"predicted{k}" for k in numbers] + ([f"probability{k}" for k in numbers] if self.confidence else [])
        comma = file_format == TagFormat.CSV
        columns = self._new_columns(labellings, answer)
        yield from table_lines(table, columns, names, comma, with_header=number == 1)

    def _tagged_lines(self, labellings: list[list[str]], answer: Answer) -> Iterator[str]:
        """What `crfsuite tag` writes: labels alone, with their probabilities after a colon as for its option -i."""
        columns = labellings
        if self.confidence:
            columns = [
                [f"{label}:{p:.6f}" for label, p in zip(labels, each["marginals"], strict=True)]
                for labels, each in zip(labellings, answer.get("kbest", [answer]), strict=True)
            ]
        missing = [["_"] * len(labellings[0])] * (self.kbest - len(labellings))
        for row in zip(*columns, *missing, strict=True):
            yield "\t".join(row)
        yield ""

    def json_item(self, example: Example) -> dict[str, Any]:
        """The object of the file, or the tokens."""
        item = dict(example.raw) if isinstance(example.raw, dict) else {"tokens": example.tokens}
        if hasattr(example.tokens, "dtype"):  # nobody reads arrays of numbers again
            del item["tokens"]
        return item if example.labels is None else {**item, "gold": example.labels}

    # ---------------------------------------------------------------- scoring

    def measures(self, examples: list[Example], predicted: list[Any]) -> dict[str, Measure]:
        """Token and sequence accuracy, and F1 of chunks first if the labels are of chunks."""
        pairs = [(each.labels or [], guess) for each, guess in zip(examples, predicted, strict=True)]
        right = [sum(a == b for a, b in zip(x, y, strict=True)) for x, y in pairs]
        lengths = [len(x) for x, _ in pairs]
        whole = [n == length for n, length in zip(right, lengths, strict=True)]
        measures = {
            "token_accuracy": Measure("token accuracy", right, lengths, "of tokens have the right label"),
            "sequence_accuracy": share("sequence accuracy", whole, "of sequences have no wrong label"),
        }
        counts = chunk_counts(pairs)
        if counts is not None:
            wanted, found, hits = ([sum(each.values()) for each in side] for side in counts)
            both = [a + b for a, b in zip(wanted, found, strict=True)]
            meaning = "harmonic mean of precision and recall of whole chunks"
            measures["chunk_f1"] = Measure("chunk F1", [2 * n for n in hits], both, meaning)
        return measures

    def counts(self, examples: list[Example], measures: Mapping[str, Measure]) -> dict[str, int]:
        """Sequences and tokens."""
        return {"sequences": len(examples), "tokens": int(sum(measures["token_accuracy"].denominators))}

    def more_scores(
        self, examples: list[Example], predicted: list[Any], measures: Mapping[str, Measure]
    ) -> dict[str, Any]:
        """The measures, and precision, recall and F1 of each type of chunk."""
        scores = super().more_scores(examples, predicted, measures)
        if "chunk_f1" in measures:
            from weft.metrics.chunks import chunk_scores

            truth = self.references(examples)
            found = chunk_scores(truth, predicted, _scheme({label for labels in truth for label in labels}) or "IOB2")
            scores["chunks"] = {
                **_chunk_facts(found),
                "interval": measures["chunk_f1"].interval,
                "types": {kind: _chunk_facts(each) for kind, each in found.per_type.items()},
            }
        return scores

    def print_scores(self, file: str, facts: Mapping[str, Any], measures: Mapping[str, Measure]) -> None:
        """Tables of accuracies and of chunks."""
        console, table = console_and_table("", "%", "95 % interval")
        console.print(f"{file}: {facts['sequences']:,} sequences, {facts['tokens']:,} tokens\n", soft_wrap=True)
        for measure in measures.values():
            low, high = measure.interval
            table.add_row(measure.title, f"{100 * measure.value:.2f}", f"{100 * low:.2f} - {100 * high:.2f}")
        console.print(table)
        if "chunks" not in facts:
            return
        _, table = console_and_table("chunks", "precision", "recall", "F1", "support")
        for kind, each in [*facts["chunks"]["types"].items(), ("all", facts["chunks"])]:
            figures = [f"{100 * each[name]:.2f}" for name in ("precision", "recall", "f1")]
            table.add_row(kind, *figures, f"{each['support']:,}", style="bold" if each is facts["chunks"] else None)
        console.print(table)


def _suffix(path: str) -> str:
    return Path(path.removesuffix(".gz")).suffix.lower()


def _chunk_facts(scores: Any) -> dict[str, Any]:
    return {name: getattr(scores, name) for name in ("precision", "recall", "f1", "support", "predicted", "correct")}


def _scheme(labels: set[Any]) -> Literal["IOB2", "BIOES"] | None:
    """Name of the scheme if labels look like tags of chunks."""
    if labels == {"O"} or not all(isinstance(label, str) and CHUNK_TAG.fullmatch(label) for label in labels):
        return None
    return "BIOES" if any(label[0] in "ES" for label in labels) else "IOB2"


def chunk_counts(pairs: Pairs) -> tuple[list[Counter[str]], ...] | None:
    """Chunks of each type that are wanted, found and right, by sequence; None if labels are no chunks'.

    Examples
    --------
    >>> chunk_counts([(["B-NP", "I-NP"], ["B-NP", "O"])])
    ([Counter({'NP': 1})], [Counter({'NP': 1})], [Counter({'NP': 0})])
    """
    from weft.metrics.chunks import chunk_scores

    scheme = _scheme({label for labels, _ in pairs for label in labels})
    if scheme is None or _scheme({label for _, labels in pairs for label in labels} | {"O", "B-x"}) is None:
        return None
    wanted, found, right = [], [], []
    for truth, guess in pairs:
        types = chunk_scores([truth], [guess], scheme).per_type
        wanted.append(Counter({kind: each.support for kind, each in types.items()}))
        found.append(Counter({kind: each.predicted for kind, each in types.items()}))
        right.append(Counter({kind: each.correct for kind, each in types.items()}))
    return wanted, found, right
