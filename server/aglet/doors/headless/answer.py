"""What a run answered."""

from aglet.engine.vocabulary import JsonObject


class Answer:
    """The last message of a run: its answer."""

    def __init__(self) -> None:
        self.text = ""

    def take(self, event: JsonObject) -> None:
        """Look at one more event."""
        if event["type"] == "runStarted":
            self.text = ""
        if event["type"] == "itemCompleted":
            item = event["data"]["item"]
            if item["kind"] == "message" and not item.get("discarded"):
                self.text = item["text"]
