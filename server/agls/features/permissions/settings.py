"""The `[permissions]` section of the configuration. Project files may only add to `ask` and `deny`."""

from typing import Literal

from pydantic import Field, field_validator

from agls.engine.ports import Effect
from agls.features.permissions.rules import ResolvedTarget, denied, denied_places, parse_rule, restricts
from agls.modes import Mode, complaint, is_mode
from agls.room import Table


class OfAgent(Table):
    """What the definition of an agent may say of permissions.

    It may only read, or nobody is asked for it (`asks = false`).
    """

    read_only: Literal[True] = True
    asks: bool = True


class Settings(Table):
    """The mode a session starts in and the rules that hold in every mode. Deny beats ask beats allow.

    When a command changed files that programs run or obey, nothing is approved automatically for the rest of
    the run until the user looked (`after_command = "ask"`), or it is only shown (`"report"`). With
    `read_only` runs may only read, in every mode. Without `asks` nobody is asked: what needs a question is
    refused.
    """

    mode: Mode = "ask"
    after_command: Literal["ask", "report"] = "ask"
    allow: list[str] = Field(default=[])
    ask: list[str] = Field(default=[])
    deny: list[str] = Field(default=[])
    read_only: bool = False
    asks: bool = True

    def hidden(self) -> tuple[str, ...]:
        """**Returns** the files that the rules deny to read, as `rules.denied` does."""
        return denied(self.deny)

    def locked(self) -> tuple[str, ...]:
        """**Returns** the files that the rules deny to change, in the same way."""
        return denied(self.deny, "edit")

    def outside(self) -> tuple[str, ...]:
        """**Returns** the absolute paths that the rules deny to read, with wildcards."""
        return denied_places(self.deny)

    def denial_of(self, tool: str) -> str:
        """**Returns** which rule denies the tool of a server by its name, "" when none does."""
        target = ResolvedTarget(tool, Effect.EXECUTES)
        rules = (rule for rule in map(parse_rule, self.deny) if restricts(rule, target, ()) == "yes")
        return next((f"The rule deny {rule.text} forbids it." for rule in rules), "")

    def closed_hosts(self) -> tuple[str, ...]:
        """**Returns** the hosts that the rules deny to commands; `*` is every one."""
        rules = map(parse_rule, self.deny)
        return tuple(rule.pattern.casefold() or "*" for rule in rules if rule.name == "network")

    @field_validator("mode", mode="before")
    @classmethod
    def _known_mode(cls, value: object) -> object:
        if not is_mode(value):
            raise ValueError(complaint(value))
        return value

    @field_validator("allow")
    @classmethod
    def _safe_to_allow(cls, rules: list[str]) -> list[str]:
        return _all_parsed(rules, widens=True)

    @field_validator("ask", "deny")
    @classmethod
    def _readable(cls, rules: list[str]) -> list[str]:
        return _all_parsed(rules)


def _all_parsed(rules: list[str], *, widens: bool = False) -> list[str]:
    """**Returns** these rules. **Raises** `ValueError`, a line for each that cannot be used."""
    problems = [problem for rule in rules if (problem := _problem(rule, widens=widens))]
    if problems:
        raise ValueError("\n".join(problems))
    return rules


def _problem(rule: str, *, widens: bool) -> str:
    try:
        parse_rule(rule, widens=widens)
    except ValueError as problem:
        return str(problem)
    return ""
