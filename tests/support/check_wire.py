"""The twin of `check` (`scenario.py`) for doors: real methods and a real server, in memory."""

from collections.abc import Sequence
from pathlib import Path

from agls.doors.agent.limits import ConnectionLimits
from support.wire import AGENT, Message, Wire, script, turns


def check_wire(
    folder: Path,
    *prompts: Message | str,
    requests: Sequence[tuple[str, Message]],
    events: Sequence[str] | None = None,
    agent: Message | None = None,
    limits: ConnectionLimits | None = None,
) -> list[Message]:
    """Make a session, send requests one behind the answer of the other, and compare the types of its events.

    `prompts` are what the scripted model plays, `agent` what the client can do. Params without a `sessionId`
    get that of the session; the events of a type that follow each other count once, and what only says how
    it goes (`heartbeat`, `contextUsage`) not at all. **Returns** the answers: results, or `error` objects.
    """
    played = [turns(prompt) if isinstance(prompt, str) else prompt for prompt in prompts or ("Unused.",)]
    with Wire(folder, script(folder, *played), inside=limits or ConnectionLimits()) as wire:
        wire.initialize(AGENT if agent is None else agent)
        session = wire.session()
        before = len(of_session(wire, session))
        answers = [wire.ask(method, {"sessionId": session, **params}) for method, params in requests]
        wire.leave()
        wire.closed()
        told = [event["type"] for event in of_session(wire, session)[before:]]
    if events is not None:
        kinds = [kind for kind in told if kind not in {"heartbeat", "contextUsage"}]
        assert [kind for at, kind in enumerate(kinds) if kinds[at - 1 : at] != [kind]] == list(events)
    return [answer["result"] if "result" in answer else answer["error"] for answer in answers]


def of_session(wire: Wire, session: str) -> list[Message]:
    """Return the events of a session so far."""
    return [event for event in wire.events if event["sessionId"] == session]
