"""A run as people read it: the answer on standard output, what goes on on standard error."""

from agls.doors.harmless import harmless
from agls.doors.headless.answer import Answer
from agls.doors.headless.output import CaughtUp
from agls.doors.headless.pipe import Pipe
from agls.doors.headless.screen import Screen
from agls.engine.vocabulary import JsonObject

ENDINGS = {
    "error": "It failed",
    "refusal": "The model refused to go on",
    "cancelled": "Cancelled",
    "interrupted": "Interrupted",
}  # every other reason is a limit
LONGEST_REASON = 200  # characters of why a call failed
PLAIN = {"cancelled", "interrupted"}  # more to say would be the same once more
GOES_ON = {"refusal", "cancelled", "contextFull", "killed"}  # only with a prompt: what to do instead


class Prose:
    """For people. `live` is whether standard output is a terminal.

    There the answer streams and one line on standard error shows the progress. Otherwise the answer is
    written once, when the run is over, and standard error has nothing but trouble.
    """

    def __init__(self, pipe: Pipe, screen: Screen, *, live: bool) -> None:
        self._pipe, self._screen, self._live = pipe, screen, live
        self._answer = Answer()
        self._streaming = ""  # the message whose text is on the terminal now
        self._last = "\n"  # what the cursor stands behind
        self._session_id = ""
        self._doing = "thinking"
        self._tools = 0
        self._tokens = 0

    def spare(self, caught_up: CaughtUp) -> None:
        """What was streamed stands there and cannot be told otherwise: nothing is left out."""

    def begin(self, hello: JsonObject) -> None:
        """Say what the user should know before the run."""
        self._session_id = hello["sessionId"]
        for note in hello["notes"]:
            self._screen.say(note)

    def event(self, event: JsonObject) -> None:
        """Show the event, when people want to know it."""
        self._answer.take(event)
        data = event["data"]
        match event["type"]:
            case "itemDelta" if data["field"] == "text":
                self._stream(event["itemId"], data["append"])
            case "itemStarted":
                self._started(data["item"])
            case "itemCompleted":
                self._completed(data["item"])
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

    def fatal(self, error: JsonObject, code: int) -> None:
        """Say what is wrong and what to do."""
        self._screen.say(f"agls: {error['message']}")

    def _started(self, item: JsonObject) -> None:
        if item["kind"] == "toolCall":
            self._tools += 1
            self._doing = item["title"]
        elif item["kind"] == "message" and self._live:
            self._streaming = item["itemId"]

    def _stream(self, item_id: str, text: str) -> None:
        if item_id == self._streaming:
            self._screen.clear()
            self._pipe.write(harmless(text))
            self._last = text[-1:] or self._last

    def _completed(self, item: JsonObject) -> None:
        if item["kind"] == "toolCall":
            self._doing = "thinking"
            if item["status"] in {"failed", "rejected"}:
                self._tell(f"{item['status']}: {item['title']}{_why(item)}")
        elif item["kind"] == "task":
            how = item["output"].rpartition("\n")[2]
            self._tell(f"{item['status']}, in the background: {item['title']} {how}")
        elif item["itemId"] == self._streaming:
            self._end_line()
            self._streaming = ""
            if item.get("discarded"):
                self._screen.say("(this answer broke off: it does not count)")

    def _ended(self, data: JsonObject) -> None:
        self._end_line()
        if not self._live and self._answer.text:
            self._pipe.write(self._answer.text.removesuffix("\n") + "\n")
        reason = data["stopReason"]
        if reason != "endTurn":
            self._screen.say(self._ending(reason, data))
        if unanswered := data.get("unanswered"):
            self._screen.say(f"{_count(unanswered, 'question')} found nobody to answer: refused.")
        if self._live:
            self._screen.say(self._summary(data))

    def _ending(self, reason: str, data: JsonObject) -> str:
        detail = data.get("error", {}).get("message") or data.get("detail", "")
        detail = "" if reason in PLAIN else detail
        text = ENDINGS.get(reason, f"Stopped at a limit ({reason})")
        text = f"{text}: {detail}" if detail else f"{text}."
        words = ' "…"' if reason in GOES_ON else ""
        return f"{text}\nGo on with: agls resume {self._session_id}{words}"

    def _summary(self, data: JsonObject) -> str:
        files = data["filesChanged"]
        added, gone = sum(f["insertions"] for f in files), sum(f["deletions"] for f in files)
        parts = [f"{_count(len(files), 'file')} changed, +{added} -{gone}"] if files else []
        parts += [f"{self._tokens} tokens"] if self._tokens else []
        parts += [f"${data['cost']:.4f}"] if "cost" in data else []
        return "  ·  ".join((*parts, self._session_id))

    def _retry(self, when: str, cause: str) -> None:
        """A wait is always visible: in the progress line, or else as a line of its own."""
        self._doing = f"{when} ({cause})"
        if not self._screen.live:
            self._tell(f"{cause} {when[0].upper()}{when[1:]}.")

    def _tell(self, text: str) -> None:
        self._end_line()
        self._screen.say(text)

    def _end_line(self) -> None:
        if self._live and self._last != "\n":
            self._pipe.write("\n")
            self._last = "\n"

    def _progress(self) -> None:
        if not self._streaming:
            tools = f"  ·  {_count(self._tools, 'tool')}" if self._tools else ""
            tokens = f"  ·  {self._tokens} tokens" if self._tokens else ""
            self._screen.progress(f"… {self._doing}{tools}{tokens}")


def _why(item: JsonObject) -> str:
    """Why a call failed; a rejected one needs no reason, the user or their rules gave it."""
    why = " ".join(item.get("output", "").split()) if item["status"] == "failed" else ""
    why = why if len(why) <= LONGEST_REASON else f"{why[:LONGEST_REASON]}…"
    return f" ({why})" if why else ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
