"""`agls key`: a key goes in unseen, is kept for one host, and never comes out again."""

import os
import pty
import subprocess
import time
from pathlib import Path

import pytest

from doors.headless.conftest import Agls
from support.keyring_stub import make_keyring

pytestmark = [pytest.mark.promise("P10"), pytest.mark.timeout(150)]  # several processes, on a slow machine
KEY = "sk-canary-entered-4711"


def test_a_key_from_standard_input_is_kept_and_forgotten(agls: Agls) -> None:
    kept = agls.run("key", "set", "anthropic", "--in", "file", stdin=f"{KEY}\n")
    assert (kept.code, kept.out) == (0, "")
    assert "The key for api.anthropic.com is kept in the file of keys" in kept.err
    listed = agls.run("key", "list")
    assert listed.out.splitlines() == ["HOST               KEPT IN", "api.anthropic.com  the file of keys"]
    assert agls.run("key", "remove", "api.anthropic.com").code == 0
    assert "No key is stored" in agls.run("key", "list").err
    assert agls.run("key", "remove", "https://api.anthropic.com/v1").code == 1
    assert KEY not in kept.err + listed.out + listed.err


@pytest.mark.parametrize(
    ("host", "stdin", "said"),
    [
        (
            "nowhere",
            KEY,
            "is no host, provider (openai, anthropic, gemini, openrouter, deepseek, mistral, xai, groq) "
            "or configured model (scripted)",
        ),
        ("127.0.0.1", KEY, "on this machine"),
        ("localhost", KEY, "on this machine"),
        ("api.example.com", "", "No key was entered"),
        ("api.example.com", "two words", "A key is one line"),
        ("api.example.com", "ключ", "A key is one line"),
    ],
)
def test_key_that_cannot_be_stored_changes_nothing(agls: Agls, host: str, stdin: str, said: str) -> None:
    done = agls.run("key", "set", host, "--in", "file", stdin=stdin)
    assert (done.code, said in done.err) == (2, True), done.err
    assert not (agls.state / "keys.json").exists()


def test_a_file_that_others_can_read_is_refused_and_stays(agls: Agls) -> None:
    agls.run("key", "set", "openai", "--in", "file", stdin=KEY)
    file = agls.state / "keys.json"
    file.chmod(0o644)
    done = agls.run("key", "set", "gemini", "--in", "file", stdin=KEY)
    assert (done.code, f"chmod 600 {file}" in done.err) == (2, True)
    assert "gemini" not in file.read_text()


def test_the_keyring_is_taken_where_there_is_one(agls: Agls, tmp_path: Path) -> None:
    package = make_keyring(tmp_path / "library")
    agls.environment["PYTHONPATH"] = str(package.parent)
    assert "the system's keyring" in agls.run("key", "set", "openai", stdin=KEY).err
    assert not (agls.state / "keys.json").exists()
    assert agls.run("key", "list").out.splitlines()[1:] == ["api.openai.com  the system's keyring"]
    assert agls.run("key", "remove", "openai").code == 0
    agls.environment["PYTHONPATH"] = str(make_keyring(tmp_path / "none", priority=0).parent)
    assert "There is no keyring here" in agls.run("key", "set", "openai", "--in", "keyring", stdin=KEY).err


def test_a_terminal_does_not_show_what_is_typed(agls: Agls) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        agls.argv(("key", "set", "api.example.com", "--in", "file")),
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=agls.workspace, env=agls.variables,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown, deadline = b"", time.monotonic() + 25
    while b"API key for api.example.com:" not in shown and time.monotonic() < deadline:
        shown += os.read(ours, 1000)
    os.write(ours, KEY.encode() + b"\n")
    assert process.wait(25) == 0
    while True:
        try:
            more = os.read(ours, 1000)
        except OSError:
            break
        if not more:
            break
        shown += more
    os.close(ours)
    assert KEY.encode() not in shown
    assert KEY in (agls.state / "keys.json").read_text()
