"""What users bring: configured servers, a call of one, a hook, and many skills and commands.

The floor of each is what it costs by itself: agls without it, the server asked directly, the process alone.
"""

import itertools
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.client import Broken
from benchmarks.machine import resident
from benchmarks.peers import Bench, Conversation

if TYPE_CHECKING:
    from benchmarks.measures import Sizes, Values

PROGRAM = Path(__file__).with_name("server.py")
SERVERS = 50
PER_TOKEN = 4  # characters, roughly
WINDOW = 128_000  # tokens
SETTLED = 1.5  # seconds
PATIENCE = 120  # seconds until all servers said what they have
MS = 1e6
SERVER = '[mcp.servers.s{0}]\ncommand = "{1}"\nargs = ["{2}", "{3}"]\nstartup_timeout = 120\n'
HOOK = '[[hooks.handlers]]\nevent = "PreToolUse"\ncommand = "{}"\n'
ALLOWED = '[permissions]\nmode = "allowAll"\n'
SCRIPT = "exit 0"
ECHO = {"name": "mcp__s0__tool_0", "arguments": {"which": "one"}, "numbered": "number"}
TEXT = "---\nname: {0}\ndescription: Do the thing {0}, when it is asked for.\n---\nDo it.\n"


def extend(bench: Bench, sizes: "Sizes", values: "Values") -> None:
    """Measure each beside agls without it."""
    plain, served = Bench(bench.model, bench.folder / "plain"), Bench(bench.model, bench.folder / "served")
    _configure(plain, ALLOWED)
    _configure(served, ALLOWED + "".join(_entry(served, number) for number in range(SERVERS)))
    _learn(served)
    both = {"floor": plain, "agls": served}
    _starts(both, sizes, values)
    with _talking(plain) as alone, _talking(served) as with_servers:
        own = [
            _turn(plain, alone, sizes.tool_turns, folder=str(plain.workspace)) for _ in range(sizes.tool_runs)
        ]
        _calls(served, with_servers, own, sizes, values)
        _hooks(bench, own, sizes, values)
        _lists(bench, alone, sizes, values)


def _configure(bench: Bench, more: str) -> None:
    """Add to the configuration. Of a small window the tools of servers would take too much."""
    text = re.sub(r"context_window = [\d_]+", f"context_window = {WINDOW}", bench.config.read_text())
    bench.config.write_text(text + more)


def _entry(bench: Bench, number: int) -> str:
    return SERVER.format(number, sys.executable, PROGRAM, bench.folder / f"starts{number}")


def _learn(bench: Bench) -> None:
    """Let all servers be asked once what they have. **Raises** `Broken`."""
    with _talking(bench):
        until = time.monotonic() + PATIENCE
        while not all((bench.folder / f"starts{number}").exists() for number in range(SERVERS)):
            if time.monotonic() > until:
                raise Broken("not all servers were asked what they have")
            time.sleep(0.1)
        time.sleep(SETTLED)


@contextmanager
def _talking(bench: Bench) -> Generator[Conversation]:
    """Run agls there, warm, with a session."""
    talking = bench.ready("agls")
    try:
        for _ in range(3):
            talking.run("hello")
        bench.model.log()
        yield talking
    finally:
        talking.client.close()


def _starts(both: Mapping[str, Bench], sizes: "Sizes", values: "Values") -> None:
    """The start, the first request and the memory of agls that has servers and uses none."""
    for _, name in itertools.product(range(sizes.starts), ("floor", "agls")):
        bench = both[name]
        client = bench.spawn("agls")
        try:
            initialized = bench.initialize(client)
            values.add("servers start", name, (initialized - client.spawned) / MS)
        finally:
            client.close()
    for _, name in itertools.product(range(sizes.memories), ("floor", "agls")):
        talking = both[name].ready("agls")
        try:
            talking.run("hello")
            asked = both[name].model.log()[-1]["bytes"]
            values.add("servers tokens", name, asked / PER_TOKEN)
            talking.client.idle(SETTLED)
            values.add("servers resident", name, resident(talking.client.process_id))
        finally:
            talking.client.close()


def _calls(
    bench: Bench, talking: Conversation, own: Sequence[float], sizes: "Sizes", values: "Values"
) -> None:
    """A call of a tool of a server that runs, beside one of read_file and the server's own time."""
    talking.run("tools", count=1, call=ECHO)
    for turn in own:
        values.add("server call", "floor", turn + _direct(bench, sizes.tool_turns))
        values.add("server call", "agls", _turn(bench, talking, sizes.tool_turns, call=ECHO))


def _direct(bench: Bench, count: int) -> float:
    """Return the median of calls of the server without anybody between, in milliseconds."""
    argv = [sys.executable, PROGRAM, bench.folder / "direct"]
    took: list[float] = []
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for number in range(count):
            call = {"name": "tool_0", "arguments": {"number": number}}
            asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
            begun = time.monotonic_ns()
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
            process.stdout.readline()
            took.append((time.monotonic_ns() - begun) / MS)
        process.stdin.close()
    return statistics.median(took)


def _turn(bench: Bench, talking: Conversation, count: int, **task: object) -> float:
    """Return the median from the end of an answer that calls a tool to the next request. Raises `Broken`."""
    bench.model.log()
    talking.another().run("tools", count=count, **task)
    log = bench.model.log()
    if len(log) != count + 1:
        raise Broken(f"it was asked {len(log)} times for {count} calls: {log[-1]}")
    return statistics.median((b["received"] - a["ended"]) / MS for a, b in itertools.pairwise(log))


def _hooks(bench: Bench, own: Sequence[float], sizes: "Sizes", values: "Values") -> None:
    """A call of read_file with a hook before it, beside one without and the process of the hook."""
    hooked = Bench(bench.model, bench.folder / "hooked")
    _configure(hooked, ALLOWED + HOOK.format(SCRIPT))
    with _talking(hooked) as with_hook:
        for turn in own:
            values.add("hook", "floor", turn + _process(sizes.tool_turns))
            took = _turn(hooked, with_hook, sizes.tool_turns, folder=str(hooked.workspace))
            values.add("hook", "agls", took)


def _process(count: int) -> float:
    """Return the median of what the process of the hook takes by itself, in milliseconds."""
    took: list[float] = []
    for _ in range(count):
        begun = time.monotonic_ns()
        subprocess.run(["/bin/bash", "-c", SCRIPT], check=True)
        took.append((time.monotonic_ns() - begun) / MS)
    return statistics.median(took)


def _lists(bench: Bench, alone: Conversation, sizes: "Sizes", values: "Values") -> None:
    """The list of actions with many skills and commands, beside that without any."""
    many = Bench(bench.model, bench.folder / "many")
    for number in range(sizes.folders):
        for place in (f"skills/skill-{number}/SKILL.md", f"commands/command-{number}.md"):
            path = many.workspace / ".claude" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(TEXT.format(path.parent.name if path.name == "SKILL.md" else path.stem))
    with _talking(many) as with_files:
        for _ in range(sizes.tool_turns):
            values.add("list", "floor", _listed(alone, 0))
            values.add("list", "agls", _listed(with_files, 2 * sizes.folders))


def _listed(talking: Conversation, least: int) -> float:
    """Return what a list takes, in milliseconds. Raises `Broken`."""
    begun = time.monotonic_ns()
    at, result = talking.client.ask("agent/action/list", {"sessionId": talking.session_id})
    if len(result["actions"]) <= least:
        raise Broken(f"{len(result['actions'])} actions are listed, and there are {least} files")
    return (at - begun) / MS
