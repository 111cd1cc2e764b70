"""Records the golden transcripts of the protocol: `scripts/golden`.

Each is a real run of the scripted model through a real process, with ids, times and places made alike. A
line is `{"from": "client" | "server", "message": …}` of the language server door, or a line that `agls run`
printed. What goes on before the first session is left out. Beside each stands in `.view.json` what a client
knows after it: the reference fold of its events, for the stores of the clients to be compared with.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import agls
import agls_protocol
from agls.json_values import is_list, is_object
from agls.views.transcript import fold
from support.machine import NO_LOCAL_SERVERS
from support.wire import Message, Wire, events_in, script, turns

FOLDER = Path(agls_protocol.__file__).with_name("golden")
EDITS: Message = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
IDS = re.compile(r"\b(run|item|turn|ses|ask|rewind|note)_[0-9a-z]{8,}")
TIMES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
SECONDS = re.compile(r"\d+(\.\d+)? s\b")
MACHINE = {"environment"}  # whose messages say on what machine and on which day it was
Line = Message


# --- the cases -----------------------------------------------------------------------------------


def text(folder: Path) -> list[Line]:
    """A thought and an answer."""
    said = {
        "thinking": "A greeting.",
        "text": ["Hello", ", ", "wörld 🙂"],
        "usage": {"input": 9, "output": 4},
    }
    with Wire(folder, play(folder, turns(said))) as wire:
        wire.initialize()
        wire.run(wire.session(), "Say hello.")
        return _said(wire)


def tool_and_permission(folder: Path) -> list[Line]:
    """A command that is allowed, one that is refused with a reason, and a read that needs no question."""
    made = turns(
        _call("I look.", "shell", command="touch made.txt; echo one; echo two"),
        _call("And more.", "shell", command="touch more.txt; echo three"),
        _call("", "read_file", path="notes.txt"),
        "There are two.",
    )
    with Wire(folder, play(folder, made)) as wire:
        (wire.workspace / "notes.txt").write_text("a note\n")
        wire.initialize()
        decisions = iter(("allow", "reject"))

        def answer(asked: Message) -> Message:
            decision = next(decisions)
            feedback = {"feedback": "Not that one."} if decision == "reject" else {}
            return {**_choose(decision)(asked), **feedback}

        wire.answers["agent/requestPermission"] = answer
        wire.run(wire.session(), "How many?")
        return _said(wire)


def edit_in_an_open_buffer(folder: Path) -> list[Line]:
    """An edit of a document with unsaved text: through the editor, for the version the agent saw."""
    before, after = "total = a - b  # unsaved\n", "total = a + b  # unsaved\n"
    edit = {"path": "adder.py", "old_text": "a - b", "new_text": "a + b"}
    made = turns(_call("", "read_file", path="adder.py"), _call("The sign.", "edit_file", **edit), "Fixed.")
    with Wire(folder, play(folder, made)) as wire:
        path = wire.workspace / "adder.py"
        path.write_text("total = a - b\n")
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": before}

        def apply(params: Message) -> Message:
            changed = {
                "textDocument": {"uri": path.as_uri(), "version": 2},
                "contentChanges": [{"text": after}],
            }
            wire.notify("textDocument/didChange", changed)
            return {"applied": True}

        wire.answers |= {"workspace/applyEdit": apply, "agent/requestPermission": _choose("allow")}
        wire.initialize(capabilities=EDITS)
        wire.notify("textDocument/didOpen", {"textDocument": document})
        wire.run(wire.session(), "Fix the sum.")
        return _said(wire)


def cancel(folder: Path) -> list[Line]:
    """A run that is cancelled while it speaks, and the next one."""
    hanging = {"text": "I begin", "hang": True}
    with Wire(folder, play(folder, turns(hanging), turns("Yes."))) as wire:
        wire.initialize()
        session = wire.session()
        waiting = wire.post("agent/run", {"sessionId": session, "input": "Talk.", "wait": True})
        wire.event("itemDelta", append="I begin")
        wire.call("agent/cancel", {"sessionId": session, "reason": "enough"})
        wire.answer_of(waiting)
        wire.run(session, "Are you there?")
        return _said(wire)


def retry(folder: Path) -> list[Line]:
    """A model that fails twice and then answers, and one that fails for good."""
    failing = {"error": {"kind": "overloaded", "message": "try later", "times": 2}, "text": "At last."}
    broken = {"error": {"kind": "quota", "message": "used up", "hint": "Pay."}}
    with Wire(folder, play(folder, turns(failing), turns(broken))) as wire:
        wire.initialize()
        session = wire.session()
        wire.run(session, "Try.")
        wire.run(session, "Again.")
        return _said(wire)


def crash_and_resume(folder: Path) -> list[Line]:
    """A server is killed during a command; the next one closes the log, tells what was missed, goes on."""
    busy = {"command": "touch started; sleep 30"}
    config = play(folder, turns({"calls": [{"name": "shell", "arguments": busy}]}, "I look what came of it."))
    with Wire(folder, config) as wire:
        wire.initialize()
        session = wire.session(options={"mode": "allowAll"})
        wire.call("agent/run", {"sessionId": session, "input": "Do it."})
        wire.event("itemUpdated", patch={"status": "running"})
        wire.process.kill()
        wire.process.wait()
    with Wire(folder, config) as again:
        again.initialize()
        cursor = {"epoch": wire.events[0]["epoch"], "seq": _last_fact(wire.events)}
        again.call("agent/resume", {"sessionId": session, "replay": "since", "after": cursor})
        options = {"options": {"mode": "allowAll"}, "chosenBy": "user"}
        params = {"sessionId": session, "continueRun": True, "wait": True, **options}
        again.call("agent/run", params)
        return [*_said(wire), *_said(again)]


def steering(folder: Path) -> list[Line]:
    """A message that reaches a running run, and one that comes too late."""
    made = turns({**_call("I read", "read_file", path="a.txt"), "delay": 0.2, "chunk": 1})
    with Wire(folder, play(folder, made, turns("In English, then."))) as wire:
        (wire.workspace / "a.txt").write_text("salut\n")
        wire.initialize()
        session = wire.session()
        waiting = wire.post("agent/run", {"sessionId": session, "input": "Read a.txt.", "wait": True})
        wire.event("itemDelta")
        wire.call(
            "agent/steer", {"sessionId": session, "input": "Answer in English.", "clientKey": "steer-1"}
        )
        wire.answer_of(waiting)
        wire.call("agent/steer", {"sessionId": session, "input": "Thanks.", "ifEnded": "return"})
        return _said(wire)


def queue(folder: Path) -> list[Line]:
    """Two prompts that wait: one is moved up, the other is taken back."""
    slow = {"text": "first", "delay": 0.3, "chunk": 1}
    with Wire(folder, play(folder, turns(slow), turns("third"))) as wire:
        wire.initialize()
        session = wire.session()
        wire.call("agent/run", {"sessionId": session, "input": "1", "clientKey": "one"})
        second = wire.call("agent/run", {"sessionId": session, "input": "2", "clientKey": "two"})
        third = wire.call("agent/run", {"sessionId": session, "input": "3", "clientKey": "three"})
        wire.call("agent/queue", {"sessionId": session, "op": "move", "itemId": third["itemId"], "to": 0})
        wire.call("agent/queue", {"sessionId": session, "op": "remove", "itemId": second["itemId"]})
        wire.until(lambda m: _ends(m, third["runId"]))
        return _said(wire)


def rewind(folder: Path) -> list[Line]:
    """A conversation that goes back to its first answer, and on from there."""
    with Wire(folder, play(folder, turns("One."), turns("Two."))) as wire:
        wire.initialize()
        session = wire.session()
        wire.run(session, "First.")
        message = next(e["itemId"] for e in wire.events if e["type"] == "itemDelta")
        wire.run(session, "Second.")
        where = {"sessionId": session, "toItemId": message}
        wire.call("agent/session/rewind", {**where, "dryRun": True})
        wire.call("agent/session/rewind", {**where, "clientKey": "back"})
        wire.run(session, "Other second.")
        return _said(wire)


def background(folder: Path) -> list[Line]:
    """A command that goes on behind its run and ends by itself, and one that a cancel stops."""
    waits = {"command": "until [ -e go ]; do sleep 0.02; done; echo over", "background": True}
    stays = {"command": "sleep 1000", "background": True}
    made = (
        turns(_call("I begin.", "shell", **waits), "It goes on."),
        turns(_call("", "shell", **stays), "Up."),
    )
    with Wire(folder, play(folder, *made)) as wire:
        wire.initialize()
        session = wire.session(options={"mode": "allowAll"})
        wire.run(session, "Begin.")
        wire.until(lambda m: _tasks(wire) == ("idle", 1))
        (wire.workspace / "go").touch()
        wire.until(lambda m: _tasks(wire) == ("idle", 0))
        wire.run(session, "What came of it? And keep something running.")
        wire.until(lambda m: _tasks(wire) == ("idle", 1))
        wire.call("agent/cancel", {"sessionId": session, "tasks": "stop"})
        wire.until(lambda m: _tasks(wire) == ("idle", 0))
        return _said(wire)


def _tasks(wire: Wire) -> tuple[str, int]:
    told = [event["data"] for event in wire.events if event["type"] == "sessionState"]
    return (told[-1]["state"], told[-1]["backgroundTasks"]) if told else ("", 0)


def without_an_editor(folder: Path) -> list[Line]:
    """`agls run --output jsonl`: a question finds nobody, is refused, and the run goes on."""
    made = turns(_call("I try.", "shell", command="touch made.txt"), "It needs somebody.")
    with Wire(folder, play(folder, made)) as home:  # only for its folders
        environment = {
            "HOME": str(folder),
            "AGLS_STATE_DIR": str(folder / "state"),
            "PATH": "/usr/bin:/bin",
            **NO_LOCAL_SERVERS,
        }
        environment["AGLS_CONFIG"] = str(folder / "config" / "config.toml")
        command = [sys.executable, "-m", "agls", "run", "Do it.", "--output", "jsonl"]
        done = subprocess.run(
            command,
            cwd=home.workspace,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 3, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


CASES: Sequence[Callable[[Path], list[Line]]] = (
    text, tool_and_permission, edit_in_an_open_buffer, cancel, retry, crash_and_resume, steering, queue,
    rewind, background, without_an_editor,
)  # fmt: skip


# --- what they are made of -----------------------------------------------------------------------


def events_of(lines: Sequence[Line]) -> list[Message]:
    """The events of a transcript in their order, those of a resume included."""
    events: list[Message] = []
    for line in lines:
        message = line.get("message", {})
        if line.get("from") == "server" and message.get("method") == "agent/event":
            events += message["params"]["events"]
        elif line.get("from") == "server" and isinstance(message.get("result"), dict):
            events += message["result"].get("events", [])
        elif "seq" in line or "after" in line:
            events.append(line)
    return events


def play(folder: Path, *prompts: Message) -> Path:
    """The configuration for a script, in a folder beside the workspace."""
    (folder / "config").mkdir()
    return script(folder / "config", *prompts)


def _call(text: str, tool: str, **arguments: Any) -> Message:
    return {"text": text, "calls": [{"name": tool, "arguments": arguments}]}


def _choose(decision: str) -> Callable[[Message], Message]:
    def answer(asked: Message) -> Message:
        chosen = next(o["optionId"] for o in asked["options"] if o["decision"] == decision)
        return {"outcome": "selected", "optionId": chosen}

    return answer


def _last_fact(events: Sequence[Message]) -> int:
    return max(event.get("seq", 0) for event in events)


def _ends(message: Message, run_id: str) -> bool:
    return any(event["type"] == "runEnded" and event["runId"] == run_id for event in events_in(message))


def _said(wire: Wire) -> list[Line]:
    """What was said from the first session on, once the server has said everything."""
    if wire.process.returncode is None:
        wire.call("agent/status")
        wire.until(lambda m: _is_idle(wire))
    first = next(
        place for place, (who, m) in enumerate(wire.said) if who == "client" and m.get("method") in BEGINNINGS
    )
    asked = {m["id"]: m["method"] for who, m in wire.said if who == "client" and "method" in m and "id" in m}
    return [
        {"from": who, "message": message}
        for who, message in wire.said[first:]
        if asked.get(message.get("id")) != "agent/status"
    ]


BEGINNINGS = {"agent/session/new", "agent/resume", "textDocument/didOpen"}


def _is_idle(wire: Wire) -> bool:
    states = [event["data"]["state"] for event in wire.events if event["type"] == "sessionState"]
    return bool(states) and states[-1] == "idle"


class Names:
    """Makes the lines of a transcript alike from one recording to the next."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._times: dict[str, str] = {}

    def line(self, line: Line) -> str:
        """One line as it is kept."""
        written = json.dumps(_without_machine(line), ensure_ascii=False, separators=(",", ":"))
        written = written.replace(self._folder + "/workspace", "/home/user/project")
        written = written.replace(self._folder, "/home/user")
        written = written.replace(str(Path(agls.__file__).parent), "/usr/lib/agls")
        written = re.sub(r'"epoch":"[^"]*"', '"epoch":"epoch_1"', written)
        written = re.sub(r'"sha256":"[0-9a-f]{64}"', '"sha256":"…"', written)
        written = IDS.sub(self._name, written)
        return TIMES.sub(self._time, SECONDS.sub("0 s", written))

    def _name(self, found: re.Match[str]) -> str:
        kind = found[1]
        if found[0] not in self._names:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._names[found[0]] = f"{kind}_{self._counts[kind]}"
        return self._names[found[0]]

    def _time(self, found: re.Match[str]) -> str:
        at = len(self._times)
        return self._times.setdefault(found[0], f"2026-01-01T00:{at // 60:02}:{at % 60:02}.000Z")


def _without_machine(value: Any) -> Any:
    """The same without what says where it was recorded."""
    if is_list(value):
        return [_without_machine(part) for part in value]
    if not is_object(value):
        return value
    members = {name: _without_machine(part) for name, part in value.items()}
    if members.get("fact") == "injected" and members.get("by") in MACHINE:
        members["content"] = [{"type": "text", "text": "(what the model is told of the machine)"}]
    return members


def record(case: Callable[[Path], list[Line]], folder: Path) -> str:
    """Run a case; its transcript."""
    names = Names(folder.resolve())
    return "".join(names.line(line) + "\n" for line in case(folder.resolve()))


def view(lines: Sequence[Line]) -> Message:
    """What a client knows after a transcript; `items` in the order in which they are shown."""
    known = fold(events_of(lines))
    return {
        "seq": known.seq,
        "state": known.state,
        "items": list(known.items.values()),
        "requests": known.requests,
        "runs": known.runs,
        "info": known.info,
        "options": known.options,
        "queue": known.queue,
    }


def main() -> None:
    """Record all of them anew; with `--views` only fold the recorded ones anew."""
    FOLDER.mkdir(exist_ok=True)
    if sys.argv[1:] != ["--views"]:
        for old in FOLDER.glob("*.jsonl"):
            old.unlink()
        for case in CASES:
            with tempfile.TemporaryDirectory() as folder:
                transcript = record(case, Path(folder))
            (FOLDER / f"{case.__name__.replace('_', '-')}.jsonl").write_text(transcript, encoding="utf-8")
    for path in FOLDER.glob("*.view.json"):
        path.unlink()
    for path in FOLDER.glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        written = json.dumps(view(lines), ensure_ascii=False, indent=1) + "\n"
        path.with_suffix(".view.json").write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
