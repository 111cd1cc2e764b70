"""Names that other programs execute or obey."""

from pathlib import Path

import pytest

from agls.engine.ports import Workspace, WorkspaceError
from agls.workspace.protected import danger

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
conftest.py bashrc.txt
""".split()  # noqa: SIM905


@pytest.mark.parametrize("path", [*PROTECTED, *DISGUISED])
def test_a_dangerous_name_is_named_with_its_danger(path: str) -> None:
    assert danger(path.split("/")).endswith(".")


@pytest.mark.parametrize("path", HARMLESS)
def test_an_ordinary_name_is_left_alone(path: str) -> None:
    assert danger(path.split("/")) == ""


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
