"""Instruction files through the whole program: which the model is told, when, and why not the others."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agls.features.instructions.prompt import PROJECT, SYSTEM
from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply

READ = {"calls": [{"name": "read_file", "arguments": {"path": "pkg/deep.py"}}]}


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def system(server: ModelServer, request: int = 0) -> str:
    """The system prompt of a request."""
    return str(server.posts[request].body["messages"][0]["content"])


def rows(agls: Agls, *arguments: str) -> dict[str, dict[str, Any]]:
    """What `agls explain instructions` says of each file, by the end of its path."""
    done = agls.run("explain", "instructions", "--json", *arguments)
    assert done.code == 0, done.err
    files = json.loads(done.out)["action"]["data"]["files"]
    return {row["path"].replace(f"{agls.workspace}/app/", ""): row for row in files}


@pytest.fixture
def tree(agls: Agls) -> Path:
    """A repository with instructions of every kind, an added folder, and the user's own file."""
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=agls.workspace, check=True)
    app = agls.workspace / "app"
    write(
        agls.workspace,
        {
            "CLAUDE.md": "T-root",
            "CLAUDE.local.md": "T-root-local",
            ".claude/rules/always.md": "T-root-rule",
            "app/AGENTS.md": "T-app @docs/style.md <!-- T-comment -->",
            "app/CLAUDE.md": "T-shadowed",
            "app/docs/style.md": "T-import",
            "app/CLAUDE.local.md": "T-app-local",
            "app/.cursor/rules/py.mdc": "---\nglobs: '*.py'\nalwaysApply: false\n---\nT-python",
            "app/.cursor/rules/release.mdc": "---\ndescription: for releases\n---\nT-release",
            "app/.github/copilot-instructions.md": "T-copilot",
            "app/pkg/AGENTS.md": "T-deep",
            "app/pkg/.claude/CLAUDE.md": "T-deep-shadowed",
            "app/other/.claude/CLAUDE.md": "T-other",
            "app/pkg/deep.py": "x = 1\n",
        },
    )
    write(agls.home, {"AGENTS.md": "T-user", "extra/GEMINI.md": "T-extra"})
    return app


@pytest.mark.row(21)
def test_instruction_files_are_sent_in_order_and_the_others_are_explained(agls: Agls, tree: Path) -> None:
    """Home, the way up, local files, rules, an added folder; deeper ones with the first file; the switch."""
    extra = agls.home / "extra"
    for folder in (tree, extra):
        agls.run("trust", str(folder))
    read = Reply(calls=[("read_file", {"path": "pkg/deep.py"})])
    with ModelServer([read, Reply("Done."), Reply("Done.")]) as server:
        where = ("--cwd", str(tree), "--base-url", server.url, "--model", "m", "--add-dir", str(extra))
        assert agls.run("run", "go", *where).code == 0
        (agls.config_file).write_text("[instructions]\nproject_files = false\n")
        agls.run("run", "go", *where)
        told = system(server)
        second = str(server.posts[1].body["messages"])
        off = system(server, 2)
    order = ["T-user", "T-root", "T-root-local", "T-root-rule", "T-app", "T-import", "T-app-local", "T-extra"]
    places = [told.index(each) for each in order]
    assert places == sorted(places)
    assert ".cursor/rules/release.mdc: for releases" in told
    for absent in ("T-comment", "T-shadowed", "T-python", "T-release", "T-copilot", "T-deep", "T-other"):
        assert absent not in told
    assert "T-deep" in second
    assert "T-deep-shadowed" not in second
    assert "T-python" in second
    assert "T-app" not in off
    assert "T-user" in off


@pytest.mark.row(21)
def test_helpers_get_the_same_texts_and_a_compaction_loses_none(agls: Agls, tree: Path) -> None:
    """A helper has them all; after a summary the next request has those of deeper folders again."""
    read = Reply(calls=[("read_file", {"path": "pkg/deep.py"})])
    hand_over = Reply(calls=[("delegate", {"tasks": [{"prompt": "look"}]})])
    with ModelServer([read, hand_over, Reply("Looked."), Reply("Done."), Reply("S"), Reply("On.")]) as server:
        (agls.home / "AGENTS.md").unlink()
        write(agls.home, {".claude/CLAUDE.md": "T-claude-home"})
        agls.configure(
            f'[permissions]\nmode = "allowAll"\n[history]\ntitles = false\n'
            "[instructions]\nclaude_home = true\n"
            f'[models.m]\nbase_url = "{server.url}"\ncontext_window = 60000\n'
        )
        agls.run("trust", str(tree))
        assert agls.run("run", "go", "--cwd", str(tree)).code == 0
        assert agls.run("resume", "/compact", "--cwd", str(tree)).code == 0
        assert agls.run("resume", "on", "--cwd", str(tree)).code == 0
    helper, after = server.posts[2].body["messages"], server.posts[-1].body["messages"]
    for text in ("T-claude-home", "T-root", "T-app", "T-import", "T-app-local", "T-root-rule"):
        assert text in helper[0]["content"] and text in after[0]["content"]
    assert "T-deep" not in str(after[:-1]), "the summary took it"
    assert "T-deep" in after[-1]["content"] and "T-python" in after[-1]["content"]


def test_explain_lists_the_files_in_use_and_why_others_are_not(agls: Agls, tree: Path) -> None:
    found = rows(agls, "--cwd", str(tree), "--trust")
    assert {path for path, row in found.items() if row["state"] == "used"} >= {"AGENTS.md", "docs/style.md"}
    assert found["docs/style.md"]["why"].startswith("imported by AGENTS.md")
    assert found["CLAUDE.md"]["why"] == "AGENTS.md of the same folder counts"
    assert found[".github/copilot-instructions.md"]["why"] == "the folder has other instruction files"
    assert "none was read or edited yet" in found[".cursor/rules/py.mdc"]["why"]
    assert found[".cursor/rules/release.mdc"]["state"] == "listed"
    assert found["pkg/AGENTS.md"]["state"] == "waiting"
    assert found["pkg/.claude/CLAUDE.md"]["why"] == "AGENTS.md of the same folder counts"
    assert found["other/.claude/CLAUDE.md"]["why"].startswith("for files in other: ")
    untrusted = rows(agls, "--cwd", str(tree))
    assert all(row["state"] != "used" or row["origin"] == "user" for row in untrusted.values())
    assert "the folder is not trusted" in untrusted["AGENTS.md"]["why"]
    assert "| AGENTS.md | used |" in agls.run("run", "/instructions", "--cwd", str(tree), "--trust").out


@pytest.mark.promise("P1")
def test_untrusted_folder_has_no_instruction_file_opened(agls: Agls, tree: Path, tmp_path: Path) -> None:
    """Looked at from outside: of all files that count elsewhere, the kernel sees none opened."""
    import shutil  # noqa: PLC0415 - only here

    tracer = shutil.which("strace")
    if tracer is None:
        pytest.skip("needs strace")
    log = tmp_path / "trace"
    command = [tracer, "-f", "-e", "trace=open,openat,openat2", "-o", str(log)]
    argv = agls.argv(["run", "go", "--cwd", str(tree), "--quiet"])
    agls.script({"text": "Done."})
    subprocess.run([*command, *argv], env=agls.variables, check=True, capture_output=True, timeout=60)
    opened = log.read_text(errors="replace").splitlines()
    elsewhere = "\n".join(line for line in opened if f'"{agls.home}/' not in line)
    names = ("CLAUDE", "GEMINI", "cursor", "copilot", ".claude", f"{tree}/AGENTS.md", f"{tree}/pkg")
    assert [name for name in names if name in elsewhere] == []
    assert any(f"{agls.home}/AGENTS.md" in line for line in opened), "the user's own is read"


@pytest.mark.row(20)
def test_prompt_of_ones_own_an_addition_and_an_override_reach_the_model_whole(agls: Agls) -> None:
    """Three golden renders, each with the header, as the server gets them and as `/prompt` shows them."""
    (agls.home / "AGENTS.md").write_text("In French.")
    (agls.workspace / "AGENTS.md").write_text("Use tabs.")
    folder = f"# Workspace\n- {agls.workspace}"
    files = (
        "# Instructions of the user\nIn French.\n\n"
        f'{PROJECT}\n\n<project-file path="AGENTS.md">\nUse tabs.\n</project-file>'
    )
    golden = {
        'system = "You are a poet."': f"ACME\n\nYou are a poet.\n\n{folder}\n\n{files}",
        'append = "Rhyme."': f"ACME\n\n{SYSTEM}\n\nRhyme.\n\n{folder}\n\n{files}",
        'system = "x"\nappend = "y"\noverride = "Only this."': "ACME\n\nOnly this.",
    }
    with ModelServer([Reply("Done.")] * 3) as server:
        for place, (settings, rendered) in enumerate(golden.items()):
            model = f'[permissions]\nmode = "allowAll"\n[models.m]\nbase_url = "{server.url}"\n'
            agls.configure(f'{model}[instructions]\nheader = "ACME"\n{settings}\n')
            assert agls.run("run", "go", "--trust").code == 0
            sent = system(server, place)
            shown = agls.run("run", "/prompt", "--trust", "--output", "json").whole
            assert sent == rendered
            assert shown["action"]["data"]["system"] == rendered


@pytest.mark.row(20)
def test_prompt_of_the_command_line_counts_for_its_run_alone(agls: Agls) -> None:
    """It is stronger than the settings, at the beginning and after a resume; the next run has theirs."""
    with ModelServer([Reply("Done.")] * 5) as server:
        model = f'[models.m]\nbase_url = "{server.url}"\n[permissions]\nmode = "allowAll"\n'
        agls.configure(f'{model}[instructions]\nappend = "Rhyme."\n')
        (agls.workspace / "AGENTS.md").write_text("Use tabs.")
        for words in (
            ("run", "go", "--append-system-prompt", "In French."),
            ("resume", "on", "--system-prompt", "You are a poet."),
            ("resume", "on", "--override-system-prompt", "Only this."),
            ("resume", "on"),
        ):
            assert agls.run(*words, "--trust").code == 0
        first, second, third, last = (system(server, place) for place in range(4))
    assert SYSTEM in first and "In French." in first and "Rhyme." not in first
    assert second.startswith("You are a poet.") and "Rhyme." in second and "Use tabs." in second
    assert third == "Only this."
    assert last.startswith(SYSTEM) and "Rhyme." in last and "In French." not in last
