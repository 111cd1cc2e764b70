"""Names that other programs execute or obey."""

from pathlib import Path

import pytest

from agls.engine.ports import Workspace, WorkspaceError
from agls.workspace.command_traces import TraceScanner
from agls.workspace.protected import PROTECTED as NAMES
from agls.workspace.protected import danger, mark
from agls.workspace.sandbox.names import ProtectedNames

pytestmark = pytest.mark.promise("P9")

PROTECTED = """
.git .git/config .git/hooks/pre-commit sub/module/.git .gitmodules .gitattributes .husky/pre-push
.hg/hgrc .vscode/settings.json .idea/workspace.xml .zed/tasks.json .nvim.lua .exrc my.code-workspace
.mcp.json .claude/settings.json .codex/config.toml .cursor/mcp.json .gemini/settings.json
.windsurf/rules .kiro/x .amazonq/x .roo/x .github/copilot-instructions.md AGENTS.md sub/CLAUDE.md
.envrc .env .env.local .bashrc .zshenv .profile .ripgreprc .npmrc .yarnrc .yarnrc.yml .pypirc pip.conf
.cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml .tool-versions sitecustomize.py
lib/evil.pth .github/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile .ssh/config
.agls/config.toml .devcontainer/devcontainer.json .pre-commit-config.yaml
""".split()  # noqa: SIM905 - a list of names reads better so

DISGUISED = [
    ".GIT/config",
    ".Git/hooks/post-checkout",
    ".git./config",
    ".git /config",
    ".git::$INDEX_ALLOCATION/config",
    ".env::$DATA",
    "GIT~1/config",
    ".g\u200cit/config",
    ".\uff27it/config",
    ".ſsh/config",
    "agents.md",
    "Agents.MD.",
    ".VSCODE/tasks.json",
]

HARMLESS = """
src/main.py README.md git/config gitignore .gitignore vscode/settings.json env.py environment.yml
docs/agents.mdx src/agents.py path.pthx .github/ISSUE_TEMPLATE.md cargo/config package.json Makefile
conftest.py bashrc.txt bin/tool venv.md .github/dependabot.yml node_modules/x/index.js src/gradlew.py
flake.lock .yarn/cache/x config/gh .config/app.toml wrapper.properties aws/main.tf desktop.py
""".split()  # noqa: SIM905


MARKED = """
conftest.py tests/conftest.py setup.py noxfile.py vite.config.js a/x.config.mjs Makefile package.json
""".split()  # noqa: SIM905


OF_OTHERS = """
.github/hooks/x .github/agents/x .github/skills/x .agents/x opencode.json opencode.jsonc .crush.json
.goosehints .goose/x .aider.conf.yml .roomodes .kilocode/x .kilocodemodes .trae/x .qwen/x .junie/x .augment/x
.augment-guidelines .factory/x .vibe/x .devcontainer.json .direnvrc flake.nix lefthook.toml .overcommit.yml
pyvenv.cfg .venv/bin/python .venv/pyvenv.cfg node_modules/.bin/tsc gradlew mvnw
gradle/wrapper/gradle-wrapper.properties .mvn/wrapper/maven-wrapper.properties .mvn/extensions.xml
.yarn/releases/yarn.cjs .bundle/config .docker/config.json .kube/config .aws/config .tmux.conf x.desktop
.local/bin/x .gitea/workflows/ci.yml .forgejo/workflows/ci.yml .hgrc
""".split()  # noqa: SIM905


@pytest.mark.parametrize("path", OF_OTHERS)
def test_tools_sandbox_and_comparison_know_the_same_names(tmp_path: Path, path: str) -> None:
    """Places of programs in installed packages may be written in the sandbox, and are compared."""
    assert danger(path.split("/"))
    file = tmp_path / path
    traces, names = TraceScanner([str(tmp_path)]), ProtectedNames()
    assert not traces.look()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("x")
    assert str(file) in traces.look()
    found = names.below([str(tmp_path)])
    in_packages = path.startswith((".venv/", "node_modules/"))
    assert any(f"{file}/".startswith(f"{each}/") for each in found) is not in_packages


@pytest.mark.parametrize("path", [*PROTECTED, *DISGUISED])
def test_dangerous_name_is_refused_with_the_reason(path: str) -> None:
    assert danger(path.split("/")).endswith(".")


def test_a_star_stands_at_the_beginning_or_the_end_of_a_name() -> None:
    """Anywhere else it would not be looked for (docs/decisions/808)."""
    assert [name for name in NAMES if "*" in name[1:-1] or name.count("*") > 1] == []


@pytest.mark.parametrize("path", HARMLESS)
def test_an_ordinary_name_is_left_alone(path: str) -> None:
    assert danger(path.split("/")) == ""


@pytest.mark.parametrize("pattern", NAMES)
def test_every_name_of_the_list_is_found_anywhere_and_in_any_spelling(pattern: str) -> None:
    name = pattern.replace("*", "x")
    for path in (name, f"sub/{name}", f"{name}/below", name.upper(), f"{name}.", f"a/{name}::$DATA"):
        assert danger(path.split("/")).endswith("."), path
    assert name.count("/") <= 1, "a sandbox covers components"


@pytest.mark.parametrize("path", MARKED)
def test_source_that_programs_run_is_marked_and_not_protected(path: str) -> None:
    assert mark(path.split("/")).endswith(".")
    assert danger(path.split("/")) == ""


@pytest.mark.parametrize("path", ["", "src/main.py", "config.js", "conftest.py/x", "setup.cfg"])
def test_other_source_is_not_marked(path: str) -> None:
    assert mark(path.split("/")) == ""


async def test_a_protected_file_is_written_under_its_own_name_only(
    workspace: Workspace, root: Path, outside: Path
) -> None:
    """A link may be swapped between the look of the permissions and the write."""
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x")
    (root / "notes.txt").symlink_to(".git/config")
    (root / "docs").symlink_to(".git")
    (outside / ".bashrc").write_text("x")
    (root / "away.txt").symlink_to(outside / ".bashrc")
    workspace.allow(str(outside / ".bashrc"))
    seen = await workspace.read("notes.txt")
    for name, expected in (("notes.txt", seen.version), ("docs/hook", None), ("away.txt", seen.version)):
        with pytest.raises(WorkspaceError, match=r"leads to .*/\.(git/config|git/hook|bashrc)\. Use"):
            await workspace.write(name, "changed", expected=expected)
    for path in (".git/config", str(outside / ".bashrc")):
        await workspace.write(path, "changed", expected=seen.version)
        assert (await workspace.read(path)).text == "changed"
    assert not (root / ".git" / "hook").exists()


async def test_a_link_with_a_protected_name_is_written_through(workspace: Workspace, root: Path) -> None:
    (root / "AGENTS.md").write_text("x")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "plain.txt").write_text("x")
    (root / ".envrc").symlink_to("plain.txt")
    for name in ("CLAUDE.md", ".envrc"):
        seen = await workspace.read(name)
        await workspace.write(name, "changed", expected=seen.version)
        assert (root / name).read_text() == "changed"
