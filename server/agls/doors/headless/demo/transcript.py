"""The session as one sees it in a terminal, from the events of the server."""

from collections.abc import Callable

from agls.engine.vocabulary import JsonObject
from agls.views.escape import escape_controls

TAIL = 14  # lines of a command's output that are shown


class DemoTranscript:
    """Shows each event of `agent/event` as it comes; `ended` is the data of `runEnded`."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._streaming = ""
        self.ended: JsonObject = {}

    def take(self, params: JsonObject) -> None:
        """Show the events of one notification."""
        for event in params["events"]:
            self._show(event["type"], event["data"], event.get("itemId", ""))

    def say(self, text: str) -> None:
        """Write lines of the demo itself."""
        self._break()
        self._write(escape_controls(text) + "\n")

    def _show(self, type: str, data: JsonObject, item_id: str) -> None:
        match type:
            case "itemDelta" if data["field"] == "text" and item_id == self._streaming:
                self._write(escape_controls(data["append"]))
            case "itemStarted":
                self._started(data["item"])
            case "itemCompleted":
                self._completed(data["item"])
            case "runEnded":
                self._break()
                self.ended = data
            case _:
                pass

    def _started(self, item: JsonObject) -> None:
        if item["kind"] == "message":
            self._break()
            self._streaming = item["itemId"]
            self._write("\n")
        elif item["kind"] == "toolCall":
            self.say(f"\n  → {item['title']}")

    def _completed(self, item: JsonObject) -> None:
        match item["kind"]:
            case "message":
                self._break()
            case "toolCall":
                for line in _result(item):
                    self.say(f"    {line}")
            case _:
                pass

    def _break(self) -> None:
        if self._streaming:
            self._streaming = ""
            self._write("\n")


def _result(item: JsonObject) -> list[str]:
    """Return the result of a call: the diffs of its changes, the output of its command, or that it failed."""
    patches = [line for change in item.get("changes", ()) for line in change["patch"].splitlines()]
    if patches:
        return patches
    if "terminal" in item:
        return str(item.get("output", "")).splitlines()[-TAIL:]
    first = str(item.get("output", "")).partition("\n")[0]
    return [] if item["status"] == "completed" else [f"{item['status']}: {first}"]
