"""What happened in a session as Markdown: every wire event becomes a piece of text, or nothing."""

import re
from collections.abc import Callable, Iterable, Mapping

from agls.engine.vocabulary import JsonObject
from agls.toolkit import backticks, fenced
from agls.views.escape import escape_controls
from agls.views.wire_json import is_object

MOST_OUTPUT = 8_000  # characters of one call's output
MOST_PATCH = 40_000  # characters of one file's diff
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


def heading(session_id: str, info: JsonObject) -> str:
    """How the page begins."""
    title = " ".join(str(info.get("title") or "A session with agls").split())
    folder = f" in {_code(info['cwd'])}" if info.get("cwd") else ""
    return escape_controls(f"# {title}\n\n`{session_id}`{folder}\n\n")


def markdown(events: Iterable[JsonObject]) -> str:
    """These events, in order. Nothing in it has power over a terminal."""
    pieces = (TOLD[event["type"]](event["data"]) for event in events if event["type"] in TOLD)
    return escape_controls("".join(pieces).replace("\r\n", "\n"))


def _item(data: JsonObject) -> str:
    item = data["item"]
    tell = ITEMS.get(item["kind"])
    return "" if tell is None or item.get("discarded") else tell(item)


def _user(item: JsonObject) -> str:
    text = "\n\n".join(_block(block) for block in item.get("content", []))
    return f"## You\n\n`{item['itemId']}`\n\n{_closed(text)}\n\n"


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


def _message(item: JsonObject) -> str:
    cut = "" if item["status"] == "completed" else f"\n\n*({item['status']})*"
    text = item.get("text", "")
    return f"## agls\n\n{_closed(text)}{cut}\n\n" if text or cut else ""


def _thought(item: JsonObject) -> str:
    lines = item.get("text", "").strip().split("\n")
    return "".join(f"> {line}\n" for line in lines) + "\n" if lines != [""] else ""


def _call(item: JsonObject) -> str:
    parts = [f"### {_code(item.get('title') or item['name'])}: {item['status']}\n\n"]
    if terminal := item.get("terminal"):
        code = terminal.get("exitCode")
        parts.append(_fenced(f"$ {terminal['command']}", "sh", MOST_PATCH))
        parts.append(f"exit code {code}\n\n" if code is not None else "")
    changes = [change["patch"] for change in item.get("changes", []) if change["patch"]]
    parts += [_fenced(patch, "diff", MOST_PATCH) for patch in changes]
    if item.get("output") and not changes:
        parts.append(_fenced(item["output"], "", MOST_OUTPUT))
    return "".join(parts)


def _edit(item: JsonObject) -> str:
    patches = [_fenced(change["patch"], "diff", MOST_PATCH) for change in item["changes"] if change["patch"]]
    uris = ", ".join(_code(change["uri"]) for change in item["changes"])
    return f"### {item['title']}: {uris}\n\n{''.join(patches)}"


def _said(item: JsonObject) -> str:
    return f"*{item.get('title', item['kind'])}*\n\n{_closed(item.get('text', ''))}\n\n"


ITEMS: Mapping[str, Callable[[JsonObject], str]] = {
    "userMessage": _user,
    "message": _message,
    "thought": _thought,
    "toolCall": _call,
    "task": _call,
    "fileEdit": _edit,
    "notice": _said,
    "compaction": _said,
}


def _asked(data: JsonObject) -> str:
    """The question, and all of what must be seen before a yes: there may be no other place to read it."""
    shown = data.get("shown")
    text = str(shown["text"]) if is_object(shown) else ""
    return f"**Asked:** {_closed(data['title'])}\n\n" + (f"{fenced(text, '')}\n\n" if text else "")


def _answered(data: JsonObject) -> str:
    return f"**Answered:** {' '.join((data['outcome'], data.get('optionId', ''))).strip()}\n\n"


def _ended(data: JsonObject) -> str:
    why = data.get("error", {}).get("message", data.get("detail", ""))
    return f"---\n\n*{data['stopReason']}{f': {why}' if why else ''}*\n\n"


def _went_back(data: JsonObject) -> str:
    what = "The conversation went back" if data["conversation"] else "Files went back"
    return f"---\n\n*{what} ({data['checkpointId']})*\n\n"


TOLD: Mapping[str, Callable[[JsonObject], str]] = {
    "itemCompleted": _item,
    "requestOpened": _asked,
    "requestResolved": _answered,
    "runEnded": _ended,
    "historyRewound": _went_back,
}


def _code(text: str) -> str:
    """Text on one line, as code, whatever backticks are in it."""
    line = " ".join(text.split())
    ticks = backticks(line, 1)
    return f"{ticks} {line} {ticks}" if "`" in line else f"`{line}`"


def _fenced(text: str, language: str, most: int) -> str:
    """Text in a block of code that it cannot leave; the middle is left out of one that is too long."""
    if len(text) > most:
        left = len(text) - most
        text = f"{text[: most // 2]}\n[… {left} characters left out …]\n{text[-(most // 2) :]}"
    return fenced(text.removesuffix("\n"), language) + "\n\n"


def _closed(text: str) -> str:
    """Markdown that leaves no block of code open, so that what follows is not swallowed by it."""
    fence = ""
    for found in _FENCE.finditer(text):
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence):
            fence = ""
    return f"{text}\n{fence}" if fence else text
