"""The `[mcp]` section of the configuration. Project files cannot set it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from agls.engine.vocabulary import JsonObject
from agls.room import Table
from agls.room.mcp_ports import GivenServer, Transport

if TYPE_CHECKING:
    from agls.instruction_files.folder_texts import FolderTexts

PROJECT_FILES = (
    ".mcp.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    ".roo/mcp.json",
    ".factory/mcp.json",
    ".junie/mcp/mcp.json",
    ".kilocode/mcp.json",
    ".kiro/settings/mcp.json",
    ".qwen/settings.json",
    ".claw-mcp.json",
    ".codex-mcp.json",
    "mcp.json",
)
ServerName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$")]


class OAuthSetting(Table):
    """How agls logs in at an address, where the server does not say that itself.

    `client_id` and `client_secret` are of a client that somebody registered by hand, `client_document` is the
    address of a page that describes one. A login comes back to `port` (0: one that is free), with `scope` for
    what is asked, in place of what the server suggests.
    """

    client_id: str = ""
    client_secret: str = ""
    client_document: str = Field(default="", pattern=r"^(https://.+/.+)?$")
    scope: str = ""
    port: int = Field(default=0, ge=0, le=65_535)


class ServerSetting(Table):
    """An MCP server: the program (`command`) or the address (`url`) that it is.

    An address is spoken to by streamable HTTP, or by its predecessor with `type = "sse"`; `headers` go
    with each request, and without a key in them agls logs in (`oauth`) where that is wanted. `${VAR}` and
    `${VAR:-default}` in `command`, `args`, `env`, `cwd`, `url`, `headers` and the client of `oauth` are
    variables of the environment that agls was started with. A program gets the usual variables (`PATH`,
    `HOME`, …) and those of `env`, no others; `cwd` is seen from the folder of the session. It gets
    `startup_timeout` seconds to begin. A call ends after `timeout` seconds without an answer or a sign of
    progress, and after `longest` seconds. With `enabled_tools` only those are offered, those of
    `disabled_tools` never are. The tools of one with `always_load` never wait to be searched for. With
    `sampling = "ask"` it may ask for answers of your model, and you are asked about each of them.
    """

    type: Literal["stdio", "http", "sse", ""] = ""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = Field(default_factory=dict[str, str])
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = Field(default_factory=dict[str, str])
    oauth: OAuthSetting = OAuthSetting()
    enabled: bool = True
    startup_timeout: float = Field(default=30.0, gt=0, le=600)
    timeout: float = Field(default=300.0, gt=0, le=86_400)
    longest: float = Field(default=3_600.0, gt=0, le=86_400)
    enabled_tools: tuple[str, ...] = ()
    disabled_tools: tuple[str, ...] = ()
    always_load: bool = False
    sampling: Literal["off", "ask"] = "off"

    @model_validator(mode="after")
    def _can_be_reached(self) -> "ServerSetting":
        if bool(self.command) == bool(self.url):
            raise ValueError("a server has a command or a url: one of the two")
        if self.type and (self.type == "stdio") != bool(self.command):
            raise ValueError(f"a server of the type {self.type} has a {'command' if self.url else 'url'}")
        if self.url and not self.url.startswith(("http://", "https://", "${")):
            raise ValueError("the url of a server begins with http:// or https://")
        return self

    def wants(self, tool: str) -> bool:
        """**Returns** whether a tool of the server is offered."""
        return tool not in self.disabled_tools and (not self.enabled_tools or tool in self.enabled_tools)

    @property
    def transport(self) -> Transport:
        """How it is spoken to."""
        return self.type or ("http" if self.url else "stdio")


class Settings(Table):
    """MCP servers, whose tools the model may use (docs/mcp.md).

    `other_tools` is whether a trusted folder may offer servers in the files of other editors and agents,
    besides `.mcp.json`.
    """

    enabled: bool = True
    other_tools: bool = True
    servers: Mapping[ServerName, ServerSetting] = Field(default_factory=dict[str, ServerSetting])

    def read_given(self, servers: Sequence[JsonObject]) -> Sequence[GivenServer]:
        """**Returns** each server that a client brings, or what is wrong with it."""
        from agls.features.mcp.entries import of_client, setting_of  # noqa: PLC0415 - few clients bring any

        read: list[GivenServer] = []
        for entry in servers:
            name = str(entry.get("name") or "")
            setting = setting_of(entry, of_client, "", "") if name else "it has no name"
            if not self.enabled:
                setting = "MCP is switched off in the config file"
            if isinstance(setting, str):
                read.append(GivenServer(name, {}, setting))
            else:
                read.append(GivenServer(name, setting.model_dump(exclude_unset=True)))
        return read

    def missing(
        self, folder: str, environment: Mapping[str, str], keys: Collection[str]
    ) -> Mapping[str, str]:
        """**Returns** what is missing for each of these servers to start in a folder, "" for nothing."""
        if not self.enabled:
            return {}
        from agls.features.mcp.missing import missing_for  # noqa: PLC0415 - only the doctor asks
        from agls.features.mcp.variables import Variables  # noqa: PLC0415 - as above

        return missing_for(self.servers, folder, environment, Variables(environment, keys))

    def unanswered(
        self,
        texts: "FolderTexts",
        environment: Mapping[str, str],
        given: Callable[[str], Mapping[str, str]],
    ) -> Mapping[str, Sequence[str]]:
        """**Returns** which inputs each server of a folder's files lacks, and how they are given."""
        from agls.features.mcp.missing import unanswered  # noqa: PLC0415 - only the doctor asks

        return unanswered(self, texts, environment, given)
