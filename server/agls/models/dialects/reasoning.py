"""Reasoning beside the text, in the three forms of servers, and the data that they want back."""

from agls.engine.vocabulary import JsonObject
from agls.json_values import objects_in

CONTENT = "reasoning_content"
PLAIN = (CONTENT, "reasoning")  # the same text may stand in several: one is taken
TEXTS = ("text", "summary")


class Reasoning:
    """The reasoning of one answer so far."""

    def __init__(self) -> None:
        self._field = ""
        self._details: list[JsonObject] = []

    def take(self, delta: JsonObject) -> str:
        """Take a delta or message, and return its reasoning text."""
        details = objects_in(delta["reasoning_details"]) if "reasoning_details" in delta else ()
        for detail in details:
            self._keep(detail)
        for name in PLAIN:
            if (text := delta.get(name)) and isinstance(text, str):
                self._field = name
                return text
        return "".join(str(detail.get(key) or "") for detail in details for key in TEXTS)

    def opaque(self) -> JsonObject:
        """Return the data to send back with this message: the details, else the name of the field."""
        if self._details:
            return {"reasoning_details": self._details}
        return {"reasoning_field": self._field} if self._field else {}

    def _keep(self, detail: JsonObject) -> None:
        last = self._details[-1] if self._details else {}
        pieces = [key for key in TEXTS if isinstance(detail.get(key), str)]
        if not pieces or any(last.get(key) != detail.get(key) for key in ("type", "index")):
            self._details.append(dict(detail))
            return
        joined = {key: f"{last.get(key) or ''}{detail[key]}" for key in pieces}
        last.update({key: value for key, value in detail.items() if value is not None} | joined)
