"""Settings of the documentation; `make docs` builds it with warnings as errors."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sphinx.pycode import ModuleAnalyzer

import weft

# Pages of names that are gone would otherwise stay, and fail the build.
shutil.rmtree(Path(__file__).parent / "reference" / "generated", ignore_errors=True)
sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "weft"
author = "The weft developers"
copyright = author
version = release = weft.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "mathml",
    "notebooks",
    "cards",
    "whole_names",
]
exclude_patterns = ["_build", "_templates", "_extensions"]
templates_path = ["_templates"]

smartquotes = False  # quotes of types and of code in tables must stay what they are

# A single back-quoted name in a docstring links to that name if the reference has it.
default_role = "py:obj"

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's Parameters sections say it in words
numpydoc_show_class_members = False
numpydoc_use_plots = False

# Formulas become MathML, which browsers draw themselves: no script, and pages work without a network.
html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"weft {release}"
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # it asks for pages, which browsers refuse from the file system
html_static_path = ["_static"]
html_css_files = ["weft.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#7a3e1d", "color-brand-content": "#9a4a1c"},
    "dark_css_variables": {"color-brand-primary": "#f0b48a", "color-brand-content": "#f2a873"},
}


INTERNAL = {"state_rules", "default_learner", "words", "needs_outputs", "empty_output"}
"""Members of estimators that are for those who extend them."""


def skip_internal(app, what, name, obj, skip, options):
    """Leave out scikit-learn's generated ``set_fit_request`` and the like, and what only the source explains."""
    return skip or name in INTERNAL or (name.startswith("set_") and name.endswith("_request"))


def write_products_as_dots(app, what, name, obj, options, lines):
    """Turn the dot of ``w . phi`` into a product sign; the tables of names would end a sentence at it."""
    lines[:] = [line.replace(" . ", " · ") for line in lines]


def describe_values(app, what, name, obj, options, lines):
    """Give values that a package hands on the text that stands below them in the module that defines them."""
    package, _, last = name.rpartition(".")
    if what != "data":
        return
    for module in sorted(each for each in sys.modules if each.startswith(f"{package}.")):
        if getattr(sys.modules[module], last, None) is obj:
            found = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", last))
            if found:
                lines[:] = found
                return


def setup(app):
    app.connect("autodoc-process-docstring", describe_values)
    app.connect("autodoc-process-docstring", write_products_as_dots)
    app.connect("autodoc-skip-member", skip_internal)
