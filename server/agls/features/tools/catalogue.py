"""The list of the tools that wait: a name with a line each, and what a search finds in it. Pure."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from agls.engine.ports import ToolSpec
from agls.other_tool_names import OTHER_TOOL_NAMES, OtherNames

LONGEST = 120  # characters of the line of one tool
NAME, WORDS = 4, 1  # what a word of the query counts in a name, and in what is said of a tool
NO_OTHERS = OtherNames()
MORE = "- and {} more"


def first_sentence(spec: ToolSpec) -> str:
    """Return the first sentence of what is said of a tool, in one line."""
    sentence = re.split(r"(?<=[.!?])\s", " ".join(spec.description.split()), maxsplit=1)[0]
    return sentence if len(sentence) <= LONGEST else f"{sentence[:LONGEST]}…"


def listed(specs: Sequence[ToolSpec], most: int) -> str:
    """Return the list in at most so many characters: without the sentences, then without the last names."""
    lines = [f"- {spec.name}: {first_sentence(spec)}".rstrip(": ") for spec in specs]
    if len("\n".join(lines)) <= most:
        return "\n".join(lines)
    names, room = list[str](), most - len(MORE)
    for spec in specs:
        room -= len(spec.name) + 3
        if room < 0:
            break
        names.append(f"- {spec.name}")
    left = len(specs) - len(names)
    return "\n".join([*names, *([MORE.format(left)] if left else [])])


def search(specs: Sequence[ToolSpec], query: str, most: int) -> list[ToolSpec]:
    """Return the tools that fit a query best, at most so many: first those that it names."""
    named = re.findall(r"[\w.-]+", query)
    exact = [spec for name in dict.fromkeys(named) for spec in specs if spec.name == name]
    wanted = set(_words(query))
    fits = {spec.name: _hits(spec, wanted) for spec in specs}
    counts = Counter(word for hits in fits.values() for word in hits)
    scores = {name: sum(hits[word] / counts[word] for word in hits) for name, hits in fits.items()}
    rest = (spec for spec in specs if scores[spec.name] and spec not in exact)
    return [*exact, *sorted(rest, key=lambda spec: -scores[spec.name])][:most]


def size_of(specs: Sequence[ToolSpec]) -> int:
    """Return how many characters the definitions have."""
    return sum(len(spec.name) + len(spec.description) + len(json.dumps(spec.schema)) for spec in specs)


def _hits(spec: ToolSpec, wanted: set[str]) -> Mapping[str, int]:
    """Return the wanted words that are like one of a tool (`rename`, `renames`), and what each counts.

    What few of the tools have counts more, in the end.
    """
    arguments = " ".join(spec.schema.get("properties", {}))
    others = OTHER_TOOL_NAMES.get(spec.name, NO_OTHERS)
    names = set(_words(f"{spec.name} {others.called} {others.named}"))
    said = set(_words(f"{spec.description} {arguments}"))
    worth = {word: NAME * _is_in(word, names) + WORDS * _is_in(word, said) for word in wanted}
    return {word: points for word, points in worth.items() if points}


def _is_in(word: str, words: set[str]) -> bool:
    return any(_alike(word, other) for other in words)


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter) and len(shorter) * 3 >= len(longer) * 2


def _words(text: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)  # camelCase
    return [word for word in re.findall(r"[^\W_]+", parted.casefold()) if len(word) > 1]
