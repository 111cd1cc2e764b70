"""P3: a program asked for its version needs no question, unless the folder decides what it then does."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .attacker import House, call
from .test_commands import Desk

pytestmark = pytest.mark.promise("P3")

RUST = ("rust-toolchain", "rust-toolchain.toml", ".cargo/config.toml")
ASKED_FOR_VERSION = {
    "npm --version": (".npmrc",),
    "npm -v": (".npmrc",),
    "node --version && npm --version": (".npmrc",),
    "go version": ("go.mod", "go.work"),
    "cargo --version": RUST,
    "cargo -V 2>&1 | head -1": RUST,
    "rustc --version --verbose": RUST,
    "rustc -vV": RUST,
    "mvn -v": (".mvn/jvm.config",),
    "tsc --version": (),
    "mypy --version": (),
    "black --version": (),
    "kubectl version --client": (),
    "kubectl config current-context": (),
}
SHIM = """#!/bin/sh
while read -r name place; do [ "$name" = "${0##*/}" ] && exec "${place#path:}" "$@"; done < .tool-versions
echo 1.2.3
"""


@pytest.fixture
def tools(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Programs of the user's machine, before all others in the path."""
    folder = house.folder / "tools"
    folder.mkdir()
    for command in ASKED_FOR_VERSION:
        program(folder / command.split(maxsplit=1)[0], "#!/bin/sh\necho 1.2.3\n")
    program(folder / "java", "#!/bin/sh\n")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(house.home))
    yield folder


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def lets(house: House, command: str, folder: str = "") -> bool:
    desk = Desk(house.workspace, os.environ)
    try:
        return desk.lets("shell", {"command": command, "cwd": folder}, mode="ask")
    finally:
        desk.close()


@pytest.mark.parametrize("command", ASKED_FOR_VERSION)
def test_version_is_told_unasked_where_no_file_decides_about_it(
    house: House, tools: Path, command: str
) -> None:
    house.put("src/a.js")
    (house.home / ".npmrc").write_text("the user's own")
    assert lets(house, command)
    for name in ASKED_FOR_VERSION[command]:
        for place in ("", "../"):
            decides = house.put(f"{place}{name}")
            assert not lets(house, command), decides
            assert not lets(house, command, "src"), decides
            assert not lets(house, f"cd src && {command}"), decides
            decides.unlink()
            if decides.parent.name in (".cargo", ".mvn"):
                decides.parent.rmdir()
    assert lets(house, f"cd src && {command}")


@pytest.mark.parametrize("command", ["npm --version", "mvn -v"])
def test_program_that_it_starts_must_lie_outside_the_workspace(
    house: House, tools: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    program(house.workspace / "bin/node", "#!/bin/sh\ntouch pwned\n")
    program(house.workspace / "bin/java", "#!/bin/sh\ntouch pwned\n")
    monkeypatch.setenv("PATH", f"{house.workspace}/bin:{tools}:/usr/bin:/bin")
    assert not lets(house, command)


@pytest.mark.parametrize("command", ["node --version", "python3 --version", "rg TODO", "jq . x.json | head"])
def test_line_of_a_file_of_the_folder_chooses_no_program_that_runs_unasked(
    house: House, tools: Path, command: str
) -> None:
    """As the shims of asdf and mise do it: `node path:/somewhere`."""
    name = command.split(maxsplit=1)[0]
    evil = program(house.workspace / "evil", "#!/bin/sh\ntouch pwned\n")
    house.put("src/x.json", "{}")
    program(tools / "shims" / name, SHIM)
    house.environment = {"PATH": f"{tools}/shims:{house.variables['PATH']}"}
    assert house.run("trust", ".").returncode == 0
    assert not house.attack(call("shell", command=command)).unanswered
    house.put(".tool-versions", f"{name} path:{evil}\n")
    for one in (call("shell", command=command), call("shell", command=command, cwd="src")):
        assert house.attack(one).unanswered == 1
    assert not (house.workspace / "pwned").exists()


@pytest.mark.parametrize("kind", ["shims", "mise", "rustup", "volta"])
def test_programs_that_stand_for_others_are_known_by_where_they_lie_and_lead(
    house: House, tools: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    folder = tools / kind
    if kind == "shims":
        program(folder / "node", SHIM)
    else:
        manager = program(folder / {"volta": "volta-shim"}.get(kind, kind), SHIM)
        os.link(manager, folder / "node") if kind == "rustup" else (folder / "node").symlink_to(manager)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    names = ["package.json"] if kind == "volta" else [".tool-versions", "mise.toml", "rust-toolchain.toml"]
    assert lets(house, "node --version")
    for name in names:
        file = house.put(name)
        assert not lets(house, "node --version"), name
        file.unlink()


@pytest.mark.needs_bubblewrap
def test_program_that_a_file_of_the_folder_chooses_is_not_one_that_may_run_outside(
    house: House, tools: Path
) -> None:
    """`[sandbox] outside` means the user's own program."""
    evil = program(house.workspace / "evil", "#!/bin/sh\ntouch ../elsewhere/pwned\n")
    program(tools / "shims/deploy", SHIM)
    house.environment = {"PATH": f"{tools}/shims:{house.variables['PATH']}", "AGLS_SANDBOX": ""}
    house.configure("[sandbox]\noutside = ['deploy *']\n[permissions]\nallow = ['shell(deploy *)']\n")
    house.put(".tool-versions", f"deploy path:{evil}\n")
    house.attack(call("shell", command="deploy all"))
    assert not (house.outside / "pwned").exists()
