"""MCP servers over the protocol: consent for those of a folder, for exactly what was shown."""

import json
import sys
from pathlib import Path

from agls.views.transcript import fold
from support.rich_run import call
from support.wire import AGENT, Message, Wire, script, turns

PROGRAM = Path(__file__).parents[2] / "support" / "mcp_program.py"
SAMPLE = PROGRAM.with_name("mcp_sdk_server.py")


def test_server_of_a_folder_is_used_after_consent_and_asked_about_again_when_its_program_changed(
    tmp_path: Path,
) -> None:
    script(tmp_path, *[turns({"calls": [call("mcp__mine__echo", number=1)]}, "done")] * 3)
    folder = tmp_path / "workspace"
    folder.mkdir()
    program = folder / "server.py"
    program.write_text(PROGRAM.read_text())
    definition = {"command": sys.executable, "args": ["server.py", str(tmp_path)], "env": {"KEY": "${HOME}"}}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"mine": definition}}))
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        session = wire.session()
        asked: list[Message] = []

        def answer(params: Message) -> Message:
            asked.append(params)
            return {"outcome": "selected", "optionId": "always"}

        wire.answers["agent/requestPermission"] = answer
        for _ in range(2):
            wire.run(session, options={"mode": "allowAll"}, chosenBy="user")
        assert [each["title"] for each in asked] == ["Use the server mine"]
        assert asked[0]["subject"]["input"]["env"] == {"KEY": "${HOME}"}
        assert (tmp_path / "requests").read_text().count("tools/call") == 2
        program.write_text(PROGRAM.read_text() + "# more\n")
        wire.answers["agent/requestPermission"] = lambda params: {"outcome": "selected", "optionId": "reject"}
        wire.run(session, options={"mode": "allowAll"}, chosenBy="user")
        assert (tmp_path / "requests").read_text().count("tools/call") == 2


def test_server_gets_its_file_of_variables_which_the_consent_names_without_values(tmp_path: Path) -> None:
    script(tmp_path, *[turns({"calls": [call("mcp__mine__echo", number=1)]}, "done")] * 2)
    folder = tmp_path / "workspace"
    (folder / ".vscode").mkdir(parents=True)
    (folder / ".env").write_text('KEY="sesame-1"\n')
    line = f'printf %s "$KEY$MODE" >> {tmp_path}/got; exec {sys.executable} {PROGRAM} {tmp_path}'
    server = {"command": "sh", "args": ["-c", line], "envFile": ".env", "env": {"MODE": "${input:mode}"}}
    inputs = [{"id": "mode", "type": "promptString", "default": "-fast"}]
    (folder / ".vscode/mcp.json").write_text(json.dumps({"inputs": inputs, "servers": {"mine": server}}))
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        session = wire.session()
        asked: list[Message] = []

        def answer(params: Message) -> Message:
            asked.append(params)
            return {"outcome": "selected", "optionId": "always"}

        wire.answers["agent/requestPermission"] = answer
        inputs_asked: list[Message] = []

        def decline(params: Message) -> Message:
            inputs_asked.append(params)
            return {"outcome": "decline"}

        wire.answers["agent/askUser"] = decline
        wire.run(session, options={"mode": "allowAll"}, chosenBy="user")
        assert (tmp_path / "got").read_text() == "sesame-1-fast"
        assert asked[0]["subject"]["input"]["variables"] == ["KEY"]
        (folder / ".env").write_text('KEY="sesame-2"\n')
        wire.run(session, options={"mode": "allowAll"}, chosenBy="user")
        assert [each["title"] for each in asked] == ["Use the server mine"] * 2
        assert len(inputs_asked) == 1, "what was declined is not asked for again, and its default counts"
    assert (tmp_path / "got").read_text() == "sesame-1-fastsesame-2-fast"
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and b"sesame" in path.read_bytes()]
    assert {path.name for path in kept} == {".env", "got"}


def test_servers_that_a_client_brings_are_used_without_consent_and_kept_out_of_the_journal(
    tmp_path: Path,
) -> None:
    script(tmp_path, turns({"calls": [call("mcp__mine__echo", number=1)]}, "done"))
    server = {
        "name": "mine",
        "command": sys.executable,
        "args": [str(PROGRAM), str(tmp_path)],
        "env": [{"name": "KEY", "value": "secret-of-the-client ${HOME}"}],
    }
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize()
        given = {"cwd": wire.workspace.as_uri(), "mcpServers": [server]}
        made = wire.call("agent/session/new", given)
        assert [(one["name"], one["status"]) for one in made["mcp"]] == [("mine", "stopped")]
        assert not (tmp_path / "starts").exists()
        wire.answers["agent/requestPermission"] = lambda params: {"outcome": "selected", "optionId": "once"}
        assert wire.run(made["sessionId"])["stopReason"] == "endTurn"
        assert "tools/call" in (tmp_path / "requests").read_text()
        shown = [event["data"]["servers"] for event in wire.events if event["type"] == "mcpStatus"]
        rows = [(one["name"], one["status"], one.get("tools")) for (one,) in shown]
        assert rows[:2] == [("mine", "connecting", None), ("mine", "connected", 11)]
        listed = wire.call("agent/action/invoke", {"sessionId": made["sessionId"], "name": "mcp"})
        (row,) = listed["data"]["servers"]
        assert (row["name"], row["origin"], row["status"]) == ("mine", "the client", "connected")
    kept = (path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".py")
    assert not [path for path in kept if b"secret-of-the-client" in path.read_bytes()]


def test_arguments_of_a_servers_prompt_are_completed_by_the_server(tmp_path: Path) -> None:
    script(tmp_path, turns("done"))
    server = {"name": "sample", "command": sys.executable, "args": [str(SAMPLE)], "env": []}
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize()
        given = {"cwd": wire.workspace.as_uri(), "mcpServers": [server]}
        session = {"sessionId": wire.call("agent/session/new", given)["sessionId"]}
        restart = {"name": "mcp.restart", "input": {"server": "sample"}}
        wire.call("agent/action/invoke", {**session, **restart})

        def completed(text: str) -> list[tuple[str, str]]:
            items = wire.call("agent/complete", {**session, "text": text, "cursor": len(text)})["items"]
            return [(item["kind"], item["insertText"]) for item in items]

        values = [("value", '"the garden"'), ("value", '"the move"')]
        assert completed("/mcp__sample__plan goal=")[:2] == values, "and none with codes or two lines"
        assert completed("/mcp__sample__plan goal=mo")[0] == values[1]
        assert completed("/mcp__sample__plan days=") == []


def test_server_asks_the_users_model_when_the_user_allows_it_and_the_run_pays(tmp_path: Path) -> None:
    """Where it is off, the server learns that nobody answers; what the user refuses is sent to no model."""
    text = {"type": "text", "text": "Name a colour.\u001b[31m"}
    asked = {"messages": [{"role": "user", "content": text}], "systemPrompt": "Be brief.", "maxTokens": 50}
    tool = {"name": "ask_model", "inputSchema": {"type": "object"}}
    (tmp_path / "tools.json").write_text(json.dumps([tool]))
    calls = turns({"calls": [call("mcp__mine__ask_model", **asked)]}, "done")
    answer = {"match": "Name a colour", "turns": [{"text": "Blue."}], "repeat": True}
    config = script(tmp_path, answer, calls, calls, calls)
    plain = config.read_text()
    program = f"command = {json.dumps(sys.executable)}\nargs = {json.dumps([str(PROGRAM), str(tmp_path)])}\n"
    results: list[tuple[str, int]] = []
    for sampling, outcomes in {"ask": ("accept", "decline"), "off": ("accept",)}.items():
        config.write_text(f'{plain}\n[mcp.servers.mine]\n{program}sampling = "{sampling}"\n')
        with Wire(tmp_path, config) as wire:
            wire.initialize({**AGENT, "askUser": {"form": {}}})
            wire.answers["agent/requestPermission"] = lambda _: {"outcome": "selected", "optionId": "once"}
            for outcome in outcomes:
                wire.answers["agent/askUser"] = lambda _, said=outcome: {"outcome": said, "content": {}}
                ended = wire.run(wire.session())
                item = [one for one in fold(wire.events).items.values() if one["kind"] == "toolCall"][-1]
                results.append((item["output"].partition("]\n")[2], ended["usage"]["outputTokens"]))
            forms = [message["params"]["message"] for message in wire.of_method("agent/askUser")]
            assert len(forms) == (2 if sampling == "ask" else 0)
            assert all("Instructions: Be brief.\nUser: Name a colour.\n" in form for form in forms)
    (allowed, spent), (refused, less), (off, _) = results
    assert '"text": "Blue."' in allowed
    assert '"stopReason": "endTurn"' in allowed
    assert (spent > less, "The user did not allow it" in refused) == (True, True)
    assert "Sampling not supported" in off
