"""Start `weft serve` with a small model, and ask it over HTTP; `ask` is all that a client needs."""

import json
import subprocess
import sys
import tempfile
import urllib.request

import weft


def ask(address, model, **question):
    headers = {"Content-Type": "application/json"}  # and "Authorization": "Bearer TOKEN" where one is wanted
    request = urllib.request.Request(f"{address}v1/models/{model}/predict", json.dumps(question).encode(), headers)
    return json.load(urllib.request.urlopen(request, timeout=60))["answers"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        weft.save(weft.Tagger().fit([["the", "cat", "sleeps"]], [["D", "N", "V"]]), f"{folder}/tags.weft")
        command = [sys.executable, "-m", "weft", "serve", f"{folder}/tags.weft", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
            for answer in ask(address, "tags", inputs=[["the", "cat"], ["cat", "sleeps"]], confidence=True):
                print(answer["labels"], f"{answer['confidence']:.2f}")
            server.terminate()


if __name__ == "__main__":
    main()
