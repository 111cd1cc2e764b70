"""`agls schema`: what this build speaks, on standard output or in a folder."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

import agls_protocol
from agls.doors.headless.protocol_files import protocol_files

from .conftest import Agls

ROOT = Path(__file__).parents[3]
PACKAGE = Path(agls_protocol.__file__).parent


def test_without_a_folder_the_schema_is_printed(agls: Agls) -> None:
    done = agls.run("schema")
    assert (done.code, done.err) == (0, "")
    assert done.out == (PACKAGE / "schema.json").read_text()


def test_all_files_are_written_into_the_folder(agls: Agls) -> None:
    done = agls.run("schema", "--out", "made/here")
    assert done.code == 0, done.err
    folder = agls.workspace / "made" / "here"
    written = {
        str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()
    }
    assert written == protocol_files()
    assert {"schema.json", "meta.json", "protocol.ts", "protocol.lua", "golden/text.jsonl"} <= set(written)
    digest = hashlib.sha256(written["schema.json"].encode()).hexdigest()
    assert json.loads(written["meta.json"])["schemaSha256"] == digest
    assert written["protocol.ts"] == (ROOT / "clients/vscode/src/protocol.gen.ts").read_text()
    assert written["protocol.lua"] == (ROOT / "clients/neovim/lua/agls/protocol_gen.lua").read_text()


@pytest.mark.parametrize("out", ["file", "file/below", "/proc/nothing"])
def test_folder_without_write_access_is_reported(agls: Agls, out: str) -> None:
    (agls.workspace / "file").write_text("mine")
    done = agls.run("schema", "--out", out)
    assert (done.code, done.out) == (2, "")
    assert f"cannot be written to {out}" in done.err
    assert "Name a folder" in done.err
    assert (agls.workspace / "file").read_text() == "mine"


def test_empty_folder_name_is_refused(agls: Agls) -> None:
    assert "empty" in agls.run("schema", "--out", "").err


def test_protocol_files_are_in_the_wheel(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder  # noqa: PLC0415 - only here

    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    names = set(zipfile.ZipFile(built).namelist())
    assert {"agls_protocol/schema.json", "agls_protocol/meta.json"} <= names
    golden = {f"agls_protocol/golden/{path.name}" for path in (PACKAGE / "golden").iterdir()}
    assert golden
    assert golden <= names
