"""The generated types are read by the real compilers of their languages, and say what the schema says."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import aglet_protocol
from aglet_protocol.luacats import luacats
from aglet_protocol.typescript import typescript

ROOT = Path(__file__).parents[2]
TYPES = ROOT / "clients" / "vscode" / "src" / "protocol.gen.ts"
ANNOTATIONS = ROOT / "clients" / "neovim" / "lua" / "aglet" / "protocol_gen.lua"
GOLDEN = Path(aglet_protocol.__file__).with_name("golden")
SCHEMA = json.loads(Path(aglet_protocol.__file__).with_name("schema.json").read_text())
NARROWED = """
import { AgentEvent, Methods, PROTOCOL_VERSION, ERRORS } from "./protocol.gen";
export function shown(event: AgentEvent): string {
  switch (event.type) {
    case "itemCompleted":
      return event.data.item.kind === "message" ? (event.data.item.text ?? "") : event.data.item.status;
    case "runEnded":
      return event.data.stopReason;
    default:
      return event.sessionId;
  }
}
export const params: Methods["agent/run"]["params"] = { sessionId: "s", input: "go", wait: true };
export const version: number = PROTOCOL_VERSION + ERRORS.length;
"""
WRONG = """
import { RunParams } from "./protocol.gen";
export const params: RunParams = { sessionId: "s", input: 1 };
"""


def compiler() -> str:
    """The TypeScript compiler, of the client or of the machine."""
    beside = ROOT / "clients" / "vscode" / "node_modules" / ".bin" / "tsc"
    found = str(beside) if beside.exists() else shutil.which("tsc")
    if not found or not shutil.which("node"):
        pytest.skip("no TypeScript compiler: npm install in clients/vscode, or put tsc on the path")
    return found


def compiled(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    (folder / "protocol.gen.ts").write_text(TYPES.read_text())
    (folder / "client.ts").write_text(source)
    command = [compiler(), "--strict", "--noEmit", "--target", "es2022", "--module", "commonjs", "client.ts"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.timeout(90)
def test_typescript_is_strict_and_narrows_events_by_type(tmp_path: Path) -> None:
    done = compiled(tmp_path, NARROWED)
    assert done.returncode == 0, done.stdout


@pytest.mark.timeout(90)
def test_typescript_notices_what_is_wrong(tmp_path: Path) -> None:
    assert (
        "'number' is not assignable to type 'string | Content[] | undefined'"
        in compiled(tmp_path, WRONG).stdout
    )


@pytest.mark.timeout(90)
def test_golden_events_are_what_typescript_says(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (GOLDEN / "tool-and-permission.jsonl").read_text().splitlines()]
    events = [e for line in lines for e in line["message"].get("params", {}).get("events", [])]
    told = f"export const told: AgentEvent[] = {json.dumps(events)};"
    done = compiled(tmp_path, f'import {{ AgentEvent }} from "./protocol.gen";\n{told}\n')
    assert done.returncode == 0, done.stdout


def test_lua_reads_the_annotations() -> None:
    programs = {"luac": ["-p"], "lua": [], "luajit": [], "nvim": ["-l"]}
    found = next((name for name in programs if shutil.which(name)), None)
    if not found:
        pytest.skip("no Lua: luac, lua, nvim or luajit on the path")
    command = [found, *programs[found], str(ANNOTATIONS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, done.stderr


def test_every_type_method_event_and_error_is_in_both() -> None:
    for text in (typescript(SCHEMA), luacats(SCHEMA)):
        for name in (*SCHEMA["$defs"], *SCHEMA["methods"], *SCHEMA["events"]):
            assert name in text
        for error in SCHEMA["errors"]:
            assert f'"{error["kind"]}"' in text
            assert str(error["code"]) in text
