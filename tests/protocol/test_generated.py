"""The generated types are read by the real compilers of their languages, and say what the schema says."""

import json
import subprocess
from pathlib import Path

import pytest
from lupa.luajit21 import LuaRuntime

import agls_protocol
from agls_protocol.luacats import luacats
from agls_protocol.typescript import typescript

ROOT = Path(__file__).parents[2]
TYPES = ROOT / "clients" / "vscode" / "src" / "protocol.gen.ts"
ANNOTATIONS = ROOT / "clients" / "neovim" / "lua" / "agls" / "protocol_gen.lua"
GOLDEN = Path(agls_protocol.__file__).with_name("golden")
SCHEMA = json.loads(Path(agls_protocol.__file__).with_name("schema.json").read_text())
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
    """The TypeScript compiler of the extension, which `scripts/setup dev` installs."""
    extension = ROOT / "clients" / "vscode"
    if not (extension / "package.json").exists():
        pytest.skip("the extension is not part of this tree")
    found = extension / "node_modules" / ".bin" / "tsc"
    assert found.exists(), "no TypeScript compiler: scripts/setup dev installs it"
    return str(found)


def golden() -> str:
    """A program that says that recorded events are what the types say."""
    lines = [json.loads(line) for line in (GOLDEN / "tool-and-permission.jsonl").read_text().splitlines()]
    events = [e for line in lines for e in line["message"].get("params", {}).get("events", [])]
    told = f"export const told: AgentEvent[] = {json.dumps(events)};"
    return f'import {{ AgentEvent }} from "./protocol.gen";\n{told}\n'


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the compiler says of each program; it is started once, which takes it longest."""
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "protocol.gen.ts").write_text(TYPES.read_text())
    sources = {"narrowed.ts": NARROWED, "wrong.ts": WRONG, "golden.ts": golden()}
    for name, source in sources.items():
        (folder / name).write_text(source)
    command = [compiler(), "--strict", "--noEmit", "--target", "es2022", "--module", "commonjs", *sources]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = dict.fromkeys(["protocol.gen.ts", *sources], "")
    name = ""
    for line in done.stdout.splitlines():
        name = name if line.startswith(" ") else line.partition("(")[0]  # further lines are indented
        said[name] += f"{line}\n"
    return said


@pytest.mark.item(43)
def test_typescript_is_strict_and_narrows_events_by_type(complaints: dict[str, str]) -> None:
    assert complaints["narrowed.ts"] == complaints["protocol.gen.ts"] == ""


def test_typescript_notices_what_is_wrong(complaints: dict[str, str]) -> None:
    assert "'number' is not assignable to type 'string | (TextContent | " in complaints["wrong.ts"]


def test_golden_events_are_what_typescript_says(complaints: dict[str, str]) -> None:
    assert complaints["golden.ts"] == ""


@pytest.mark.item(43)
def test_lua_reads_the_annotations() -> None:
    read = LuaRuntime().execute(ANNOTATIONS.read_text())
    assert read["version"] == SCHEMA["version"]
    told = [(error["code"], error["kind"], error["retryable"]) for error in read["errors"].values()]
    assert told == [(error["code"], error["kind"], error["retryable"]) for error in SCHEMA["errors"]]


def test_every_type_method_event_and_error_is_in_both() -> None:
    for text in (typescript(SCHEMA), luacats(SCHEMA)):
        for name in (*SCHEMA["$defs"], *SCHEMA["methods"], *SCHEMA["events"]):
            assert name in text
        for error in SCHEMA["errors"]:
            assert f'"{error["kind"]}"' in text
            assert str(error["code"]) in text
