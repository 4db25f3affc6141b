"""A test that needs data says ``@pytest.mark.needs_data("conll2000")`` and skips where it is absent.

The last lines of a run say which data it had, and what the compiler took of its time.
"""

import os
import time

import pytest
from hypothesis import settings
from numba.core import event

from weft import datasets
from weft.errors import MissingDataError

collect_ignore = ["typed_user"]  # to be read by type checkers; half of its lines are wrong on purpose

# What lands is judged on the same examples everywhere; runs by hand look for new ones each time.
# The first example may compile for seconds, so none has a deadline.
settings.register_profile("new ones", deadline=None)
settings.register_profile("the same everywhere", deadline=None, derandomize=True, database=None)
settings.load_profile("the same everywhere" if os.environ.get("CI") else "new ones")


class Compiler(event.Listener):
    """CPU seconds and functions that the compiler took in this process; programs that tests start are not in it."""

    def __init__(self):
        self.n_functions, self.seconds, self._began = 0, 0.0, []

    def on_start(self, found):
        self._began.append(time.thread_time())

    def on_end(self, found):
        began = self._began.pop()
        self.n_functions += 1
        if not self._began:  # else it is part of what its caller takes
            self.seconds += time.thread_time() - began


COMPILER = Compiler()


def pytest_configure(config):
    event.register("numba:compile", COMPILER)
    config.addinivalue_line(
        "markers",
        "needs_data(*names): skip, with the public source as the reason, where a data set is absent",
    )


def pytest_runtest_setup(item):
    for marker in item.iter_markers("needs_data"):
        for name in marker.args:
            try:
                datasets.folder(name)
            except MissingDataError as error:
                pytest.skip(str(error))


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):  # of a process that the one that reports has started
        session.config.workeroutput["compiler"] = COMPILER.n_functions, COMPILER.seconds


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    n_functions, seconds = getattr(node, "workeroutput", {}).get("compiler", (0, 0.0))
    COMPILER.n_functions += n_functions
    COMPILER.seconds += seconds


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    yield  # the outermost wrapper writes last
    found = datasets.available()
    for title, wanted in (("had", True), ("missing", False)):
        names = [name for name, there in found.items() if there is wanted]
        terminalreporter.write_line(f"data sets {title}: {', '.join(names) or 'none'}")
    terminalreporter.write_line(f"compiled: {COMPILER.n_functions} functions in {COMPILER.seconds:.0f} s of CPU")
