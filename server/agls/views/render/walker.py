"""What of a session's events stands on a page for people, in order; the page says how it looks."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen

ENDINGS = {  # every other reason is said as it is
    "endTurn": "done",
    "error": "failed",
    "refusal": "refused by the model",
    "maxTurns": "stopped at the limit of turns",
    "timeout": "stopped at the time limit",
    "budget": "stopped at a limit",
    "maxTokens": "the answer was cut off at its output limit",
    "contextFull": "the conversation did not fit the model",
    "guard": "stopped because it made no progress",
}


@frozen
class Work:
    """A tool call or a background task as it ended. `exit_code` is `None` for what is no command."""

    title: str
    status: str
    command: str
    exit_code: int | None
    input: str
    patches: Sequence[str]
    output: str
    images: Sequence[JsonObject]


class PageFormat(Protocol):
    """One form of a page. Each method **returns** the text for one thing that happened, "" for nothing."""

    def user(self, item_id: str, blocks: Sequence[JsonObject]) -> str: ...
    def message(self, text: str, cut: str) -> str: ...
    def thought(self, text: str) -> str: ...
    def work(self, work: Work) -> str: ...
    def edit(self, title: str, uris: Sequence[str], patches: Sequence[str]) -> str: ...
    def note(self, title: str, text: str) -> str: ...
    def question(self, title: str, text: str) -> str: ...
    def answer(self, words: str) -> str: ...
    def rule(self, words: str) -> str: ...


def render(events: Iterable[JsonObject], page: PageFormat) -> Iterator[str]:
    """Return the texts of these events; most events have none."""
    for event in events:
        data = event["data"]
        match event["type"]:
            case "itemCompleted":
                yield _item(data["item"], page)
            case "requestOpened":
                yield page.question(data["title"], data.get("shown", {}).get("text", ""))
            case "requestResolved":
                yield page.answer(" ".join((data["outcome"], data.get("optionId", ""))).strip())
            case "runEnded":
                reason = data["stopReason"]
                why = data.get("error", {}).get("message", data.get("detail", ""))
                yield page.rule(f"{ENDINGS.get(reason, reason)}{f': {why}' if why else ''}")
            case "historyRewound":
                what = "The conversation went back" if data["conversation"] else "Files went back"
                yield page.rule(f"{what} ({data['checkpointId']})")
            case _:
                pass


def _item(item: JsonObject, page: PageFormat) -> str:
    match item["kind"]:
        case _ if item.get("discarded"):
            return ""
        case "userMessage":
            return page.user(item["itemId"], item.get("content", []))
        case "message":
            return _message(item, page)
        case "thought":
            text = item.get("text", "").strip()
            return page.thought(text) if text else ""
        case "toolCall" | "task":
            return page.work(_work(item))
        case "fileEdit":
            return page.edit(item["title"], [change["uri"] for change in item["changes"]], _patches(item))
        case "notice" | "compaction" | "plan" | "sideAnswer":
            return page.note(str(item.get("title", item["kind"])), item.get("text", ""))
        case _:
            return ""


def _message(item: JsonObject, page: PageFormat) -> str:
    text: str = item.get("text", "")
    cut = "" if item["status"] == "completed" else str(item["status"])
    return page.message(text, cut) if text or cut else ""


def _status(item: JsonObject) -> str:
    """Return how the call ended; one that was cut off while it ran may have done anything."""
    cut_off = item["status"] == "cancelled" and item.get("effects") == "unknown"
    return "outcome unknown" if cut_off else item["status"]


def _work(item: JsonObject) -> Work:
    terminal: JsonObject = item.get("terminal") or {}
    return Work(
        title=item.get("title") or item["name"],
        status=_status(item),
        command=terminal.get("command", ""),
        exit_code=terminal.get("exitCode"),
        input=json.dumps(item.get("input", {}), ensure_ascii=False, indent=1),
        patches=_patches(item),
        output=item.get("output") or "",
        images=item.get("images", []),
    )


def _patches(item: JsonObject) -> list[str]:
    return [shown for change in item.get("changes", []) if (shown := change.get("cells") or change["patch"])]
