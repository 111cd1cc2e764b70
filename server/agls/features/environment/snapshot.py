"""The facts about where a session works, each a line with a name, and which of them are new."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from agls.engine.context import ENVIRONMENT
from agls.engine.prefix_fold import PrefixFold
from agls.engine.vocabulary import Focus, Message, Text, UserMessage
from agls.regex import regex
from agls.room.folder_ports import MachineFacts, RepositoryState, Surroundings

MOST_NAMED = 20  # unsaved documents
END = "</environment"
NONE = "none any more"
NO_REPOSITORY = "the folder is in no repository"
FINAL = {
    True: "The user reads along and can answer. Your last message says what you did and what is open.",
    False: "Nobody reads along and nobody answers: decide yourself. Your last message is the whole result: "
    "it stands alone, without a question.",
}
ONCE = (
    "The user answers what your tools ask, but not your last message: it is the whole result, and stands "
    "alone, without a question."
)
Facts = Mapping[str, str]
_LINE = regex(r"^([A-Z][\w ()/,.'-]{0,80}): (.*)$")


def place_facts(place: Surroundings, cwd: str, roots: Sequence[str], mode: str) -> dict[str, str]:
    """Return the facts of the place: date, folder, door."""
    facts = {
        "Date": _date(int(place.now() // 60)),
        "Working folder": cwd,
    }
    if others := [root for root in roots if root != cwd]:
        facts["Added folders"] = ", ".join(map(one_line, others))
    if place.scratch:
        facts["Scratch folder (for temporary files, not kept)"] = place.scratch
    final = ONCE if place.door and not place.attended else FINAL[place.attended]
    facts["Door"] = f"{one_line(place.door) or 'a command line or a program'}. {final}"
    return facts | ({"Permission mode": mode} if mode else {})


@lru_cache(maxsize=2)  # every run asks; a day begins with a minute, wherever
def _date(minute: int) -> str:
    return f"{datetime.fromtimestamp(minute * 60).astimezone():%Y-%m-%d (%A)}"


def machine_lines(machine: MachineFacts) -> dict[str, str]:
    """Return the facts of the machine."""
    facts = {
        "System": machine.system,
        "User": machine.user,
        "Shell": machine.shell,
        "Programs": ", ".join(machine.programs),
    }
    return {name: one_line(value) for name, value in facts.items() if value}


def git_lines(state: RepositoryState | None, most: int) -> dict[str, str]:
    """Return the facts of the repository."""
    if state is None:
        return {}
    if not state.exists:
        return {"Git": NO_REPOSITORY}
    facts = {"Git": state.head} if state.head else {}
    if count := len(state.changed):
        shown = ", ".join(map(one_line, state.changed[:most]))
        more = f", and {count - most} more" if count > most else ""
        facts["Not committed"] = f"{count}: {shown}{more}"
    if state.commits:
        facts["Last commits"] = "; ".join(map(one_line, state.commits))
    return facts


def editor_lines(focus: Focus | None, unsaved: Sequence[str]) -> dict[str, str]:
    """Return the facts of the editor: where the user looks, what is not saved."""
    facts: dict[str, str] = {}
    if focus:
        facts["The user looks at"] = where(focus)
    if unsaved:
        names = [one_line(name) for name in unsaved[:MOST_NAMED]]
        rest = f" and {len(unsaved) - len(names)} more" if len(unsaved) > len(names) else ""
        facts["Unsaved in the editor (tools see the unsaved text)"] = ", ".join(names) + rest
    return facts


def where(focus: Focus) -> str:
    """Return the file and the lines that the user looks at."""
    lines = _span(focus.lines)
    parts = [f"{lines} selected" if focus.selected else f"the cursor in {lines}"] if focus.lines else []
    parts += [f"{_span(focus.visible)} visible"] if focus.visible else []
    return f"{one_line(focus.path)} ({', '.join(parts)})" if parts else one_line(focus.path)


def _span(lines: tuple[int, int] | None) -> str:
    first, last = lines or (0, 0)
    return f"line {first}" if first == last else f"lines {first}-{last}"


def one_line(text: str) -> str:
    """Return a text on one line, with invisible characters as escapes; it cannot end the marks of all."""
    text = text.replace(END, END.replace("/", "\\/"))
    if text.isprintable():
        return text
    spelled = (c if unicodedata.category(c)[0] != "C" else f"\\u{{{ord(c):x}}}" for c in text)
    return "".join(" " if c in "\u2028\u2029" else c for c in spelled)


def unknown(now: Facts, known: Facts, kept: Iterable[str] = ()) -> dict[str, str]:
    """Return the facts that the model does not know yet, and those it knows that are over, as `NONE`."""
    gone = {name: NONE for name, value in known.items() if name not in now and value != NONE}
    gone = {name: value for name, value in gone.items() if name not in set(kept)}
    return {name: value for name, value in now.items() if known.get(name) != value} | gone


def written(facts: Facts, *, first: bool) -> str:
    """Return the facts as the model reads them."""
    head = "" if first else "Changed since:\n"
    lines = "\n".join(f"{name}: {value}" for name, value in facts.items())
    return f"<environment>\n{head}{lines}\n{END}>"


def _with_facts(known: Facts, messages: Sequence[Message]) -> Facts:
    """Return the facts that are known after these messages as well."""
    for message in messages:
        if isinstance(message, UserMessage) and message.origin == ENVIRONMENT:
            text = "".join(part.text for part in message.content if isinstance(part, Text))
            lines = [found for line in text.split("\n") if (found := _LINE.match(line))]
            known = {**known, **{line[1]: line[2] for line in lines}}
    return known


known_facts = PrefixFold[Facts](dict, _with_facts)
"""The facts that are still in the context of a session's model."""
