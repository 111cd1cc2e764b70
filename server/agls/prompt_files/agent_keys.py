"""What single keys of an agent's file say, and what is wrong with them. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from agls.json_values import is_list, is_object
from agls.prompt_files.agent_names import name_of
from agls.prompt_files.command_file import one_line

LARGEST = 40_000  # characters of a prompt
LONGEST = 1_024  # characters of a description
LONGEST_LABEL = 100  # characters
SAMPLING = {"temperature": 2, "top_p": 1}  # the most of each
WRONG_NUMBERS = "these are no numbers in their range: write {}"
NO_COLLECTION = "this is not written as it should be, and has no effect: {}"
WORKTREE = "worktree"
SCOPES = ("user", "project", "local")
NO_MEMORY = "there is no memory {!r}, so it has none of its own: write one of {}"
NO_ISOLATION = "there is no isolation {!r}, so it works in the folder of the session: write {}"


def number_between(values: Mapping[str, Any], key: str, most: float) -> float | None:
    """Return a number from 0 to the most, `None` for anything else; people write some as text."""
    said = values.get(key)
    try:
        number = float(said) if isinstance(said, int | float | str) and not isinstance(said, bool) else -1.0
    except ValueError:
        return None
    return number if 0 <= number <= most else None


def long_text(value: object) -> str:
    """Return a text of a file, not longer than a prompt; "" for anything else."""
    return value.strip()[:LARGEST] if isinstance(value, str) else ""


def one_line_of(value: object) -> str:
    """Return a description as one line of text."""
    return " ".join(str(value).split())[:LONGEST] if isinstance(value, str) else ""


def handoffs_in(values: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """Yield the agents that are suggested for what comes next, each with a label."""
    said = values.get("handoffs")
    for each in said if is_list(said) else ():
        if is_object(each) and (agent := one_line(each.get("agent"))):
            label = one_line_of(each.get("label"))[:LONGEST_LABEL] or agent
            yield {"label": label, "agent": name_of(agent) or agent, "prompt": long_text(each.get("prompt"))}


def remarks_on(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with these keys, and what holds instead."""
    if (isolation := one_line(values.get("isolation"))) not in {"", WORKTREE}:
        yield NO_ISOLATION.format(isolation[:40], WORKTREE)
    if (memory := one_line(values.get("memory"))) and memory not in SCOPES:
        yield NO_MEMORY.format(memory[:40], ", ".join(SCOPES))
    if wrong := [
        key for key, most in SAMPLING.items() if key in values and number_between(values, key, most) is None
    ]:
        yield WRONG_NUMBERS.format(" and ".join(f"{key} from 0 to {SAMPLING[key]}" for key in wrong))
    if wrong := [
        key
        for key, kind in (("hooks", is_object), ("handoffs", is_list))
        if values.get(key) and not kind(values[key])
    ]:
        yield NO_COLLECTION.format(" and ".join(wrong))
