"""The answer of a run."""

import json

from agls.engine.vocabulary import JsonObject


class FinalAnswer:
    """The last message of a run: its answer. One that its output limit cut off goes on in the next."""

    def __init__(self) -> None:
        self.text = ""
        self.steps: list[JsonObject] = []  # one for each time the model was asked
        self._goes_on = False

    def take(self, event: JsonObject) -> None:
        """Look at one more event."""
        if event["type"] == "runStarted":
            self.text, self._goes_on = "", False
            self.steps = []
        if event["type"] == "turnStarted":
            self.steps.append({"text": "", "calls": []})
        if event["type"] == "turnEnded":
            self._goes_on = event["data"].get("finish") == "length"
        if event["type"] == "itemCompleted":
            item = event["data"]["item"]
            if item["kind"] == "message" and not item.get("discarded"):
                self.text = self.text + item["text"] if self._goes_on else item["text"]
            self._count(item)

    def bare(self, ended: JsonObject) -> str:
        """Return the text for programs: where a schema was asked for, JSON without the fence around it."""
        fenced = "output" in ended and self.text.lstrip().startswith("```")
        return json.dumps(ended["output"], ensure_ascii=False, indent=2) if fenced else self.text

    def _count(self, item: JsonObject) -> None:
        if item["kind"] == "message" and not item.get("discarded") and self.steps:
            self.steps[-1]["text"] = item["text"]
        if item["kind"] == "toolCall" and self.steps:
            call = {"name": item["name"], "status": item["status"], "title": item["title"]}
            self.steps[-1]["calls"].append(call)
