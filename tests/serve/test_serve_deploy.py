"""Files of `deploy/`: as far as they can be run without the systems that they are for."""

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import weft
from serving import Server, wait_until

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
KNOWN = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT"}
X, Y = [["the", "cat"], ["a", "dog"]], [["D", "N"], ["D", "N"]]


def tool(name):
    """Where a program is; tests that want it skip where it is not."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin")
    if found is None:
        pytest.skip(f"there is no {name}")
    return found


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tags.weft"
    weft.save(weft.Tagger(weft.CRF(max_iter=3), n_jobs=1).fit(X, Y), path)
    return path


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return sock.getsockname()[1]


# ------------------------------------------------------------------- nginx


@pytest.fixture(scope="module")
def proxy(model, tmp_path_factory):
    """nginx with the lines of the example in front of a server; both on the loopback."""
    nginx, openssl = tool("nginx"), tool("openssl")
    folder = tmp_path_factory.mktemp("nginx")
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=models.example.org"]
        + ["-keyout", folder / "key", "-out", folder / "certificate"],
        check=True,
        capture_output=True,
    )
    port = free_port()
    with Server(model, "--allow-host", "models.example.org") as server:
        example = (DEPLOY / "nginx.conf").read_text()
        for before, after in (
            ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
            ("/etc/ssl/models.example.org.pem", str(folder / "certificate")),
            ("/etc/ssl/models.example.org.key", str(folder / "key")),
            ("http://127.0.0.1:8000", f"http://127.0.0.1:{server.port}"),
        ):
            assert before in example
            example = example.replace(before, after)
        kept = "".join(
            f"{name}_temp_path {folder / name}; " for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root; " if os.geteuid() == 0 else ""  # else its workers may not write here
        whole = f"{user}pid {folder / 'pid'}; error_log stderr; events {{}} http {{ access_log off; {kept} {example} }}"
        (folder / "whole.conf").write_text(whole)
        command = [nginx, "-e", "stderr", "-p", folder, "-c", folder / "whole.conf"]
        subprocess.run([*command, "-t"], check=True, capture_output=True)
        process = subprocess.Popen([*command, "-g", "daemon off;"], stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: process.poll() is None and is_open(port), 30)
            yield port
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(30)


def is_open(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def through(port, path, body=None, host="models.example.org"):
    """Status and content of a request by the proxy."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    asked = urllib.request.Request(f"https://127.0.0.1:{port}{path}", data, {"Host": host})
    if data is not None:
        asked.add_header("Content-Type", "application/json")
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE  # a certificate of our own
    try:
        with urllib.request.urlopen(asked, timeout=60, context=trusting) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_nginx_hands_on_requests_answers_and_refusals(proxy):
    status, content = through(proxy, "/v1/models/tags/predict", {"inputs": X})
    assert (status, [each["labels"] for each in json.loads(content)["answers"]]) == (200, Y)
    assert through(proxy, "/readyz")[0] == 200
    assert b"<html" in through(proxy, "/")[1]
    assert through(proxy, "/page/main.js")[0] == 200
    assert through(proxy, "/v1/models/none/predict", {"inputs": X})[0] == 404
    assert through(proxy, "/v1/models/tags/predict", b" " * 4_100_000)[0] == 413  # the server's own limit
    assert through(proxy, "/v1/models/tags/predict", b" " * 5_000_000)[0] == 413  # the proxy's
    assert through(proxy, "/readyz", host="other.example.org")[0] in (403, 421)


# ----------------------------------------------------------------- systemd


def test_systemd_takes_the_unit():
    found = subprocess.run(
        [tool("systemd-analyze"), "verify", DEPLOY / "weft-serve.service"], capture_output=True, text=True
    )
    assert (found.returncode, found.stderr) == (0, "")


def test_the_unit_starts_a_server(model, tmp_path):
    """Its command, with folders and port of this test for its own."""
    lines = (DEPLOY / "weft-serve.service").read_text()
    [command] = re.findall(r"^ExecStart=/bin/sh -c '(.*)'$", lines, re.MULTILINE)
    (tmp_path / "token").write_text("a-token-of-this-test")
    weft_program = Path(sys.executable).with_name("weft")
    changed = command.replace("/opt/weft/bin/weft", str(weft_program)).replace("/srv/weft", str(model.parent))
    changed = changed.replace("--port 8000", "--port 0").replace("%d", str(tmp_path))
    process, port = start(["/bin/sh", "-c", changed])
    try:
        address = f"http://127.0.0.1:{port}/v1/models"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address, timeout=60)
        asked = urllib.request.Request(address, headers={"Authorization": "Bearer a-token-of-this-test"})
        assert urllib.request.urlopen(asked, timeout=60).status == 200
    finally:
        process.terminate()
        assert process.wait(60) == 0
        process.stdout.close()


def start(command, **environment):
    """A process that serves, and its port."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    line = process.stdout.readline()
    found = re.search(r":(\d+)/", line)
    assert found, line
    return process, int(found.group(1))


# --------------------------------------------------------------- container


def instructions():
    """Name and argument of each instruction of the container file."""
    joined = re.sub(r"\\\n\s*", " ", (DEPLOY / "Containerfile").read_text())
    lines = [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(maxsplit=1)) for line in lines]


def test_the_container_file_copies_what_there_is_and_ends_without_rights():
    found = instructions()
    assert {name for name, _ in found} == KNOWN
    for name, argument in found:
        if name == "COPY" and not argument.startswith("--from"):
            *sources, _ = argument.split()
            assert all((ROOT / source).exists() for source in sources), argument
        if name == "ENTRYPOINT":
            assert json.loads(argument)[0] == "sh"
    users = [argument for name, argument in found if name == "USER"]
    assert users == ["weft"]
    names = [name for name, _ in found]
    assert names.index("USER") < names.index("ENTRYPOINT")


def test_the_container_starts_checks_its_health_and_ends(model):
    """Its entry point and its check, with the folder and port of this test for its own."""
    found = dict(instructions())
    entry = [part.replace("/models/", f"{model.parent}/") for part in json.loads(found["ENTRYPOINT"])]
    entry = [part.replace("--host 0.0.0.0 --port 8000", "--port 0") for part in entry]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    process, port = start([*entry, "--workers", "2"], PATH=path)  # options after the image's name
    try:
        check = json.loads(found["HEALTHCHECK"].partition("CMD ")[2])
        check = [sys.executable, *(part.replace("127.0.0.1:8000", f"127.0.0.1:{port}") for part in check[1:])]
        assert subprocess.run(check, capture_output=True).returncode == 0
    finally:
        process.send_signal(getattr(signal, found["STOPSIGNAL"]))
        assert process.wait(60) == 0
        process.stdout.close()
    assert subprocess.run(check, capture_output=True).returncode != 0
