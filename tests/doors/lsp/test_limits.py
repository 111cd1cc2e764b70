"""The action `limits`: what may be spent is shown, and changed while a run goes on."""

from pathlib import Path

from support.patience import wait_until
from support.wire import Message, Wire

from .conftest import Serve

WAITS = {"command": "touch begun; until [ -e go ]; do sleep 0.05; done", "timeout_s": 200}
WORK = {"turns": [{"text": "I wait.", "calls": [{"name": "shell", "arguments": WAITS}]}, {"text": "Done."}]}


def limits(wire: Wire, session: str, **change: float | None) -> Message:
    """What the action answers; `change` is what it shall set."""
    given = {"set": change} if change else {}
    return wire.ask("agent/action/invoke", {"sessionId": session, "name": "limits", "input": given})


def begin(wire: Wire, **options: object) -> tuple[str, Path]:
    """A run whose command waits for a file; gives its session and the file."""
    wire.initialize()
    session = wire.session(options={"mode": "allowAll"})
    wire.call("agent/run", {"sessionId": session, "input": "go", "options": options})
    wait_until((wire.workspace / "begun").exists)
    return session, wire.workspace / "go"


def test_a_run_that_goes_on_is_given_less(serve: Serve) -> None:
    """The new limits hold from the next model call on, and everybody sees them."""
    wire = serve(WORK)
    session, go = begin(wire, maxTurns=9)
    data = limits(wire, session)["result"]["data"]
    assert (data["run"]["limits"]["maxTurns"], data["run"]["left"]["maxTurns"]) == (9, 8)
    data = limits(wire, session, maxTurns=1)["result"]["data"]
    assert (data["run"]["limits"]["maxTurns"], data["run"]["left"]["maxTurns"]) == (1, 0)
    assert wire.event("recorded", fact="limitsChanged")["data"]["limits"]["maxTurns"] == 1
    go.touch()
    assert wire.event("runEnded")["data"]["stopReason"] == "maxTurns"


def test_a_run_that_goes_on_is_given_more(serve: Serve) -> None:
    """A run that would have stopped comes to its end."""
    wire = serve(WORK)
    session, go = begin(wire, maxModelCalls=1)
    assert "maxModelCalls" not in limits(wire, session, maxModelCalls=None)["result"]["data"]["run"]["limits"]
    go.touch()
    assert wire.event("runEnded")["data"]["stopReason"] == "endTurn"


def test_wrong_limits_are_refused_and_change_nothing(serve: Serve) -> None:
    wire = serve(WORK)
    session, go = begin(wire)
    assert "There is no limit 'maxFun'" in limits(wire, session, maxFun=1)["error"]["message"]
    assert "maxTurns must be a whole number" in limits(wire, session, maxTurns=1.5)["error"]["message"]
    go.touch()
    assert wire.event("runEnded")["data"]["stopReason"] == "endTurn"
    assert "No run is active" in limits(wire, session, maxTurns=5)["error"]["message"]
    assert limits(wire, session)["result"]["data"]["nextRun"]["limits"] == {}, "it came too late for a run"
    assert not [e for e in wire.events if e["data"].get("fact") == "limitsChanged"]
