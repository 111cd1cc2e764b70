"""The configuration section `code_intelligence`."""

from typing import Any, Literal

from pydantic import Field

from agls.engine.vocabulary import JsonObject
from agls.room import Table


def _no_object() -> dict[str, Any]:
    return {}


class Language(Table):
    """The language server of one language."""

    command: tuple[str, ...] = Field(
        default=(),
        description="the program and its arguments; empty: the usual ones, the first that is there",
    )
    suffixes: tuple[str, ...] = Field(
        default=(),
        description='the ends of the names of its files, such as [".zig"], for a language not known',
    )
    settings: JsonObject = Field(
        default_factory=_no_object, description="answers its questions for the configuration"
    )
    options: JsonObject = Field(default_factory=_no_object, description="its initializationOptions")
    enabled: bool = Field(default=True, description="whether a server may be started")


def _no_languages() -> dict[str, Language]:
    return {}


class Settings(Table):
    """Who answers questions about code besides the editor, and for how long it is waited."""

    enabled: bool = Field(default=True, description="offer the tools")
    start_servers: bool = Field(
        default=True,
        description="start language servers that are installed, in folders that you trust, "
        "when the editor has none",
    )
    languages: dict[str, Language] = Field(
        default_factory=_no_languages, description="language servers by the name of the language"
    )
    timeout_s: float = Field(default=30, gt=0, description="seconds one question may take")
    idle_s: float = Field(default=600, gt=0, description="seconds after which an unused server is ended")
    diagnostics_after_edits: Literal["running", "start", "never"] = Field(
        default="running",
        description="show the model which errors and warnings an edit caused: `running`, where the editor or "
        "a running server reports them; `start`, also where a server has to be started for it; or `never`",
    )
    diagnostics_wait_s: float = Field(
        default=2, gt=0, description="seconds an edit waits for its diagnostics at most"
    )
    most_diagnostics: int = Field(
        default=10, ge=1, description="new diagnostics shown after an edit, at most"
    )
    line_characters: int = Field(default=200, ge=40, description="characters shown of one long line")
