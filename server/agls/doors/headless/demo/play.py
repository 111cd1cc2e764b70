"""Plays the demo: makes the repository, has `agls run` work in it, and tests before and after."""

import json
import os
import shlex
import shutil
import subprocess  # noqa: TID251 - the demo sets the stage itself: git, the tests, and agls
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from agls.config.environment import process_environment
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.streams import write
from agls.views.escape import escape_controls

PROMPT = "A test fails. Find out why and repair it."
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
    asks = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    repository = _repository(folder)
    _say(f"A small repository with a failing test: {repository}")
    red = not _tests_pass(repository)
    _say("\nThe real agls, with a scripted model: its words are written down beforehand,")
    _say("all else is real: the tools, the questions, the edit, the tests.")
    if not asks:
        _say("It asks nothing here: everything is allowed.")
    _say(f'\n$ agls run "{PROMPT}"{"" if asks else " --yolo"}')
    code = _run(repository, asks=asks)
    if code == Exit.CANCELLED:
        return code
    _say("\nThe tests once more:")
    green = _tests_pass(repository)
    _say(f"\nThe repository stays where it is, look around: {repository}")
    return Exit.DONE if red and green and code == Exit.DONE else Exit.FAILED


def _run(repository: Path, *, asks: bool) -> int:
    """Have `agls run` work in the repository, at the terminal where it `asks`. **Returns** its exit code."""
    words = (PROMPT,) if asks else (PROMPT, "--yolo")
    with (
        tempfile.TemporaryDirectory(prefix="agls-demo-") as backstage,
        subprocess.Popen(
            (sys.executable, "-P", "-m", "agls", "run", *words),  # -P: nothing of the folder is imported
            stdin=None if asks else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            env=_stage(Path(backstage)),
            cwd=repository,
        ) as run,
    ):
        while True:
            try:
                return run.wait()
            except KeyboardInterrupt:  # it got the signal as well, and ends as it should
                pass


def _repository(folder: str) -> Path:
    """Make a git repository (a plain folder where there is no git) with the little project in it."""
    try:
        repository = Path(folder or tempfile.mkdtemp(prefix="agls-shop-")).expanduser().resolve()
        repository.mkdir(parents=True, exist_ok=True)
        if any(repository.iterdir()):
            raise CannotBegin(f"{repository} is not empty. Choose a new folder.", "usage")
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


def _tests_pass(repository: Path) -> bool:
    _say(f"\n$ {' '.join(('python3', *TESTS[1:]))}")
    done = subprocess.run(TESTS, cwd=repository, check=False, capture_output=True, text=True)
    for line in (done.stdout + done.stderr).splitlines():
        _say(f"    {line}")
    _say(f"    ({'green' if done.returncode == 0 else 'red'})")
    return done.returncode == 0


def _say(text: str) -> None:
    """Write lines of the demo itself."""
    write(escape_controls(text) + "\n")
