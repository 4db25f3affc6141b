"""Micro-batches: nobody waits on an idle model, those who wait are answered together, a fault stays with its maker."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

import weft
from weft.errors import InputError
from weft.kinds import open_kind
from weft.serve.batching import Batcher, Question, answer_together
from weft.serve.limits import Cost, Limits, Refusal
from weft.serve.tasks import task_of
from weft.serve.types import Options


class Task:
    """Doubles numbers; negative ones are faults. Each call is noted."""

    joins = True

    def __init__(self, wait=0.0):
        self.calls, self.wait = [], wait
        self.gate = threading.Event()
        self.gate.set()

    def joined(self, parts):
        return [value for part in parts for value in part]

    def answers(self, inputs, tags, options):
        self.gate.wait(10)
        time.sleep(self.wait)
        self.calls.append((list(inputs), options.kbest))
        if any(x < 0 for x in inputs):
            raise InputError(f"X[{next(k for k, x in enumerate(inputs) if x < 0)}] is negative.")
        return [{"output": 2 * x} for x in inputs]


def question(task, *inputs, kbest=1, seconds=0.0):
    return Question(SimpleNamespace(task=task), list(inputs), None, Options(kbest=kbest), Cost(seconds))


def run(work, **limits):
    """Run a coroutine with a batcher."""
    seen = []

    async def inside():
        with ThreadPoolExecutor(1) as pool:
            batcher = Batcher(Limits(**limits), pool, lambda *sizes: seen.append(sizes))
            return await work(batcher)

    return asyncio.run(inside()), seen


def outputs(reply):
    return [each["output"] for each in reply.answers]


def test_an_idle_model_starts_at_once_and_what_comes_meanwhile_is_one_batch():
    task = Task()
    model = SimpleNamespace(task=task)

    async def work(batcher):
        task.gate.clear()
        first = asyncio.create_task(batcher.ask(Question(model, [1], None, Options(), Cost())))
        await asyncio.sleep(0.01)
        others = [asyncio.create_task(batcher.ask(Question(model, [k, k], None, Options(), Cost()))) for k in (2, 3, 4)]
        await asyncio.sleep(0.01)
        assert len(batcher) == 3
        task.gate.set()
        return [outputs(await each) for each in [first, *others]]

    found, seen = run(work)
    assert found == [[2], [4, 4], [6, 6], [8, 8]]
    assert task.calls == [([1], 1), ([2, 2, 3, 3, 4, 4], 1)]
    assert seen == [(1, 1), (3, 6)]


def test_batches_are_bounded_and_first_come_first_served():
    task = Task()
    model = SimpleNamespace(task=task)

    async def work(batcher):
        task.gate.clear()
        asked = [asyncio.create_task(batcher.ask(Question(model, [k], None, Options(), Cost(0.1)))) for k in range(6)]
        await asyncio.sleep(0.01)
        task.gate.set()
        await asyncio.gather(*asked)

    run(work, batch_seconds=0.25)
    assert [inputs for inputs, _ in task.calls] == [[0], [1, 2], [3, 4], [5]]


def test_what_is_asked_differently_is_not_joined():
    task = Task()
    model = SimpleNamespace(task=task)
    asked = [Question(model, [k], None, Options(kbest=1 + k % 2), Cost()) for k in range(4)]
    assert [outputs(each) for each in answer_together(asked)] == [[0], [2], [4], [6]]
    assert task.calls == [([0, 2], 1), ([1, 3], 2)]


def test_a_fault_is_told_to_who_made_it_as_in_process():
    task = Task()
    model = SimpleNamespace(task=task)
    asked = [Question(model, inputs, None, Options(), Cost()) for inputs in ([1], [5, -1], [3])]
    first, fault, last = answer_together(asked)
    assert (outputs(first), outputs(last)) == ([2], [6])
    assert str(fault) == "X[1] is negative."


def test_models_whose_answers_hang_on_others_are_asked_one_by_one():
    task = Task()
    task.joins = False
    model = SimpleNamespace(task=task)
    answer_together([Question(model, [k], None, Options(), Cost()) for k in range(3)])
    assert [inputs for inputs, _ in task.calls] == [[0], [1], [2]]


def test_a_full_queue_and_a_long_wait_are_refused():
    task = Task()

    async def work(batcher):
        task.gate.clear()
        asked = [asyncio.create_task(batcher.ask(question(task, k))) for k in range(4)]
        await asyncio.sleep(0.01)
        with pytest.raises(Refusal) as full:
            await batcher.ask(question(task, 9))
        found = await asyncio.gather(*asked, return_exceptions=True)
        task.gate.set()
        return full.value, found

    (full, found), _ = run(work, queue=3, timeout=0.1)
    assert (full.status, full.code) == (503, "busy")
    assert "retry-after" in full.headers
    assert [each.code for each in found] == ["timeout"] * 4
    assert len(task.calls) <= 1  # what nobody waits for is not computed


def test_a_queue_of_too_much_work_is_full():
    task = Task()

    async def work(batcher):
        task.gate.clear()
        first = asyncio.create_task(batcher.ask(question(task, 1, seconds=50.0)))
        await asyncio.sleep(0.01)
        with pytest.raises(Refusal) as full:
            await batcher.ask(question(task, 2, seconds=40.0))
        task.gate.set()
        await first
        return full.value

    full, _ = run(work, queue_seconds=60.0, seconds=20.0)
    assert full.headers == {"retry-after": "50"}


@pytest.mark.parametrize("preimage", ["nearest", "euler", "candidates"])
def test_strings_from_counts_are_the_same_bits_alone_and_together(preimage, tmp_path):
    words = ["uno", "dos", "tres", "uno dos", "dos tres", "uno tres", "dos uno"]
    weft.save(weft.StringRegressor(preimage=preimage).fit(words, [word[::-1] for word in words]), tmp_path / "m.weft")
    task = task_of(open_kind(tmp_path / "m.weft", "serve"))
    assert task.joins == (preimage == "nearest")
    options = Options() if preimage == "euler" else Options(kbest=3, confidence=True)
    asked = [
        Question(SimpleNamespace(task=task), part, None, options, Cost()) for part in ([words[0]], words, ["dos d"])
    ]
    for one, reply in zip(asked, answer_together(asked), strict=True):
        assert reply.answers == one.ask().answers
        found = task.estimator.predict(one.inputs)
        assert [answer["output"] for answer in reply.answers] == found
        if preimage != "euler":
            ranked = task.estimator.predict_kbest(one.inputs, 3)
            assert [[tuple(each.values()) for each in answer["kbest"]] for answer in reply.answers] == ranked
            assert [answer["confidence"] for answer in reply.answers] == task.estimator.confidence(one.inputs).tolist()
