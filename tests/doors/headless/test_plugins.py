"""Installed plugins in the real program: from which sources, what they bring, and when they change."""

import json
import shutil
import threading
import zipfile
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agls.config.own_files import GuardedFiles
from agls.config.plugins import InstalledPlugins
from agls.config.seal import Seal
from doors.headless.conftest import SCRIPTED, Agls, Done
from support.model_server import ModelServer, Reply
from support.plugin_folders import HOOKS, REFUSE, commit_all, write_plugin
from support.rich_run import call

WRITE = call("write_file", path="a.txt", content="one\n")
LOAD = {"name": "skill", "arguments": {"name": "tools:pdf"}}
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def folder(agls: Agls, tmp_path: Path) -> Path:
    agls.configure(SCRIPTED)
    return tmp_path / "plugin"


def added(agls: Agls, source: object, *more: str) -> dict[str, Any]:
    done = agls.run("plugin", "add", str(source), "--yes", "--json", *more)
    assert done.code == 0, done.err
    return done.whole


def listed(agls: Agls) -> list[dict[str, Any]]:
    return json.loads(agls.run("plugin", "list", "--json").out)


def run(agls: Agls, *calls: dict[str, Any]) -> Done:
    agls.prompts([{"calls": [*calls]}, {"text": "done"}])
    return agls.run("run", "--mode", "allowAll", "--output", "jsonl", "go")


def outputs(done: Done) -> list[str]:
    items = [each["data"]["item"] for each in done.events if each.get("type") == "itemCompleted"]
    return [item["output"] for item in items if item["kind"] == "toolCall"]


@pytest.mark.parametrize("dialect", ["claude", "codex", "gemini"])
def test_one_plugin_in_each_dialect_brings_the_same(agls: Agls, folder: Path, dialect: str) -> None:
    write_plugin(folder, dialect)
    brought = added(agls, folder)
    assert brought["dialect"] == dialect
    kinds = [line.split()[0] for line in brought["brings"] if line[0] != " "]
    assert kinds == ["skill", "command", "agent", "hook", "server", "program", "program"]
    assert "`/tools:greet` (`/greet`): Say hello." in agls.run("run", "/command.list").out
    loaded, echoed, written = outputs(run(agls, LOAD, call("mcp__plugin_tools_small__echo", number=7), WRITE))
    root = next((agls.state / "plugins" / "tools").iterdir()) / "tools"
    assert f"Run {root}/scripts/fill.sh." in loaded
    assert '{"number": 7}' in echoed
    assert "refused it. no" in written
    assert not (agls.workspace / "a.txt").exists()


def test_parts_of_a_plugin_are_listed_and_its_command_is_typed(agls: Agls, folder: Path) -> None:
    write_plugin(folder)
    added(agls, folder)
    assert "`tools__looker`: Looks." in agls.run("run", "/agent.list").out
    assert "PreToolUse Write" in agls.run("run", "/hooks").out
    assert "plugin_tools_small" in agls.run("run", "/mcp").out
    agls.prompts([{"text": "done"}])
    assert "Say hello to me from /" in agls.run("run", "--output", "jsonl", "/greet me").out


def test_lines_of_its_command_run_by_the_consent_to_the_plugin_where_nobody_can_be_asked(
    agls: Agls, folder: Path
) -> None:
    """With words of the prompt in it a line is asked about like any command."""
    write_plugin(folder)
    lines = "Fixed: !`echo at ${CLAUDE_PLUGIN_ROOT##*/}`\n\nGiven: !`touch $1`\n"
    (folder / "commands/look.md").write_text(f"---\ndescription: Look\n---\n{lines}")
    added(agls, folder)
    assert "it runs: echo at ${CLAUDE_PLUGIN_ROOT##*/}" in agls.run("plugin", "show", "tools").out
    agls.prompts([{"text": "done"}])
    done = agls.run("run", "--output", "jsonl", "/look made.txt")
    (told,) = [
        each["data"]["item"]["text"]
        for each in done.events
        if each.get("type") == "itemCompleted" and each["data"]["item"]["kind"] == "notice"
    ]
    assert "at tools\n" in told
    assert "(rejected)" in told
    assert not (agls.workspace / "made.txt").exists()
    (next((agls.state / "plugins/tools").iterdir()) / "tools/scripts/fill.sh").write_text("echo changed")
    assert "at tools\n" not in str(agls.run("run", "--output", "jsonl", "/look made.txt").events)


def test_nothing_is_installed_without_a_yes_and_everything_is_shown_before(agls: Agls, folder: Path) -> None:
    write_plugin(folder)
    done = agls.run("plugin", "add", str(folder))
    assert done.code == 2
    assert (
        'hook PreToolUse Write (hooks/hooks.json): runs sh "${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh"'
        in done.out
    )
    assert "server small: runs " in done.out
    assert "Nothing was installed" in done.err
    assert listed(agls) == []
    assert [*(agls.state / "plugins").iterdir()] == []


def test_version_of_a_repository_is_installed_compared_and_updated(agls: Agls, folder: Path) -> None:
    write_plugin(folder)
    commit_all(folder, tag="v1")
    (folder / "hooks/hooks.json").write_text(json.dumps(HOOKS).replace("Write", "Write|Edit"))
    (folder / ".git/hooks/post-checkout").write_text("#!/bin/sh\ntouch ran\n")
    commit_all(folder)
    added(agls, f"{folder}#v1")
    assert (
        agls.run("plugin", "diff", "tools").err == "There is nothing new: an update would change no file.\n"
    )
    shown = added(agls, f"file://{folder}#main")
    before, after, file = shown["changes"]
    assert (before[:24], after[:29]) == ("-hook PreToolUse Write (", "+hook PreToolUse Write|Edit (")
    assert file == "file hooks/hooks.json: changed"
    (row,) = listed(agls)
    assert (row["name"], row["version"], row["is_on"]) == ("tools", "1.0.0", True)
    assert "PreToolUse Write|Edit" in agls.run("run", "/hooks").out
    wrong = agls.run("plugin", "add", f"{folder}#--upload-pack=x")
    assert (wrong.code, "is no branch, tag or commit" in wrong.err) == (1, True)
    assert not list(folder.rglob("ran"))


def test_update_leaves_a_run_alone_and_the_next_has_it(agls: Agls, folder: Path) -> None:
    write_plugin(folder)
    shutil.rmtree(folder / "hooks")
    added(agls, folder)
    go = agls.workspace / "go"
    wait = call("shell", command=f"touch begun; while ! [ -e {go} ]; do sleep 0.1; done")
    agls.prompts([{"calls": [wait]}, {"calls": [LOAD]}, {"text": "done"}])
    running = agls.start("run", "--mode", "allowAll", "--output", "jsonl", "go")
    while not (agls.workspace / "begun").exists():
        assert running.poll() is None
    skill = folder / "skills/pdf/SKILL.md"
    skill.write_text(skill.read_text().replace("Run ", "Rather run "))
    added(agls, folder)
    assert len([*(agls.state / "plugins/tools").iterdir()]) == 2
    go.write_text("")
    out, _ = running.communicate()
    assert "\\nRun /" in out
    assert "Rather run /" in "".join(outputs(run(agls, LOAD)))
    added(agls, folder)
    assert len([*(agls.state / "plugins/tools").iterdir()]) == 1


def test_plugin_is_switched_off_on_and_removed_here_and_in_a_session(agls: Agls, folder: Path) -> None:
    write_plugin(folder)
    added(agls, folder)
    assert agls.run("plugin", "disable", "tools").code == 0
    assert "tools:pdf" not in agls.run("run", "/skills").out
    assert "**tools** 1.0.0: Many things. **Off.**" in agls.run("run", "/plugin").out
    assert "`tools` is on from the next prompt on." in agls.run("run", "/plugin.enable tools").out
    assert "tools:pdf" in agls.run("run", "/skills").out
    assert "- server small: runs " in agls.run("run", "/plugin.show tools").out
    assert "There is no plugin 'x'" in agls.run("plugin", "remove", "x").err.replace("there", "There")
    assert "`tools` was removed." in agls.run("run", "/plugin.remove tools").out
    assert listed(agls) == []
    assert not (agls.state / "plugins/tools").exists()
    assert not (agls.state / "plugin-data/tools").exists()


def test_tried_plugin_is_there_for_one_run(agls: Agls, folder: Path) -> None:
    write_plugin(folder)
    agls.prompts([{"calls": [WRITE]}, {"text": "done"}])
    done = agls.run("plugin", "try", str(folder), "go", "--yes", "--mode", "allowAll", "--output", "jsonl")
    assert "server small: runs " in done.err
    assert "refused it. no" in "".join(outputs(done))
    assert listed(agls) == []
    refused = agls.run("plugin", "try", str(folder), "go")
    assert "Not used, and nothing was run" in refused.err
    assert refused.code == 2


def test_changed_files_are_never_used_and_named(agls: Agls, folder: Path) -> None:
    write_plugin(folder)
    added(agls, folder)
    guard = next((agls.state / "plugins" / "tools").rglob("guard.sh"))
    guard.chmod(0o600)
    guard.write_text("exit 0")
    assert "are not those that you consented to" in agls.run("doctor", "--offline").out
    assert "Wrote" in "".join(outputs(run(agls, WRITE))) or (agls.workspace / "a.txt").exists()
    added(agls, folder)
    assert guard.read_text() == REFUSE
    record = agls.state / "plugins.json"
    record.write_text(record.read_text().replace('"tools"', '"tricks"'))
    assert "does not have the mark of agls" in agls.run("plugin", "list").err


def test_options_are_given_checked_kept_over_an_update_and_reach_hooks_and_servers(
    agls: Agls, folder: Path
) -> None:
    option = {"type": "string", "required": True}
    options = {"WORD": option, "COUNT": {"type": "number", "default": 3}, "TOKEN": {"sensitive": True}}
    write_plugin(folder, userConfig=options)
    server = json.loads((folder / ".mcp.json").read_text())
    server["mcpServers"]["small"]["env"] = {"WORD": "${user_config.WORD}${user_config.COUNT}"}
    (folder / ".mcp.json").write_text(json.dumps(server))
    done = agls.run("plugin", "add", str(folder), "--yes")
    assert "It needs values: WORD." in done.err
    assert "agls plugin enable tools --set WORD=..." in agls.run("run", "/mcp").out
    assert "COUNT is a number, not 'many'" in agls.run("plugin", "enable", "tools", "--set", "COUNT=many").err
    assert "has no option 'X'" in agls.run("plugin", "enable", "tools", "--set", "X=1").err
    agls.run("plugin", "enable", "tools", "--set", "WORD=hello", "--set", "TOKEN=sesame-open-1")
    run(agls, WRITE, call("mcp__plugin_tools_small__echo"))
    assert (agls.state / "plugin-data/tools/seen").read_text() == "hello"
    (folder / "new.txt").write_text("new")
    added(agls, folder)
    assert "needs values" not in agls.run("plugin", "list").out
    assert "sesame-open-1" not in agls.run("run", "/plugin").out


def keys(agls: Agls) -> dict[str, str]:
    file = agls.state / "keys.json"
    return json.loads(file.read_text())["keys"] if file.exists() else {}


def test_sensitive_values_are_kept_with_the_keys_and_go_with_their_plugin(agls: Agls, folder: Path) -> None:
    secret = "sesame-open-1"
    option = {"sensitive": True, "required": True, "description": "Opens."}
    write_plugin(folder, userConfig={"WORD": option, "PLACE": {"default": "here"}})
    shown = agls.run("plugin", "add", str(folder), "--yes", "--set", f"WORD={secret}").out
    assert "option WORD (kept with the keys): Opens.: set\n" in shown
    assert keys(agls) == {"plugin tools": json.dumps({"WORD": secret})}
    run(agls, WRITE)
    assert (agls.state / "plugin-data/tools/seen").read_text() == secret
    told = agls.run("plugin", "show", "tools").out + agls.run("run", "/plugin.show tools").out
    assert (told.count("option WORD (kept with the keys): Opens.: set\n"), secret in told) == (2, False)
    assert agls.run("plugin", "show", "tools", "--json").whole["options"][1]["is_set"] is True
    (folder / "new.txt").write_text("new")
    assert added(agls, folder)["options"][0]["is_set"] is True  # an update keeps it
    holders = [
        path.name for path in agls.state.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
    ]
    assert sorted(holders) == ["keys.json", "seen"]
    agls.run("plugin", "enable", "tools", "--set", "WORD=")
    assert (keys(agls), listed(agls)[0]["missing"]) == ({}, ["WORD"])
    agls.run("plugin", "enable", "tools", "--set", f"WORD={secret}")
    assert agls.run("plugin", "remove", "tools").code == 0
    assert keys(agls) == {}
    assert "there is no terminal to ask" in agls.run("plugin", "enable", "tools", "--set", "WORD").err


def test_sensitive_values_in_the_record_of_an_earlier_version_move_to_the_keys(
    agls: Agls, folder: Path
) -> None:
    write_plugin(folder, userConfig={"WORD": {}})
    agls.run("plugin", "add", str(folder), "--yes", "--set", "WORD=sesame-open-1")
    write_plugin(folder, userConfig={"WORD": {"sensitive": True}})
    files = GuardedFiles(agls.state, agls.config_file)
    plugins = InstalledPlugins(files, Seal(files))
    (before,) = plugins.all()
    folder_digest = plugins.store.keep(folder, "tools")
    rows = [["tools", folder_digest, before.source, True, 1.0, {}, {"WORD": "sesame-open-1"}]]
    files.write(plugins.file, {"plugins": rows, "seal": Seal(files).sign("plugins", rows)})
    run(agls, WRITE)
    assert (agls.state / "plugin-data/tools/seen").read_text() == "sesame-open-1"
    assert "sesame-open-1" not in (agls.state / "plugins.json").read_text()
    assert keys(agls) == {"plugin tools": json.dumps({"WORD": "sesame-open-1"})}
    run(agls, WRITE)
    assert (agls.state / "plugin-data/tools/seen").read_text() == "sesame-open-1" * 2


def test_catalogue_names_its_plugins_and_none_outside_of_it(agls: Agls, tmp_path: Path) -> None:
    catalogue = tmp_path / "catalogue"
    write_plugin(catalogue / "tools")
    bare = write_plugin(catalogue / "bare")
    shutil.rmtree(bare / ".claude-plugin")
    plugins = [
        {"name": "tools", "source": "./tools"},
        {"name": "bare", "source": {"source": "local", "path": "./bare"}, "description": "Of the catalogue."},
        {"name": "far", "source": "../far"},
        {"name": "installer", "source": {"source": "npm", "package": "x"}},
        {"name": "nowhere"},
    ]
    (catalogue / ".claude-plugin").mkdir()
    said = {"name": "all", "owner": {"name": "A"}, "plugins": plugins}
    (catalogue / ".claude-plugin/marketplace.json").write_text(json.dumps(said))
    assert "tools@" in agls.run("plugin", "add", str(catalogue)).err
    assert added(agls, f"tools@{catalogue}")["name"] == "tools"
    assert added(agls, f"bare@{catalogue}")["description"] == "Of the catalogue."
    assert "which is not in it" in agls.run("plugin", "add", f"far@{catalogue}").err
    assert "names no source of it" in agls.run("plugin", "add", f"nowhere@{catalogue}").err
    assert "'npm' are not fetched" in agls.run("plugin", "add", f"installer@{catalogue}").err
    assert "it has: tools, bare" in agls.run("plugin", "add", f"other@{catalogue}").err
    commit_all(catalogue)
    assert added(agls, f"tools@file://{catalogue}")["name"] == "tools"


def test_plugin_in_an_archive_is_unpacked_with_care(agls: Agls, tmp_path: Path) -> None:
    catalogue = tmp_path / "catalogue"
    catalogue.mkdir()
    write_plugin(tmp_path / "made/tools-1.0")
    shutil.make_archive(str(catalogue / "good"), "gztar", tmp_path / "made", "tools-1.0")
    shutil.make_archive(str(catalogue / "flat"), "zip", tmp_path / "made/tools-1.0")
    (tmp_path / "made/tools-1.0/link").symlink_to("/etc")
    shutil.make_archive(str(catalogue / "link"), "tar", tmp_path / "made", "tools-1.0")
    with zipfile.ZipFile(catalogue / "out.zip", "w") as archive:
        archive.writestr("../out.txt", "x")
    with zipfile.ZipFile(catalogue / "many.zip", "w") as archive:
        for number in range(10_001):
            archive.writestr(f"{number}.txt", "")
    with zipfile.ZipFile(catalogue / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(100_000_001))
    (catalogue / "none.zip").write_text("no archive")
    digest = sha256((catalogue / "good.tar.gz").read_bytes()).hexdigest()
    handler = partial(SimpleHTTPRequestHandler, directory=str(catalogue))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/good.tar.gz"
        sources = {
            "far": {"url": url, "sha256": digest},
            "flat": {"path": "flat.zip"},
            "open": {"url": url},
            "other": {"url": url, "sha256": "0" * 64},
            "gone": {"url": url.replace("good", "gone"), "sha256": digest},
            "link": {"path": "link.tar"},
            "many": {"path": "many.zip"},
            "bomb": {"path": "bomb.zip"},
            "out": {"path": "out.zip"},
            "none": {"path": "none.zip"},
            "outside": {"path": "../x.zip"},
        }
        rows = [{"name": name, "source": {"source": "archive", **said}} for name, said in sources.items()]
        (catalogue / ".claude-plugin").mkdir()
        said = {"name": "all", "owner": {"name": "A"}, "plugins": rows}
        (catalogue / ".claude-plugin/marketplace.json").write_text(json.dumps(said))
        for name in ("far", "flat"):
            assert "/tools:greet" in agls.run("plugin", "show", f"{name}@{catalogue}").out
        problems = {name: agls.run("plugin", "show", f"{name}@{catalogue}").err for name in list(sources)[2:]}
        server.shutdown()
    assert "is not encrypted: the catalogue has to name its sha256" in problems["open"]
    assert "has not the content that its catalogue names" in problems["other"]
    assert "HTTP 404" in problems["gone"]
    assert "'tools-1.0/link', which is not a file below its root" in problems["link"]
    assert "'../out.txt', which is not a file below its root" in problems["out"]
    for name in ("many", "bomb"):
        assert "has more than 100,000,000 bytes or 10,000 files" in problems[name]
    assert "it has to be zip or tar" in problems["none"]
    assert "which is not in it" in problems["outside"]


def test_plugins_that_share_the_folder_of_their_catalogue_bring_the_skills_that_their_entries_name(
    agls: Agls, tmp_path: Path
) -> None:
    catalogue = tmp_path / "catalogue"
    for name in ("sheets", "slides", "other"):
        skill = catalogue / f"skills/{name}/SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(f"---\nname: {name}\ndescription: Of {name}.\n---\nDo.\n")
    bare = catalogue / "plugins/bare/commands/fs/find.toml"
    bare.parent.mkdir(parents=True)
    bare.write_text('prompt = "!{grep -r {{args}} . | head}"\n')
    (bare.parents[2] / "gemini-extension.json").write_text('{"name": "bare"}')
    skills = ["./skills/sheets", "./skills/slides"]
    plugins = [
        {"name": "office", "source": "./", "strict": False, "skills": skills},
        {"name": "all", "source": "./", "skills": skills},
        {"name": "bare", "source": "bare"},
        {"name": "dotted", "source": "./bare"},
    ]
    said = {"name": "c", "metadata": {"pluginRoot": "./plugins"}, "plugins": plugins}
    (catalogue / ".claude-plugin").mkdir()
    (catalogue / ".claude-plugin/marketplace.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(said).encode())
    assert added(agls, f"office@{catalogue}")["name"] == "office"
    assert {path.name for path in (agls.state / "plugins/office").rglob("*/skills/*")} == {"sheets", "slides"}
    assert not [*(agls.state / "plugins/office").rglob("bare")]
    assert agls.run("plugin", "remove", "office").code == 0
    office = agls.run("plugin", "show", f"office@{catalogue}").out
    assert (office.count("skill office:"), "other" in office) == (2, False)
    assert agls.run("plugin", "show", f"all@{catalogue}").out.count("skill all:") == 3
    for name in ("bare", "dotted"):
        shown = agls.run("plugin", "show", f"{name}@{catalogue}").out
        assert "it runs: grep -r {{args}} . | head\n" in shown


def test_plugin_in_the_root_of_its_catalogue_is_copied_without_the_other_plugins(
    agls: Agls, folder: Path
) -> None:
    write_plugin(folder)
    write_plugin(folder / "plugins/other", name="other")
    write_plugin(folder / "shared", name="shared")
    (folder / ".mcp.json").write_text(
        '{"mcpServers": {"a": {"command": "${CLAUDE_PLUGIN_ROOT}/shared/run"}}}'
    )
    sources = {"tools": "./", "other": "./plugins/other", "shared": {"source": "local", "path": "./shared"}}
    said = {"name": "c", "plugins": [{"name": name, "source": each} for name, each in sources.items()]}
    (folder / ".claude-plugin/marketplace.json").write_text(json.dumps(said))
    commit_all(folder)
    for source in (f"tools@{folder}", str(folder)):
        added(agls, source)
        copy = next((agls.state / "plugins/tools").iterdir()) / "tools"
        assert [path.name for path in sorted(copy.iterdir())] == [
            ".claude-plugin",
            ".mcp.json",
            "agents",
            "commands",
            "hooks",
            "plugins",
            "scripts",
            "shared",
            "skills",
        ]
        assert [*(copy / "plugins").iterdir()] == []


def test_plugin_that_is_too_large_is_refused_with_the_folder_that_most_of_it_is_in(
    agls: Agls, folder: Path
) -> None:
    write_plugin(folder)
    (folder / "node_modules").mkdir()
    for number in range(10_001):
        (folder / f"node_modules/{number}").touch()
    refused = agls.run("plugin", "add", str(folder), "--yes")
    assert (
        "It has more than 10,000 files, most of them in node_modules/. Put the plugin"
        in refused.err.replace(" it has", " It has")
    )
    assert [*(agls.state / "plugins").iterdir()] == []


def test_plugin_that_leads_out_of_its_folder_is_refused_or_that_part_is_named(
    agls: Agls, folder: Path
) -> None:
    commands = ["./commands", "./commands/greet.md"]
    write_plugin(folder, skills=["../other", "/etc"], unknown=True, commands=commands, icon="x.png", hoks=1)
    brought = added(agls, folder)
    remarks = brought["remarks"]
    assert brought["brings"].count("command /tools:greet") == 1
    assert agls.run("run", "/command.list").out.count("commands/greet.md") == 1
    assert "hoks is not known here, and has no effect: write hooks" in remarks
    assert "skills: '../other' leads out of the plugin" in remarks
    assert any("these keys have no effect here: unknown" in each for each in remarks)
    assert "leads out of the plugin" in agls.run("doctor", "--offline").out
    (folder / "scripts/key").symlink_to("/etc/passwd")
    refused = agls.run("plugin", "add", str(folder), "--yes")
    assert (refused.code, "leads out of the plugin" in refused.err) == (1, True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "line 1: it is no JSON"),
        ("[]", "it is no JSON object"),
        ('{"name": "Bad Name"}', "is no name of a plugin"),
    ],
)
def test_broken_manifest_is_refused_with_its_reason(
    agls: Agls, folder: Path, text: str, problem: str
) -> None:
    write_plugin(folder)
    (folder / ".claude-plugin/plugin.json").write_text(text)
    refused = agls.run("plugin", "add", str(folder), "--yes")
    assert (refused.code, problem in refused.err) == (1, True), refused.err
    assert "has no manifest of a plugin" in agls.run("plugin", "add", str(agls.workspace)).err
    assert "is neither a folder nor the address" in agls.run("plugin", "add", "nowhere").err


def test_texts_and_names_of_an_installed_manifest_count_and_a_plugin_may_be_a_skill_itself(
    agls: Agls, folder: Path, tmp_path: Path
) -> None:
    write_plugin(folder, blockedTools=["glob"], toolAliases=[{"name": "peek", "baseTool": "read_file"}])
    added(agls, folder)
    (agls.workspace / "b.txt").write_text("inside\n")
    peeked, blocked = outputs(run(agls, call("peek", path="b.txt"), call("glob", pattern="*")))
    assert "inside" in peeked
    assert "the plugin tools blocks the tool glob" in blocked
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "SKILL.md").write_text("---\nname: alone\ndescription: By itself.\n---\nDo it.\n")
    assert added(agls, alone)["brings"] == ["skill alone:alone: By itself."]
    assert "Do it." in "".join(outputs(run(agls, {"name": "skill", "arguments": {"name": "alone:alone"}})))


def test_extension_for_gemini_brings_its_context_and_leaves_out_tools(agls: Agls, folder: Path) -> None:
    excluded = ["run_shell_command", "write_file", "replace(secret)"]
    write_plugin(folder, "gemini", contextFileName="CONTEXT.md", excludeTools=excluded)
    (folder / "CONTEXT.md").write_text("Measure twice, cut once.\n")
    brought = added(agls, folder)
    assert "text before a prompt: CONTEXT.md (25 characters)" in brought["brings"]
    assert {"blocks the tool run_shell_command", "blocks the tool write_file"} <= {*brought["brings"]}
    assert "single calls of a tool cannot be left out here (replace(secret))" in str(brought["remarks"])
    assert brought["unused"] == []
    with ModelServer([Reply("Done.")]) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        body = server.posts[0].body
    assert "Measure twice, cut once." in str(body["messages"])
    tools = {each["function"]["name"] for each in body["tools"]}
    assert "read_file" in tools
    assert not {"shell", "write_file"} & tools


def test_plugin_for_cursor_brings_its_server_and_its_hooks_in_their_own_form(
    agls: Agls, folder: Path
) -> None:
    write_plugin(folder)
    said = json.loads((folder / ".claude-plugin/plugin.json").read_text())
    (folder / ".claude-plugin/plugin.json").unlink()
    (folder / ".cursor-plugin").mkdir()
    manifest = {
        **said,
        "name": "Tools",
        "displayName": "Tools",
        "logo": "assets/logo.svg",
        "author": {"name": "Me"},
    }
    (folder / ".cursor-plugin/plugin.json").write_text(json.dumps(manifest))
    (folder / ".mcp.json").rename(folder / "mcp.json")
    (folder / "rules").mkdir()
    (folder / "rules/style.mdc").write_text("---\nalwaysApply: true\n---\nBe brief.\n")
    refuse = 'cat > /dev/null; echo \'{"permission": "deny", "agentMessage": "not here"}\''
    greet = """test -n "$CURSOR_PLUGIN_ROOT" && echo '{"additional_context": "Greetings of a plugin"}'"""
    (folder / "scripts/refuse.sh").write_text(f"#!/bin/sh\n{refuse}\n")
    (folder / "scripts/refuse.sh").chmod(0o755)
    begun = {
        "beforeShellExecution": [{"command": "sh ./scripts/refuse.sh"}],
        "sessionStart": [{"command": greet}],
    }
    hooks = {"version": 1, "hooks": begun}
    (folder / "hooks/hooks.json").write_text(json.dumps(hooks))
    brought = added(agls, folder)
    kinds = [line.split()[0] for line in brought["brings"] if line[0] != " "]
    assert kinds == ["skill", "command", "agent", "hook", "hook", "server", *["program"] * 3]
    assert (brought["dialect"], brought["unused"]) == ("cursor", ["rules/"])
    assert brought["remarks"] == ["its name 'Tools' is written tools here"]
    echoed, ran = outputs(
        run(agls, call("mcp__plugin_tools_small__echo", number=7), call("shell", command="ls"))
    )
    assert '{"number": 7}' in echoed
    assert "not here" in ran
    with ModelServer([Reply("Done.")]) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert "Greetings of a plugin" in str(server.posts[0].body["messages"])
    assert "PreToolUse shell: `sh ./scripts/refuse.sh` (the plugin tools" in agls.run("run", "/hooks").out
    assert "refused it. not here" in ran
    assert "the hook sh ./scripts/refuse.sh" in ran
    assert "tools" in agls.run("plugin", "show", "Tools").out
    assert agls.run("plugin", "disable", "Tools").code == 0
    assert listed(agls)[0]["is_on"] is False
    assert agls.run("plugin", "remove", "Tools").code == 0
    assert listed(agls) == []
