"""Models that are served: loaded, warmed, described, and replaced when their files are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weft.errors import InputError, ModelFileError
from weft.kinds import open_kind
from weft.serve.limits import Limits
from weft.serve.snapshots import Signature, Snapshots, signature
from weft.serve.tasks import task_of
from weft.serve.tasks.base import Task
from weft.serve.types import ModelFacts, ModelName

__all__ = ["Model", "Models"]


@dataclass(frozen=True, eq=False)
class Model:
    """One version of a model; never changed, so that a request sees one version from its beginning to its end."""

    name: str
    version: str
    task: Task
    loaded: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def id(self) -> ModelName:
        """Which model answers."""
        return ModelName(self.name, self.version, self.task.kind.command)

    def facts(self, limits: Limits, stale: bool) -> ModelFacts:
        """What there is to tell."""
        kind, header = self.task.kind, self.task.kind.header
        summary = {} if header is None else header.summary
        return ModelFacts(
            name=self.name,
            version=self.version,
            kind=kind.command,
            estimator=type(self.task.estimator).__name__ if header is None else header.class_name,
            task=kind.task,
            library_version="" if header is None else header.library_version,
            questions=list(self.task.questions),
            inputs=list(self.task.forms),
            labels=self.task.labels,
            training={key: value for key, value in summary.items() if key != "input"},
            loaded=self.loaded.strftime("%Y-%m-%dT%H:%M:%SZ"),
            stale=stale,
            example=self.task.example,
            hint=self.task.hint,
            limits=limits.shown(),
        )


def load_model(name: str, digest: str, path: Path, n_jobs: int) -> Model:
    """Read a copy of a model file, and ask it everything once."""
    kind = open_kind(path, "serve", mapped=True)
    if hasattr(kind.estimator, "n_jobs"):
        kind.estimator.n_jobs = n_jobs
    task = task_of(kind)
    task.warm()
    return Model(name, digest[:12], task)


class Models:
    """All models by name, and the watch over their files.

    Parameters
    ----------
    files : mapping of str to Path
    folder : Path
        Where copies go.
    n_jobs : int
        Threads of each model.
    report : callable
        Told the name, the new version or None, and the error or None, of each file that was replaced.
    """

    def __init__(
        self,
        files: Mapping[str, Path],
        folder: Path,
        n_jobs: int = 1,
        report: Callable[[str, str | None, str | None], None] = lambda *_: None,
    ) -> None:
        self.files, self.n_jobs, self.report = dict(files), n_jobs, report
        self._snapshots = {name: Snapshots(folder, name) for name in files}
        self._models: dict[str, Model] = {}
        self._seen: dict[str, Signature | None] = {}
        self.stale: set[str] = set()

    def __getitem__(self, name: str) -> Model:
        return self._models[name]

    def get(self, name: str) -> Model | None:
        """The current version of a model; None if there is no model of that name."""
        return self._models.get(name)

    def __iter__(self) -> Any:
        return iter(self._models.values())

    def load_all(self) -> None:
        """Load every model before anything is asked; one that cannot be loaded is an error, unless it once could."""
        for name, path in self.files.items():
            before = signature(path)
            try:
                self._models[name] = self._read(name, path)
            except (ModelFileError, InputError) as error:
                good = self._snapshots[name].good()
                if good is None:
                    raise
                self._models[name] = load_model(name, *good, self.n_jobs)
                self.stale.add(name)
                self.report(name, None, str(error))
            self._seen[name] = before

    def _read(self, name: str, path: Path) -> Model:
        snapshots = self._snapshots[name]
        digest, copy = snapshots.take(path)
        try:
            model = load_model(name, digest, copy, self.n_jobs)
        except ModelFileError as error:
            if not copy.exists():  # another process has found a newer file meanwhile, and dropped this one
                return self._read(name, path)
            # Messages name the file that people know.
            raise ModelFileError(str(error).replace(str(copy), str(path))) from error
        except InputError as error:
            raise InputError(str(error).replace(str(copy), str(path))) from error
        snapshots.keep(digest)
        return model

    def refresh(self, name: str) -> None:
        """Load a file that has changed; requests go to the old version until the new one is warm."""
        path = self.files[name]
        before = signature(path)
        try:
            fresh = self._read(name, path)
        except Exception as error:  # whatever is in the file: the old version goes on
            self.stale.add(name)
            self.report(name, None, f"{error}" if isinstance(error, ModelFileError | InputError) else repr(error))
        else:
            self._models[name] = fresh
            self.stale.discard(name)
            self.report(name, fresh.version, None)
        self._seen[name] = before

    def changed(self) -> list[str]:
        """Names of models whose files are others than those that were read."""
        found = []
        for name, path in self.files.items():
            now = signature(path)
            if now is not None and now != self._seen[name]:
                found.append(name)
        return found

    async def watch(self, interval: float) -> None:
        """Look for new files for ever."""
        while True:
            await asyncio.sleep(interval)
            for name in self.changed():
                await asyncio.to_thread(self.refresh, name)
