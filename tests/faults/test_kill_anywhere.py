"""`kill -9` at random moments of a run, then `agls resume`: nothing is lost, nothing is repeated."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from agls.engine.facts import Entry, ToolFinished
from agls.stores.files import FileStore
from support.model_server import ModelServer, Reply, Request
from support.pairing import refused
from support.patience import PATIENCE
from support.wire_rules import check_printed

pytestmark = pytest.mark.promise("P6")

STEPS, KILLS, ATTEMPTS = 10, 4, 12
LINES = 500
AGLS = [sys.executable, "-m", "agls"]
UNUSABLE = 2
# Killed before the prompt was in, or after the last fact: the user is told so, and says what to do.
SAY_AGAIN = {"sessionNotFound": ["run", "go"], "nothingToContinue": ["resume", "go"]}
OPTIONS = ["--mode", "allowAll", "--max-turns", "50", "--output", "jsonl"]


def next_step(request: Request) -> Reply:
    """The step after those in the request: an effect that shows when it is repeated, and a file to tear."""
    step = sum(message["role"] == "assistant" for message in request.body["messages"])
    if step >= STEPS:
        return Reply("done")
    command = {"command": f"echo {step} >> log; sleep 0.05"}
    file = {"path": f"file{step}", "content": f"{step}\n" * LINES}
    return Reply(f"step {step}", calls=[("shell", command), ("write_file", file)], delay=0.002)


def run_with_kills(work: Path, home: Path, url: str, chance: random.Random) -> None:
    """Run and resume until it ends well, killing the first times at a random moment."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "AGLS_BASE_URL": url, "AGLS_MODEL": "m"}
    command = ["run", "go"]
    for attempt in range(ATTEMPTS):
        process = subprocess.Popen(
            [*AGLS, *command, *OPTIONS, "--cwd", str(work)], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        if attempt < KILLS:
            time.sleep(chance.uniform(0.25, 1.5))
            process.kill()
        said, errors = process.communicate(timeout=PATIENCE)
        check_printed(OPTIONS, said.decode(), process.returncode)
        if process.returncode == 0:
            return
        if process.returncode == UNUSABLE:
            command = SAY_AGAIN[json.loads(said.splitlines()[-1])["error"]["kind"]]
            continue
        assert process.returncode == -9, errors.decode()
        if list(home.rglob("sessions/*.jsonl")):
            command = ["resume"]
    raise AssertionError("it never ended")


def prove(work: Path, home: Path, seed: int) -> None:
    """One run with its kills, and what must hold afterwards."""
    work.mkdir(parents=True)
    home.mkdir()
    with ModelServer(next_step) as server:
        run_with_kills(work, home, server.url, random.Random(seed))
    begun = [path for path in home.rglob("sessions/*.jsonl") if b'"admitted"' in path.read_bytes()]
    (journal,) = begun  # a process that was killed before it had its prompt leaves a session without one
    entries = FileStore(journal.parents[1]).peek(journal.stem)
    ran = (work / "log").read_text().split() if (work / "log").exists() else []
    assert ran, f"seed {seed}: no command ran: {results_in(entries)}"
    assert len(ran) == len(set(ran)), f"seed {seed}: a call was repeated: {ran}"
    for file in work.glob("file*"):
        assert file.read_text() == f"{file.name.removeprefix('file')}\n" * LINES, (
            f"seed {seed}: {file} is torn"
        )
    assert {path.name for path in work.iterdir()} <= {"log", *(f"file{n}" for n in range(STEPS))}
    assert list(refused(entries)) == [], f"seed {seed}"


def results_in(entries: Sequence[Entry]) -> list[str]:
    """What the calls gave, as the model read it."""
    finished = (entry.fact for entry in entries if isinstance(entry.fact, ToolFinished))
    return [fact.outcome.text for fact in finished]


@pytest.mark.row(74)
@pytest.mark.port("Checkpointer")
@pytest.mark.item(36)
@pytest.mark.parametrize("seed", [1])
def test_a_killed_run_is_resumed_and_repeats_nothing(seed: int, tmp_path: Path) -> None:
    """Kill -9 of the real process at random moments. The next process goes on."""
    prove(tmp_path / "work", tmp_path / "home", seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_thirty_killed_runs_are_resumed_and_repeat_nothing(seed: int, tmp_path: Path) -> None:
    prove(tmp_path / "work", tmp_path / "home", seed)
