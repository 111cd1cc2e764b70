"""The tool `git_commit` in a real repository: what is asked, what is committed, and what never runs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from features.repository.test_repository_commands import Git, call, plant
from support.wire import AGENT, Wire, script, turns

pytestmark = pytest.mark.timeout(300)
Message = dict[str, Any]
Open = Callable[..., "Scene"]
COMMIT = {"message": "Greet the world\n\nIt is larger.", "paths": ["greeting.py"]}


class Scene:
    """A repository, a model that commits, and a user who answers what is asked (`once` by default)."""

    def __init__(self, wire: Wire, git: Git) -> None:
        self.wire, self.git, self.asked = wire, git, list[Message]()
        self.answers: dict[str, str] = {}
        wire.answers["agent/requestPermission"] = self._answer

    def _answer(self, asked: Message) -> Message:
        self.asked.append(asked)
        chosen = next((answer for words, answer in self.answers.items() if words in asked["title"]), "once")
        return {"outcome": "selected", "optionId": chosen}

    def run(self, trusted: bool = True, **options: Any) -> Message:
        """Let the model commit. Returns the item of its call."""
        self.wire.initialize(AGENT, initializationOptions={"trusted": trusted})
        self.wire.run(self.wire.session(options=options))
        items = [e["data"]["item"] for e in self.wire.events if e["type"] == "itemCompleted"]
        return next(item for item in reversed(items) if item["kind"] == "toolCall")

    @property
    def subject(self) -> str:
        return self.git("log", "-1", "--format=%s").strip()

    def hook(self, name: str, text: str) -> Path:
        """Plant a hook."""
        path = self.wire.workspace / ".git/hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as opened:
        yield partial(begin, opened, tmp_path)


def begin(opened: ExitStack, folder: Path, *calls: Message, prompts: Sequence[Any] = ()) -> Scene:
    made = prompts or [[*(calls or (call("git_commit", **COMMIT),)), "Done."]]
    played = script(folder, *(turns(*each) for each in made))
    wire = opened.enter_context(Wire(folder, played, inside=ConnectionLimits()))
    return Scene(wire, plant(wire.workspace))


def test_commit_takes_the_named_files_alone_after_a_question_that_shows_them(scene: Open) -> None:
    it = scene(call("git_commit", message="Greet the world", paths=["greeting.py", "new.py", "gone.py"]))
    (it.wire.workspace / "gone.py").write_text("gone = 1\n")
    it.git("add", "gone.py")
    it.git("commit", "-q", "-m", "Add what will go", "--", "gone.py")
    (it.wire.workspace / "gone.py").unlink()
    (it.wire.workspace / "new.py").write_text("new = 1\n")
    it.git("add", "other.py")
    item = it.run()
    (asked,) = it.asked
    assert asked["title"] == "Commit 3 files: Greet the world"
    shown = {"message": "Greet the world", "files": ["M greeting.py", "A new.py", "D gone.py"]}
    assert asked["subject"]["input"] == shown
    assert item["status"] == "completed", item
    assert (it.subject, it.git("log", "-1", "--format=%an").strip()) == ("Greet the world", "Somebody")
    assert it.git("show", "--format=", "--name-status", "HEAD").split() == [
        "D", "gone.py", "M", "greeting.py", "A", "new.py"
    ]  # fmt: skip
    assert it.git("status", "--porcelain") == "M  other.py\n", "what the user staged stays staged"
    assert it.git("rev-parse", "origin/main") != it.git("rev-parse", "HEAD"), "nothing was pushed"


@pytest.mark.parametrize(("mode", "questions"), [("ask", 1), ("acceptEdits", 1), ("allowAll", 0)])
def test_commit_is_asked_about_unless_everything_is_allowed(scene: Open, mode: str, questions: int) -> None:
    it = scene()
    assert (it.run(mode=mode)["status"], len(it.asked)) == ("completed", questions)
    assert it.subject == "Greet the world"


def test_commit_in_plan_mode_or_in_a_folder_that_is_not_trusted_is_refused(scene: Open) -> None:
    it = scene()
    assert it.run(mode="plan")["status"] == "rejected"
    assert (it.subject, it.asked) == ("Say hello", [])


def test_commit_in_a_folder_that_is_not_trusted_fails_with_what_to_do(scene: Open) -> None:
    it = scene()
    item = it.run(trusted=False)
    assert (item["status"], "agls trust" in item["output"], it.asked) == ("failed", True, [])
    assert it.subject == "Say hello"


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        (["."], "Name files"),
        (["clean.py"], "nothing uncommitted in clean.py"),
        (["../remote.git/config"], "outside"),
        (["--amend"], "nothing uncommitted in --amend"),
        ([":/"], "nothing uncommitted in :"),
        ([], "at least 1 item"),
    ],
)
def test_paths_that_name_no_changed_file_are_refused_with_the_reason(
    scene: Open, paths: list[str], words: str
) -> None:
    it = scene(call("git_commit", message="x", paths=paths))
    item = it.run(mode="allowAll")
    assert (item["status"], words in item["output"]) == ("failed", True), item["output"]
    assert (it.subject, it.git("diff", "--cached", "--name-only")) == ("Say hello", "")


def test_hooks_of_the_repository_run_only_with_a_consent_which_holds_until_they_change(scene: Open) -> None:
    again = [call("git_commit", message=f"{n}", paths=[f"{n}.py"]) for n in range(4)]
    it = scene(*again)
    for n in range(4):
        (it.wire.workspace / f"{n}.py").write_text("x = 1\n")
    marker = it.wire.workspace.parent / "ran"
    hook = it.hook("pre-commit", f"echo ran >> '{marker}'")
    it.hook("post-commit", "exit 0")
    changes: list[Callable[[], object]] = [
        lambda: it.answers.update({"Use the program": "always"}),
        lambda: None,
        lambda: hook.write_text(f"#!/bin/sh\necho other >> '{marker}'\n"),
    ]
    it.answers["Use the program"] = "reject"

    def answer(asked: Message) -> Message:
        if it.asked and it.asked[-1]["title"].startswith("Commit") and asked["title"].startswith("Commit"):
            seen.append("no question about the hooks")
        if asked["title"].startswith("Commit") and it.asked:
            changes.pop(0)()
        return Scene._answer(it, asked)

    seen: list[str] = []
    it.wire.answers["agent/requestPermission"] = answer
    it.run()
    items = [e["data"]["item"] for e in it.wire.events if e["type"] == "itemCompleted"]
    outputs = [item["output"] for item in items if item["kind"] == "toolCall"]
    assert "did not run, as the user did not consent to them: pre-commit, post-commit" in outputs[0]
    assert marker.read_text().split() == ["ran", "ran", "other"]
    offers = [asked for asked in it.asked if asked["title"].startswith("Use the program")]
    assert (len(offers), seen) == (3, ["no question about the hooks"])
    assert "+echo other" in str(offers[2]["subject"]) or "changed" in offers[2]["reason"]
    assert it.git("log", "--format=%s").split()[:4] == ["3", "2", "1", "0"]


def test_programs_of_the_repositorys_settings_need_a_consent_or_nothing_is_committed(scene: Open) -> None:
    it = scene()
    marker = it.wire.workspace.parent / "ran"
    it.git("config", "filter.evil.clean", f"touch '{marker}'; cat")
    (it.wire.workspace / ".gitattributes").write_text("*.txt filter=evil\n")
    it.answers["Use the program"] = "reject"
    item = it.run()
    assert (item["status"], "configuration has a section filter" in item["output"]) == ("failed", True)
    assert (it.subject, marker.exists()) == ("Say hello", False)


def test_commit_that_git_refuses_leaves_what_is_staged_as_it_was(scene: Open) -> None:
    it = scene(call("git_commit", message="x", paths=["greeting.py", "new.py"]))
    (it.wire.workspace / "new.py").write_text("x = 1\n")
    (it.wire.workspace / "greeting.py").write_text("staged\n")
    it.git("add", "greeting.py")
    (it.wire.workspace / "greeting.py").write_text("not staged\n")
    before = it.git("status", "--porcelain"), it.git("diff", "--cached")
    it.hook("commit-msg", "echo no such ticket; exit 1")
    item = it.run()
    assert (item["status"], "no such ticket" in item["output"]) == ("failed", True)
    assert (it.git("status", "--porcelain"), it.git("diff", "--cached")) == before


@pytest.mark.parametrize("fails", [False, True], ids=["committed", "refused"])
def test_commit_without_a_consent_runs_no_hook_of_staging_either(scene: Open, fails: bool) -> None:
    it = scene()
    marker = it.wire.workspace.parent / "ran"
    for name in ("pre-commit", "post-index-change"):
        it.hook(name, f"echo {name} >> '{marker}'")
    if fails:
        it.git("config", "user.useConfigOnly", "true")
        (it.wire.workspace.parent / ".gitconfig").unlink()
    marker.unlink(missing_ok=True)
    it.answers["Use the program"] = "reject"
    item = it.run()
    assert item["status"] == ("failed" if fails else "completed"), item["output"]
    assert not marker.exists(), marker.read_text()


def test_commit_that_git_refuses_keeps_what_is_skipped_and_only_meant_to_be_added(scene: Open) -> None:
    it = scene(call("git_commit", message="x", paths=["greeting.py", "new.py"]))
    (it.wire.workspace / "new.py").write_text("x = 1\n")
    (it.wire.workspace / "meant.py").write_text("y = 1\n")
    for name in ("sparse.py", "large.py"):
        (it.wire.workspace / name).write_text("z = 1\n")
    it.git("add", "sparse.py", "large.py")
    it.git("commit", "-q", "-m", "More", "--", "sparse.py", "large.py")
    it.git("add", "--intent-to-add", "meant.py")
    it.git("update-index", "--skip-worktree", "sparse.py")
    it.git("update-index", "--assume-unchanged", "large.py")
    (it.wire.workspace / "sparse.py").unlink()
    before = it.git("ls-files", "-v", "--stage"), it.git("status", "--porcelain")
    it.hook("commit-msg", "echo no such ticket; exit 1")
    item = it.run()
    assert (item["status"], "no such ticket" in item["output"]) == ("failed", True)
    assert (it.git("ls-files", "-v", "--stage"), it.git("status", "--porcelain")) == before


def commits_from(it: Scene, folder: Path, change: Callable[[], object]) -> Sequence[Message]:
    """Commit two files with a change between. Returns the questions about programs."""
    for name in ("1.py", "2.py"):
        (folder / name).write_text("x = 1\n")
    it.answers["Use the program"] = "always"
    it.wire.initialize(AGENT, rootUri=folder.as_uri(), initializationOptions={"trusted": True})
    session = it.wire.session(cwd=folder.as_uri(), options={"mode": "allowAll"})
    it.wire.run(session)
    change()
    it.wire.run(session)
    items = [e["data"]["item"] for e in it.wire.events if e["type"] == "itemCompleted"]
    assert [item["status"] for item in items if item["kind"] == "toolCall"] == ["completed"] * 2, [
        i.get("output", "")[:300] for i in items
    ]
    return [asked for asked in it.asked if asked["title"].startswith("Use the program")]


TWO = [[call("git_commit", message=f"{n}", paths=[f"{n}.py"]), "Done."] for n in (1, 2)]


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ("subfolder", "hook"),
        ("worktree", "settings"),
        pytest.param("worktree", "hook", marks=pytest.mark.slow),
        pytest.param("subfolder", "settings", marks=pytest.mark.slow),
    ],
)
def test_changed_hook_or_setting_of_a_repository_around_the_folder_is_asked_about_again(
    scene: Open, where: str, what: str
) -> None:
    it = scene(prompts=TWO)
    folder = it.wire.workspace / "inner"
    if where == "worktree":
        it.git("worktree", "add", "-q", str(folder))
    folder.mkdir(exist_ok=True)
    hook = it.hook("pre-commit", "exit 0")
    if what == "settings":
        hook.unlink()
        it.git("config", "filter.mine.clean", "cat")
    change: Callable[[], object] = {
        "hook": lambda: hook.write_text("#!/bin/sh\nexit 0 #\n"),
        "settings": lambda: it.git("config", "filter.mine.clean", "cat -"),
    }[what]
    assert len(commits_from(it, folder, change)) == 2


def test_changed_scripts_of_a_package_whose_hook_runs_them_are_asked_about_again(scene: Open) -> None:
    it = scene(prompts=TWO)
    package = it.wire.workspace / "package.json"
    package.write_text("{}")
    it.hook("pre-commit", "command -v no-such-program && npm run lint\nexit 0")
    assert len(commits_from(it, it.wire.workspace, lambda: package.write_text('{"scripts": {}}'))) == 2


def test_commit_is_signed_off_as_the_users_configuration_says(scene: Open) -> None:
    it = scene()
    it.git("config", "--global", "format.signOff", "true")
    it.run()
    assert "Signed-off-by: Somebody <somebody@example.org>" in it.git("log", "-1", "--format=%B")
