"""What the user may do with the memory: see it, and change it."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.vocabulary import JsonObject
from agls.features.memory.messages import fitting
from agls.features.memory.record import FILES, About, MemoryRecord, NumberedEntry
from agls.features.memory.wording import MemoryProblem, for_model
from agls.frozen import frozen
from agls.toolkit import Arguments, TypedAction, fenced

HEADINGS: dict[About, str] = {"user": "For everything", "project": "For this project"}
HOW = (
    "To change it: /memory add TEXT (or a line `# TEXT`), /memory edit NUMBER TEXT, /memory forget NUMBER; "
    "agls memory in a shell; or edit the files."
)
LEFT_OUT = "; too old for the model to read"


class ChangeMemory(Arguments):
    """Show the memory that models see in every session, or add an entry, edit or forget one by number."""

    do: Literal["show", "add", "edit", "forget"] = "show"
    text: str = Field(default="", description="a text to add; a number, and its new text; or numbers")
    about: Literal["project", "user"] = Field(
        default="project", description="whether a new entry is for this project, or for everything"
    )


def actions(record: MemoryRecord, limit: int) -> tuple[Action, ...]:
    """**Returns** the actions of the room."""
    user = UserMemory(record, limit)
    return (
        TypedAction(
            name="memory",
            title="Show or change the memory",
            arguments=ChangeMemory,
            work=user.change,
            group="Model and context",
            choices={"text": user.entries},
            shorthand=("# ", "add"),
            screened=True,
            outside=True,
        ),
    )


@frozen
class UserMemory:
    """The memory in the hands of the user; of each file the model reads `limit` characters."""

    record: MemoryRecord
    limit: int

    async def entries(self, context: ActionContext) -> Sequence[ActionValue]:
        """**Returns** the numbers that there are."""
        return [ActionValue(str(row.number), row.entry.text) for row in self._rows()]

    async def change(self, arguments: ChangeMemory, context: ActionContext) -> ActionOutcome:
        """Do what the user says. **Raises** `ActionError`."""
        session_id = context.session_id if context.state.transcript else ""
        try:
            match arguments.do:
                case "show":
                    return self._shown()
                case "add":
                    return self._added(arguments, session_id)
                case "edit":
                    return self._edited(arguments.text, session_id)
                case _:
                    return self._forgotten(arguments.text)
        except MemoryProblem as problem:
            raise ActionError(str(problem)) from None

    def _shown(self) -> ActionOutcome:
        rows = self._rows()
        shown = self._shown_to_models(rows)
        parts = [self._section(about, [row for row in rows if row.about == about], shown) for about in FILES]
        data: JsonObject = {
            "entries": [_json(row, is_shown=row.number in shown) for row in rows],
            "files": {about: self.record.path(about) for about in FILES},
            "limit": self.limit,
        }
        return ActionOutcome("\n\n".join([*parts, HOW]), data)

    def _section(self, about: About, rows: Sequence[NumberedEntry], shown: set[int]) -> str:
        lines = [_line(row, is_shown=row.number in shown) for row in rows] or ["Nothing yet."]
        return "\n".join([f"**{HEADINGS[about]}** (`{self.record.path(about)}`)", "", *lines])

    def _added(self, arguments: ChangeMemory, session_id: str) -> ActionOutcome:
        about = arguments.about
        known = self.record.same(about, self.record.checked(arguments.text))
        entry = known.text if known else self.record.add(about, arguments.text, "user", session_id)
        number = next(row.number for row in self._rows() if row.about == about and row.entry.text == entry)
        said = "This is there already" if known else f"Written into {self.record.path(about)}"
        back = (
            "" if known else f"\n\nTo take it back: /memory forget {number}, or agls memory forget {number}"
        )
        return ActionOutcome(f"{said}:\n\n{fenced(entry)}{back}", {"entry": entry, "number": number})

    def _edited(self, text: str, session_id: str) -> ActionOutcome:
        number, _, words = text.strip().partition(" ")
        (row,) = self._chosen(number, "edit 2 The new text")
        entry = self.record.replace(row.about, row.entry, words, "user", session_id)
        shown = f"Instead of:\n\n{fenced(row.entry.text)}\n\nit is now:\n\n{fenced(entry)}"
        return ActionOutcome(shown, {"entry": entry, "number": row.number, "replaced": row.entry.text})

    def _forgotten(self, text: str) -> ActionOutcome:
        rows = self._chosen(text, "forget 2 3")
        for about in FILES:
            self.record.forget(about, [row.entry for row in rows if row.about == about])
        lines = "\n".join(row.entry.text for row in rows)
        return ActionOutcome(
            f"Forgotten:\n\n{fenced(lines)}", {"forgotten": [row.entry.text for row in rows]}
        )

    def _chosen(self, text: str, usage: str) -> Sequence[NumberedEntry]:
        rows = {str(row.number): row for row in self._rows()}
        wanted = list(dict.fromkeys(word for word in re.split(r"[\s,]+", text) if word))
        if not wanted or not rows.keys() >= set(wanted):
            known = f"1 to {len(rows)}" if rows else "none"
            raise MemoryProblem(f"Write the number of an entry ({known}): /memory {usage}")
        return [rows[word] for word in wanted]

    def _rows(self) -> Sequence[NumberedEntry]:
        try:
            return self.record.entries()
        except MemoryProblem as problem:
            raise ActionError(str(problem)) from None

    def _shown_to_models(self, rows: Sequence[NumberedEntry]) -> set[int]:
        """**Returns** the numbers of the entries that models read."""
        read: Callable[..., str] = for_model(self.record.keys())
        numbers: set[int] = set()
        for about in FILES:
            own = [row for row in rows if row.about == about]
            count = len(fitting([read(row.entry) for row in own], self.limit))
            numbers |= {row.number for row in own[len(own) - count :]}
        return numbers


def _line(row: NumberedEntry, *, is_shown: bool) -> str:
    origin = str(row.entry.origin) or "written in the file"
    text = row.entry.text.replace("\n", "\n   ")
    return f"{row.number}. {text} ({origin}{'' if is_shown else LEFT_OUT})"


def _json(row: NumberedEntry, *, is_shown: bool) -> JsonObject:
    origin = row.entry.origin
    where = {"date": origin.date, "by": origin.by, "sessionId": origin.session_id}
    return {"number": row.number, "about": row.about, "text": row.entry.text, "shown": is_shown, **where}
