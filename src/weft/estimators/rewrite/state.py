"""What a model file keeps of a rewriter."""

from __future__ import annotations

from dataclasses import asdict, astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.checkpoint import pack_named, unpack_named
from weft.errors import ModelFileError
from weft.estimators.rewrite.inputs import Side
from weft.language_model import NGramLanguageModel
from weft.learners.monitor import untimed
from weft.rewriting.calibration import Calibration
from weft.rewriting.candidates.chain import MOST_CLASSES, CandidateChain
from weft.rewriting.candidates.contexts import Contexts, View
from weft.rewriting.candidates.tag_contexts import TagContexts, TagView
from weft.rewriting.edits.loops.steps import FIRST_INSERTION
from weft.rewriting.edits.model import MOST_ROOM, EditModel
from weft.rewriting.edits.two_ways import Edits
from weft.rewriting.model import RewriteModel
from weft.rewriting.network.recurrent import MOST_NETWORKS, Networks
from weft.rewriting.network.shape import NetworkShape
from weft.rewriting.spectral import SpectralRewriteModel
from weft.sequences.alphabet import Alphabet
from weft.state_rules import (
    ANY,
    HISTORY,
    ArrayRule,
    ValueRule,
    anything,
    boolean,
    check_arrays,
    check_state,
    choice,
    floats,
    integers,
    list_of,
    offsets,
    optional,
    packed_symbols,
    part,
    real,
    rest,
    whole,
)

Arrays = dict[str, NDArray[Any]]
CHAIN = ("first", "labels", "classes", "trait_offsets", "traits", "entry_offsets", "entry_places")
NGRAM_MODELS = ("joint", "language_model", "tier")
RERANKER = ("tiers", "vowels", "keys", "weights")
MODEL = ("weights", "label_offsets", "label_symbols")
EDITS = ("keys", "entry_offsets", "entry_edits", "weights", "inserted", "vowels")
WAYS = ("forwards", "backwards")

SKIPPED = anything("a whole number and a reason", lambda value: [type(each) for each in value] == [int, str])


def _curve(wanted: str, n_numbers: int) -> ValueRule:
    """A slope and an intercept, and perhaps a second slope."""

    def accepts(value: Any) -> bool:
        if not list_of(real(), n_numbers).accepts(value) or len(value) != n_numbers:
            return False
        return all(0 < slope < 1e3 for slope in (value[0], *value[2:])) and abs(value[1]) < 1e3

    return anything(wanted, accepts)


STATE = {
    "normal_form": choice("NFC", "NFD", "NFKC", "NFKD", None),
    "has_tags": boolean(),
    "copying": boolean(),
    "max_chunk": anything("two whole numbers", lambda value: list_of(whole(1), 2).accepts(value) and len(value) == 2),
    "skipped": list_of(SKIPPED),
    "rare": list_of(whole()),
    "history": HISTORY,
    "alignment_history": list_of(real()),
    "models": list_of(ANY, 1),
    "input": ANY,
    "output": ANY,
    "reranks": boolean(),
    "calibration": optional(_curve("a slope above 0 and an intercept", 2)),
    "forms_calibration": optional(_curve("a slope above 0, an intercept and a second slope above 0", 3)),
    "room": optional(
        anything("two whole numbers", lambda value: list_of(whole(0, MOST_ROOM), 2).accepts(value) and len(value) == 2)
    ),
}
SIDE = {"kind": choice("characters", "tokens"), "form": STATE["normal_form"]}
NGRAM_MODEL = anything(
    "parameters and state", lambda value: isinstance(value, dict) and set(value) == {"parameters", "state"}
)
FACTS = {
    "mixture": anything("4 or 5 weights", lambda value: list_of(real(), 4).accepts(value) and len(value) <= 5),
    "backwards": boolean(),
    "views": list_of(ANY),
    "joint": NGRAM_MODEL,
    "language_model": optional(NGRAM_MODEL),
    "tier": optional(NGRAM_MODEL),
    "network": optional(ANY),
    "tagger": optional(ANY),
}
VIEW = {"width": whole(0, 64), "radius": whole(0, 64), "has_roots": boolean()}
TAG_VIEW = {"shared": boolean()}
NETWORK = {name: whole(0, 2**20) for name in NetworkShape.__dataclass_fields__}
TAGGER = {
    "window": anything("a whole number or null", lambda value: value is None or whole().accepts(value)),
    "state": ANY,
}
ARRAYS = {
    "labels": integers("n_candidates", below="n_labels", dtype="int32"),
    "classes": integers("n_candidates", below=MOST_CLASSES, dtype="int32"),
    "first": offsets("n_symbols+1", "n_candidates"),
    "traits": integers("n_traits", below=2**15, dtype="int32"),
    "trait_offsets": offsets("n_candidates+1", "n_traits"),
    "entry_places": integers("n_entries", below="n_places", dtype="int16"),
    "entry_offsets": offsets("n_contexts+1", "n_entries"),
    "weights": floats("n_weights"),
    "label_symbols": integers("n_spelled", below="n_output_symbols", dtype="int32"),
    "label_offsets": offsets("n_labels+1", "n_spelled"),
    "language_numbers": optional(integers("n_language_numbers")),
    "tier_numbers": optional(integers("n_tier_numbers", low=-1)),
}
VIEW_ARRAYS = {
    "classes": integers("n_symbols", below=2**16),
    "roots": integers("n_symbols", below="n_symbols"),
    "keys": integers("n_keys"),
}
TAG_VIEW_ARRAYS = {
    "kinds": integers("n_symbols", below=2),
    "classes": integers("n_symbols", below=2**16),
    "keys": integers("n_keys", order="distinct"),
}
NETWORK_ARRAYS = {
    "weights": floats("n_networks", "n_network_weights", dtype="float32", low=-1e4, high=1e4),
    "traits": floats("n_network_labels", "n_network_traits", dtype="float32", low=0.0, high=1.0),
}
RERANKER_ARRAYS = {
    "tiers": integers("n_tiers", "n_output_symbols", low=-1),
    "vowels": integers("n_symbols", below=2),
    "keys": ArrayRule(("int64",), ("n_keys",), order="distinct"),
    "weights": floats("n_keys+1"),
}
EDITS_ARRAYS = {
    "keys": integers("n_keys", order="distinct"),
    "weights": floats("n_entries"),
    "inserted": integers("n_edits", below="n_output_symbols"),
    "entry_offsets": offsets("n_keys+1", "n_entries"),
    "entry_edits": integers("n_entries", below="n_edits", dtype="int32"),
    "vowels": integers("n_output_symbols", below=2),
}
"""What each value and array of a model file must be; n-gram models and the tagger have rules of their own."""


def rewriter_to_state(rewriter: Any) -> tuple[dict[str, Any], Arrays]:
    """Plain values and arrays of a fitted rewriter."""
    arrays: Arrays = {}
    state: dict[str, Any] = {
        "normal_form": rewriter.normal_form_,
        "has_tags": rewriter.has_tags_,
        "copying": rewriter.copying_,
        "max_chunk": list(rewriter.max_chunk_),
        "skipped": rewriter.skipped_,
        "rare": rewriter.rare_,
        "history": untimed(rewriter.history_),
        "alignment_history": rewriter.alignment_history_,
        "models": [],
    }
    for name, side in (("input", rewriter.input_side_), ("output", rewriter.output_side_)):
        state[name] = {"kind": side.kind, "form": side.form}
        arrays |= pack_named(name, side.alphabet.symbols)
    for number, model in enumerate(rewriter.models_):
        facts, own = _model_to_state(model)
        state["models"].append(facts)
        arrays.update({f"model{number}.{key}": array for key, array in own.items()})
    reranker = rewriter.reranker_
    state["reranks"] = reranker is not None
    if reranker is not None:
        arrays.update({f"reranker.{name}": getattr(reranker, name) for name in RERANKER})
    # With edits "calibration" is that of the votes, as it was when forms had none of their own.
    votes = rewriter.calibration_ if rewriter.edits_ is None else rewriter.votes_calibration_
    if votes is not None:
        state["calibration"] = [votes.slope, votes.intercept]
    if rewriter.edits_ is not None and rewriter.calibration_ is not None:
        state["forms_calibration"] = list(astuple(rewriter.calibration_))
    if rewriter.edits_ is not None:
        models = [getattr(rewriter.edits_, way) for way in WAYS]
        state["room"] = [model.room for model in models]
        for way, edits in zip(WAYS, models, strict=True):
            arrays.update({f"{way}.{name}": getattr(edits, name) for name in EDITS})
    return state, arrays


def _model_to_state(model: RewriteModel) -> tuple[dict[str, Any], Arrays]:
    arrays: Arrays = {}
    for owner, names in ((model.chain, CHAIN), (model, MODEL)):
        for name in names:
            arrays[name] = np.asarray(getattr(owner, name))
    views: list[dict[str, Any]] = []
    for number, contexts in enumerate(model.chain.contexts):
        view = contexts.view
        arrays[f"view{number}.keys"] = contexts.keys
        arrays[f"view{number}.classes"] = view.classes
        if isinstance(view, TagView):
            views.append({"shared": view.shared})
            arrays[f"view{number}.kinds"] = view.kinds
        else:
            views.append({"width": view.width, "radius": view.radius, "has_roots": view.roots is not None})
            arrays[f"view{number}.roots"] = view.middle
    facts: dict[str, Any] = {"mixture": list(model.mixture), "backwards": model.backwards, "views": views}
    for name in NGRAM_MODELS:
        part = getattr(model, name)
        if part is not None:
            inner, own = part._to_state()
            facts[name] = {"parameters": part.get_params(), "state": inner}
            arrays.update({f"{name}.{key}": array for key, array in own.items()})
    for name, numbers in (("language_numbers", model.language_numbers), ("tier_numbers", model.tier_numbers)):
        if numbers is not None:
            arrays[name] = numbers
    if model.network is not None:
        facts["network"] = asdict(model.network.shape)
        arrays["network.weights"] = model.network.weights
        arrays["network.traits"] = model.network.traits
    if isinstance(model, SpectralRewriteModel):
        inner, own = model.tagger._to_state()
        features = model.tagger.features
        facts["tagger"] = {"window": None if features is None else features.width, "state": inner}
        arrays.update({f"tagger.{key}": array for key, array in own.items()})
    return facts, arrays


def rewriter_from_state(rewriter: Any, state: dict[str, Any], arrays: Arrays) -> None:
    """Set what `rewriter_to_state` gave."""
    check_state("a rewriter", state, STATE)
    parts = [f"model{number}" for number in range(len(state["models"]))]
    rules = {**packed_symbols("input", "n_input_symbols"), **packed_symbols("output", "n_output_symbols")}
    sizes = check_arrays("a rewriter", rest(arrays, "reranker", *WAYS, *parts), rules)
    for name in ("normal_form", "has_tags", "copying", "rare", "history", "alignment_history"):
        setattr(rewriter, f"{name}_", state[name])
    rewriter.max_chunk_ = tuple(state["max_chunk"])
    rewriter.skipped_ = [tuple(each) for each in state["skipped"]]
    for name in ("input", "output"):
        check_state(f"the {name} of a rewriter", state[name], SIDE)
        side = Side(state[name]["kind"], Alphabet(unpack_named(name, arrays)), state[name]["form"])
        texts = side.kind == "tokens" or all(isinstance(symbol, str) for symbol in side.alphabet)
        if len(side) != sizes[f"n_{name}_symbols"] or not texts:
            raise ModelFileError(f"the {name} of a rewriter has the same symbol twice, or one that is no text")
        setattr(rewriter, f"{name}_side_", side)
    n_symbols, n_output_symbols = sizes["n_input_symbols"] + 1, sizes["n_output_symbols"]
    rewriter.models_ = [
        _model_from_state(facts, part(arrays, name), n_symbols, n_output_symbols)
        for name, facts in zip(parts, state["models"], strict=True)
    ]
    rewriter.mixture_ = rewriter.models_[0].mixture
    rewriter.reranker_ = None
    if state["reranks"]:
        own = part(arrays, "reranker")
        check_arrays("a reranker", own, RERANKER_ARRAYS, n_symbols=n_symbols, n_output_symbols=n_output_symbols)
        from weft.rewriting.reranking import Reranker

        rewriter.reranker_ = Reranker(*(own[name] for name in RERANKER))
    votes, forms = (
        Calibration(*state[name]) if name in state else None for name in ("calibration", "forms_calibration")
    )
    rewriter.edits_, rewriter.calibration_, rewriter.votes_calibration_ = None, votes, None
    if "room" in state:
        rewriter.calibration_, rewriter.votes_calibration_ = forms, votes
        rewriter.edits_ = Edits(
            *(_edits(room, part(arrays, way), n_output_symbols) for way, room in zip(WAYS, state["room"], strict=True))
        )


def _edits(room: int, arrays: Arrays, n_output_symbols: int) -> EditModel:
    sizes = check_arrays("a model of edits", arrays, EDITS_ARRAYS, n_output_symbols=n_output_symbols)
    if sizes["n_edits"] < FIRST_INSERTION:
        raise ModelFileError(f"a model of edits has {sizes['n_edits']} edits; needed at least {FIRST_INSERTION}")
    return EditModel(**{name: arrays[name] for name in EDITS}, room=room)


def _model_from_state(facts: dict[str, Any], arrays: Arrays, n_symbols: int, n_output_symbols: int) -> RewriteModel:
    check_state("a rewriting model", facts, FACTS)
    chain = _chain(facts["views"], arrays, n_symbols, n_output_symbols)
    parts: dict[str, Any] = {}
    for name in NGRAM_MODELS:
        if name in facts:
            parts[name] = NGramLanguageModel(**facts[name]["parameters"])
            parts[name]._from_state(facts[name]["state"], part(arrays, name))
    if not all(type(symbol) is int and 0 <= symbol < len(chain.labels) for symbol in parts["joint"].symbols_):
        raise ModelFileError("the joint model of a rewriting model has symbols that are no candidates")
    for name, numbers in (("language_model", "language_numbers"), ("tier", "tier_numbers")):
        _check_numbers(parts.get(name), arrays.get(numbers), arrays["label_symbols"], numbers)
    weights, label_offsets, label_symbols = (arrays[name] for name in MODEL)
    network = None
    if "network" in facts:
        network = _network(facts["network"], part(arrays, "network"), chain, len(label_offsets) - 2)
    everything: Any = (
        chain,
        weights,
        label_offsets,
        label_symbols,
        parts["joint"],
        (*facts["mixture"], 0.0)[:5],
        facts["backwards"],
        parts.get("language_model"),
        arrays.get("language_numbers"),
        parts.get("tier"),
        arrays.get("tier_numbers"),
        network,
    )
    if "tagger" not in facts:
        return RewriteModel(*everything)
    check_state("a spectral rewriting model", facts["tagger"], TAGGER)
    window = facts["tagger"]["window"]
    from weft.estimators.tag.tagger import Tagger
    from weft.sequences.window import WindowFeatures

    model = SpectralRewriteModel(*everything)
    model.tagger = Tagger(features=None if window is None else WindowFeatures(window, window))
    model.tagger._from_state(facts["tagger"]["state"], part(arrays, "tagger"))
    return model


def _chain(views: list[Any], arrays: Arrays, n_symbols: int, n_output_symbols: int) -> CandidateChain:
    """Candidates and contexts, as far as they and their weights are those of a chain."""
    contexts: list[Any] = []
    for number, facts in enumerate(views):
        own = part(arrays, f"view{number}")
        if isinstance(facts, dict) and "shared" in facts:
            check_state("a view of tags", facts, TAG_VIEW)
            check_arrays("a view of tags", own, TAG_VIEW_ARRAYS, n_symbols=n_symbols)
            contexts.append(TagContexts(TagView(own["kinds"], own["classes"], facts["shared"]), own["keys"]))
            continue
        check_state("a view", facts, VIEW)
        check_arrays("a view", own, VIEW_ARRAYS, n_symbols=n_symbols)
        view = View(facts["width"], facts["radius"], own["classes"], own["roots"] if facts["has_roots"] else None)
        contexts.append(Contexts(view, own["keys"]))
    own = rest(arrays, *NGRAM_MODELS, "network", "tagger", *(f"view{number}" for number in range(len(views))))
    # Places are candidates of one symbol, then traits; see `weft.rewriting.candidates.loops.chains`.
    first, traits = own["first"], own["traits"]
    most, n_traits = int(np.diff(first).max(initial=0)), int(traits.max(initial=-1)) + 1
    sizes = check_arrays(
        "a rewriting model",
        own,
        ARRAYS,
        n_symbols=n_symbols,
        n_output_symbols=n_output_symbols,
        n_labels=len(own["label_offsets"]) - 1,
        n_places=most + n_traits,
        n_contexts=sum(map(len, contexts)),
    )
    if most + n_traits >= 2**15 or first[-1] == first[-2]:
        raise ModelFileError("a rewriting model has too many candidates, or none for symbols unseen in training")
    chain = CandidateChain(contexts=tuple(contexts), **{name: own[name] for name in CHAIN})
    if sizes["n_weights"] != chain.n_features:
        raise ModelFileError(f"a rewriting model has {sizes['n_weights']} weights; needed {chain.n_features}")
    return chain


def _check_numbers(model: Any, numbers: Any, written: NDArray[Any], name: str) -> None:
    """Raise unless every output symbol that a label writes has a number in the model of outputs, if there is one."""
    if (model is None) != (numbers is None):
        raise ModelFileError(f"a rewriting model has {name!r} or the model that they belong to, but not both")
    if model is not None:
        if len(numbers) <= written.max(initial=-1):
            raise ModelFileError(f"array {name!r} of a rewriting model is shorter than there are output symbols")
        check_arrays("a rewriting model", {name: numbers}, {name: integers("n", low=-1, below=model.unknown_ + 1)})


def _network(facts: dict[str, Any], arrays: Arrays, chain: CandidateChain, n_labels: int) -> Networks:
    check_state("a network", facts, NETWORK)
    shape = NetworkShape(**facts)
    known = {"n_network_labels": n_labels, "n_network_traits": shape.n_traits, "n_network_weights": shape.n_weights}
    check_arrays("a network", arrays, NETWORK_ARRAYS, **known)
    if len(arrays["weights"]) > MOST_NETWORKS:
        raise ModelFileError(f"{len(arrays['weights']):,} networks given; needed at most {MOST_NETWORKS}")
    if (shape.n_symbols, shape.n_labels) != (len(chain.first) - 1, n_labels) or not len(arrays["weights"]):
        raise ModelFileError("a network and a chain have different symbols or labels")
    from weft.rewriting.network.training import allowed_labels

    return Networks(shape, arrays["weights"], allowed_labels(chain, n_labels), arrays["traits"])
