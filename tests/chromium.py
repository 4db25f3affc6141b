"""A headless Chromium that tests look through, over the two pipes of its DevTools protocol."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60.0
"""Seconds that an answer may take."""


def find_chromium():
    """Path of a browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chromium:
    """One page of a browser; `errors` collects what its console complains about."""

    def __init__(self, path):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # Descriptors 3 and 4 must be taken before the browser gets them, or its start uses them itself.
        taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(2)]
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def connect():
            # The browser reads commands from descriptor 3 and answers on 4.
            high = fcntl.fcntl(from_browser, fcntl.F_DUPFD, 10)
            os.dup2(to_browser, 3)
            os.dup2(high, 4)

        command = [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        command += ["--hide-scrollbars", "--no-first-run", f"--user-data-dir={self._folder.name}"]
        self._process = subprocess.Popen(
            [*command, "--remote-debugging-pipe", "about:blank"],
            preexec_fn=connect,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for each in (to_browser, from_browser, *taken):
            os.close(each)
        self._number, self._buffer, self._session = 0, b"", None
        self.errors, self.requests = [], []
        try:
            target = self._ask("Target.createTarget", url="about:blank")["targetId"]
            self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self._ask(f"{domain}.enable")
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)
        os.close(self._write)
        os.close(self._read)
        self._folder.cleanup()

    def _message(self):
        """The next answer or event; messages end with a null byte."""
        limit = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, limit - time.monotonic()))
            part = os.read(self._read, 1 << 16) if ready else b""
            if not part:
                raise RuntimeError("the browser has gone, or does not answer")
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        method, facts = message.get("method"), message.get("params", {})
        if method == "Log.entryAdded" and facts["entry"]["level"] in ("error", "warning"):
            self.errors.append(facts["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(facts["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.errors.append(str(facts["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"])
        return message

    def _ask(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._message()).get("id") != self._number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def show(self, address, width, scheme, height=800):
        """Open a page at a width, light or dark, and wait until it is there."""
        self._ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        self._ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._ask("Page.navigate", url=address)
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, expression):
        """Value of a JavaScript expression on the page."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def screenshot(self, whole=True):
        """The page as PNG."""
        options = {}
        if whole:
            size = self._ask("Page.getLayoutMetrics")["cssContentSize"]
            options = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
        answer = self._ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **options)
        return base64.b64decode(answer["data"])
