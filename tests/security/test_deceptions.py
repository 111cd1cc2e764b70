"""P3: what wants a yes to something else than it shows is seen through in every kind of client."""

import tomllib
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import pytest

from agls.diff import compare
from agls.doors.headless.terminal import subject_lines
from agls.engine.ports import Preview
from agls.engine.vocabulary import Question
from agls.features.permissions.decision import Ask
from agls.features.permissions.questions import question
from agls.features.permissions.visible import hidden_in
from agls.regex import regex
from agls.views import values
from agls.views.permission_text import message_text
from agls.views.render.html import HtmlFormat
from agls.views.render.markdown import MarkdownFormat

pytestmark = pytest.mark.promise("P3")
DECEPTIONS = tomllib.loads(Path(__file__).with_name("deceptions.toml").read_text())["deception"]
PUSHED_AWAY = regex(r" {60}|\t{10}|\n{6}")  # what pushes the rest of a text out of sight


def asked_about(deception: Mapping[str, Any]) -> Question:
    """The question about a call with it."""
    if "command" in deception:
        subject = {"type": "command", "command": deception["command"], "cwd": "/w"}
        return question("call", Preview("Run a command", subject), Ask(("It runs a command.",)))
    path = deception.get("path", "a.py")
    patch = compare(path, "", deception.get("content", "x\n")).text
    change = {"uri": "file:///w/a", "change": "created", "patch": patch}
    return question("call", Preview(f"Write {path}", {"type": "edit", "changes": [change]}), Ask(("why",)))


def of_editors(asked: Question) -> str:
    """What a client shows that knows the questions of agls: title, reason and text of the payload."""
    sent: Any = values.question("request", asked)
    return f"{sent['title']}\n{sent['reason']}\n{sent['shown']['text']}"


def of_plain_editors(asked: Question) -> str:
    """The message of a client that knows only LSP, `""` where no yes stands beside it."""
    message = message_text(asked)
    return message.text if message.whole else ""


def of_the_terminal(asked: Question) -> str:
    return "\n".join([asked.title, *subject_lines(asked.subject), asked.reason])


def of_markdown(asked: Question) -> str:
    sent: Any = values.question("request", asked)
    return MarkdownFormat().question(asked.title, sent["shown"]["text"]) + asked.reason


CLIENTS: Mapping[str, Callable[[Question], str]] = {
    "editors": of_editors,
    "plain editors": of_plain_editors,
    "the terminal": of_the_terminal,
    "a page of Markdown": of_markdown,
}


@pytest.mark.parametrize("client", CLIENTS)
def test_deception_is_seen_through(client: str) -> None:
    for deception in DECEPTIONS:
        asked = asked_about(deception)
        text = CLIENTS[client](asked)
        if not text and client == "plain editors":
            continue
        name = deception["name"]
        assert deception["danger"] in text, name
        assert not hidden_in(text), name
        assert "command" not in deception or not PUSHED_AWAY.search(text), name
        assert all(code in text for code in deception.get("named", ())), name
    assert len({each["name"] for each in DECEPTIONS}) == len(DECEPTIONS) >= 53


def test_no_line_of_a_deception_passes_for_one_of_agls() -> None:
    for deception in DECEPTIONS:
        asked = asked_about(deception)
        sent: Any = values.question("request", asked)
        lines = sent["shown"]["text"].split("\n")
        of_command = lines[: lines.index("in /w")] if "command" in deception else lines[1:]
        assert all(line.startswith("│") for line in of_command if line), deception["name"]
        below = "\n".join(subject_lines(asked.subject)).split("\n") if "command" in deception else []
        assert [line for line in below if not line.startswith("  ")] == [], deception["name"]


def test_page_shows_the_signs_of_a_deception_and_obeys_none() -> None:
    for deception in DECEPTIONS:
        asked = asked_about(deception)
        sent: Any = values.question("request", asked)
        page = HtmlFormat().question(asked.title, sent["shown"]["text"])
        assert escape(deception["danger"], quote=False) in page.replace("&quot;", '"').replace("&#x27;", "'")
        assert "<!--" not in page and "<span" not in page and "&#8203;" not in page


@pytest.mark.parametrize(
    "harmless", ["git commit -m 'исправил src/a.py'", "echo żółw 亀 🐢", "echo naïve café m² 5 µs", "ls αβγ"]
)
def test_word_in_another_alphabet_is_no_deception(harmless: str) -> None:
    asked = asked_about({"command": harmless})
    assert asked.reason == "It runs a command."
