"""The `[policy]` section of the configuration, and the manifest, which is the same in files of a folder."""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agls.engine.ports import Effect
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import Table

PROJECT_FILES = (".agls-policy.json", ".claw-policy.json", ".codex-policy.json", ".claw-hooks.json")
LONGEST = 4_000  # characters of a text
Texts = tuple[str, ...]


class ManifestTable(Table):
    """A part of a manifest: its keys are written in either way, `denyTools` or `deny_tools`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class Guidance(ManifestTable):
    """Texts for the model: before each prompt, in the description of a tool, behind its results.

    `after_turn` is for the user, at the end of each run. The tool `*` is every tool.
    """

    before_prompt: Texts = ()
    after_turn: Texts = ()
    before_tool: Mapping[str, Texts] = Field(default_factory=dict[str, Texts])
    after_tool: Mapping[str, Texts] = Field(default_factory=dict[str, Texts])


class MostSpent(ManifestTable):
    """The most that a run may spend, as in `[budget]`."""

    max_turns: int | None = Field(default=None, ge=0)
    max_model_calls: int | None = Field(default=None, ge=0)
    max_tool_calls: int | None = Field(default=None, ge=0)
    max_total_tokens: int | None = Field(default=None, ge=0)
    max_input_tokens: int | None = Field(default=None, ge=0)
    max_output_tokens: int | None = Field(default=None, ge=0)
    max_reasoning_tokens: int | None = Field(default=None, ge=0)
    max_cost_usd: float | None = Field(default=None, ge=0)
    max_delegated_tasks: int | None = Field(default=None, ge=0)
    max_session_turns: int | None = Field(default=None, ge=0)


class Manifest(ManifestTable):
    """A policy. `trusted` is read and never followed: no file makes a folder trusted."""

    trusted: bool = False
    deny_tools: Texts = ()
    deny_tool_prefixes: Texts = ()
    managed_settings: Mapping[str, Any] = Field(default_factory=dict[str, Any])
    safe_env: Texts = ()
    hooks: Guidance = Guidance.model_construct()
    budget: MostSpent = MostSpent.model_construct()


class Settings(Table):
    """What is forbidden and limited, and what the model reads of it. `managed` is the administrator's."""

    managed: Manifest = Manifest.model_construct()
    own: Manifest = Manifest.model_construct()
    enabled: bool = True

    def denial(self, texts: FolderTexts, tool: str, effects: frozenset[Effect]) -> str:
        """**Returns** why a tool may not run here, "" when it may."""
        from agls.features.policy.manifests import policies  # noqa: PLC0415 - it needs these settings

        return policies(self, texts).denial(tool, effects)
