"""What is known of servers that do not run: their tools as they were accepted, kept with a mark."""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from agls.config import Seal
from agls.config.private import replace_file
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.mcp_ports import (
    Discovery,
    LoginSettings,
    McpArgument,
    McpPrompt,
    McpResource,
    McpTool,
    ServerDefinition,
)

KIND = "mcp server"
FOLDER = "mcp"
COUNTS = 86_400.0  # seconds for which a list counts where the server does not say that


@frozen
class Pinned:
    """What a server offered last, and all of its tools that were ever accepted, by name.

    What it offered counts `until` a time; `noise` is what it wrote to its output that is no message.
    """

    discovery: Discovery
    accepted: Mapping[str, McpTool]
    until: float = 0.0
    noise: str = ""


class Pins:
    """Keeps them, a file for each server, in the state folder (`None`: in memory alone).

    What agls did not write itself counts for nothing.
    """

    def __init__(self, state_folder: Path | None, seal: Seal) -> None:
        self._folder = state_folder / FOLDER if state_folder else None
        self._seal = seal
        self._known: dict[str, Pinned | None] = {}

    def of(self, key: str) -> Pinned | None:
        """**Returns** what is known of the server with this `key_of` its definition."""
        if key not in self._known:
            self._known[key] = self._read(key)
        return self._known[key]

    def left_out(self) -> Mapping[str, Sequence[str]]:
        """**Returns** what is not used of each server, by name, as it was when it was asked last."""
        return {
            str(content["server"]): tuple(map(str, content["discovery"].get("dropped", ())))
            for content in self._all()
        }

    def noises(self) -> Mapping[str, str]:
        """**Returns** what each server, by name, wrote to its output that is no message."""
        return {str(content["server"]): str(content.get("noise", "")) for content in self._all()}

    def _all(self) -> Sequence[JsonObject]:
        files = sorted(self._folder.glob("*.json")) if self._folder else []
        held = (self._held(file.stem) for file in files)
        return [content for content in held if content and "discovery" in content]

    def keep(self, key: str, name: str, pinned: Pinned) -> None:
        """Remember it of the server of this name. What cannot be written holds for this process."""
        if self._known.get(key) == pinned:
            return
        self._known[key] = pinned
        if self._folder:
            content: JsonObject = {
                "server": name,
                "discovery": asdict(pinned.discovery),
                "accepted": {name: asdict(tool) for name, tool in pinned.accepted.items()},
                "until": pinned.until,
                "noise": pinned.noise,
            }
            with suppress(OSError):
                replace_file(
                    self._file(self._folder, key), {"content": content, "seal": self._sign(key, content)}
                )

    def _read(self, key: str) -> Pinned | None:
        try:
            if not (content := self._held(key)):
                return None
            discovery = _discovery_of(content["discovery"])
            accepted = {name: McpTool(**tool) for name, tool in content["accepted"].items()}
            until, noise = float(content.get("until", 0)), str(content.get("noise", ""))
        except (KeyError, TypeError, AttributeError):
            return None
        return Pinned(discovery, accepted, until, noise)

    def _held(self, key: str) -> JsonObject:
        """**Returns** the content of a file that agls wrote itself; else nothing."""
        if not self._folder:
            return {}
        try:
            held: dict[str, Any] = json.loads(self._file(self._folder, key).read_text("utf-8"))
            content = held["content"]
            return content if self._seal.proves(KIND, [key, content], held.get("seal")) else {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def _sign(self, key: str, content: JsonObject) -> str:
        return self._seal.sign(KIND, [key, content])

    @staticmethod
    def _file(folder: Path, key: str) -> Path:
        return folder / f"{key}.json"


def _discovery_of(said: JsonObject) -> Discovery:
    """**Returns** what a file says; earlier ones know neither resources nor prompts."""
    tools, changed = (tuple(McpTool(**tool) for tool in said[name]) for name in ("tools", "changed"))
    return Discovery(
        tools=tools,
        changed=changed,
        resources=tuple(McpResource(**one) for one in said.get("resources", ())),
        has_resources=said.get("has_resources", False),
        prompts=tuple(map(_prompt_of, said.get("prompts", ()))),
        dropped=tuple(said["dropped"]),
        instructions=said["instructions"],
        era=said["era"],
    )


def _prompt_of(said: JsonObject) -> McpPrompt:
    arguments = tuple(McpArgument(**one) for one in said["arguments"])
    return McpPrompt(said["name"], said["title"], said["description"], arguments)


def key_of(definition: ServerDefinition) -> str:
    """**Returns** the digest of what makes a server: one of the user is the same in all folders."""
    said = asdict(definition)
    for unimportant in ("folder", "startup", "idle", "longest", "roots", "holder"):
        del said[unimportant]
    if definition.login == LoginSettings():  # earlier versions knew none
        del said["login"]
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]


def counted_from_now(known: Pinned | None, lasts: float, noise: str) -> Pinned:
    """**Returns** what is known with how long the next list counts, where the server says that."""
    until = time.time() + (lasts or COUNTS)
    return replace(known or Pinned(Discovery(), {}), until=until, noise=noise)


def is_over(known: Pinned | None) -> bool:
    """**Returns** whether something is known that counts no longer."""
    return known is not None and known.until < time.time()


def sorted_out(listed: Discovery, known: Pinned) -> Pinned:
    """**Returns** what was listed: a tool that is new is accepted, one that changed is not."""
    accepted = known.accepted
    listed_tools = (*listed.tools, *listed.changed)
    fine = tuple(tool for tool in listed_tools if accepted.get(tool.name, tool) == tool)
    changed = tuple(tool for tool in listed_tools if accepted.get(tool.name, tool) != tool)
    discovery = replace(listed, tools=fine, changed=changed)
    return replace(known, discovery=discovery, accepted={**accepted, **{tool.name: tool for tool in fine}})
