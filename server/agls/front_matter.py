"""Front matter: the YAML between `---` lines at the beginning of a Markdown file, and only read.

PyYAML is loaded with the first file that has some. Aliases are refused, so that no text can grow.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from agls.regex import regex

LARGEST = 65_536  # characters between the lines
_BLOCK = regex(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_BLANK_LINES = regex(r"\s*\n(?=---[ \t]*\n[A-Za-z])")
_FENCE = regex(
    r"\s*(`{3,})[a-z]+[ \t]*\n(?=---[ \t]*\n)"
)  # some editors put a whole file into a block of code
_HAS_KEY = regex(r"^\s*[\"']?[\w-]+[\"']?\s*:(?:\s|$)", re.MULTILINE)
_TABS = regex(r"^\t+", re.MULTILINE)
_PAIR = regex(r"^(\s*(?:- +)?[\w.-]+:[ \t]+|\s*- +)(?![|>])(\S.*?)[ \t]*$")
_QUOTED = regex(r"""(["'])(?:(?!\1)[^\\]|\\.|\1\1)*+(?:\1\s*(?:\#.*)?)?""")
_PLAIN = regex(
    r"([A-Za-z][\w-]*): ([A-Za-z](?:[^:#\n\t]|:(?=\S))*[^\s:#]) *"
)  # what YAML takes for text, too
_BEGUN = regex(r"---[ \t]*\n[A-Za-z][\w-]*:(?:\s|$)", re.MULTILINE)
OPEN = "a [ or { is not closed as YAML wants it. Close it, or put the value into quotes"
NO_END = "line 1: the front matter that begins here has no end: write a line --- behind it"
QUOTE = "a quote begins here and never ends. Close it, or leave it out"
_KEYS = """
    name title description tools model color allowed-tools disallowed-tools disallowedTools permissionMode
    maxTurns max_turns maxSteps steps timeout_mins skills effort background prompt permission readonly
    memory isolation hooks mcpServers mcp-servers temperature top_p initialPrompt handoffs argument-hint
    arguments user-invocable disable-model-invocation when_to_use when-to-use license compatibility metadata
    version author tags context agent paths globs applyTo alwaysApply mode kind target subtask infer"""
KEYS = frozenset(_KEYS.split())  # with which a line begins another value, where YAML cannot say so
_KEY = regex(r"([A-Za-z][\w-]*):(?:[ \t]+|$)")
_ABOUT = """
    $schema title display_name display-name displayName nickname nickname_candidates kind mode target type
    id slug version author authors contributors maintainer maintainers publisher created created_at
    updated updated_at last_updated last-updated date source homepage repository repo url bugs license
    tags tag keywords category categories topic topics domain subdomain domains language languages
    framework frameworks emoji icon logo vibe tone level difficulty status stability priority risk
    triggers trigger examples example related related_skills related-skills see_also references
    specialization capabilities role persona metadata compatibility hidden dependencies requirements
    requires prerequisites engines private main scripts tagline features screenshots globs alwaysApply"""
ABOUT = frozenset(
    _ABOUT.split()
)  # what files say of themselves for people and catalogues: no mistake, no effect
_LIKE = 0.8  # how much a mistyped key is like the one that is meant
_SLIP = 2  # letters that are too many, or are missing
MEANT = "{} is not known here, and has no effect: write {}"
UNUSED = "these keys have no effect here: {}"
_RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off"})
_WORDS = {
    "yes": True,
    "on": True,
    "true": True,
    "1": True,
    "no": False,
    "off": False,
    "false": False,
    "0": False,
}


class FrontMatter(NamedTuple):
    """What a file says of itself, and its text behind that; `problem` says why the first cannot be read."""

    values: Mapping[str, Any]
    body: str
    problem: str = ""


def split(text: str) -> FrontMatter:
    """Return the front matter of a text and what follows; a text without any is all body."""
    text = _unwrapped(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    found = _BLOCK.match(text)
    if found and found[1].strip() and not _HAS_KEY.search(found[1]) and found[1].lstrip()[0] != "-":
        return FrontMatter({}, text)  # two lines between which there is prose
    if not found:
        return FrontMatter({}, text, NO_END if _BEGUN.match(text) else "")
    block, body = found[1], text[found.end() :]
    if len(block) > LARGEST:
        return FrontMatter({}, body, f"line 1: the front matter has more than {LARGEST:,} characters")
    values, problem = _loaded(block)
    if problem:
        plain = _TABS.sub(lambda tabs: "  " * len(tabs[0]), block)
        quoted = "\n".join(map(_quoted, plain.split("\n")))
        values, still = _loaded(quoted) if quoted != block else (values, problem)
        if still:
            values = _by_keys(block)
        problem = problem if still and not values else ""
    return FrontMatter(values, body, problem)


def _unwrapped(text: str) -> str:
    """Return a text without blank lines before its front matter, and without a block of code around it."""
    if (found := _FENCE.match(text)) and text.rstrip().endswith(found[1]):
        return text[found.end() :].rstrip().removesuffix(found[1]).rstrip("`")
    found = _BLANK_LINES.match(text)
    return text[found.end() :] if found else text


def truth(value: object) -> bool | None:
    """Return the meaning of a switch, `None` for what is none: YAML and people have many words for both."""
    if isinstance(value, bool):
        return value
    return _WORDS.get(str(value).strip().casefold())


def names(value: object) -> tuple[str, ...]:
    """Return the members of a list, which may be written as one text with commas (not those in braces)."""
    if isinstance(value, list):
        return tuple(str(each).strip() for each in cast("list[object]", value) if str(each).strip())
    if value is None or isinstance(value, dict):
        return ()
    parts = (_unquoted(part.strip()) for part in re.split(r",(?![^{}]*\})", str(value)))
    return tuple(part for part in parts if part)


def key_remarks(
    keys: Iterable[str], known: Collection[str], meant: Mapping[str, str] = MappingProxyType({})
) -> Iterator[str]:
    """Yield what is wrong with the keys of a file that are not `known`.

    One that is nearly a known one is probably mistyped; `meant` are others that people write for one.
    """
    unknown = [key for key in keys if key not in known and key not in ABOUT]
    slips = {key: right for key in unknown if (right := meant.get(key) or _near(key, known))}
    for key, right in slips.items():
        yield MEANT.format(key[:40], right)
    if rest := [key for key in unknown if key not in slips]:
        yield UNUSED.format(", ".join(key[:40] for key in rest[:10]))


def _near(key: str, known: Collection[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - few files have keys that nobody knows

    word = _letters(key)
    by_letters = {
        letters: each for each in sorted(known) if abs(len(letters := _letters(each)) - len(word)) <= _SLIP
    }
    found = get_close_matches(word, [*by_letters], 1, _LIKE)
    return by_letters[found[0]] if found else ""


def _letters(key: str) -> str:
    return key.lower().replace("-", "").replace("_", "")


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _loaded(block: str) -> tuple[Mapping[str, Any], str]:
    try:
        values = _load(block)
    except RecursionError:
        return {}, "line 1: the front matter is nested too deeply"
    except ValueError as problem:
        return {}, str(problem)
    if values is None:
        return {}, ""
    if not isinstance(values, dict):
        return {}, 'line 1: the front matter is no list of "name: value" lines'
    return {str(name): value for name, value in cast("dict[object, Any]", values).items()}, ""


def _by_keys(block: str) -> Mapping[str, Any]:
    """Return the values of a block that is no YAML, by the keys that files of agents and skills have.

    Many descriptions go on over lines with colons, which are words and no keys. Nothing is returned where a
    bracket or a quote that never ends may have swallowed what follows.
    """
    sections: list[list[str]] = []
    for line in block.splitlines():
        found = _KEY.match(line)
        if found and found[1] in KEYS:
            sections.append([line])
        elif sections:
            sections[-1].append(line)
        elif line.strip():
            return {}
    values: dict[str, Any] = {}
    for lines in sections:
        key, _, first = lines[0].partition(":")
        read, problem = _loaded("\n".join(lines))
        if problem or [*read] != [key]:
            read, problem = _loaded("\n".join(map(_quoted, lines)))
        if not problem and [*read] == [key]:
            values[key] = read[key]
        elif first.lstrip()[:1] in {*"\"'[{|>", ""}:
            return {}
        else:
            values[key] = "\n".join((first, *lines[1:])).strip()
    return values


def _plain_values(block: str) -> Mapping[str, str] | None:
    """Return the values of a block in which each line is a name and plain words, `None` for any other."""
    values: dict[str, str] = {}
    for line in block.splitlines():
        found = _PLAIN.fullmatch(line)
        if not found or found[1] in values or found[2].lower() in _RESERVED:
            return None
        values[found[1]] = found[2]
    return values


def _load(block: str) -> object:
    """Return the value of a YAML text. **Raises** `ValueError`."""
    if (plain := _plain_values(block)) is not None:
        return plain
    import yaml  # noqa: PLC0415 - few files have front matter

    try:
        return yaml.load(block, _loader())
    except yaml.YAMLError as problem:
        raise ValueError(_mistake(problem)) from None


def _mistake(problem: Exception) -> str:
    """Return what is wrong with a YAML text, and where."""
    context = str(getattr(problem, "context", ""))
    for word, advice in (("flow", OPEN), ("quoted scalar", QUOTE)):
        if word in context:
            mark = getattr(problem, "context_mark", None)
            return f"line {mark.line + 2 if mark else 1}: {advice}"
    mark = getattr(problem, "problem_mark", None)
    what = getattr(problem, "problem", None) or "it is no YAML"
    return f"line {mark.line + 2 if mark else 1}: {what}. Put the value into quotes"


@cache
def _loader() -> Any:
    import yaml  # noqa: PLC0415 - as above
    from yaml.composer import Composer  # noqa: PLC0415 - as above
    from yaml.constructor import ConstructorError  # noqa: PLC0415 - as above

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # with libyaml it takes a tenth of the time

    class PlainLoader(Composer, base):
        """The safe loader without aliases; dates stay text."""

        def __init__(self, stream: str) -> None:
            base.__init__(self, stream)
            Composer.__init__(self)

        def compose_node(self, parent: Any, index: Any) -> Any:
            events: Any = self
            if events.check_event(yaml.AliasEvent):
                mark = events.peek_event().start_mark
                raise ConstructorError(None, None, "aliases are not read", mark)
            return super().compose_node(parent, index)

    resolvers = PlainLoader.yaml_implicit_resolvers
    PlainLoader.yaml_implicit_resolvers = {
        first: [each for each in known if not each[0].endswith(":timestamp")]
        for first, known in resolvers.items()
    }
    return PlainLoader


def _quoted(line: str) -> str:
    """Return a line whose value YAML may take for something else than text, with the value in quotes."""
    found = _PAIR.match(line)
    if not found:
        return line
    value = found[2]
    if value[0] in "\"'":  # whole, or going on below: as it is
        return line if _QUOTED.fullmatch(value) else _in_quotes(found[1], value)
    closes = {"[": "]", "{": "}"}.get(value[0])
    if closes and closes not in value:  # a mistake, or the list goes on below: quotes would hide it
        return line
    open_ended = closes is not None and value.find(closes) != len(value) - 1  # also `[one] [two]`
    if value[0] in "*&!%@`" or ": " in value or value.endswith(":") or open_ended:
        return _in_quotes(found[1], value)
    return line


def _in_quotes(begin: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{begin}"{escaped}"'
