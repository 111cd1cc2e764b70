"""The output of a run for people: the answer on standard output, its progress on standard error."""

import time
from collections.abc import Callable
from typing import Protocol

from agls.doors.headless.activity import Activity
from agls.doors.headless.answer import FinalAnswer
from agls.doors.headless.output import CaughtUp, text_of
from agls.doors.headless.pipe import Pipe
from agls.doors.headless.screen import TerminalScreen
from agls.doors.headless.unanswered import UnansweredQuestions
from agls.doors.headless.writers import TextWriter
from agls.engine.vocabulary import JsonObject

ENDINGS = {
    "error": "It failed",
    "refusal": "The model refused to go on",
    "cancelled": "Cancelled",
    "interrupted": "Interrupted",
}  # every other reason is a limit
PLAIN = {"cancelled", "interrupted"}  # more to say would be the same once more


class WayOn(Protocol):
    """Says how to go on in a session (`ContinueCommand`); its id is "" where nobody needs it for that."""

    @property
    def session_id(self) -> str: ...
    def after_error(self, kind: str) -> str: ...
    def after(self, reason: str, limits: JsonObject) -> str: ...
    def after_overflow(self) -> str: ...


class TextOutput:
    """Writes a run for people. `writer` writes the answer on a terminal; it is `None` elsewhere.

    On a terminal the answer comes block by block; the rows that change, on standard error, show the end of
    the block that is being written, or else the progress.
    Elsewhere the answer is written once, when the run is over. The agent's work goes to standard error,
    unless the run is `quiet`. `way_on` says how to go on in the session with an id.
    """

    def __init__(
        self,
        pipe: Pipe,
        screen: TerminalScreen,
        writer: TextWriter | None,
        way_on: Callable[[str], WayOn],
        *,
        quiet: bool = False,
    ) -> None:
        self._pipe = pipe
        self._screen = screen
        self._writer = writer
        self._quiet = quiet
        self._way_on = way_on
        self._clear("")

    def _clear(self, session_id: str) -> None:
        """Forget the run before."""
        self._answer, self._activity = FinalAnswer(), Activity(time.monotonic)
        self._unanswered = UnansweredQuestions()
        self._streaming = ""  # the message whose text is on the terminal now
        self._streamed = False  # some of it
        self._remark = ""  # the last message, which is no answer when a call follows
        self._limits = JsonObject()
        self._way = self._way_on(session_id)
        self._doing = "thinking"
        self._tools = 0
        self._tokens = 0

    def spare(self, caught_up: CaughtUp) -> None:
        """Do nothing: a streamed answer cannot be changed any more, so nothing is left out."""

    def begin(self, hello: JsonObject) -> None:
        """Write the notes for the user before the run."""
        self._clear(hello["sessionId"])
        for note in hello["notes"]:
            self._screen.say(note)

    def event(self, event: JsonObject) -> None:
        """Show the event, when people want to know it."""
        self._answer.take(event)
        data = event["data"]
        self._limits = data.get("limits") or self._limits  # of `runStarted`, and when they change
        match event["type"]:
            case "itemDelta" if data["field"] == "text":
                self._stream(event["itemId"], data["append"])
            case "itemStarted":
                self._started(data["item"])
            case "itemCompleted":
                self._completed(data["item"])
            case "requestOpened":
                self._activity.ask(event.get("itemId", ""))
                self._unanswered.opened(data)
            case "requestResolved":
                self._activity.answered(event.get("itemId", ""))
                self._unanswered.resolved(data)
            case "turnEnded":
                self._tokens += sum(data.get("usage", {}).get(n, 0) for n in ("inputTokens", "outputTokens"))
            case "turnRetrying":
                self._retry(f"trying again in {data['delayMs'] / 1000:.0f} s", data["cause"])
            case "notice":
                self._tell(f"{data['severity']}: {data['title']}: {data['text']}")
            case "runEnded":
                self._ended(data)
                return
            case _:
                return
        self._progress()

    def end(self, event: JsonObject, code: int) -> None:
        """Write the answer, where it is not on the terminal already, and how the run ended."""
        self.event(event)

    def action(self, done: JsonObject) -> None:
        """Write what a command came to, as an answer is written."""
        text = text_of(done)
        if self._writer:
            self._write(self._writer.whole(text))
        elif text:
            self._pipe.write(text.removesuffix("\n") + "\n")

    def fatal(self, error: JsonObject, code: int) -> None:
        """Write the problem and the remedy."""
        self._screen.say(f"agls: {error['message']}")

    def _started(self, item: JsonObject) -> None:
        if item["kind"] == "toolCall":
            self._tools += 1
            self._doing = item["title"]
            self._activity.begin(item["itemId"])
            self._tell_remark()
        elif item["kind"] == "message" and self._writer:
            self._streaming, self._streamed = item["itemId"], False

    def _stream(self, item_id: str, text: str) -> None:
        if self._writer and item_id == self._streaming:
            self._streamed = True
            self._write(self._writer.feed(text))

    def _write(self, text: str) -> None:
        if text:
            self._screen.write(text)

    def _completed(self, item: JsonObject) -> None:
        match item["kind"]:
            case "toolCall":
                self._doing = "thinking"
                if not self._quiet:
                    for line in self._activity.lines(item):
                        self._screen.show(line)
            case "task":
                how = item["output"].rpartition("\n")[2]
                self._tell(f"{item['status']}, in the background: {item['title']} {how}")
            case "plan" if not self._quiet:
                self._tell(f"{item['title']}\n{item['text']}".rstrip())
            case "message":
                self._said(item)
            case _:
                pass

    def _said(self, item: JsonObject) -> None:
        if item["itemId"] != self._streaming or not self._streamed:
            self._streaming = ""
            self._remark = "" if item.get("discarded") else item["text"]
            return
        self._end_line()
        self._streaming, self._doing = "", "thinking"
        if item.get("discarded"):
            self._screen.say("(this answer broke off: it does not count)")

    def _tell_remark(self) -> None:
        """Write a message of the model before a call.

        Where only the answer goes to standard output, it is no part of it.
        """
        if self._remark.strip() and not self._quiet:
            self._screen.say(self._remark.strip())
        self._remark = ""

    def _ended(self, data: JsonObject) -> None:
        self._end_line()
        self._screen.clear()
        if not self._writer and (answer := self._answer.bare(data)):
            self._pipe.write(answer.removesuffix("\n") + "\n")
        if self._writer:
            self._write(self._writer.feed(self._remark))  # of a run whose beginning nobody saw
            self._end_line()
        reason = data["stopReason"]
        if reason != "endTurn":
            self._screen.say(self._ending(reason, data))
        if unanswered := data.get("unanswered"):
            refused = f"{_count(unanswered, 'question')} without anybody to answer: refused."
            self._screen.say(f"{refused} {self._unanswered.remedy}")
        if self._writer and not self._quiet and (summary := self._summary(data)):
            self._screen.say(summary)

    def _ending(self, reason: str, data: JsonObject) -> str:
        detail = data.get("error", {}).get("message") or data.get("detail", "")
        detail = "" if reason in PLAIN else detail
        text = ENDINGS.get(reason, "Stopped at a limit")
        text = f"{text}: {detail}" if detail else f"{text}."
        if error := data.get("error"):
            return f"{text}\n{self._way.after_error(error['kind'])}"
        if reason == "contextFull":
            return f"{text}\n{self._way.after_overflow()}"
        return f"{text}\n{self._way.after(reason, self._limits)}"

    def _summary(self, data: JsonObject) -> str:
        files = data["filesChanged"]
        added, gone = sum(f["insertions"] for f in files), sum(f["deletions"] for f in files)
        parts = [f"{_count(len(files), 'file')} changed, +{added} -{gone}"] if files else []
        parts += [f"{self._tokens} tokens"] if self._tokens else []
        parts += [f"${data['cost']:.4f}"] if "cost" in data else []
        return "  ·  ".join(filter(None, (*parts, self._way.session_id)))

    def _retry(self, when: str, cause: str) -> None:
        """Show the wait: in the progress line, or else as a line of its own."""
        self._doing = f"{when} ({cause})"
        if not self._screen.live:
            self._tell(f"{cause} {when[0].upper()}{when[1:]}.")

    def _tell(self, text: str) -> None:
        self._end_line()
        self._screen.say(text)

    def _end_line(self) -> None:
        if self._writer:
            self._write(self._writer.finish())

    def _progress(self) -> None:
        if self._writer and self._streaming:
            self._screen.tail(self._writer.unwritten)
            return
        tools = f"  ·  {_count(self._tools, 'tool')}" if self._tools else ""
        tokens = f"  ·  {self._tokens} tokens" if self._tokens else ""
        self._screen.progress(f"… {self._doing}{tools}{tokens}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
