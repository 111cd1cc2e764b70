"""The fields of a form, as a terminal puts them to its user."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen

LEAVE = "Ctrl-D leaves the question unanswered."
YES, NO = frozenset({"y", "yes", "true"}), frozenset({"n", "no", "false"})


class Unfit(Exception):
    """The typed line is no answer; the message says what is."""


@frozen
class Field:
    """One field: its name and schema. `own` is the field for words of one's own, where choices have one."""

    name: str
    schema: JsonObject
    required: bool
    own: str = ""

    @property
    def values(self) -> Sequence[Any]:
        """The answers to choose from."""
        return self.schema.get("enum") or self.schema.get("items", {}).get("enum") or ()

    @property
    def is_secret(self) -> bool:
        """Whether nobody may see what is typed."""
        return self.schema.get("format") == "password"

    @property
    def choices(self) -> str:
        """The numbered lines with the answers to choose from."""
        return "".join(f"  {number}. {value}\n" for number, value in enumerate(self.values, 1))

    @property
    def prompt(self) -> str:
        """The text in front of the place where the user types."""
        if self.values:
            several = "s, with commas between them" if self.schema.get("type") == "array" else ""
            return f"Number{several}{', or your own words' if self.own else ''}: "
        hint = " [y/n]" if self.schema.get("type") == "boolean" else ""
        return f"{self.schema.get('title') or self.schema.get('description') or self.name}{hint}: "

    def read(self, line: str) -> JsonObject:
        """Return the value of the line, by the name of the field it belongs to. **Raises** `Unfit`."""
        if not line and self.required:
            raise Unfit(f"An answer is needed. {LEAVE}")
        if not line:
            return {}
        several = self.schema.get("type") == "array"
        parts = [part.strip() for part in line.split(",") if part.strip()] if several else [line]
        if not self.values:
            return {self.name: parts if several else _typed(line, self.schema)}
        try:
            chosen = list(dict.fromkeys(map(self._chosen, parts)))
        except Unfit:
            if self.own and not any(part.isdecimal() for part in parts):
                return {self.own: line}
            raise
        return {self.name: chosen if several else chosen[0]}

    def _chosen(self, word: str) -> Any:
        if word.isdecimal() and 1 <= int(word) <= len(self.values):
            return self.values[int(word) - 1]
        for value in self.values:
            if str(value).casefold() == word.casefold():
                return value
        raise Unfit(f"Type a number from 1 to {len(self.values)}{', or your own words' if self.own else ''}.")


def fields_of(schema: JsonObject, *, needed: bool) -> Iterator[Field]:
    """Yield the fields to ask for. Choices with a free text behind them are one, which may be `needed`."""
    properties: Mapping[str, JsonObject] = schema.get("properties", {})
    required = schema.get("required", ())
    match [*properties.items()]:
        case [
            ("choice" as name, {"enum": _} | {"items": {"enum": _}} as choices),
            ("answer" as own, {"type": "string"}),
        ]:
            yield Field(name, choices, required=needed, own=own)
        case fields:
            yield from (Field(name, field, required=name in required) for name, field in fields)


def _typed(line: str, field: JsonObject) -> object:
    """Return a line as the value that a field wants. **Raises** `Unfit`."""
    match field.get("type"):
        case "boolean":
            if line.lower() not in YES | NO:
                raise Unfit("Type y or n.")
            return line.lower() in YES
        case "integer":
            if not line.removeprefix("-").isdecimal():
                raise Unfit("Type a whole number.")
            return int(line)
        case "number":
            try:
                return float(line)
            except ValueError:
                raise Unfit("Type a number.") from None
        case _:
            return line
