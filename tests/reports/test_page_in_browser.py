"""Reports in a real browser: phone and desk, light and dark."""

import zlib

import pytest
from typer.testing import CliRunner

from chromium import Chromium, find_chromium
from report_models import MAKERS, report_models
from weft.apps.cli import app

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OUTSIDE = """[...document.querySelectorAll('body *')].filter(each => {
  const box = each.getBoundingClientRect();
  return !each.closest('.scroll') && !each.closest('.skip') && box.right > window.innerWidth + 1;
}).map(each => each.outerHTML.slice(0, 100))"""
SMALL = """[...document.querySelectorAll('p, td, th, li, dd, figcaption')]
  .filter(each => parseFloat(getComputedStyle(each).fontSize) < 11).length"""
COLOURS = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"


@pytest.fixture(scope="module")
def browser():
    path = find_chromium()
    if path is None:
        pytest.skip("there is no Chromium; install one with: make browser")
    with Chromium(path) as chromium:
        yield chromium


@pytest.mark.parametrize("kind", list(MAKERS))
def test_page_fits_phone_and_desk_in_light_and_dark(browser, kind, tmp_path):
    files = report_models()[kind]
    page = tmp_path / "report.html"
    assert CliRunner().invoke(app, ["report", str(files.model), str(files.data), "-o", str(page)]).exit_code == 0
    colours = {}
    for width in (375, 1280):
        for scheme in ("light", "dark"):
            browser.errors.clear()
            browser.requests.clear()
            browser.show(page.as_uri(), width, scheme)
            assert browser.evaluate("window.innerWidth") == width
            assert browser.evaluate(OVERFLOW) == 0
            assert browser.evaluate(OUTSIDE) == []
            assert browser.evaluate(SMALL) == 0
            assert browser.evaluate("document.querySelectorAll('script').length") == 0
            assert browser.errors == []
            assert browser.requests == [page.as_uri()]
            colours[scheme] = browser.evaluate(COLOURS)
    assert colours["light"] != colours["dark"]


def test_screenshots_show_something(browser, tmp_path):
    files = report_models()["fold"]
    page = tmp_path / "report.html"
    assert CliRunner().invoke(app, ["report", str(files.model), str(files.data), "-o", str(page)]).exit_code == 0
    pictures = []
    for scheme in ("light", "dark"):
        browser.show(page.as_uri(), 375, scheme)
        pictures.append(browser.screenshot(whole=False))
    assert all(picture.startswith(b"\x89PNG") and len(picture) > 10_000 for picture in pictures)
    assert zlib.crc32(pictures[0]) != zlib.crc32(pictures[1])
