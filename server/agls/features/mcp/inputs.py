"""What files of editors ask of their user (`inputs`), for the servers that name it as `${input:ID}`."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from agls.engine.vocabulary import JsonObject
from agls.features.mcp.entries import with_texts
from agls.frozen import frozen
from agls.json_values import is_object, list_in, objects_in
from agls.regex import regex

if TYPE_CHECKING:
    from agls.features.mcp.settings import ServerSetting

VARIABLE = "AGLS_INPUT_{}"  # its value counts before what the user gave
HOW = "/mcp.input {0} (at a terminal: agls mcp input {0}), or the variable {1}"  # to give it
COMMAND = "what the command {} of its editor gives"
_INPUT = regex(r"\$\{input:[^}]*\}")


@frozen
class ServerInput:
    """An input of a file: its name in the file, and the folder that it is for.

    `variable` stands for it in the settings of servers. One with `options` (value and label of each) is one
    of these. The value of one that `is_secret` is shown nowhere. `default` counts where nobody is asked.
    """

    name: str
    folder: str
    file: str
    variable: str
    description: str = ""
    is_secret: bool = False
    default: str = ""
    options: Sequence[tuple[str, str]] = ()

    @property
    def how(self) -> str:
        """How it is given."""
        return HOW.format(self.name, self.variable)

    @property
    def problem(self) -> str:
        """What is said where it has no value."""
        about = f" ({self.description})" if self.description else ""
        return f"nobody gave the input {self.name}{about}: {self.how}"

    @property
    def schema(self) -> JsonObject:
        """The form that asks for it, as a JSON Schema."""
        field: JsonObject = {"type": "string", "title": self.description or self.name}
        if self.default:
            field["default"] = self.default
        if self.options:
            field["oneOf"] = [{"const": value, "title": label} for value, label in self.options]
        return {"type": "object", "properties": {self.name: field}, "required": [self.name]}


def inputs_in(said: object, folder: str, file: str) -> Sequence[ServerInput]:
    """**Returns** the inputs of a file; of those with one name the first counts."""
    found: dict[str, ServerInput] = {}
    variables: set[str] = set()
    for each in objects_in(said):
        name = each.get("id")
        if not isinstance(name, str) or not name or name in found:
            continue
        variable = VARIABLE.format(re.sub(r"\W", "_", name, flags=re.ASCII).upper())
        while variable in variables:  # of another with nearly the same name
            variable += "_"
        variables.add(variable)
        found[name] = _input(each, name, ServerInput(name, folder, file, variable))
    return tuple(found.values())


def _input(said: JsonObject, name: str, plain: ServerInput) -> ServerInput:
    is_secret, default = said.get("password") is True, said.get("default")
    about, command = said.get("description"), said.get("command")
    if said.get("type") == "command" and isinstance(command, str):
        about = about or COMMAND.format(command)
    return ServerInput(
        name,
        plain.folder,
        plain.file,
        plain.variable,
        about if isinstance(about, str) else "",
        is_secret,
        default if isinstance(default, str) and not is_secret else "",
        tuple(_options(said.get("options"))),
    )


def _options(said: object) -> Iterator[tuple[str, str]]:
    for each in list_in(said):
        if isinstance(each, str):
            yield each, each
        elif is_object(each) and isinstance(value := each.get("value", each.get("label")), str):
            yield value, str(each.get("label") or value)


def with_inputs(servers: object, inputs: Sequence[ServerInput]) -> object:
    """**Returns** the servers of a file with a variable where they name one of its inputs."""
    names = {f"${{input:{each.name}}}": f"${{{each.variable}{_instead(each)}}}" for each in inputs}
    if not names:
        return servers
    return with_texts(servers, lambda text: _INPUT.sub(lambda found: names.get(found[0], found[0]), text))


def _instead(each: ServerInput) -> str:
    return f":-{each.default}" if each.default and "}" not in each.default else ""


def named_by(setting: "ServerSetting", inputs: Sequence[ServerInput]) -> Sequence[ServerInput]:
    """**Returns** the inputs that a server needs."""
    text = json.dumps(setting.model_dump(mode="json"), ensure_ascii=False)
    return [each for each in inputs if re.search(rf"\$\{{{each.variable}(?::-|\}})", text)]
