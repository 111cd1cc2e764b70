"""`kill -9` in each phase of a run that has phases: it goes on in that phase, and nothing is repeated."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agls.engine.facts import PhaseStarted, ToolStarted
from agls.stores.files import FileStore
from doors.headless.conftest import Agls
from support.model_server import Answer, ModelServer, Raw, Reply, Request
from support.pairing import refused
from support.patience import wait_until

CONFIG = """
model = "medium"
[history]
titles = false
[tiers]
strong = "large"
fast = "small"
[agents.careful]
description = "Plans, does, looks."
[[agents.careful.phases]]
name = "plan"
prompt = "PLAN {{{{input}}}}"
tier = "strong"
tools = []
[[agents.careful.phases]]
name = "do"
prompt = "DO {{{{phases.plan.output}}}}"
tools = ["shell"]
[[agents.careful.phases]]
name = "look"
prompt = "LOOK {{{{phases.do.output}}}}"
tier = "fast"
tools = ["read_file"]
"""
MODEL = '[models.{0}]\nmodel = "{0}"\nbase_url = "{1}"\n'
PHASES = {"large": "plan", "medium": "do", "small": "look"}  # by the model of its tier
COMMAND = "echo done >> log; sleep {0}"


class Company:
    """The models of all three phases. In the phase `hanging` the first answer never comes to its end."""

    def __init__(self, hanging: str) -> None:
        self.hanging = hanging

    def __call__(self, request: Request) -> Answer:
        phase = PHASES[request.body["model"]]
        asked_before = request.body["messages"][-1]["role"] == "tool"
        last, self.hanging = self.hanging, "" if phase == self.hanging else self.hanging
        if phase == "do" and not asked_before:
            return Reply(calls=[("shell", {"command": COMMAND.format(1000 if last == "do" else 0)})])
        return Raw([], then="hang") if phase == last else Reply(f"{phase} is over.")


@pytest.fixture
def agls(tmp_path: Path) -> Iterator[Agls]:
    program = Agls(tmp_path)
    yield program
    program.end()


def phases_asked(server: ModelServer) -> list[str]:
    """The phase of each request, in order."""
    return [PHASES[request.body["model"]] for request in server.posts]


@pytest.mark.port("Phases")
@pytest.mark.parametrize(
    ("killed_in", "asked_before", "asked_after"),
    [
        pytest.param("plan", ["plan"], ["plan", "do", "do", "look"], marks=pytest.mark.slow),
        ("do", ["plan", "do"], ["do", "look"]),
        pytest.param("look", ["plan", "do", "do", "look"], ["look"], marks=pytest.mark.slow),
    ],
)
def test_run_killed_in_a_phase_continues_in_it_and_repeats_nothing(
    agls: Agls, killed_in: str, asked_before: list[str], asked_after: list[str]
) -> None:
    """Kill -9 in each phase; what is over is not run again, and every prompt is said once."""
    log = agls.workspace / "log"
    with ModelServer(Company(killed_in)) as server:
        models = "".join(MODEL.format(name, server.url) for name in PHASES)
        agls.configure(CONFIG.format() + models)
        process = agls.start("run", "tea", "--agent", "careful", "--mode", "allowAll")
        wait_until(lambda: phases_asked(server) == asked_before and (killed_in != "do" or log.exists()))
        process.kill()
        process.communicate()
        done = agls.run("resume", "--mode", "allowAll")
        assert (done.code, done.out) == (0, "look is over.\n")
        assert phases_asked(server) == [*asked_before, *asked_after]
        last = server.posts[-1].body["messages"]
    assert log.read_text() == "done\n", "the command ran once"
    said = json.dumps([message["content"] for message in last if message["role"] == "user"])
    for prompt in ("PLAN tea", "DO plan is over.", "LOOK do is over."):
        assert said.count(prompt) == 1, said
    (row,) = agls.sessions()
    entries = FileStore(agls.state).peek(row["sessionId"])
    started = [entry.fact.name for entry in entries if isinstance(entry.fact, PhaseStarted)]
    assert started[-1] == "look"
    calls = [entry.fact.call_id for entry in entries if isinstance(entry.fact, ToolStarted)]
    assert len(calls) == 1
    assert list(refused(entries)) == []
