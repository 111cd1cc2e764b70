"""What would have allowed the calls whose questions found nobody."""

import json

from agls.engine.vocabulary import JsonObject

ONLY_ASKED = "Such calls are asked about each time: run agls at a terminal, or in an editor."
ANSWERS = (
    "To answer questions of the model before it asks: --answers FILE "
    'with [{"question": "…", "answer": "…"}] (docs/ask.md).'
)

EDITS = "edit"  # the rule for every edit of the workspace


class UnansweredQuestions:
    """Collects the rules that would have allowed the calls of a run, from its events."""

    def __init__(self) -> None:
        self._open: dict[str, JsonObject] = {}
        self._rules: dict[str, None] = {}  # in order, each once
        self._edits = False
        self._forms, self._others = False, False  # questions that no rule answers

    def opened(self, question: JsonObject) -> None:
        """Take note of a question."""
        self._open[question["requestId"]] = question

    def resolved(self, resolution: JsonObject) -> None:
        """Take note of how a question ended."""
        question = self._open.pop(resolution["requestId"], {})
        if resolution["outcome"] != "unanswered":
            return
        options = question.get("options", ())
        # what counts for a project is what a file may have
        rules = [each["rule"] for each in options if "rule" in each and each.get("scope") == "project"]
        if rules:
            # "all edits in this session" is offered for what the mode acceptEdits would have let through
            self._edits |= any(each.get("rule") == EDITS for each in options)
            self._rules |= dict.fromkeys(rules[-1].split("\n"))
        else:
            self._forms |= question.get("kind") == "form"
            self._others |= question.get("kind") != "form"

    @property
    def remedy(self) -> str:
        """What allows these calls the next time, or answers these questions."""
        allowing = [self._allowing] if self._rules else [ONLY_ASKED] if self._others else []
        return " ".join([*allowing, *([ANSWERS] if self._forms else [])]) or ONLY_ASKED

    @property
    def _allowing(self) -> str:
        rule = f"a rule: [permissions] allow = {json.dumps([*self._rules], ensure_ascii=False)}"
        return f"To allow such calls: {'--mode acceptEdits (edits), or ' if self._edits else ''}{rule}."
