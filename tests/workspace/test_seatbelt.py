"""The profile for macOS: only its text is looked at, as there is no Mac that runs it here."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agls.workspace.protected import PROTECTED
from agls.workspace.sandbox.mounts import Bounds, View, views
from agls.workspace.sandbox.names import ProtectedNames
from agls.workspace.sandbox.seatbelt import name_pattern, profile

RULE = re.compile(r'^\((allow|deny) (file-read\*|file-write\*) \((subpath|regex) #?"((?:[^"\\]|\\.)*)"\)\)$')


def decides(text: str, operation: str, path: str) -> str:
    """Read the rules as macOS does: the last one that fits decides."""
    verdict = "allow" if operation == "file-read*" else "deny"  # as the base says
    for line in text.splitlines():
        found = RULE.match(line)
        if not found or found[2] != operation:
            continue
        named = re.sub(r"\\(.)", r"\1", found[4]) if found[3] == "subpath" else found[4]
        fits = f"{path}/".startswith(f"{named}/") if found[3] == "subpath" else re.search(named, path)
        verdict = found[1] if fits else verdict
    return verdict


SEEN: Sequence[tuple[str, View]] = (
    ("/Users/me/.ssh", "hidden"),
    ('/Users/me/a "b', "writable"),
    ('/Users/me/a "b/secrets', "closed"),
    ('/Users/me/a "b/locked', "readable"),
)


@pytest.mark.parametrize(
    ("path", "reading", "writing"),
    [
        ("/etc/hosts", "allow", "deny"),
        ("/Users/me/.ssh/id", "deny", "deny"),
        ('/Users/me/a "b/x.py', "allow", "allow"),
        ('/Users/me/a "bc/x.py', "allow", "deny"),
        ('/Users/me/a "b/secrets/key', "deny", "deny"),
        ('/Users/me/a "b/locked/x', "allow", "deny"),
        ('/Users/me/a "b/deep/.git/config', "allow", "deny"),
        ('/Users/me/a "b/deep/.GIT', "allow", "deny"),
        ('/Users/me/a "b/.github/Workflows/ci.yml', "allow", "deny"),
        ('/Users/me/a "b/.gitignore', "allow", "allow"),
    ],
)
def test_last_rule_that_fits_keeps_what_the_views_say(path: str, reading: str, writing: str) -> None:
    text = profile(SEEN)
    assert (decides(text, "file-read*", path), decides(text, "file-write*", path)) == (reading, writing)


def test_profile_denies_by_default_and_has_no_network() -> None:
    text = profile(SEEN)
    assert "(deny default)" in text
    assert "(deny network*)" in text
    assert "allow network" not in text
    assert text.count("(") == text.count(")")


@pytest.mark.parametrize("name", PROTECTED)
def test_every_protected_name_is_closed_wherever_it_lies(name: str) -> None:
    path = f"/w/deep/{name.replace('*', 'x')}"
    assert re.search(name_pattern(name), path)
    assert re.search(name_pattern(name), f"{path.upper()}/below")
    assert not re.search(name_pattern(name), f"{path}.other" if not name.endswith("*") else "/w/other")


def test_program_prints_the_profile_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    command = [sys.executable, "-m", "agls.workspace.sandbox.seatbelt", str(tmp_path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    bounds = Bounds((str(tmp_path.resolve()),))
    assert dict(views(bounds, ProtectedNames().below(bounds.roots)))
    assert decides(printed, "file-write*", str(tmp_path / ".git/config")) == "deny"
    assert decides(printed, "file-write*", str(tmp_path / "a.py")) == "allow"
