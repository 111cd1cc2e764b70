"""Commands as people type them: `/name words`, understood by the schema of the action that they name."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agls.commands.values import CommandError, is_no_choice, kind_of, read_value
from agls.engine.actions import RAW, ActionSpec
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.regex import regex

# Other products have words before a command that say whom it is for: `@workspace /explain`.
FIRST = regex(r"\s*(?:@(?:workspace|codebase|vscode|terminal)[ \t]+)?(/\S+)\s*")
_SECOND = regex(r"(\w+)(?:\s+|$)")
_LIKE_A_NAME = regex(r"/([a-z][\w.:-]*)", re.IGNORECASE)
_NEAR = 0.7  # how alike two names are of which one may be meant for the other
UNKNOWN = "There is no command {}. {} To send it as a prompt, write /{}"
_WORD = regex(r"""(?:([\w.-]+)=)?(?:(["'])((?:(?!\2)[^\\]|\\.){0,10000})\2(?!\S)|\S*)""", re.DOTALL)
_BLANKS, _PLAIN = regex(r"\s*"), regex(r"\S*")
_ESCAPE = regex(r"""\\(["'\\])""")


@frozen
class TypedCommand:
    """A text that is a command: the action that it names, and the words behind the name, from `start` on."""

    spec: ActionSpec
    words: str
    start: int


@frozen
class Slot:
    """Where the cursor is in the words of a command, from `start` up to `end`, which are offsets into them.

    The text `typed` so far may become a value of `member` ("": of none), or a name of the `others`.
    """

    typed: str
    start: int
    end: int
    member: str = ""
    others: Sequence[str] = ()


def slash(spec: ActionSpec) -> str:
    """**Returns** how an action is written as a command."""
    return f"/{spec.name}"


def shorthand_in(text: str, specs: Sequence[ActionSpec]) -> TypedCommand | None:
    """**Returns** the command that a single line is by its beginning, as `# words`; `None` for a prompt."""
    line = text.strip()
    if "\n" in line:
        return None
    for spec in specs:
        begin, word = spec.shorthand
        if begin and line.startswith(begin) and (rest := line.removeprefix(begin).strip()):
            return TypedCommand(spec, f"{word} {rest}", text.index(rest))
    return None


def command_in(text: str, specs: Sequence[ActionSpec]) -> TypedCommand | None:
    """**Returns** the command that a text is, `None` for a prompt: its first word names no action.

    `/search use` is `/search.use`, where `/search` takes no words.
    """
    first = FIRST.match(text)
    if first is None:
        return None
    spec = named(first[1][1:], specs)
    second = _SECOND.match(text, first.end())
    if second and not (spec and _members(spec)):
        group = spec.name.partition(".")[0] if spec else first[1][1:]
        if inner := next((each for each in specs if each.name == f"{group}.{second[1]}"), None):
            return TypedCommand(inner, text[second.end() :], second.end())
    return TypedCommand(spec, text[first.end() :], first.end()) if spec else None


def named(name: str, specs: Sequence[ActionSpec]) -> ActionSpec | None:
    """**Returns** the action of this name, or else the first with this alias."""
    alike = (spec for spec in specs if name in {spec.name, *spec.aliases})
    return min(alike, key=lambda spec: spec.name != name, default=None)


def unknown_command(text: str, specs: Sequence[ActionSpec]) -> str:
    """**Returns** why a text names no command though it looks like one; "" for a prompt.

    It looks like one when it is a single word, or when its first word is nearly the name of a command.
    """
    first = FIRST.match(text)
    alike = _LIKE_A_NAME.fullmatch(first[1]) if first else None
    if first is None or alike is None or command_in(text, specs):
        return ""
    if not (near := near_names(alike[1], specs)) and text[first.end() :].strip():
        return ""
    meant = f"Did you mean {' or '.join(f'/{name}' for name in near)}?" if near else "/help lists them."
    return UNKNOWN.format(first[1][:100], meant, first[1][:100])


def near_names(name: str, specs: Sequence[ActionSpec]) -> Sequence[str]:
    """**Returns** at most three names of commands that are nearly this one, the nearest first."""
    from difflib import get_close_matches  # noqa: PLC0415 - most texts are no command that nobody knows

    known = [each for spec in specs for each in (spec.name, *spec.aliases)]
    ends = (each for each in known if each.endswith(f".{name.lower()}"))  # `/redo`: `/changes.redo`
    same = (each for each in known if each.lower() == name.lower())
    return [*dict.fromkeys((*same, *ends, *get_close_matches(name.lower(), known, 3, _NEAR)))][:3]


def unescaped(text: str, specs: Sequence[ActionSpec]) -> str:
    """**Returns** a text that begins with `//` and would be no prompt with one slash, with one slash."""
    begin = text.find("//")
    if begin < 0 or text[:begin].strip():
        return text
    once = text[begin + 1 :]
    is_escape = command_in(once, specs) or unknown_command(once, specs)
    return text[:begin] + once if is_escape else text


def usage(spec: ActionSpec) -> str:
    """**Returns** how a command is written, in a line."""
    required = _required(spec)
    shown = (_shown(name, member_schema(spec, name), is_required=name in required) for name in _order(spec))
    return " ".join((slash(spec), *shown))


def input_of(command: TypedCommand) -> JsonObject:
    """**Returns** the input that the words make. **Raises** `CommandError`."""
    if raw := raw_member(command.spec):
        return {raw: command.words.strip()} if command.words.strip() else {}
    members, filling = _members(command.spec), _Filling(command.spec)
    try:
        for word in _words(command.words, members):
            filling.take(word)
        if missing := filling.missing:
            raise CommandError(f"{missing[0]} is missing.")
        return {name: _value(name, members[name], words, command.words) for name, words in filling.taken()}
    except CommandError as problem:
        raise CommandError(f"{problem} Write: {usage(command.spec)}") from None


def slot_at(command: TypedCommand, cursor: int) -> Slot:
    """**Returns** what is being typed at this offset into the words."""
    members, filling = _members(command.spec), _Filling(command.spec)
    words = list(_words(command.words[:cursor], members))
    last = words.pop() if words and words[-1].end == cursor else _Word("", "", "", cursor, cursor)
    for word in words:
        try:
            filling.take(word)
        except CommandError:  # what stands there already may be wrong: that is said when it is sent
            break
    end = _end(_PLAIN, command.words, cursor)
    if last.member:
        return _within(members[last.member], Slot(last.raw, last.end - len(last.raw), end, last.member))
    slot = Slot(last.raw, last.start, end, filling.next, filling.empty)
    return _within(members.get(slot.member, {}), slot)


def values_of(schema: JsonObject) -> Sequence[str]:
    """**Returns** the values of a member as far as its schema says them."""
    items: JsonObject = schema.get("items", {})
    choices = schema.get("enum", items.get("enum", ()))
    return ("true", "false") if schema.get("type") == "boolean" else [str(choice) for choice in choices]


def member_schema(spec: ActionSpec, member: str) -> JsonObject:
    """**Returns** the schema of a member of the input, empty where there is no such member."""
    return _members(spec).get(member, {})


def quoted(value: str) -> str:
    """**Returns** a value as one word."""
    if value and not re.search(r"\s|^[\"']", value):
        return value
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


# --- words ---------------------------------------------------------------------------------------


class _Word(NamedTuple):
    """A word: of which member it is ("": none), how the value is written, what it is, and where it stands."""

    member: str
    raw: str
    value: str
    start: int
    end: int


def _words(text: str, members: Mapping[str, JsonObject]) -> Iterator[_Word]:
    at = _end(_BLANKS, text, 0)
    while at < len(text) and (found := _WORD.match(text, at)):
        member, quote, inner = found.groups()
        end = found.end()
        if member and member not in members:  # it is a word like another
            member, quote = "", None
            end = _end(_PLAIN, text, at)
        begin = at + len(f"{member}=") if member else at
        end = _object_end(text, begin) or end
        raw = text[begin:end]
        yield _Word(member or "", raw, _ESCAPE.sub(r"\1", inner) if quote else raw, at, end)
        at = _end(_BLANKS, text, end)


def _object_end(text: str, start: int) -> int:
    """**Returns** where a JSON object ends that stands here as a word, blanks in it and all; 0 for none."""
    if not text.startswith("{", start):
        return 0
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return 0
    return end if not text[end : end + 1].strip() else 0


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """**Returns** where the match of a pattern that fits anything ends."""
    found = pattern.match(text, start)
    return found.end() if found else start


class _Filling:
    """Which words fill which member."""

    def __init__(self, spec: ActionSpec) -> None:
        self._members, self._required = _members(spec), _required(spec)
        self._order = _order(spec)
        self._taken: dict[str, list[_Word]] = {}
        self._open = ""  # the member that takes all that comes

    @property
    def empty(self) -> Sequence[str]:
        """The members without a value."""
        return [name for name in self._order if name not in self._taken]

    @property
    def missing(self) -> Sequence[str]:
        """Those of them that must have one."""
        return [name for name in self.empty if name in self._required]

    @property
    def in_text(self) -> bool:
        """Whether the next word is one of a text that goes on."""
        return bool(self._open) and self._kind(self._open) == "text"

    @property
    def next(self) -> str:
        """The member that the next word is for; "" when it is for none, or in the midst of a text."""
        return "" if self.in_text else self._open or next(iter(self.empty), "")

    def taken(self) -> Iterator[tuple[str, Sequence[_Word]]]:
        """**Returns** the members with a value, and the words of it."""
        yield from self._taken.items()

    def take(self, word: _Word) -> None:
        """Find out what a word is for. **Raises** `CommandError`."""
        if word.member:
            if word.member in self._taken:
                raise CommandError(f"{word.member} is given twice.")
            self._taken[word.member] = [word]
            self._open = word.member if self._goes_on(word.member, word) else ""
        elif self._open:
            self._taken[self._open].append(word)
        elif word.raw in self.empty and self._kind(word.raw) == "boolean":
            self._taken[word.raw] = [word._replace(value="true")]
        else:
            self._fill_next(word)

    def _fill_next(self, word: _Word) -> None:
        if not self.empty:
            raise CommandError(f"{word.raw[:100]!r} is one word too many.")
        may_wait = len(self.empty) > 1 and not self.missing
        name = self.empty[may_wait and is_no_choice(self._members[self.empty[0]], word.raw)]
        self._taken[name] = [word]
        if self._goes_on(name, word) or (self._kind(name) == "text" and not self.missing):
            self._open = name

    def _goes_on(self, name: str, word: _Word) -> bool:
        """Whether a list goes on behind this word, or an object as NAME=VALUE."""
        kind = self._kind(name)
        return kind == "array" or (kind == "object" and not word.value.startswith("{"))

    def _kind(self, name: str) -> str:
        return kind_of(self._members[name])


def _within(schema: JsonObject, slot: Slot) -> Slot:
    """**Returns** the slot without the values of a list that stand before."""
    if kind_of(schema) != "array" or "," not in slot.typed:
        return slot
    typed = slot.typed.rpartition(",")[2]
    return Slot(typed, slot.start + len(slot.typed) - len(typed), slot.end, slot.member)


# --- values --------------------------------------------------------------------------------------


def _value(name: str, schema: JsonObject, words: Sequence[_Word], text: str) -> Any:
    """**Returns** the value that words have by the schema. **Raises** `CommandError`."""
    if kind_of(schema) != "array":
        whole = words[0].value if len(words) == 1 else text[words[0].start : words[-1].end]
        pairs = " ".join(word.value for word in words)
        return read_value(name, schema, pairs if kind_of(schema) == "object" else whole)
    parts = [part for word in words for part in _parts(word)]
    return [read_value(name, schema.get("items", {}), part) for part in parts if part]


def _parts(word: _Word) -> Sequence[str]:
    """**Returns** the items of a list in a word: one where it is quoted."""
    return word.value.split(",") if word.value == word.raw else [word.value]


# --- schemas -------------------------------------------------------------------------------------


def _members(spec: ActionSpec) -> Mapping[str, JsonObject]:
    return spec.schema.get("properties", {})


def _required(spec: ActionSpec) -> Sequence[str]:
    return spec.schema.get("required", ())


def _order(spec: ActionSpec) -> Sequence[str]:
    """**Returns** the members, the required ones first."""
    required = _required(spec)
    return sorted(_members(spec), key=lambda name: name not in required)


def raw_member(spec: ActionSpec) -> str:
    """**Returns** the only member, when it takes the words exactly as they were typed; "" for none."""
    return next((name for name, schema in _members(spec).items() if schema.get("format") == RAW), "")


def _shown(name: str, schema: JsonObject, *, is_required: bool) -> str:
    choices, kind = "|".join(values_of(schema)), kind_of(schema)
    if schema.get("format") == RAW:
        return str(schema.get("description", "")) or f"[{name}]"
    if kind == "boolean":
        return f"[{name}]"
    if is_required:
        return f"<{choices or name}>"
    return f"[{name}={choices or '…'}]"
