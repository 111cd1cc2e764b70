"""P10: the user's keys go only to the host they were given for."""

import base64
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.keyring_stub import make_keyring
from support.model_server import Failure, ModelServer, Raw, Reply
from support.ordinary_user import ordinary_user
from support.processes import PROGRAM
from support.wire import AGENT, Wire

from .attacker import KEY, House, Loot, call

pytestmark = pytest.mark.promise("P10")

HEADER, FILE_KEY = "canary-header-0816-4711", "sk-canary-file-0817-4711"
SEARCH = """
env; export -p; set; cat /proc/self/environ
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline
cat /proc/$PPID/environ /proc/$PPID/cmdline /proc/$PPID/mem /proc/$PPID/maps
tr '\\0' '\\n' < /proc/$PPID/environ; ls -l /proc/$PPID/fd /proc/$PPID/fd/*
echo ran
""".replace("\n", " 2>&1;")[10:]


@pytest.fixture
def house(house: House) -> House:
    """What the system shows of the environment of a process is looked at."""
    house.cold = True
    return house


def everything_kept(house: House) -> str:
    """All that is in the state folder, and in the log."""
    return "".join(path.read_text(errors="replace") for path in house.state.rglob("*") if path.is_file())


def assert_secret(house: House, loot: Loot) -> None:
    said = loot.errors + json.dumps(loot.events) + everything_kept(house)
    said += "".join(request.content.decode() for request in loot.requests)
    for secret in (KEY, HEADER, FILE_KEY):
        assert secret not in said


def served(house: House, **given: object) -> Wire:
    """The language server of an ordinary user, started from nothing, with this in its environment.

    Nowhere in a command line, which the same test of another worker would find there.
    """
    command = [*ordinary_user(), "env", sys.executable, "-m", "agls", "serve", "--stdio"]
    return Wire(house.folder, command=command, variables={name: str(given[name]) for name in given})


@pytest.mark.row(48)
def test_a_command_finds_no_key_in_its_environment_nor_in_that_of_any_process(house: House) -> None:
    """P10: the keys stand in the block the server was started with; nobody else may read that."""
    house.environment |= {"WORK_TOKEN": HEADER, "AWS_SECRET_ACCESS_KEY": FILE_KEY, "DB_PASSWORD": KEY}
    loot = house.attack(call("shell", command=SEARCH), mode="allowAll", before=ordinary_user())
    assert "ran\n" in loot.answers[0]
    assert loot.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert_secret(house, loot)


def test_as_root_too_no_key_stands_in_the_environment_that_the_system_shows(house: House) -> None:
    """Root may read the block of every process: the keys have left ours, also those of other programs."""
    house.environment |= {"WORK_TOKEN": HEADER, "MY_OWN": FILE_KEY}
    house.configure('[models.work]\nbase_url = "http://model.invalid/v1"\napi_key_env = "MY_OWN"\n')
    look = "cat /proc/$(cut -d' ' -f4 /proc/$PPID/stat)/environ | tr '\\0' '\\n'; echo ran"
    loot = house.attack(call("shell", command=look), mode="allowAll")
    assert "ran\n" in loot.answers[0]
    if os.geteuid() == 0:
        assert f"AGLS_STATE_DIR={house.state}" in loot.answers[0], "it looked at the right process"
    for secret in (KEY, HEADER, FILE_KEY, "[secret]"):
        assert secret not in loot.answers[0]
    assert loot.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_language_server_hides_its_keys_too(house: House) -> None:
    replies = [Reply(calls=[("shell", {"command": SEARCH})]), Reply("Done.")]
    with ModelServer(replies) as model:
        given = {"AGLS_API_KEY": KEY, "AGLS_BASE_URL": model.url, "AGLS_MODEL": "m", "MY_TOKEN": HEADER}
        with served(house, **given) as server:
            server.initialize()
            result = server.run(server.session(options={"mode": "allowAll"}))
            assert result["stopReason"] == "endTurn"
            assert model.requests[0].headers["authorization"] == f"Bearer {KEY}"
            said = json.dumps(server.messages) + server.errors()
    answer = model.posts[1].body["messages"][-1]["content"]
    assert "ran\n" in answer
    kept = "".join(p.read_text(errors="replace") for p in (house.folder / "state").rglob("*") if p.is_file())
    for secret in (KEY, HEADER):
        assert secret not in said + answer + kept


MODELS = """
model = "work"
[models.work]
base_url = "{url}"
api_key_env = "WORK_KEY"
headers = {{ X-Team = "{header}" }}
[models.plain]
base_url = "{url}"
api_key = "{file_key}"
"""


def use_models(house: House, url: str) -> None:
    house.configure(MODELS.format(url=url, header=HEADER, file_key=FILE_KEY))
    house.environment |= {"WORK_KEY": KEY, "AGLS_API_KEY": ""}


def prompt(house: House, server: ModelServer, *arguments: str) -> Loot:
    done = house.run("run", "go", "--output", "jsonl", *arguments)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return Loot([], events, done.returncode, done.stderr, server.posts)


@pytest.mark.item(45)
@pytest.mark.parametrize("model", ["work", "plain"])
def test_key_echoed_by_a_provider_is_not_shown(house: House, model: str) -> None:
    def echo(request: Any) -> Failure:
        return Failure(401, f"Incorrect API key provided: {request.headers}. You may find yours at …")

    with ModelServer(echo) as server:
        use_models(house, server.url)
        loot = prompt(house, server, "--model", model)
    assert loot.code == 1
    assert "Incorrect API key" in str(loot.events)
    sent = server.posts[0].headers
    assert (sent["authorization"], sent.get("x-team")) in {
        (f"Bearer {KEY}", HEADER),
        (f"Bearer {FILE_KEY}", None),
    }
    assert_secret(house, loot)


@pytest.mark.parametrize("status", [302, 308])
def test_a_redirect_is_not_followed_and_takes_no_key_along(house: House, status: int) -> None:
    with ModelServer([Reply("stolen")]) as thief:
        location = {"Location": f"{thief.url}/chat/completions"}
        with ModelServer([Raw([b""], status, location)]) as server:
            use_models(house, server.url)
            loot = prompt(house, server)
        assert thief.connections == 0
    assert loot.code == 1
    assert "was not followed" in str(loot.events)
    assert_secret(house, loot)


def test_a_key_stays_behind_when_its_model_is_asked_elsewhere(house: House) -> None:
    with ModelServer([Reply("Hello.")]) as server:
        use_models(house, "http://model.invalid/v1")
        loot = prompt(house, server, "--base-url", server.url, "--model", "work")
    assert loot.code == 0
    assert "authorization" not in server.posts[0].headers
    assert "x-team" not in server.posts[0].headers
    assert "is not sent to" in str(loot.events[0])


ELSEWHERE = 'model = "work"\n[models.work]\nbase_url = "http://model.example/v1"\nmodel = "m"\n'
STEAL = [Reply(calls=[("shell", {"command": SEARCH})]), Reply("Done.")]


def go_elsewhere(house: House, server: ModelServer) -> None:
    """A model on another host: the server stands where the proxy is."""
    house.configure(ELSEWHERE)
    house.environment |= {"AGLS_API_KEY": "", "HTTP_PROXY": server.url.removesuffix("/v1")}


@pytest.mark.parametrize("place", ["file", "keyring"])
def test_a_kept_key_is_found_nowhere_by_a_command(house: House, place: str) -> None:
    """The same for the keys that stand in no environment at all."""
    make_keyring(house.home / "library")
    house.environment["PYTHONPATH"] = str(house.home / "library")
    with ModelServer(STEAL) as server:
        go_elsewhere(house, server)
        kept = subprocess.run(
            [sys.executable, "-m", "agls", "key", "set", "work", "--in", place],
            input=KEY, env=house.variables, cwd=house.workspace, capture_output=True, text=True, check=True,
        )  # fmt: skip
        arguments = ("run", "go", "--mode", "allowAll", "--output", "jsonl")
        done = house.run(*arguments, before=ordinary_user())
    answer = server.posts[1].body["messages"][-1]["content"]
    assert "ran\n" in answer
    assert server.posts[0].headers["authorization"] == f"Bearer {KEY}"
    told = [path for path in house.state.rglob("*") if path.is_file() and path.name != "keys.json"]
    said = "".join(path.read_text(errors="replace") for path in told)
    assert KEY not in said + answer + done.stdout + done.stderr + kept.stdout + kept.stderr


def test_a_key_that_the_editor_keeps_is_found_nowhere_else(house: House) -> None:
    with ModelServer(STEAL) as model:
        go_elsewhere(house, model)
        with served(house, AGLS_CONFIG=house.config, HTTP_PROXY=house.environment["HTTP_PROXY"]) as server:
            server.answers["agent/secret"] = lambda params: {"value": KEY}
            server.initialize({**AGENT, "secrets": {}})
            result = server.run(server.session(options={"mode": "allowAll"}))
            assert result["stopReason"] == "endTurn"
            asked = [message["params"] for message in server.of_method("agent/secret")]
            said = json.dumps(server.messages) + server.errors()
    assert asked
    assert {"host": "model.example"} in asked
    assert {params["host"] for params in asked} == {"model.example"}, "of no other host"
    assert model.posts[0].headers["authorization"] == f"Bearer {KEY}"
    kept = "".join(p.read_text(errors="replace") for p in (house.folder / "state").rglob("*") if p.is_file())
    answer = model.posts[1].body["messages"][-1]["content"]
    assert "ran\n" in answer
    assert KEY not in said + answer + kept


def test_dump_of_the_wire_holds_no_key(house: House) -> None:
    """The editor's key goes over the wire, and the model says one of the environment: both are left out."""
    file = house.folder / "wire.jsonl"
    with ModelServer([Reply(f"Your key is {FILE_KEY}.")] * 2) as model:
        go_elsewhere(house, model)
        variables = {"HTTP_PROXY": house.environment["HTTP_PROXY"], "OPENAI_API_KEY": FILE_KEY}
        serve = [*PROGRAM, "serve", "--stdio", "--wire-dump", str(file)]
        with Wire(house.folder, house.config, serve, variables=variables) as server:
            server.answers["agent/secret"] = lambda params: {"value": KEY}
            server.initialize({**AGENT, "secrets": {}})
            session = server.session()
            for prompt in ("hello", f"My key is {KEY}"):  # with the first run agls learns the key
                assert server.run(session, prompt)["stopReason"] == "endTurn"
            server.leave()
    text = file.read_text()
    assert "agent/secret" in text
    assert text.count("[secret]") >= 3, "the answer, the prompt, and what the model said"
    assert KEY not in text
    assert FILE_KEY not in text


def test_a_key_that_comes_later_counts_for_the_next_run(house: House) -> None:
    """The session, its options and its settings are the same: nothing but the editor's answer is new."""
    with ModelServer([Reply("one"), Reply("two")]) as model:
        go_elsewhere(house, model)
        with served(house, AGLS_CONFIG=house.config, HTTP_PROXY=house.environment["HTTP_PROXY"]) as server:
            server.initialize({**AGENT, "secrets": {}})
            session = server.session()
            for key in ("", KEY):
                server.answers["agent/secret"] = lambda params, key=key: {"value": key} if key else {}
                assert server.run(session)["stopReason"] == "endTurn"
    assert [post.headers.get("authorization", "") for post in model.posts] == ["", f"Bearer {KEY}"]


def test_the_file_of_keys_is_not_read_for_the_model_whatever_the_mode(house: House) -> None:
    house.run("key", "list")
    house.state.mkdir(exist_ok=True)
    (house.state / "keys.json").write_text(json.dumps({"keys": {"model.example": FILE_KEY}}))
    (house.state / "keys.json").chmod(0o600)
    loot = house.attack(
        call("read_file", path=str(house.state / "keys.json")),
        call("grep", pattern="canary", path=str(house.state)),
        mode="allowAll",
    )
    assert "opened for nobody" in loot.answers[0]
    assert FILE_KEY not in loot.seen + str(loot.events)


@pytest.mark.parametrize("command", ["doctor", "models"])
def test_doctor_and_models_show_no_key(house: House, command: str) -> None:
    with ModelServer() as server:
        use_models(house, server.url)
        for arguments in ((), ("--json",)):
            done = house.run(command, *arguments)
            assert "work" in done.stdout or "endpoint" in done.stdout
            for secret in (KEY, HEADER, FILE_KEY):
                assert secret not in done.stdout + done.stderr


@pytest.mark.item(45)
def test_config_explain_shows_no_key(house: House) -> None:
    use_models(house, "http://model.invalid/v1")
    for arguments in ((), ("--json",)):
        done = house.run("config", "explain", *arguments)
        assert "(set)" in done.stdout
        for secret in (KEY, HEADER, FILE_KEY):
            assert secret not in done.stdout + done.stderr


@pytest.mark.row(48)
def test_kept_files_are_private_to_the_user(house: House) -> None:
    """No other user of the machine may read a session."""
    before = os.umask(0)
    try:
        house.attack(call("shell", command="yes | head -c 200000"), mode="allowAll")
    finally:
        os.umask(before)
    kept = [house.state, *house.state.rglob("*")]
    assert any(path.suffix == ".jsonl" for path in kept)
    readable = [
        str(path) for path in kept if stat.S_IMODE(path.stat().st_mode) & 0o077 and not private(path, house)
    ]
    assert readable == []


def private(path: Path, house: House) -> bool:
    """Whether a folder above it keeps others out."""
    above = [folder for folder in path.parents if folder.is_relative_to(house.state)]
    return any(stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0 for folder in above)


CONFIGURED = (
    'model = "other"\n[models.work]\nbase_url = "http://model.invalid/v1"\nmodel = "m"\napi_key = "{}"\n'
)


def test_files_of_ours_that_hold_keys_are_closed_to_tools_by_every_spelling(house: House) -> None:
    """P10: the key of one host is not for the model of another."""
    house.configure(CONFIGURED.format(FILE_KEY))
    (house.workspace / "link.toml").symlink_to(house.config)
    (house.workspace / "hard.toml").hardlink_to(house.config)
    (house.workspace / "folder").symlink_to(house.home)
    spelled = (
        str(house.config), "link.toml", "hard.toml", "folder/config.toml", f"/proc/self/root{house.config}",
        f"{house.home}/state/../config.toml", house.config.as_uri(),
        "/proc/self/cwd/../../home/config.toml",
    )  # fmt: skip
    loot = house.attack(
        *(call("read_file", path=path) for path in spelled),
        *(call("grep", pattern="api_key", path=path) for path in spelled),
        *(call("edit_file", path=path, old_text="api_key", new_text="x") for path in spelled),
        mode="allowAll",
    )
    assert len(loot.answers) == 3 * len(spelled)
    assert not [answer for answer in loot.answers if "api_key" in answer.replace("api_key in", "")]
    assert all("opened for nobody" in answer for answer in loot.answers[: len(spelled)])
    assert_secret(house, loot)
    assert FILE_KEY in house.config.read_text()


SPELL = """
cat {config}; cat {config} | base64; base64 -w0 < {config}; (printf x; cat {config}) | base64
xxd -p {config} | tr -d '\\n'
od -An -tx1 {config} | tr -d '\\n'; python3 -c 'import html,json,sys,urllib.parse as u
t = open(sys.argv[1]).read()
print(u.quote(t, safe=""), html.escape(t), json.dumps(t), t.encode().hex().upper())
print("".join("&#%d;" % ord(c) for c in t), "".join("%%%02x" % ord(c) for c in t))' {config}; echo ran
"""


def test_printed_key_reaches_nobody_in_any_encoding(house: House) -> None:
    """In no request, event, journal, audit nor export; the commands of others are what they are."""
    house.configure(CONFIGURED.format(FILE_KEY) + "[audit]\nfile = true\n")
    house.put("spell.sh", SPELL.format(config=house.config))
    loot = house.attack(call("shell", command="bash spell.sh"), mode="allowAll")
    assert "ran" in loot.answers[0]
    assert loot.answers[0].count("[secret]") >= 10
    exported = house.run("sessions", "export", loot.events[0]["sessionId"]).stdout
    assert "[secret]" in exported
    everything = loot.seen + json.dumps(loot.events) + everything_kept(house) + exported
    plain = FILE_KEY.encode()
    encoded = {base64.b64encode(b"x" * shift + plain)[4:-4].decode() for shift in range(3)}
    for spelled in (FILE_KEY, plain.hex(), plain.hex().upper(), plain.hex(" "), *encoded):
        assert spelled not in everything


def test_key_in_a_notebook_is_not_shown_when_its_cell_is_changed(house: House) -> None:
    cell = {"cell_type": "raw", "id": "a", "metadata": {}, "source": FILE_KEY}
    house.configure(CONFIGURED.format(FILE_KEY))
    house.put("n.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    edit = call("edit_notebook", path="n.ipynb", cell=0, source="x")
    loot = house.attack(call("read_file", path="n.ipynb"), edit, mode="acceptEdits")
    told = json.dumps([event for event in loot.events if event["type"].startswith("item")])
    assert "-[secret]\\n+x" in told
    assert FILE_KEY not in told
