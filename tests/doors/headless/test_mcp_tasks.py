"""Calls that an MCP server made tasks of, when agls is killed while it waits for them."""

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from doors.headless.conftest import SCRIPTED, Agls, Done
from doors.headless.test_mcp import SAMPLE
from mcp_servers.test_addressed_servers import served
from support.patience import wait_until
from support.rich_run import call

BEGAN = '"taskBegan"'


@contextmanager
def killed_while_it_waits(agls: Agls) -> Generator[Path]:
    """Kill agls when it waits for a task of an address. Yields the file that finishes the task."""
    finish = agls.home / "finish"
    with served("http") as port:
        start_and_kill(agls, f'type = "http"\nurl = "http://127.0.0.1:{port}/mcp"', str(finish))
        yield finish


def start_and_kill(agls: Agls, server: str, kind: str) -> None:
    """Kill agls when it waits for a task of the server."""
    agls.configure(f"{SCRIPTED}[mcp.servers.sample]\n{server}\n")
    work = call("mcp__sample__work", kind=kind)
    agls.prompts([{"calls": [work]}, {"text": "done"}], [{"text": "done"}])
    process = agls.start("run", "--mode", "allowAll", "go")
    wait_until(lambda: any(BEGAN in file.read_text() for file in agls.state.glob("sessions/*.jsonl")))
    process.kill()
    process.communicate()


def told(agls: Agls) -> list[str]:
    """The messages of the MCP room that stand in the journal."""
    (journal,) = agls.state.glob("sessions/*.jsonl")
    facts = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
    return [line for line in map(json.dumps, facts) if "whose outcome was unknown" in line]


def resume(agls: Agls, mode: str = "allowAll") -> Done:
    done = agls.run("resume", "--output", "jsonl", "--mode", mode)
    assert done.code == 0, done.err
    return done


@pytest.mark.row(64)
def test_task_of_a_killed_process_is_waited_for_and_not_called_again(agls: Agls) -> None:
    with killed_while_it_waits(agls) as finish:
        finish.touch()
        done = resume(agls)
        (message,) = told(agls)
        assert "done in 1 call" in message
        assert "The call was not made again" in message
        assert "it is not called again" in done.out, "the user sees what is waited for"
        agls.run("resume", "and now?")
        assert told(agls) == [message], "it is settled"


@pytest.mark.row(64)
def test_task_of_a_killed_process_that_is_still_working_is_waited_for(agls: Agls) -> None:
    with killed_while_it_waits(agls) as finish:
        process = agls.start("resume", "--output", "jsonl", "--mode", "allowAll")
        (journal,) = agls.state.glob("sessions/*.jsonl")
        wait_until(lambda: journal.read_text().count('"run_started"') > 1)
        assert told(agls) == []
        finish.touch()
        process.communicate()
        assert "done in 1 call" in told(agls)[0]


@pytest.mark.row(64)
def test_model_is_told_what_became_of_a_task_that_its_server_lost(agls: Agls) -> None:
    program = f'command = "{sys.executable}"\nargs = ["{SAMPLE}"]'
    start_and_kill(agls, program, "/nowhere/at/all")
    resume(agls)
    (message,) = told(agls)
    assert "there is no task t1" in message
    assert "It gave no result" in message


@pytest.mark.row(64)
def test_server_that_is_forbidden_since_is_not_asked_for_its_task(agls: Agls) -> None:
    with killed_while_it_waits(agls) as finish:
        finish.touch()
        with Path(agls.config_file).open("a") as config:
            config.write('[permissions]\ndeny = ["mcp__sample"]\n')
        resume(agls)
        (message,) = told(agls)
        assert "done in" not in message
        assert "It gave no result" in message
