"""Faults of the web, of MCP servers, of the disk and of processes, through the real program.

`docs/tool-faults.md` names the test of each fault; the calls are looked at as in `test_tool_faults.py`.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from doors.headless.test_mcp import Small
from doors.headless.test_tool_faults import Calls, check, measured, outputs
from support.leftovers import processes_with
from support.model_server import ModelServer, Raw
from support.patience import wait_until
from support.rich_run import call
from support.web_pages import html, redirect, sent
from web.test_pages import Endless, bomb, nested_bomb

PACKED = {"Content-Encoding": "gzip"}


@pytest.mark.row(37)
def test_pages_that_misbehave_are_answered_with_the_reason(agls: Agls) -> None:
    pages = {
        "/bomb": bomb(),
        "/nested": nested_bomb(),
        "/zip": sent(b"PK\3\4" + b"\0" * 900_000, "text/html"),
        "/brotli": sent(b"\x1b\x00\x00", "text/plain", **{"Content-Encoding": "br"}),
        "/torn": sent(b"no gzip", "text/plain", **PACKED),
        "/endless": Raw(Endless(), headers={"Content-Type": "text/plain"}),
        "/circle": redirect("/circle"),
        "/local": redirect("file:///etc/passwd"),
        "/other": redirect("http://169.254.169.254/latest"),
        "/slow": Raw(begin="hang"),
        "/half": Raw([b"half"], then="reset"),
        "/lie": sent(b"<html><body><h1>Real</h1><p>A page.</p></body></html>", "text/plain"),
        "/gone": Raw([b"not here"], status=404, headers={"Content-Type": "text/plain"}),
        "/good": html("<main><h1>Good</h1><p>Words of a page.</p></main>"),
    }
    with ModelServer(pages=pages) as server:
        host = f"127.0.0.1:{server.port}"
        agls.configure(
            f'{SCRIPTED}[web]\nprivate_hosts = ["{host}"]\ntimeout_s = 3\n[guards]\nfailed_calls = 99\n'
        )
        said = {
            "/bomb": "000",
            "/nested": "has no text",
            "/zip": "has no text",
            "/brotli": "which was not requested",
            "/torn": "cannot be unpacked",
            "/endless": "more",
            "/circle": "lead in a circle",
            "/local": "cannot be fetched",
            "/other": "169.254.169.254",
            "/slow": "within 3 seconds",
            "/half": "broke off",
            "/lie": "Real",
            "/gone": "404",
        }
        calls = [("web_fetch", {"url": f"http://{host}{path}"}, words) for path, words in said.items()]
        others = [
            ("web_fetch", {"url": url}, words)
            for url, words in (
                ("file:///etc/passwd", "http"),
                ("ftp://127.0.0.1/a", "http"),
                ("data:text/plain,hello", "http"),
                (f"http://{host}/good", "Words of a page."),
            )
        ]
        check(agls, *([each] for each in (*calls, *others)))


def test_servers_that_misbehave_are_answered_and_stall_nothing(agls: Agls) -> None:
    small = Small(agls)
    node = {"type": "object", "properties": {"again": {"$ref": "#/$defs/node"}}}
    circle = {"type": "object", "$ref": "#/$defs/node", "$defs": {"node": node}}
    slow = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a+)+$"}}}
    huge = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(20_000)}}
    schemas: dict[str, Any] = {"echo": slow, "sequence": circle, "huge": huge}
    plain = {name: {"type": "object"} for name in ("silent", "big", "flood", "junk", "die")}
    rows = [{"name": name, "inputSchema": schema} for name, schema in (schemas | plain).items()]
    (small.folder("odd") / "tools.json").write_text(json.dumps(rows))
    small.add("odd", timeout=3)
    odd = [
        call("mcp__odd__junk"),
        call("mcp__odd__echo", a="a" * 40 + "!"),
        call("mcp__odd__sequence", again={"again": {}}),
        call("mcp__odd__big", size=5_000_000),
        call("mcp__odd__silent"),
        call("mcp__odd__flood"),
        call("mcp__odd__die"),
        call("mcp__odd__huge"),
        call("mcp__odd__echo", number=1),
    ]
    small.agls.script(*({"calls": [each]} for each in odd), {"text": "done"})
    began = time.monotonic()
    run = measured(small.agls, "run", "--mode", "allowAll", "--output", "jsonl", "go")
    assert run.done.code == 0, run.done.err
    answers = outputs(run.done)
    wanted = [
        "after the junk",
        "aaa",
        '{"again": {}}',
        "xxx",
        "gave no answer within 3 seconds",
        "more than 16,000,000 bytes",
        "exit status 3",
        "no tool called 'mcp__odd__huge'",
        '"number": 1',
    ]
    assert len(answers) == len(wanted)
    assert [each for each, words in zip(answers, wanted, strict=True) if words not in each] == []
    assert run.memory < 250_000, "the client of the protocol holds one message of an answer whole"
    assert time.monotonic() - began < 60
    wait_until(lambda: processes_with(str(small.folder("odd"))) == [])


@pytest.mark.row(32)
def test_file_changed_since_it_was_read_is_not_overwritten_and_attributes_stay(agls: Agls) -> None:
    root = agls.workspace
    for name in ("a.txt", "b.txt", "kept.sh", "first.txt"):
        (root / name).write_text("one\ntwo\nthree\n")
    (root / "kept.sh").chmod(0o751)
    os.link(root / "first.txt", root / "second.txt")
    attribute = _with_attribute(root / "kept.sh")
    reads: Calls = [
        ("read_file", {"path": name}, "two") for name in ("a.txt", "b.txt", "kept.sh", "first.txt")
    ]
    edits: Calls = [
        ("shell", {"command": "sed -i 's/two/zwei/' a.txt; rm b.txt"}, "exit code 0"),
        ("write_file", {"path": "a.txt", "content": "x\n"}, "has changed since it was read"),
        ("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "2"}, "2\tzwei"),
        ("edit_file", {"path": "a.txt", "old_text": "three", "new_text": "3"}, "That was kept"),
        ("edit_file", {"path": "b.txt", "old_text": "two", "new_text": "2"}, "was there when you read it"),
        ("edit_file", {"path": "kept.sh", "old_text": "two", "new_text": "2"}, "Edited"),
        ("edit_file", {"path": "first.txt", "old_text": "two", "new_text": "2"}, "Edited"),
        ("edit_file", {"path": "first.txt", "old_text": "two", "new_text": "2"}, "made before"),
    ]
    check(agls, reads, *([edit] for edit in edits))
    assert (root / "a.txt").read_text() == "one\nzwei\n3\n"
    assert (root / "kept.sh").stat().st_mode & 0o777 == 0o751
    assert (root / "second.txt").read_text() == "one\ntwo\nthree\n", "no write leaves by another name"
    if attribute:
        assert os.getxattr(root / "kept.sh", attribute) == b"kept"


def _with_attribute(file: Path) -> str:
    """Give the file an attribute. **Returns** its name, "" where the file system has none."""
    try:
        os.setxattr(file, "user.agls", b"kept")
    except OSError:
        return ""
    return "user.agls"


@pytest.mark.row(40)
def test_output_held_open_and_a_fork_bomb_hold_nothing_up(agls: Agls) -> None:
    mark = f"agls-outer-{os.getpid()}"
    bomb = (
        "bomb() { [ $((depth += 1)) -gt 6 ] && exec -a MARK sleep 600; bomb & bomb & wait; }; "
        "trap '' TERM; ulimit -t 3; depth=0; bomb"
    )
    calls: Calls = [
        ("shell", {"command": f"bash -c 'exec -a {mark} sleep 600' & echo held"}, "held"),
        ("shell", {"command": bomb.replace("MARK", mark), "timeout_s": 2}, "ran longer than"),
        ("shell", {"command": "echo still here"}, "still here"),
    ]
    began = time.monotonic()
    check(agls, *([each] for each in calls))
    assert time.monotonic() - began < 60
    wait_until(lambda: processes_with(mark) == [])
