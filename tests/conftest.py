"""A test that needs data says ``@pytest.mark.needs_data("conll2000")`` and skips where it is absent."""

import os

import pytest
from hypothesis import settings

from weft import datasets
from weft.errors import MissingDataError

collect_ignore = ["typed_user"]  # to be read by type checkers; half of its lines are wrong on purpose

# What lands is judged on the same examples everywhere; runs by hand look for new ones each time.
# The first example may compile for seconds, so none has a deadline.
settings.register_profile("new ones", deadline=None)
settings.register_profile("the same everywhere", deadline=None, derandomize=True, database=None)
settings.load_profile("the same everywhere" if os.environ.get("CI") else "new ones")


def pytest_configure(config):
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


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    yield  # the outermost wrapper writes last
    found = datasets.available()
    for title, wanted in (("had", True), ("missing", False)):
        names = [name for name, there in found.items() if there is wanted]
        terminalreporter.write_line(f"data sets {title}: {', '.join(names) or 'none'}")
