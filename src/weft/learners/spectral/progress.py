"""Write the state of a long fit, and find it again: in a file of its own, or in the journal of a run."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.checkpoint import Checkpoint, CheckpointState
from weft.errors import InputError
from weft.learners.monitor import Monitor


class Progress:
    """Checkpoint of a learner: loads what fits its data and parameters, refuses what does not.

    Parameters
    ----------
    learner : learner with `checkpoint` and `checkpoint_every`
    batch : batch
    monitor : Monitor
        Its history and best weights are part of the state.

    Attributes
    ----------
    resumed : CheckpointState or None
        What to go on from.
    finished : ndarray or None
        The weights of a fit of an interrupted run that was complete.
    """

    def __init__(self, learner: Any, batch: Any, monitor: Monitor) -> None:
        self._learner = learner
        self._monitor = monitor
        self._file = None if learner.checkpoint is None else Checkpoint(learner.checkpoint)
        self._key = "" if self._file is None else _fingerprint(learner, batch)
        self.resumed: CheckpointState | None = None if self._file is None else self._file.load()
        self.finished: NDArray[np.float64] | None = None
        if self._file is None:
            state = monitor.resumed()
            monitor.n_before = 0  # passes are counted from the first on
            if state is not None and state.done:
                self.finished = state.arrays["weights"]
            if state is not None:
                self.resumed = CheckpointState(state.facts["passes"], state.arrays, state.facts)
            return
        if self.resumed is None:
            return
        if self.resumed.meta.get("key") != self._key:
            raise InputError(
                f"{learner.checkpoint} is the checkpoint of a fit with other data or parameters; remove it or name "
                "another file."
            )
        monitor.restore(self.resumed.meta["monitor"], self.resumed.arrays.get("monitor.best"))

    def save(self, step: int, arrays: dict[str, NDArray[Any]], meta: dict[str, Any]) -> None:
        """Note the state after a pass; write it, if it is due."""
        chosen = {"tau": self._learner.tau_, "step": self._learner.step_, "tau_path": self._learner.tau_path_}
        if self._file is None:
            self._monitor.keep(arrays, copy=True, passes=step, **chosen, **meta)
            return
        if step % self._learner.checkpoint_every:
            return
        state, best = self._monitor.state()
        if best is not None:
            arrays = {**arrays, "monitor.best": best}
        self._file.save(step, arrays, {"key": self._key, "monitor": state, **chosen, **meta})

    def done(self, weights: NDArray[np.float64]) -> None:
        """Remove the file, or note the result: the fit is complete."""
        if self._file is None:
            self._monitor.keep({"weights": weights}, copy=True, done=True, passes=0, step=self._learner.step_)
        else:
            self._file.remove()

    @staticmethod
    def random_state(random: np.random.Generator) -> str:
        """State of a generator as text; its numbers are too long for JSON readers."""
        return json.dumps(random.bit_generator.state)

    @staticmethod
    def restore_random(text: str) -> Any:
        """Inverse of `random_state`."""
        return json.loads(text)


def _fingerprint(learner: Any, batch: Any) -> str:
    """Marks data and parameters; `max_iter` is left out, so that a fit can be prolonged."""
    parameters = {
        key: repr(value)
        for key, value in learner.get_params().items()
        if key not in ("max_iter", "checkpoint", "checkpoint_every")
    }
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode())
    for array in (batch.corpus.offsets, batch.symbols, batch.reference(), batch.sample_weight):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(str(batch.n_features).encode())
    return digest.hexdigest()
