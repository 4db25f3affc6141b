"""A real server process with a model of every kind: the same answers as in process, and nothing that ends it."""

import concurrent.futures
import json
import random
import socket
import time
from types import SimpleNamespace

import numpy as np
import pytest

import weft
from report_models import report_models
from serving import Server, ask
from weft.serve.tasks.align import AlignTask
from weft.serve.types import Options

INPUTS = {
    "tag": [["the", "cat", "sleeps"], ["a", "dog"], ["unseen"]],
    "spectral": ["abab", "b", "aab"],
    "classify": ["the cat", "le chien dort", "x"],
    "regress": ["uno", "dos tres"],
    "rewrite": ["tach", "cat", "", "hat"],
    "align": [("ACGT", "AGT"), ("A", "CCCA")],
    "fold": ["GGGAAACCC", "ACGU", "GGCAAAAGCC"],
    "parse": [["the", "cat", "saw", "the", "dog"], ["the", "dog", "saw", "the", "cat", "with", "the", "dog"]],
}
BAD = [
    (b"{", 400, "no_json"),
    (b"", 400, "no_json"),
    (b'{"inputs": ["a"], "kbest": 1e999}', 422, "invalid_request"),
    (b'{"inputs": ["\\ud800"]}', 400, "no_json"),
    (b"[" * 100_000, 422, "invalid_request"),
    (b'{"inputs": ' + b"[" * 100_000, 422, "invalid_request"),
    (b'{"inputs": "abc"}', 422, "invalid_request"),
    (b'{"inputs": ["a"], "kbest": 0}', 422, "invalid_request"),
    (b'{"inputs": ["a"], "kbest": 101}', 422, "invalid_request"),
    (b'{"inputs": ["a"], "unknown": 1}', 422, "invalid_request"),
    (b'{"inputs": ["a"], "text": "a"}', 422, "invalid_input"),
    (b'{"inputs": []}', 422, "invalid_input"),
    (b'{"inputs": ["a"], "tags": ["x"]}', 422, "invalid_input"),
    (b'{"text": ""}', 422, "invalid_input"),
    (json.dumps({"inputs": ["a"] * 1001}).encode(), 413, "too_many"),
    (json.dumps({"inputs": ["a" * 20_001]}).encode(), 413, "too_long"),
    (b" " * 4_000_001, 413, "too_large"),
]


@pytest.fixture(scope="module")
def files():
    return {name: each.model for name, each in report_models().items()}


@pytest.fixture(scope="module")
def server(files):
    with Server(*files.values(), "--receive-timeout", "1.5") as running:
        yield running


@pytest.fixture(scope="module")
def models(files):
    return {name: weft.load(path) for name, path in files.items()}


def as_json(value):
    return json.loads(json.dumps(value, default=lambda each: each.tolist()))


def expected(name, model, inputs):
    """The answers of a model in process."""
    found = [{} for _ in inputs]
    key = {"align": "alignment", "fold": "structure", "parse": "tree", "classify": "label"}.get(name)
    key = key or ("output" if name in ("rewrite", "regress") else "labels")

    def put(what, values):
        for answer, value in zip(found, values, strict=True):
            answer[what] = value

    put(key, model.predict(inputs))
    if name == "classify":
        names = list(map(str, model.classes_))
        put("probabilities", [dict(zip(names, row, strict=True)) for row in model.predict_proba(inputs).tolist()])
        put("confidence", [each["probabilities"][each[key]] for each in found])
        return found
    ranked = model.predict_kbest(inputs, 3)
    put("kbest", [[{key: output, "probability": p} for output, p in each] for each in ranked])
    put("confidence", model.confidence(inputs).tolist())
    if name in ("align", "fold", "parse", "tag"):
        put("z_score", model.z_score(inputs).tolist())
    if name in ("tag", "spectral"):
        put("marginals", [own.tolist() for own in model.predict_proba(inputs)])
    elif name in ("align", "fold"):
        own = [np.triu(each, 1) if name == "fold" else each for each in model.predict_marginals(inputs)]
        put("marginals", [[[i, j, each[i, j]] for i, j in np.argwhere(each >= 1e-3).tolist()] for each in own])
    elif name == "parse":
        own = [sorted(each.items(), key=lambda pair: pair[0][1:]) for each in model.predict_marginals(inputs)]
        put("marginals", [[[*node, p] for node, p in each] for each in own])
    return found


def everything(server, name):
    """All that a model can be asked."""
    questions = server.ask(f"/v1/models/{name}")[2]["questions"]
    asked = {each: True for each in ("confidence", "marginals", "z_score") if each in questions}
    return {**asked, **({"kbest": 3} if "kbest" in questions else {})}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", list(INPUTS))
def test_answers_equal_those_in_process_to_the_last_digit(server, models, name):
    wanted = as_json(expected(name, models[name], INPUTS[name]))
    asked = everything(server, name)
    assert server.predict(name, inputs=INPUTS[name], **asked) == wanted
    # One by one too, as one by one in process: the products of matrices of a regression round by their shapes.
    for each in INPUTS[name]:
        assert server.predict(name, inputs=[each], **asked) == as_json(expected(name, models[name], [each]))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_requests_that_come_together_are_answered_together_and_alike(server, models):
    wanted = {name: as_json(expected(name, models[name], INPUTS[name])) for name in INPUTS}
    asked = {name: everything(server, name) for name in INPUTS}

    def work(seed):
        draw = random.Random(seed)
        with server.connection() as connection:
            for _ in range(40):
                name = draw.choice(list(INPUTS))
                if draw.random() < 0.1:
                    status, _, found = ask(connection, f"/v1/models/{name}/predict", {"inputs": [[[[]]]]})
                    assert status == 422, found
                    continue
                chosen = [draw.randrange(len(INPUTS[name])) for _ in range(draw.randint(1, 3))]
                inputs = [INPUTS[name][k] for k in chosen]
                question = {"inputs": inputs, **asked[name]}
                status, _, found = ask(connection, f"/v1/models/{name}/predict", question)
                assert status == 200, found
                right = [wanted[name][k] for k in chosen]
                assert found["answers"] == (
                    as_json(expected(name, models[name], inputs)) if name == "regress" else right
                )
        return True

    for first in range(0, 80, 8):  # whether any of them meet is a matter of time
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(first, first + 8)))
        _, _, text = server.ask("/metrics")
        numbers = dict(line.rsplit(" ", 1) for line in text.decode().splitlines() if not line.startswith("#"))
        batches = sum(float(v) for k, v in numbers.items() if k.startswith("weft_batch_requests_count"))
        requests = sum(float(v) for k, v in numbers.items() if k.startswith("weft_batch_requests_sum"))
        if requests > batches:
            break
    assert requests > batches > 0
    assert float(numbers['weft_errors_total{code="invalid_request"}']) > 0
    assert any(k.startswith("weft_resident_memory_bytes") and float(v) > 1e7 for k, v in numbers.items())


@pytest.mark.parametrize("name", list(INPUTS))
def test_an_explanation_is_of_the_answer(server, name):
    value = INPUTS[name][0]
    status, _, found = server.ask(f"/v1/models/{name}/explain", {"input": value, "drawing": True, "top": 3})
    assert status == 200, found
    assert found["answer"].items() <= server.predict(name, inputs=[value])[0].items()
    assert found["explanation"]
    assert ("drawing" in found) == (name in ("fold", "parse"))
    if "drawing" in found:
        assert found["drawing"].startswith("<svg")
        assert "<script" not in found["drawing"]


def test_what_speaks_for_a_class_adds_up_to_its_decision(server, models):
    _, _, found = server.ask("/v1/models/classify/explain", {"input": "the cat sat", "top": 200})
    told, svc = found["explanation"], models["classify"]
    decision = float(svc.decision_function(["the cat sat"])[0])
    assert told["decisions"] == {"<fr>": -decision, "en": decision}
    assert sum(told["contributions"]) + float(svc.bias_[0]) == pytest.approx(decision)
    assert sum(each["contribution"] for each in told["features"]) == pytest.approx(sum(told["contributions"]))


def test_letters_are_aligned_with_sounds(server):
    _, _, found = server.ask("/v1/models/rewrite/explain", {"text": "chat"})
    pairs = found["explanation"]["alignment"]
    assert [each["input"] for each in pairs] == list("chat")
    assert [sound for each in pairs for sound in each["output"]] == found["answer"]["output"]


def test_a_lattice_is_classified_and_drawn(server, models):
    arcs = [(0, "t", 1), (0, "l", 1), (1, "h", 2), (1, "e", 2)]
    lattice = {"arcs": [{"source": s, "label": x, "target": t, "weight": 0.5} for s, x, t in arcs], "final": [2]}
    wanted = models["classify"].predict([weft.automata.Automaton.from_lattice(lattice)]).tolist()
    assert [each["label"] for each in server.predict("classify", inputs=[lattice])] == wanted
    _, _, found = server.ask("/v1/models/classify/explain", {"text": json.dumps(lattice), "drawing": True})
    assert found["drawing"].count("<path") == 4


def test_unknown_symbols_are_told_to_who_asks(server):
    _, _, found = server.ask("/v1/models/rewrite/predict", {"inputs": ["caß"], "warnings": True})
    assert "'ß' (1)" in found["warnings"][0]
    _, _, found = server.ask("/v1/models/rewrite/predict", {"inputs": ["caß"]})
    assert "warnings" not in found


@pytest.mark.parametrize(("body", "status", "code"), BAD, ids=range(len(BAD)))
def test_what_cannot_be_answered_is_refused_in_one_line(server, body, status, code):
    found, headers, reply = server.ask("/v1/models/tag/predict", body)
    assert (found, reply["error"]["code"]) == (status, code), reply
    assert "\n" not in reply["error"]["message"]
    assert len(reply["error"]["message"]) < 400
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "options", "status"),
    [
        ("/v1/models/none/predict", {"body": {"inputs": ["a"]}}, 404),
        ("/v1/models/..%2f..%2fetc%2fpasswd", {}, 404),
        ("/page/..%2froutes.py", {}, 404),
        ("/page/../routes.py", {}, 404),
        ("/v1/models/tag/predict", {}, 405),
        ("/healthz", {"body": {}}, 405),
        ("/v1/models/tag/predict", {"body": {"inputs": ["a"]}, "headers": {"Content-Type": "text/plain"}}, 415),
        ("/v1/models", {"headers": {"Host": "example.org"}}, 403),
        ("/v1/models", {"headers": {"Origin": "https://example.org"}}, 403),
        ("/v1/models/tag/predict", {"method": "OPTIONS", "headers": {"Origin": "https://example.org"}}, 403),
    ],
)
def test_strangers_and_strange_addresses_are_refused(server, path, options, status):
    found, headers, reply = server.ask(path, **options)
    assert (found, set(reply)) == (status, {"error"})
    assert "access-control-allow-origin" not in headers


def test_costs_are_known_before_the_work_starts(server):
    began = time.monotonic()
    found, _, reply = server.ask("/v1/models/fold/predict", {"inputs": ["GC" * 5000], "confidence": True})
    assert (found, reply["error"]["code"]) == (413, "too_costly")
    found, _, reply = server.ask(
        "/v1/models/align/predict", {"inputs": [["AC" * 9000, "AC" * 9000]], "marginals": True}
    )
    assert (found, reply["error"]["code"]) == (413, "too_costly")
    assert time.monotonic() - began < 20


def test_costs_of_alignments_are_those_of_the_tables_that_answer():
    tasks = {
        mode: AlignTask(SimpleNamespace(estimator=weft.Aligner.from_matrix("BLOSUM62", mode=mode)))
        for mode in ("global", "end-gaps")
    }
    pair, cells = ("A" * 999, "A" * 1999), 2e6
    sure = {mode: task.cost(pair, Options(confidence=True)) for mode, task in tasks.items()}
    assert sure["end-gaps"].seconds > sure["global"].seconds
    # As measured on pairs of 2,500 letters: 56 bytes of memory for each two positions; lists need the graph.
    assert tasks["end-gaps"].cost(pair, Options()).memory == pytest.approx(60.0 * cells)
    assert all(task.cost(pair, Options(kbest=2)).memory == pytest.approx(1000.0 * cells) for task in tasks.values())


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"POST /v1/models/tag/predict HTTP/1.1\r\nHost: localhost\r\n"
                                  b"Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"])  # fmt: skip
def test_slow_senders_are_not_waited_for(server, sent):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as plug:
        plug.sendall(sent)
        reply = b"".join(iter(lambda: plug.recv(4096), b""))
    assert reply.startswith(b"HTTP/1.1 408 ")
    assert b'"too_slow"' in reply


@pytest.mark.parametrize(
    ("sent", "status"),
    [(b"\x16\x03\x01 no http\r\n\r\n", b"400"), (b"GET / HTTP/1.1\r\nX: " + b"x" * 40_000 + b"\r\n\r\n", b"431")],
)
def test_heads_that_are_none_or_too_large_are_refused(server, sent, status):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as plug:
        plug.sendall(sent)
        reply = b"".join(iter(lambda: plug.recv(4096), b""))
    assert reply.startswith(b"HTTP/1.1 " + status)
    assert b'{"error":' in reply


def random_json(draw, depth=0):
    kinds = ["text", "number", "none", "list", "dict", "bool"][: 6 if depth < 4 else 3]
    kind = draw.choice(kinds)
    if kind == "list":
        return [random_json(draw, depth + 1) for _ in range(draw.randint(0, 3))]
    if kind == "dict":
        keys = ["arcs", "final", "w", "source", "label", "0", "é"]
        return {draw.choice(keys): random_json(draw, depth + 1) for _ in range(draw.randint(0, 3))}
    plain = {"text": draw.choice(["", "a", "the", "ACGU", "\x00", "é" * 9]), "none": None, "bool": True}
    return plain.get(kind, draw.choice([0, -1, 1.5, 10**30, 1e300]))


def test_no_json_ends_in_a_fault_of_weft(server):
    draw = random.Random(0)
    with server.connection() as connection:
        for number in range(600):
            name = draw.choice(list(INPUTS))
            question = {"inputs": [random_json(draw) for _ in range(draw.randint(1, 2))]}
            if draw.random() < 0.3:
                question = {"input": random_json(draw), "drawing": True}
            route = "explain" if "input" in question else "predict"
            if route == "predict" and draw.random() < 0.5:
                question |= {"kbest": 2, "confidence": True}
            status, _, found = ask(connection, f"/v1/models/{name}/{route}", question)
            assert status in (200, 413, 422, 400), (number, name, question, found)
    assert not any("Traceback" in line or " fault " in line for line in server.log)


def test_logs_have_no_text_of_users(server):
    server.ask("/v1/models/tag/predict", {"inputs": [["verysecretword"]]})
    server.ask("/v1/models/verysecretword/predict", {"inputs": [["verysecretword"]]})
    server.ask("/verysecretword?text=verysecretword")
    time.sleep(0.3)
    assert any("predict tag 200" in line for line in server.log)
    assert not any("verysecretword" in line for line in server.log)


def test_models_are_described(server, files):
    _, _, found = server.ask("/v1/models")
    by_name = {each["name"]: each for each in found["models"]}
    assert list(by_name) == list(files)
    assert by_name["tag"]["labels"] == list(weft.load(files["tag"]).classes_)
    assert by_name["tag"]["training"]["n_labels"] == 4
    assert by_name["spectral"]["estimator"] == "SpectralTagger"
    assert not any(str(files["tag"].parent) in json.dumps(each) for each in found["models"])
    assert server.ask("/healthz")[0] == server.ask("/readyz")[0] == 200


def test_a_single_request_waits_for_nobody(server, models):
    """On an idle server; the bound of the benchmark is tighter, this one holds on a machine with other work."""
    with server.connection() as connection:
        times = []
        for _ in range(30):
            began = time.perf_counter()
            ask(connection, "/v1/models/tag/predict", {"inputs": [["the", "cat"]]})
            times.append(time.perf_counter() - began)
    assert min(times) < 0.05
