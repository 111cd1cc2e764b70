"""A key that a program of the user tells, in the real command."""

import json
from pathlib import Path

import pytest

from doors.headless.conftest import Agls
from support.model_server import Failure, ModelServer, Reply
from support.stand_in import stand_in

pytestmark = pytest.mark.promise("P10")

KEYS = "#!/bin/sh\necho asked >> {log}\nwc -l < {log} | tr -d ' \\n' | sed 's/^/sk-canary-/'\n"
MODEL = 'model = "m"\n[models.m]\nbase_url = "{}"\n'


@pytest.fixture
def program(agls: Agls) -> Path:
    """Tells `sk-canary-1`, then `sk-canary-2`, and so on."""
    file = agls.home / "my key.sh"
    file.write_text(KEYS.format(log=agls.home / "asked"))
    file.chmod(0o755)
    return file


def sent(server: ModelServer) -> list[str]:
    return [post.headers.get("authorization", "") for post in server.posts]


def test_key_is_asked_for_once_and_again_when_it_is_refused(agls: Agls, program: Path) -> None:
    (agls.workspace / "a.txt").write_text("42")
    call = Reply(calls=[("read_file", {"path": "a.txt"})])
    replies = [
        Failure(401, "expired"),
        call,
        Reply("Hello."),
        Failure(401, "no"),
        Failure(401, "no"),
        Reply("no"),
    ]
    with ModelServer(replies) as server:
        agls.configure(MODEL.format(server.url) + f'key_command = ["{program}"]\n')
        done = agls.run("run", "hi")
        assert (done.code, done.out) == (0, "Hello.\n"), done.err
        assert "asked once more with a new key" in done.err
        refused = agls.run("run", "hi")
        assert sent(server)[:3] == ["Bearer sk-canary-1", "Bearer sk-canary-2", "Bearer sk-canary-2"]
        assert sent(server)[3:] == ["Bearer sk-canary-3", "Bearer sk-canary-4"], "one more try, no third"
    assert refused.code == 1 and "Check what key_command prints" in refused.err
    kept = [file.read_text() for file in agls.state.rglob("*") if file.is_file() and file.suffix != ".db"]
    assert not any("sk-canary" in text for text in [*kept, done.err, refused.err])


def test_key_is_asked_for_again_after_its_time(agls: Agls, program: Path) -> None:
    (agls.workspace / "a.txt").write_text("42")
    call = Reply(calls=[("read_file", {"path": "a.txt"})])
    with ModelServer([call, Reply("Hello.")]) as server:
        agls.configure(MODEL.format(server.url) + f"key_command = '\"{program}\"'\nkey_ttl = 0.001\n")
        assert agls.run("run", "hi").out == "Hello.\n"
        first, second = sent(server)
    assert first == "Bearer sk-canary-1"
    assert second.startswith("Bearer sk-canary-") and second != first


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/nowhere/at/all", "could not be started"),
        ("sh -c 'echo locked >&2; exit 3'", "failed with exit code 3: locked"),
        ("true", "it wrote nothing"),
        ("echo two words", "more than one word"),
    ],
)
def test_program_without_a_key_in_its_output_is_reported(agls: Agls, command: str, said: str) -> None:
    with ModelServer([Reply("no")]) as server:
        agls.configure(MODEL.format(server.url) + f"key_command = {json.dumps(command)}\n")
        done = agls.run("run", "hi")
    assert done.code == 1
    assert said in done.err and "Run it by hand" in done.err
    assert not server.posts


def test_program_is_taken_from_no_folder(agls: Agls, program: Path) -> None:
    folder = agls.workspace / ".agls"
    folder.mkdir()
    with ModelServer([Reply("Hello."), Reply("no")]) as server:
        agls.configure(MODEL.format(server.url))
        (folder / "config.toml").write_text(f'[models.m]\nkey_command = ["{program}"]\n')
        assert agls.run("run", "hi").out == "Hello.\n"
        trusted = agls.run("run", "hi", "--trust")
    assert (trusted.code, trusted.out) == (0, "no\n")
    assert "models.m was ignored" in trusted.err
    assert not (agls.home / "asked").exists()


def test_key_from_a_program_is_sent_to_its_host_only(agls: Agls, program: Path) -> None:
    with ModelServer([Reply("Hello.")]) as server:
        agls.configure(MODEL.format("https://mine.example/v1") + f'key_command = ["{program}"]\n')
        done = agls.run("run", "hi", "--base-url", server.url)
    assert done.out == "Hello.\n", done.err
    assert sent(server) == [""]


def test_azure_is_asked_with_its_version_and_key(agls: Agls) -> None:
    url = "https://me.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21"
    agls.configure(
        MODEL.format(url)
        + 'api_key = "sk-canary-azure"\ntemperature = 0.5\n[models.m.extra_body]\nseed = 7\n'
    )
    with stand_in("me.openai.azure.com", [Reply("Hello.")], agls.environment, agls.home) as server:
        done = agls.run("run", "hi")
    assert (done.code, done.out) == (0, "Hello.\n"), done.err
    (post,) = server.posts
    assert post.path == "/openai/deployments/gpt/chat/completions?api-version=2024-10-21"
    assert post.headers["api-key"] == "sk-canary-azure" and "authorization" not in post.headers
    assert (post.body["temperature"], post.body["seed"]) == (0.5, 7)


def test_member_that_agls_writes_itself_is_refused(agls: Agls) -> None:
    agls.configure(MODEL.format("http://localhost:1/v1") + "[models.m.extra_body]\nmessages = []\n")
    done = agls.run("run", "hi")
    assert done.code == 2
    assert "extra_body may not hold messages: agls writes that itself" in done.err
