"""Servers in files of a folder, as each product spells them, and what is said of broken ones."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from agls.features.mcp.configured import ConfiguredServer, FoundServers, ServedFolder, configured
from agls.features.mcp.folder_servers import FILES, FolderServerFiles, find_servers
from agls.features.mcp.names import tool_name
from agls.features.mcp.settings import ServerSetting
from agls.features.mcp.variables import Variables
from agls.instruction_files.folder_texts import TextFolders
from agls.room.mcp_ports import LoginSettings

FOLDER, HOME = "/home/me/project", "/home/me"
VARIABLES = {"TOKEN": "t-1", "EMPTY": "", "MODEL_KEY": "sk-own"}


class Files:
    """Reads files that are texts of a test."""

    def __init__(self, **files: object) -> None:
        self.files = {
            f"{FOLDER}/{name}": text if isinstance(text, str) else json.dumps(text)
            for name, text in files.items()
        }

    def text(self, path: str) -> tuple[str, str, str] | None:
        return (path, path, self.files[path]) if path in self.files else None

    def below(self, folder: str, ends: tuple[str, ...]) -> list[str]:
        return []

    def holders(self, folder: str, names: tuple[str, ...], deepest: int) -> list[str]:
        return []

    def is_file(self, path: str) -> bool:
        return path in self.files

    def holds(self, path: str) -> bool:
        return True

    def shown(self, path: str) -> str:
        return path.removeprefix(f"{FOLDER}/")


def found(files: Mapping[str, object]) -> FolderServerFiles:
    return find_servers(FILES, TextFolders((FOLDER,), "", HOME), Files(**files))


def servers(
    files: Mapping[str, object], more: Mapping[str, str] = MappingProxyType({})
) -> dict[str, ConfiguredServer]:
    variables = Variables({**VARIABLES, **more}, {"sk-own"})
    return {
        one.name: one for one in configured(FoundServers({}, found(files)), ServedFolder(FOLDER, variables))
    }


def started(one: ConfiguredServer) -> dict[str, Any]:
    definition = one.definition
    assert definition
    said = {
        "argv": list(definition.argv),
        "url": definition.url,
        "env": dict(definition.environment),
        "headers": dict(definition.headers),
    }
    return {name: value for name, value in said.items() if value}


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        (
            ".mcp.json",
            {"mcpServers": {"a": {"command": "run", "args": ["${TOKEN}"], "env": {"K": "${NO:-x}", "N": 5}}}},
            {"argv": ["run", "t-1"], "env": {"K": "x", "N": "5"}},
        ),
        (
            ".mcp.json",
            {"mcpServers": {"a": {"type": "streamable-http", "url": "https://x.example/${TOKEN}"}}},
            {"url": "https://x.example/t-1"},
        ),
        (
            ".vscode/mcp.json",
            '{"servers": {// one\n"a": {"type": "stdio", "command": "${workspaceFolder}/s", '
            '"args": ["//x", "${env:TOKEN}"],},},}',
            {"argv": [f"{FOLDER}/s", "//x", "t-1"]},
        ),
        (
            ".cursor/mcp.json",
            {"mcpServers": {"a": {"url": "https://x.example", "headers": {"K": "Bearer ${env:TOKEN}"}}}},
            {"url": "https://x.example", "headers": {"K": "Bearer t-1"}},
        ),
        (
            ".codex/config.toml",
            '[mcp_servers.a]\ncommand = "c"\nargs = ["${TOKEN}"]\nenv_vars = ["TOKEN"]\n'
            'env = { A = "b" }\nstartup_timeout_sec = 5\n',
            {"argv": ["c", "${TOKEN}"], "env": {"A": "b", "TOKEN": "t-1"}},
        ),
        (
            ".codex/config.toml",
            '[mcp_servers.a]\nurl = "https://x.example"\nbearer_token_env_var = "TOKEN"\n',
            {"url": "https://x.example", "headers": {"Authorization": "Bearer t-1"}},
        ),
        (
            ".gemini/settings.json",
            {"theme": "x", "mcpServers": {"a": {"httpUrl": "https://x.example", "trust": True}}},
            {"url": "https://x.example"},
        ),
    ],
)
def test_server_of_a_product_is_read_as_that_product_means_it(
    file: str, content: object, expected: dict[str, Any]
) -> None:
    one = servers({file: content})["a"]
    assert (started(one), one.problem) == (expected, "")
    assert one.origin == file
    assert one.offer, "nothing of a folder is used without consent"
    assert one.offer.definition["file"] == file
    assert "t-1" not in json.dumps(one.offer.definition), "variables stand there by their names"
    assert one.definition
    assert one.definition.scope == FOLDER


def test_address_of_gemini_is_sse_unless_it_says_otherwise() -> None:
    one = servers({".gemini/settings.json": {"mcpServers": {"a": {"url": "https://x.example"}}}})["a"]
    assert one.definition
    assert one.definition.transport == "sse"


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (
            ".codex/config.toml",
            '[mcp_servers.a]\nurl = "https://x.example"\n[mcp_servers.a.oauth]\nclient_id = "me"\n'
            'callback_url = "http://127.0.0.1:4321/callback"\nscopes = ["read", "write"]\n',
        ),
        (
            ".mcp.json",
            {
                "mcpServers": {
                    "a": {
                        "type": "http",
                        "url": "https://x.example",
                        "oauth": {"clientId": "me", "callbackPort": 4321, "scopes": "read write"},
                    }
                }
            },
        ),
    ],
)
def test_login_of_a_server_is_as_its_file_says(file: str, content: object) -> None:
    one = servers({file: content})["a"]
    assert one.problem == ""
    assert one.definition
    assert one.definition.login == LoginSettings(client_id="me", scope="read write", port=4321)


@pytest.mark.parametrize(
    ("file", "content", "place", "problem"),
    [
        (".mcp.json", '{"mcpServers":\n {', ".mcp.json:2", "it is no JSON"),
        (".mcp.json", {"mcpServers": []}, ".mcp.json", "no object with a member for each"),
        (".mcp.json", {"mcpServers": {"a": 5}}, ".mcp.json:1 (a)", "it is no object"),
        (".mcp.json", {"mcpServers": {"a": {}}}, ".mcp.json:1 (a)", "a command or a url"),
        (
            ".mcp.json",
            {"mcpServers": {"a": {"command": 5}}},
            ".mcp.json:1 (a)",
            "its command is 5: write a text",
        ),
        (".mcp.json", "[]", ".mcp.json", 'it is no object: write { "mcpServers": { ... } }'),
        (
            ".mcp.json",
            {"mcpServers": {"a": {"type": "ws", "url": "wss://x"}}},
            ".mcp.json:1 (a)",
            "the type ws",
        ),
        (
            ".codex/config.toml",
            '[mcp_servers.a]\nurl = "https://x.example"\noauth = { callback_url = "https://me.example/b" }\n',
            ".codex/config.toml:1 (a)",
            "agls takes no login at its callback_url https://me.example/b: write http://127.0.0.1:PORT/callback",
        ),
        (".codex/config.toml", "[mcp_servers\n", ".codex/config.toml", "Expected ']'"),
        (
            ".vscode/mcp.json",
            {"servers": {"a": {"command": "c", "env": {"K": "${input:key}"}}}},
            ".vscode/mcp.json:1 (a)",
            "it asks for ${input:key}, which is none of the inputs",
        ),
        (
            ".mcp.json",
            {"servers": {"a": {"command": "c"}}},
            ".mcp.json:1",
            "its servers are in 'servers', and this file has them in 'mcpServers': rename that",
        ),
        (
            ".vscode/mcp.json",
            {"mcpServers": {"a": {"command": "c"}}},
            ".vscode/mcp.json:1",
            "its servers are in 'mcpServers', and this file has them in 'servers': rename that",
        ),
    ],
)
def test_broken_file_is_named_with_its_place_and_its_neighbours_are_used(
    file: str, content: object, place: str, problem: str
) -> None:
    good = ".cursor/mcp.json"
    read = found({file: content, good: {"mcpServers": {"good": {"command": "c"}}}})
    (broken,) = read.broken
    assert broken.place == place
    assert problem in broken.problem
    assert [one.name for one in read.offered] == ["good"]


def test_input_of_a_file_is_a_variable_or_its_default_and_never_one_for_a_password() -> None:
    inputs = [
        {"id": "github-token", "type": "promptString", "password": True, "default": "none"},
        {"id": "host", "type": "promptString", "default": "x.example"},
    ]
    headers = {"Authorization": "Bearer ${input:github-token}"}
    server = {"url": "https://${input:host}/mcp", "headers": headers}
    file = {".vscode/mcp.json": {"inputs": inputs, "servers": {"a": server}}}
    problem = servers(file)["a"].problem
    assert "agls mcp input github-token" in problem
    assert "the variable AGLS_INPUT_GITHUB_TOKEN" in problem
    one = servers(file, {"AGLS_INPUT_GITHUB_TOKEN": "sesame"})["a"]
    assert one.definition
    assert (one.definition.url, one.definition.headers) == (
        "https://x.example/mcp",
        (("Authorization", "Bearer sesame"),),
    )
    assert one.offer
    assert "sesame" not in str(one.offer)


@pytest.mark.parametrize("named", [".env", "${workspaceFolder}/.env", "./.env"])
def test_file_of_variables_is_read_and_its_values_are_not_shown(named: str) -> None:
    lines = (
        'export KEY="sesame\\n#1" # mine',
        "PLAIN=${TOKEN} # x",
        "SINGLE='a b'",
        "OVER=file",
        "",
        "no line",
    )
    text = "\ufeff# keys\r\n" + "\r\n".join(lines)
    server = {"command": "run", "envFile": named, "env": {"OVER": "entry"}}
    one = servers({".vscode/mcp.json": {"servers": {"a": server}}, ".env": text})["a"]
    expected = {"KEY": "sesame\n#1", "PLAIN": "${TOKEN}", "SINGLE": "a b", "OVER": "entry"}
    assert started(one)["env"] == expected
    assert one.offer
    assert one.offer.files == (f"{FOLDER}/.env",)
    assert one.offer.definition["variables"] == ["KEY", "OVER", "PLAIN", "SINGLE"]
    assert "sesame" not in str(one.offer)


def test_missing_file_of_variables_is_named() -> None:
    read = found({".cursor/mcp.json": {"mcpServers": {"a": {"command": "run", "envFile": "x.env"}}}})
    assert [each.problem for each in read.broken] == [
        "its envFile x.env is not there: write it, or leave envFile out"
    ]


def test_first_of_servers_with_one_name_or_one_command_line_counts() -> None:
    files = {
        ".mcp.json": {"mcpServers": {"a": {"command": "one"}, "mine": {"command": "other"}}},
        ".cursor/mcp.json": {"mcpServers": {"a": {"command": "two"}, "b": {"command": "one"}}},
    }
    own = {"mine": ServerSetting(command="my-own")}
    made = configured(FoundServers(own, found(files)), ServedFolder(FOLDER, Variables({}, set())))
    assert [(one.name, one.origin, one.problem) for one in made] == [
        ("mine", "your config file", ""),
        ("a", ".mcp.json", ""),
        ("mine", ".mcp.json", "the server of this name in your config file counts"),
        ("a", ".cursor/mcp.json", "the server of this name in .mcp.json counts"),
        ("b", ".cursor/mcp.json", "it is the same as a in .mcp.json"),
    ]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("${NOT_SET}", "NOT_SET is not set"),
        ("${EMPTY}", "EMPTY is not set"),
        ("${MODEL_KEY}", "MODEL_KEY is the key of a model"),
    ],
)
def test_server_that_names_what_it_cannot_get_is_not_started(value: str, problem: str) -> None:
    one = servers({".mcp.json": {"mcpServers": {"a": {"command": "c", "env": {"K": value}}}}})["a"]
    assert problem in one.problem
    assert one.definition is None


@pytest.mark.parametrize(
    ("server", "tool", "taken", "expected"),
    [
        ("github", "get_issue", (), "mcp__github__get_issue"),
        ("my server", "do.it/now", (), "mcp__my_server__do_it_now"),
        ("a__b", "c__d", (), "mcp__a_b__c__d"),
        ("a", "x", ("mcp__a__x",), "mcp__a__x_"),
        ("a", "x" * 90, (), "mcp__a__" + "x" * 49 + "_"),
    ],
)
def test_name_of_a_tool_fits_every_provider(
    server: str, tool: str, taken: tuple[str, ...], expected: str
) -> None:
    name = tool_name(server, tool, taken)
    assert name == expected if name in expected else name.startswith(expected)
    assert len(name) <= 64
    assert name not in taken


@pytest.mark.parametrize(
    ("file", "entry", "expected"),
    [
        (".mcp.json", {"command": ["npx", "-y", "x"]}, {"argv": ["npx", "-y", "x"]}),
        (".mcp.json", {"command": "x", "args": ["-p", 80], "env": None}, {"argv": ["x", "-p", "80"]}),
        (".mcp.json", {"command": "x", "timeout": 0, "type": None}, {"argv": ["x"]}),
        (".mcp.json", {"command": "x", "env": {"A": True, "B": None}}, {"argv": ["x"], "env": {"A": "true"}}),
        (".mcp.json", {"command": "${CLAUDE_PROJECT_DIR:-.}/x"}, {"argv": [f"{FOLDER}/x"]}),
        (".mcp.json", {"serverUrl": "https://x.example"}, {"url": "https://x.example"}),
        (
            ".mcp.json",
            {"transport": {"type": "http", "url": "https://x.example"}},
            {"url": "https://x.example"},
        ),
        (
            ".vscode/mcp.json",
            {"command": "x", "args": ["${workspaceFolderBasename}"]},
            {"argv": ["x", "project"]},
        ),
        (
            ".gemini/settings.json",
            {"command": "x", "env": {"A": "$TOKEN"}},
            {"argv": ["x"], "env": {"A": "t-1"}},
        ),
        (
            "opencode.json",
            {"type": "local", "command": ["x", "y"], "environment": {"A": "{env:TOKEN}"}, "timeout": 5000},
            {"argv": ["x", "y"], "env": {"A": "t-1"}},
        ),
        ("opencode.jsonc", {"type": "remote", "url": "https://x.example"}, {"url": "https://x.example"}),
        (".roo/mcp.json", {"command": "x", "alwaysAllow": ["y"], "timeout": 60}, {"argv": ["x"]}),
    ],
)
def test_server_is_read_in_the_shapes_that_people_write(
    file: str, entry: dict[str, Any], expected: dict[str, Any]
) -> None:
    member = {".vscode/mcp.json": "servers", "opencode.json": "mcp", "opencode.jsonc": "mcp"}.get(
        file, "mcpServers"
    )
    one = servers({file: {member: {"_remark": "for people", "a": entry}}})["a"]
    assert (started(one), one.problem) == (expected, "")


@pytest.mark.parametrize(
    ("file", "entry", "problem"),
    [
        (".mcp.json", {"type": "http", "url": "https://x.example", "headersHelper": "x"}, "write headers"),
        (".mcp.json", {"command": "x", "args": "-y z"}, "its args are no list"),
        (".vscode/mcp.json", {"command": "${command:a.b}"}, "only the editor knows ${command:a.b}"),
        ("opencode.json", {"type": "local", "command": ["x", "{file:./key}"]}, "write {env:VAR}"),
    ],
)
def test_server_that_cannot_be_read_says_what_to_write(file: str, entry: object, problem: str) -> None:
    member = {".vscode/mcp.json": "servers", "opencode.json": "mcp"}.get(file, "mcpServers")
    (broken,) = found({file: {member: {"a": entry}}}).broken
    assert problem in broken.problem


def test_address_of_gemini_with_a_type_is_what_that_says() -> None:
    entry = {"type": "http", "url": "https://x.example"}
    one = servers({".gemini/settings.json": {"mcpServers": {"a": entry}}})["a"]
    assert one.definition
    assert one.definition.transport == "http"
