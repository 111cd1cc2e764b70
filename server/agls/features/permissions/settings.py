"""The `[permissions]` section of the configuration. Project files may only add to `ask` and `deny`."""

from pydantic import Field, field_validator

from agls.features.permissions.rules import check_kept, parse_rule
from agls.modes import Mode, complaint, is_mode
from agls.room import Table


class Settings(Table):
    """The mode a session starts in and the rules that hold in every mode. Deny beats ask beats allow."""

    mode: Mode = "ask"
    allow: list[str] = Field(default_factory=list)
    ask: list[str] = Field(default_factory=list)
    deny: list[str] = Field(default_factory=list)

    @field_validator("mode", mode="before")
    @classmethod
    def _known_mode(cls, value: object) -> object:
        if not is_mode(value):
            raise ValueError(complaint(value))
        return value

    @field_validator("allow")
    @classmethod
    def _safe_to_allow(cls, rules: list[str]) -> list[str]:
        for rule in rules:
            check_kept(parse_rule(rule, widens=True))
        return rules

    @field_validator("ask", "deny")
    @classmethod
    def _readable(cls, rules: list[str]) -> list[str]:
        for rule in rules:
            check_kept(parse_rule(rule))
        return rules
