"""The page in a real browser: every kind, typing, sharing, phone and desk, light and dark, keys, copied lines."""

import json
import shlex
import subprocess
import sys
import time
import urllib.parse

import pytest

from chromium import Chromium, find_chromium
from report_models import report_models
from serving import Server, wait_until

TEXTS = {
    "tag": ("the cat sleeps", ".token", 3),
    "spectral": ("abab", ".token", 4),
    "classify": ("the dog sat", ".told mark", 1),
    "regress": ("uno dos", ".bars li", 3),
    "rewrite": ("tach", ".columns.pairs li", 4),
    "align": ("ACGTACGT\nACACGT", ".columns li", 8),
    "fold": ("GGGGAAAACCCC", "figure svg circle", 12),
    "parse": ("the cat saw the dog with the cat", "figure svg text", 20),
}
"""For each model a text, and how many of which elements its answer has at least."""
LATTICE = json.dumps(
    {
        "arcs": [
            {"source": 0, "target": 1, "label": "t", "weight": 0.7},
            {"source": 0, "target": 1, "label": "l", "weight": 0.3},
            {"source": 1, "target": 2, "label": "h"},
        ],
        "final": [2],
    }
)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OUTSIDE = """[...document.querySelectorAll('body *')].filter(each => {
  const box = each.getBoundingClientRect();
  return !each.closest('.scroll, .hidden, .skip') && box.right > window.innerWidth + 1;
}).map(each => each.outerHTML.slice(0, 100))"""
NAMELESS = """[...document.querySelectorAll('button, select, input, textarea, a, svg[role=img], [role=region]')]
  .filter(each => each.checkVisibility())
  .filter(each => !(each.labels?.length || each.getAttribute('aria-label') || each.textContent.trim()))
  .map(each => each.outerHTML.slice(0, 100))"""
CONTRAST = """(() => {
  const parts = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map(Number).map(v => v / 255);
  const linear = (v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = (colour) => parts(colour).map(linear).reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0);
  const ground = (each) => {
    for (; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const has_text = (each) => [...each.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  return [...document.querySelectorAll('p, label, button, span, h1, h2, h3, li')]
    .filter(each => each.checkVisibility() && !each.closest('.hidden') && has_text(each))
    .map(each => [light(getComputedStyle(each).color), light(ground(each)), each.outerHTML.slice(0, 80)])
    .filter(([a, b]) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5).map(each => each[2]);
})()"""


@pytest.fixture(scope="module")
def server():
    if find_chromium() is None:
        pytest.skip("there is no Chromium; install one with: make browser")
    with Server(*(each.model for each in report_models().values())) as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    path = find_chromium()
    if path is None:
        pytest.skip("there is no Chromium; install one with: make browser")
    with Chromium(path) as chromium:
        yield chromium


def told(browser):
    return browser.evaluate("document.getElementById('told').textContent")


def show(browser, server, name, text, width=1280, scheme="light"):
    """Open a shared address, and wait for its answer."""
    browser.show("about:blank", width, scheme)
    browser.errors.clear()
    browser.requests.clear()
    browser.show(f"{server.address}#{urllib.parse.urlencode({'model': name, 'text': text})}", width, scheme)
    wait_until(lambda: told(browser))


def press(browser, key, code, text=None):
    for kind in ("keyDown", "keyUp"):
        more = {"text": text} if text and kind == "keyDown" else {}
        browser._ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)


@pytest.mark.parametrize("name", list(TEXTS))
def test_every_kind_is_shown_at_both_widths_in_light_and_dark(browser, server, name):
    text, elements, least = TEXTS[name]
    colours = set()
    for width in (375, 1280):
        for scheme in ("light", "dark"):
            show(browser, server, name, text, width, scheme)
            assert browser.evaluate("window.innerWidth") == width
            assert browser.evaluate(f"document.querySelectorAll('#answer {elements}').length") >= least
            assert browser.evaluate(OVERFLOW) == 0
            assert browser.evaluate(OUTSIDE) == []
            assert browser.evaluate(NAMELESS) == []
            assert browser.evaluate(CONTRAST) == []
            assert browser.errors == []
            assert all(each.startswith((server.address, "about:")) for each in browser.requests), browser.requests
            colours.add(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2


def test_a_lattice_is_a_picture(browser, server):
    show(browser, server, "classify", LATTICE)
    assert browser.evaluate("document.querySelectorAll('#answer figure svg path').length") == 3
    assert browser.errors == []


def test_the_answer_follows_the_typing_at_a_bounded_rate(browser, server):
    show(browser, server, "rewrite", "c")
    browser.evaluate("document.getElementById('text').focus()")
    browser.evaluate("document.getElementById('text').setSelectionRange(1, 1)")
    browser.requests.clear()
    first = told(browser)
    for letter in "hat":
        press(browser, letter, ord(letter.upper()), letter)
    wait_until(lambda: told(browser) != first and "SH A T" in told(browser))
    assert browser.evaluate("location.hash") == "#model=rewrite&text=chat"
    asked = [each for each in browser.requests if each.endswith("/predict")]
    assert len(asked) <= 3  # three letters came faster than questions may
    assert browser.errors == []


def test_everything_is_reached_by_keys(browser, server):
    show(browser, server, "tag", "the cat")
    browser.evaluate("document.body.focus()")
    seen = []
    for _ in range(16):
        press(browser, "Tab", 9)
        seen.append(browser.evaluate("document.activeElement.id || document.activeElement.className"))
    for wanted in ("model", "text", "example", "curl", "python", "link", "token"):
        assert wanted in seen, seen
    browser.evaluate("document.querySelector('.token').focus()")
    press(browser, "Enter", 13, "\r")
    assert browser.evaluate("document.querySelector('.token').getAttribute('aria-expanded')") == "true"
    assert browser.evaluate("document.querySelectorAll('#token-detail .bars li').length") >= 4
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_markup_in_texts_stays_text(browser, server):
    show(browser, server, "classify", "<img src=x onerror=alert(1)><script>alert(1)</script>")
    assert browser.evaluate("document.querySelectorAll('#answer img, #answer script').length") == 0
    assert browser.errors == []


def test_errors_are_shown_and_go_again(browser, server):
    show(browser, server, "align", "ACGT\nACT")
    for text, hidden in (("ACGT", False), ("ACGT\nAGT", True)):
        browser.evaluate(f"document.getElementById('text').value = {json.dumps(text)}")
        browser.evaluate("document.getElementById('text').dispatchEvent(new Event('input'))")
        wait_until(lambda hidden=hidden: browser.evaluate("document.getElementById('trouble').hidden") is hidden)
    browser.errors.clear()  # the browser itself notes the 422


def copied(browser, button):
    browser.evaluate("window.copied = ''; navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    browser.evaluate(f"document.getElementById('{button}').click()")
    wait_until(lambda: browser.evaluate("window.copied"))
    return browser.evaluate("window.copied")


@pytest.mark.parametrize("name", ["tag", "classify", "rewrite", "align", "fold"])
def test_copied_lines_give_the_same_answer(browser, server, name):
    text = "it's a cat" if name == "classify" else TEXTS[name][0]
    show(browser, server, name, text)
    question = {"text": text}
    wanted = server.predict(name, **question)[0]
    wanted = next(wanted[key] for key in ("labels", "label", "output", "alignment", "structure") if key in wanted)
    curl = shlex.split(copied(browser, "curl"))
    found = json.loads(subprocess.run(curl, capture_output=True, check=True).stdout)["answers"][0]
    assert wanted in found.values()
    line = copied(browser, "python")
    folder = report_models()[name].model.parent
    out = subprocess.run([sys.executable, "-c", line], capture_output=True, check=True, cwd=folder, text=True).stdout
    shown = str([tuple(wanted)]) if name == "align" else str([wanted])
    assert out.strip() == shown.replace('", "', "', '") or out.strip() == f"['{wanted}']"


def test_an_address_can_be_shared(browser, server):
    show(browser, server, "tag", "the cat")
    address = copied(browser, "link")
    browser.show("about:blank", 1280, "light")
    browser.show(address, 1280, "light")
    wait_until(lambda: told(browser))
    assert browser.evaluate("document.getElementById('text').value") == "the cat"
    assert browser.evaluate("document.getElementById('model').value") == "tag"


def test_a_server_with_a_token_asks_for_it(browser, tmp_path):
    (tmp_path / "token").write_text("a-token-of-24-characters")
    with Server(report_models()["tag"].model, "--token-file", tmp_path / "token") as running:
        assert running.ask("/v1/models")[0] == 401
        assert running.ask("/metrics")[0] == 401
        assert running.ask("/v1/models", headers={"Authorization": "Bearer wrong-token-of-24-letters"})[0] == 401
        assert running.ask("/v1/models", headers={"Authorization": "Bearer a-token-of-24-characters"})[0] == 200
        assert running.ask("/healthz")[0] == running.ask("/")[0] == 200
        browser.show(f"{running.address}#model=tag&text=the+cat", 375, "light")
        wait_until(lambda: browser.evaluate("document.activeElement.id") == "token")
        for letter in "a-token-of-24-characters":
            press(browser, letter, ord(letter.upper()), letter)
        press(browser, "Enter", 13, "\r")
        wait_until(lambda: told(browser))
        assert "a-token" not in browser.evaluate("location.href")
    time.sleep(0.1)
    browser.errors.clear()
