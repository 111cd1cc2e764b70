"""`/worktree`: a session in a worktree of its own, in the server and in a shell, and its end."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from doors.headless.conftest import Agls, agls
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(73), pytest.mark.row(82), pytest.mark.timeout(120)]
__all__ = ["agls"]  # a fixture

WRITE = {"name": "write_file", "arguments": {"path": "made.txt", "content": "made\n"}}


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    asked = ("git", "-C", folder, *who, *arguments)
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def repository(folder: Path) -> None:
    """Make the folder a repository with a commit."""
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")


class Repository:
    """A client in a repository, and what it types."""

    def __init__(self, wire: Wire) -> None:
        self.wire, self.folder = wire, wire.workspace
        repository(self.folder)
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        self.session = wire.session()

    def type(self, text: str, session: str = "") -> tuple[str, dict[str, str]]:
        """Type this. **Returns** what the command came to and its data, or why it was refused."""
        params = {"sessionId": session or self.session, "input": text, "expand": True}
        answer = self.wire.ask("agent/run", params)
        if "error" in answer:
            return answer["error"]["message"], {}
        action = answer["result"]["action"]
        return action["output"][0]["text"], action["data"]


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Repository]:
    turned = {"turns": [{"calls": [WRITE]}, {"text": "Made."}]}
    with Wire(tmp_path, script(tmp_path, turned, turns("Nothing."))) as wire:
        yield Repository(wire)


def test_session_works_in_a_worktree_until_that_is_committed_merged_and_removed(there: Repository) -> None:
    assert there.type("/worktree")[0].startswith("agls made no worktree of this repository.")
    text, data = there.type("/worktree fix-parser")
    tree, session = Path(data["path"]), data["open"]
    assert tree == there.folder.parent / "workspace-worktrees/fix-parser"
    assert f"The session {session} works in {tree}, on the branch agls/fix-parser" in text
    options = {"mode": "acceptEdits"}
    there.wire.run(session, "make it", options=options, chosenBy="user")
    assert (tree / "made.txt").read_text() == "made\n"
    assert git(there.folder, "status", "--porcelain") == ""
    assert "fix-parser: " in (listed := there.type("/worktree")[0])
    assert "branch agls/fix-parser, 1 file not committed" in listed
    assert there.type("/worktree", session)[0].startswith(f"This session works in {tree}.")
    assert "Begin another one in a session that works in the folder" in there.type("/worktree b", session)[0]
    stays = there.type("/worktree remove fix-parser")[0]
    assert "is what no commit has: made.txt. Commit or discard it there" in stays
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "made")
    again = there.type("/worktree fix-parser")[1]
    assert (again["path"], again["open"] == session) == (str(tree), False)
    assert there.type("/worktree remove=fix-parser")[0] == (
        "fix-parser is removed. Its branch agls/fix-parser stays, as it has commits that are not here: "
        "git merge agls/fix-parser"
    )
    assert not tree.exists()
    gone = there.wire.ask("agent/run", {"sessionId": session, "input": "again", "wait": True})
    assert f"The worktree {tree} is gone" in json.dumps(gone)
    assert there.type("/worktree fix-parser")[1]["path"] == str(tree)
    assert (tree / "made.txt").exists(), "the branch that stayed is taken again"
    git(there.folder, "merge", "-q", "agls/fix-parser")
    assert there.type("/worktree remove fix-parser")[0].startswith("fix-parser is removed, with its branch")
    assert (there.folder / "made.txt").exists()


def test_names_are_found_and_clean_worktrees_go_with_their_branch(there: Repository) -> None:
    (there.folder / ".gitignore").write_text("__pycache__/\nout/\n")
    git(there.folder, "add", ".")
    git(there.folder, "commit", "-q", "-m", "ignored")
    first, second = (Path(there.type("/worktree new")[1]["path"]) for _ in range(2))
    assert [first.name, second.name] == ["work-1", "work-2"]
    (first / "__pycache__").mkdir()
    (first / "__pycache__/a.pyc").write_text("x")
    (second / "out").mkdir()
    (second / "out/report.html").write_text("x")
    assert there.type("/worktree remove work-1")[0].startswith("work-1 is removed, with its branch")
    assert "out/" in there.type("/worktree remove work-2")[0], "what git ignores may be all there is"
    assert git(there.folder, "branch", "--list", "agls/*") == "+ agls/work-2"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("/worktree ../out", "A worktree's name has letters, digits, - and _"),
        ("/worktree -f", "A worktree's name has letters, digits, - and _"),
        ("/worktree remove other", "there is no worktree other that agls made. There are: none."),
    ],
)
def test_names_that_are_none_are_refused(there: Repository, words: str, said: str) -> None:
    assert said in there.type(words)[0]
    assert not (there.folder.parent / "workspace-worktrees").exists()


def test_untrusted_folder_has_no_names_to_offer(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("Hello."))) as wire:
        wire.initialize(AGENT)
        asked = {"sessionId": wire.session(), "text": "/worktree f", "cursor": 11}
        assert wire.call("agent/complete", asked)["items"] == []


def test_shell_is_told_how_to_go_on_and_an_untrusted_folder_or_none_is_refused(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Made."})
    refused = agls.run("run", "/worktree fix")
    assert (refused.code, "This folder is not trusted" in refused.err) == (1, True)
    no_git = agls.run("run", "--trust", "/worktree fix")
    assert (no_git.code, "No worktree was made: git rev-parse failed: fatal: not a git" in no_git.err) == (
        1,
        True,
    )
    repository(agls.workspace)
    done = agls.run("run", "--trust", "/worktree fix")
    assert done.code == 0
    (session,) = (row["sessionId"] for row in agls.sessions())
    assert f'agls resume {session} "…"' in done.out
    assert agls.run("resume", session, "make it", "--trust", "--mode", "acceptEdits").code == 0
    assert (agls.workspace.parent / "workspace-worktrees/fix/made.txt").exists()
    assert not (agls.workspace / "made.txt").exists()
