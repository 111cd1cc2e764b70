"""What happened in a session as Markdown."""

import re
from collections.abc import Iterable, Sequence

from agls.engine.vocabulary import JsonObject
from agls.regex import regex
from agls.toolkit import backticks, fenced
from agls.views.escape import escape_controls
from agls.views.render.walker import Work, render

MOST_OUTPUT = 8_000  # characters of one call's output
MOST_PATCH = 40_000  # characters of one file's diff
_FENCE = regex(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


def heading(session_id: str, info: JsonObject) -> str:
    """Return how the page begins."""
    title = " ".join(str(info.get("title") or "A session with agls").split())
    folder = f" in {_code(info['cwd'])}" if info.get("cwd") else ""
    return escape_controls(f"# {title}\n\n`{session_id}`{folder}\n\n")


def markdown(events: Iterable[JsonObject]) -> str:
    """Return these events as text, in order. Nothing in it has power over a terminal."""
    return escape_controls("".join(render(events, MarkdownFormat())).replace("\r\n", "\n"))


class MarkdownFormat:
    """Implements `PageFormat`."""

    def user(self, item_id: str, blocks: Sequence[JsonObject]) -> str:
        """Return what the user said."""
        text = "\n\n".join(_block(block) for block in blocks)
        return f"## You\n\n`{item_id}`\n\n{_closed(text)}\n\n"

    def message(self, text: str, cut: str) -> str:
        """Return what the model said."""
        return f"## agls\n\n{_closed(text)}{f'{chr(10) * 2}*({cut})*' if cut else ''}\n\n"

    def thought(self, text: str) -> str:
        """Return what the model thought, as a quotation that says whose it is."""
        return "> *agls thought:*\n>\n" + "".join(f"> {line}\n" for line in text.split("\n")) + "\n"

    def work(self, work: Work) -> str:
        """Return a call: its command, and its diffs or else its output."""
        parts = [f"### {_code(work.title)}: {work.status}\n\n"]
        if work.command:
            parts.append(_fenced(f"$ {work.command}", "sh", MOST_PATCH))
            parts.append(f"exit code {work.exit_code}\n\n" if work.exit_code is not None else "")
        parts += [_fenced(patch, "diff", MOST_PATCH) for patch in work.patches]
        if work.output and not work.patches:
            parts.append(_fenced(work.output, "", MOST_OUTPUT))
        return "".join(parts)

    def edit(self, title: str, uris: Sequence[str], patches: Sequence[str]) -> str:
        """Return an edit that was made outside of a call."""
        diffs = "".join(_fenced(patch, "diff", MOST_PATCH) for patch in patches)
        return f"### {title}: {', '.join(map(_code, uris))}\n\n{diffs}"

    def note(self, title: str, text: str) -> str:
        """Return what was said in the user's place."""
        return f"*{title}*\n\n{_closed(text)}\n\n"

    def question(self, title: str, text: str) -> str:
        """Return a question and all that must be seen before a yes: there may be no other place for it."""
        return f"**Asked:** {_closed(title)}\n\n" + (f"{fenced(text, '')}\n\n" if text else "")

    def answer(self, words: str) -> str:
        """Return how a question ended."""
        return f"**Answered:** {words}\n\n"

    def rule(self, words: str) -> str:
        """Return a line across the page, with the reason for it."""
        return f"---\n\n*{words}*\n\n"


def _block(block: JsonObject) -> str:
    match block["type"]:
        case "text":
            return block["text"]
        case "resource":
            return f"{_code(block['uri'])}\n\n{_fenced(block['text'], '', MOST_OUTPUT)}"
        case "resourceLink":
            return _code(block["uri"])
        case other:
            return f"({other})"


def _code(text: str) -> str:
    """Return text on one line, as code, whatever backticks are in it."""
    line = " ".join(text.split())
    ticks = backticks(line, 1)
    return f"{ticks} {line} {ticks}" if "`" in line else f"`{line}`"


def _fenced(text: str, language: str, most: int) -> str:
    """Return text in a block of code that it cannot leave; of one that is too long the ends."""
    if len(text) > most:
        left = len(text) - most
        text = f"{text[: most // 2]}\n[… {left} characters left out …]\n{text[-(most // 2) :]}"
    return fenced(text.removesuffix("\n"), language) + "\n\n"


def _closed(text: str) -> str:
    """Return Markdown that leaves no block of code open, so that what follows is not swallowed by it."""
    fence = ""
    for found in _FENCE.finditer(text):
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence):
            fence = ""
    return f"{text}\n{fence}" if fence else text
