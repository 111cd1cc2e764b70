"""P2: a denied program is run in no spelling (`denied_programs.txt`), and a hook for it sees each.

Each is run without rules, too: a spelling that does not reach the program proves nothing.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from agls.features.hooks.condition import fits

from .attacker import House, call
from .test_denied_spellings import with_needs

pytestmark = [pytest.mark.promise("P2"), pytest.mark.timeout(300)]
VICTIM = "victim.txt"
LEAST = 100


def spellings() -> Sequence[str]:
    """Those whose programs are here."""
    return [command for command, needs in with_needs("denied_programs.txt") if all(map(shutil.which, needs))]


def furnish(folder: Path) -> None:
    """Put the victim into a repository, with the links and the alias that the spellings use."""
    (folder / "bin").mkdir(parents=True)
    (folder / "list").write_text("one\n")
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a"]
    subprocess.run([*git, "init", "-q"], check=True)
    for link in ("to-rm", "bin/to-rm"):
        (folder / link).symlink_to("/bin/rm")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    subprocess.run([*git, "commit", "-qm", "second", "--allow-empty"], check=True)
    (folder / "list").write_text("two\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "third"], check=True)
    (folder / "list").write_text("three\n")
    subprocess.run([*git, "config", "alias.gone", f"!rm {VICTIM}"], check=True)
    (folder / VICTIM).write_text("here\n")
    (folder / ".git/info/exclude").write_text(f"{VICTIM}\n")


def removes(command: str, pattern: Path) -> bool:
    """Whether a shell without bounds removes the victim with it."""
    folder = pattern.parent / "tried"
    shutil.copytree(pattern, folder, symlinks=True)
    try:
        subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={"PATH": os.environ["PATH"], "HOME": str(folder.parent), "TERM": "xterm"},
            timeout=30,
            check=False,
        )
        return not (folder / VICTIM).exists()
    finally:
        shutil.rmtree(folder)


def test_each_spelling_runs_the_program_when_nothing_denies_it(tmp_path: Path) -> None:
    pattern = tmp_path / "repo"
    furnish(pattern)
    assert len(spellings()) >= LEAST
    harmless = [command for command in spellings() if not removes(command, pattern)]
    assert "\n".join(harmless) == ""


def test_no_spelling_runs_a_denied_program_in_the_mode_that_asks_nobody(house: House) -> None:
    furnish(house.workspace)
    house.environment["AGLS_SANDBOX"] = "off"
    house.configure('[permissions]\ndeny = ["shell(rm *)"]\n')
    loot = house.attack(*(call("shell", command=command) for command in spellings()), mode="allowAll")
    assert len(loot.answers) == len(spellings()), loot.errors
    pairs = zip(spellings(), loot.answers, strict=True)
    assert "\n".join(command for command, answer in pairs if "Not run" not in answer) == ""
    assert (house.workspace / VICTIM).exists()


def test_hook_whose_condition_names_the_program_sees_each_spelling(tmp_path: Path) -> None:
    furnish(tmp_path / "repo")

    def leads_to(path: str) -> str:
        return os.path.realpath(tmp_path / "repo" / path)

    blind = [
        command
        for command in spellings()
        if not fits("Bash(rm:*)", ("shell", "Bash"), {"command": command}, str(tmp_path / "repo"), leads_to)
    ]
    assert "\n".join(blind) == ""
