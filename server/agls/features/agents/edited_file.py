"""The text of an agent's file, made or changed key by key: what a person wrote there stays. Pure."""

import json
from collections.abc import Mapping

from agls.regex import regex

PROMPT = "prompt"  # the text behind the front matter
_FENCE = "---\n"
_PLAIN = regex(r"[A-Za-z][\w .,;()*/-]*")


def new_text(said: Mapping[str, str]) -> str:
    """Return the text of a file that says this."""
    keys = (f"{key}: {_quoted(value)}\n" for key, value in said.items() if key != PROMPT)
    return f"{_FENCE}{''.join(keys)}{_FENCE}{said.get(PROMPT, '').strip()}\n"


def changed_text(text: str, said: Mapping[str, str]) -> str:
    """Return the text with other values of these keys; the lines of the others stay."""
    head, body = _parts(text)
    for key, value in said.items():
        if key != PROMPT:
            head = _with(head, key, value)
    return f"{_FENCE}{head}{_FENCE}{said[PROMPT].strip() + chr(10) if PROMPT in said else body}"


def _parts(text: str) -> tuple[str, str]:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.startswith(_FENCE):
        return "", text
    head, _, body = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    return f"{head}\n", body


def _with(head: str, key: str, value: str) -> str:
    kept, inside = list[str](), False
    for line in head.splitlines(keepends=True):
        begins = not line[0].isspace() and not line.startswith("- ")
        inside = line.startswith(f"{key}:") if begins else inside
        if not inside:
            kept.append(line)
        elif begins:
            kept.append(f"{key}: {_quoted(value)}\n")
    there = any(line.startswith(f"{key}:") for line in kept)
    return "".join(kept) + ("" if there else f"{key}: {_quoted(value)}\n")


def _quoted(value: str) -> str:
    """Return a value as YAML reads it back."""
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)
