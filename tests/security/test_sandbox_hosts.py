"""P5: a command in the sandbox reaches the hosts that the user allowed, by real programs, and no other."""

import base64
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import rmtree
from threading import Thread

import pytest

from support.sandboxes import needs_bubblewrap

from .attacker import House, Loot, call

pytestmark = [pytest.mark.promise("P5"), needs_bubblewrap, pytest.mark.timeout(120)]


NO_FILES: Mapping[str, str] = {}


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and writes no log."""

    def log_message(self, *arguments: object) -> None:
        """Write nothing."""


class Site:
    """A server of this machine, with a page, a package for pip and a repository for git."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "page.txt").write_text("the page\n")
        simple = folder / "simple/toy"
        simple.mkdir(parents=True)
        (simple / "toy-1.0-py3-none-any.whl").write_bytes(wheel())
        (simple / "index.html").write_text('<a href="toy-1.0-py3-none-any.whl">toy-1.0-py3-none-any.whl</a>')
        git = ["git", "-c", "user.name=a", "-c", "user.email=a", "-C", str(folder / "source")]
        subprocess.run(["git", "init", "-q", str(folder / "source")], check=True)
        (folder / "source/a.txt").write_text("from git\n")
        for words in (["add", "."], ["commit", "-qm", "a"], ["update-server-info"]):
            subprocess.run([*git, *words], check=True)
        handler = partial(Quiet, directory=str(folder))
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port = self.server.server_port
        Thread(target=self.server.serve_forever, daemon=True).start()


def wheel() -> bytes:
    """A package with one module."""
    files = {
        "toy.py": "x = 1\n",
        "toy-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n",
        "toy-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        record = ""
        for name, text in files.items():
            archive.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(text)}\n"
        archive.writestr("toy-1.0.dist-info/RECORD", record)
    return made.getvalue()


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that is not in `/tmp`: commands have one of their own."""
    folder = Path(tempfile.mkdtemp(prefix=".agls-hosts-", dir=Path.home()))
    yield folder
    rmtree(folder, ignore_errors=True)


@pytest.fixture
def site(place: Path) -> Iterator[Site]:
    (place / "site").mkdir()
    made = Site(place / "site")
    yield made
    made.server.shutdown()
    made.server.server_close()


ASKING = """exec 3<>/dev/tcp/127.0.0.1/3128
printf 'CONNECT {}\\0.allowed.example:443 HTTP/1.1\\r\\n\\r\\n' >&3
timeout 5 cat <&3
"""


def run(
    place: Path, settings: str, *commands: str, files: Mapping[str, str] = NO_FILES
) -> tuple[House, Loot]:
    """Let a model give these commands in the mode that asks nobody."""
    house = House(place / "house")
    for name, text in files.items():
        house.put(name, text)
    house.environment["AGLS_SANDBOX"] = ""
    house.configure(settings)
    return house, house.attack(*(call("shell", command=each) for each in commands), mode="allowAll")


def test_curl_git_and_pip_reach_an_allowed_host(place: Path, site: Site) -> None:
    url = f"http://127.0.0.1:{site.port}"
    pip = f"{sys.executable} -m pip --disable-pip-version-check --no-cache-dir -q download --no-deps -d got"
    house, loot = run(
        place,
        f'[sandbox]\nprivate_hosts = ["127.0.0.1:{site.port}"]\n',
        f"curl -sS {url}/page.txt",
        f"curl -sS --proxytunnel {url}/page.txt",
        f"git -c init.templateDir= clone -q {url}/source/.git /tmp/cloned && cat /tmp/cloned/a.txt",
        f"{pip} --retries 0 --index-url {url}/simple --trusted-host 127.0.0.1 toy && ls got",
        f"python3 -c 'import urllib.request as u; print(u.urlopen(\"{url}/page.txt\").read().decode())'",
    )
    for answer, wanted in zip(
        loot.answers, ("the page", "the page", "from git", ".whl", "the page"), strict=True
    ):
        assert wanted in answer, answer
        assert "sandbox" not in answer, answer
    assert (house.workspace / "got/toy-1.0-py3-none-any.whl").exists()


def test_other_hosts_are_refused_and_the_model_reads_which(place: Path, site: Site) -> None:
    there = f"127.0.0.1:{site.port}"
    _, loot = run(
        place,
        '[sandbox]\nhosts = ["allowed.example"]\n',
        f"curl -sS http://{there}/page.txt",
        f"curl -sS --proxytunnel http://{there}/page.txt",
        f"curl -sS -H 'Host: allowed.example' http://{there}/page.txt",
        f"curl -sS --noproxy '*' http://{there}/page.txt",
        f"unset http_proxy HTTP_PROXY all_proxy ALL_PROXY; curl -sS http://{there}/page.txt",
        "bash ask.sh",
        files={"ask.sh": ASKING.format(there)},
    )
    assert len(loot.answers) == 6, loot
    assert "the page" not in "".join(loot.answers)
    for answer in loot.answers[:3]:
        assert f"[The sandbox did not let a connection through: {there} is not among the hosts" in answer
    assert "Connection refused" in loot.answers[3] + loot.answers[4] or "exit code 7" in loot.answers[3]
    assert "400 Bad Request" in loot.answers[5]


def test_host_that_is_allowed_and_leads_to_this_machine_is_refused_unless_it_may_be_private(
    place: Path, site: Site
) -> None:
    _, loot = run(
        place,
        f'[sandbox]\nhosts = ["localhost:{site.port}"]\n',
        f"curl -sS http://localhost:{site.port}/page.txt",
    )
    assert "the page" not in loot.answers[0]
    assert "is not on the public network (sandbox.private_hosts)" in loot.answers[0]


def test_denied_host_beats_an_allowed_one(place: Path, site: Site) -> None:
    there = f"127.0.0.1:{site.port}"
    _, loot = run(
        place,
        f'[permissions]\ndeny = ["network(127.0.0.1)"]\n[sandbox]\nprivate_hosts = ["{there}"]\n',
        f"curl -sS http://{there}/page.txt",
    )
    assert "the page" not in loot.answers[0]
    assert "did not let a connection through" in loot.answers[0]


def test_folder_cannot_open_hosts_to_commands(place: Path, site: Site) -> None:
    there = f"127.0.0.1:{site.port}"
    house = House(place / "house")
    house.environment["AGLS_SANDBOX"] = ""
    house.put(".agls/config.toml", f'[sandbox]\nprivate_hosts = ["{there}"]\n')
    house.run("trust")
    loot = house.attack(call("shell", command=f"curl -sS http://{there}/page.txt"), mode="allowAll")
    assert "the page" not in loot.seen
    assert os.path.lexists(house.workspace / ".agls/config.toml")
