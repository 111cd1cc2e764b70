"""Plays the demo: makes the repository, starts the server, shows the session, tests before and after."""

import json
import os
import shlex
import shutil
import subprocess  # noqa: TID251 - the demo sets the stage itself: git, and the tests before and after
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from agls.config.environment import process_environment
from agls.doors.headless.demo.client import DemoClient, ServerError
from agls.doors.headless.demo.transcript import DemoTranscript
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.streams import write
from agls.doors.headless.terminal import subject_lines
from agls.engine.vocabulary import JsonObject
from agls.views.escape import escape_controls

PROMPT = "A test fails. Find out why and repair it."
NO = "No, leave it as it is."
MATERIAL = files("agls.doors.headless.demo")
AUTHOR = ("-c", "user.name=agls demo", "-c", "user.email=demo@localhost")
TESTS = (sys.executable, "-m", "unittest", "-q")
CONFIG = """\
model = "demo"

[models.demo]
dialect = "scripted"
script = "script.toml"
context_window = 200000
"""


def play(folder: str, *, yes: bool) -> int:
    """Run the demo in `folder` (a new temporary one when empty). **Raises** `CannotBegin`."""
    show = DemoTranscript(write)
    asks = not yes and sys.stdin.isatty()
    repository = _repository(folder)
    show.say(f"A small repository with a failing test: {repository}")
    red = _tests_pass(repository, show)
    with tempfile.TemporaryDirectory(prefix="agls-demo-") as backstage:
        environment = _stage(Path(backstage))
        show.say('\nThe real server, "agls serve --stdio", with a scripted model: its words are written down')
        show.say("beforehand, all else happens: the tools, the questions, the edit, the tests.")
        if not asks:
            show.say("Its questions are answered with yes.")
        show.say(f"\n> {PROMPT}")
        try:
            _converse(repository, environment, show, asks=asks)
        except ServerError as problem:
            raise CannotBegin(f"the demo broke off: {problem}", "internal", Exit.FAILED) from problem
    show.say("\nThe tests once more:")
    green = _tests_pass(repository, show)
    show.say(f"\nThe repository stays where it is, look around: {repository}")
    went_well = not red and green and show.ended.get("stopReason") == "endTurn"
    return Exit.DONE if went_well else Exit.FAILED


def _converse(repository: Path, environment: dict[str, str], show: DemoTranscript, *, asks: bool) -> None:
    def decide(question: JsonObject) -> JsonObject:
        allowed = not asks or _ask(question)
        if not allowed:  # this variable chooses the other end of the model's script
            show.say(f"\n> {NO}")
            client.call("agent/steer", {"sessionId": question["sessionId"], "input": NO})
        wanted = "allow" if allowed else "reject"
        option = next(o["optionId"] for o in question["options"] if o["decision"] == wanted)
        return {"outcome": "selected", "optionId": option}

    handlers = {"agent/event": show.take, "agent/requestPermission": decide}
    with DemoClient(environment, str(repository), handlers) as client:
        agent: JsonObject = {"protocolVersions": [1], "events": {}, "permission": {}}
        capabilities: JsonObject = {"experimental": {"agent": agent}}
        uri = repository.as_uri()
        client.call("initialize", {"processId": None, "rootUri": uri, "capabilities": capabilities})
        client.notify("initialized", {})
        session = client.call("agent/session/new", {"cwd": uri, "clientKey": "demo-session"})
        said = [{"type": "text", "text": PROMPT}]
        run = {"sessionId": session["sessionId"], "input": said, "wait": True, "clientKey": "demo-run"}
        client.call("agent/run", run)


def _ask(question: JsonObject) -> bool:
    lines = [question["title"], *subject_lines(question.get("subject", {}))]
    write(escape_controls("\n".join(["", *lines])) + "\nAllow it? [Y/n] ")
    return sys.stdin.readline().strip(" \r").lower() in {
        "\n",
        "y\n",
        "yes\n",
    }  # the end of the input is no yes


def _repository(folder: str) -> Path:
    """Make a git repository (a plain folder where there is no git) with the little project in it."""
    try:
        repository = Path(folder or tempfile.mkdtemp(prefix="agls-shop-")).expanduser().resolve()
        repository.mkdir(parents=True, exist_ok=True)
        if any(repository.iterdir()):
            raise CannotBegin(f"{repository} is not empty. Name a new folder.", "usage")
        for file in MATERIAL.joinpath("shop").iterdir():
            (repository / file.name.removesuffix(".txt")).write_text(file.read_text("utf-8"), "utf-8")
        (repository / ".gitignore").write_text("__pycache__/\n")
    except (OSError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise CannotBegin(f"{folder or 'A temporary folder'} cannot be used: {why}.", "usage") from error
    if git := shutil.which("git"):
        for words in (("init", "-q"), ("add", "-A"), (*AUTHOR, "commit", "-qm", "A shop")):
            subprocess.run((git, *words), cwd=repository, env=_plain_git(), check=False, capture_output=True)
    return repository


def _plain_git() -> dict[str, str]:
    """Return the environment without the variables that send git to another repository or to hooks."""
    others = {name: value for name, value in process_environment().items() if not name.startswith("GIT_")}
    return {**others, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def _stage(backstage: Path) -> dict[str, str]:
    """Write the configuration with the scripted model.

    **Returns** variables for a state folder of its own.
    """
    script = MATERIAL.joinpath("script.toml").read_text("utf-8")
    python = json.dumps(shlex.quote(sys.executable))[1:-1]  # a word of a shell command in a TOML string
    (backstage / "script.toml").write_text(script.replace("PYTHON", python), "utf-8")
    (backstage / "config.toml").write_text(CONFIG, "utf-8")
    places = {"AGLS_CONFIG": str(backstage / "config.toml"), "AGLS_STATE_DIR": str(backstage / "state")}
    outside = {k: v for k, v in process_environment().items() if not k.startswith(("AGLS_", "OPENAI_"))}
    return {**outside, **places}


def _tests_pass(repository: Path, show: DemoTranscript) -> bool:
    show.say(f"\n$ {' '.join(('python3', *TESTS[1:]))}")
    done = subprocess.run(TESTS, cwd=repository, check=False, capture_output=True, text=True)
    for line in (done.stdout + done.stderr).splitlines():
        show.say(f"    {line}")
    show.say(f"    ({'green' if done.returncode == 0 else 'red'})")
    return done.returncode == 0
