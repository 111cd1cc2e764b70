"""The script of a scripted model, as a TOML or JSON file.

    [[prompts]]                       # in the order of the user's messages …
    match = "add a test"              # … or for the messages that contain this
    [[prompts.turns]]                 # what the model answers, one turn per request
    thinking = "First I look."
    text = "I read the file."
    calls = [{ name = "read_file", arguments = { path = "a.py" } }]
    [[prompts.turns]]
    text = "Done."

A prompt is chosen by `match` (part of the message), `pattern` (a regular expression), or `system`
(part of the system prompt); without any it takes its turn in order. One with `rejected = true` goes on with
any message after a call that was rejected. `repeat = true` plays the last turn again when there is none left.

A turn has `text` (a string, or a list of the pieces to send), `thinking`, `calls` (with `raw` in
place of `arguments` for a text that is no JSON), `finish` (stop, tool_calls, length, refusal,
content_filter) and `usage` (`input`, `output`, `reasoning`, `cached`; estimated when absent). Its faults
are `error` (`kind`, `message`, `hint`; `times` and `wait`: it passes after so many tries, `wait`
seconds apart), `overflow` (`above`: while the request has more messages than this; `limit`, `used`),
`cut` (breaks off after the text) and `hang` (says nothing more after the text). `wait` is the time
before the first word, `delay` between two pieces of `chunk` characters; both can be set for all turns at
the top of the file.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from agls.engine.ports import ModelError
from agls.engine.vocabulary import ErrorKind, Finish

Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScriptedCall(_Strict):
    """A tool call; `raw` is sent as its arguments, whether or not it is JSON."""

    name: str
    arguments: dict[str, Any] = {}
    raw: str = ""


class ScriptedUsage(_Strict):
    """Token counts; a missing one is unknown."""

    input: Count | None = None
    output: Count | None = None
    reasoning: Count | None = None
    cached: Count | None = None


class ScriptedError(_Strict):
    """A failed call; it succeeds after `times` tries, never when that is 0."""

    kind: ErrorKind
    message: str = "as the script says"
    hint: str = ""
    times: Count = 0
    wait: Seconds = 0.0


class ScriptedOverflow(_Strict):
    """A request that does not fit while it has more than `above` messages."""

    above: Count = 0
    limit: Count | None = None
    used: Count | None = None


class ScriptedTurn(_Strict):
    """One answer of the model."""

    text: str | list[str] = ""
    thinking: str = ""
    calls: list[ScriptedCall] = []
    finish: Finish | None = None
    usage: ScriptedUsage | None = None
    error: ScriptedError | None = None
    overflow: ScriptedOverflow | None = None
    cut: bool = False
    hang: bool = False
    wait: Seconds | None = None
    delay: Seconds | None = None
    chunk: Annotated[int, Field(ge=1)] | None = None


class ScriptedPrompt(_Strict):
    """The answers to one message of the user."""

    match: str | None = None
    pattern: str | None = None
    system: str | None = None
    rejected: bool = False
    repeat: bool = False
    turns: list[ScriptedTurn] = Field(min_length=1)

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise ValueError(f"no regular expression: {error}") from None
        return pattern

    @property
    def in_order(self) -> bool:
        """Whether it is chosen by its place in the order."""
        return not self.rejected and self.match is None and self.pattern is None and self.system is None

    def fits(self, message: str, system: str) -> bool:
        """Return whether its words are in the message."""
        return (
            (self.match is not None and self.match in message)
            or (self.pattern is not None and re.search(self.pattern, message) is not None)
            or (self.system is not None and self.system in system)
        )


class Script(_Strict):
    """A whole script."""

    prompts: list[ScriptedPrompt] = Field(min_length=1)
    wait: Seconds = 0.0
    delay: Seconds = 0.0
    chunk: Annotated[int, Field(ge=1)] = 16

    @classmethod
    def load(cls, path: str) -> Self:
        """Read a script. Raises `ModelError` (`badRequest`) naming the file and the key."""
        try:
            text = Path(path).read_text(encoding="utf-8")
            data = tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
            return cls.model_validate(data)
        except OSError as error:
            problem = error.strerror or "it cannot be read"
        except ValidationError as error:
            problem = "; ".join(f"{_key(part['loc'])}: {part['msg']}" for part in error.errors()[:3])
        except ValueError as error:  # TOML, JSON and UTF-8 errors
            problem = str(error)
        raise ModelError(f"The script {path} cannot be played: {problem}.", kind="badRequest")


def _key(location: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
