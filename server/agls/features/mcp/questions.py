"""What servers ask the user: a form, or a page to open, put as a question of the session."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from agls.engine.vocabulary import JsonObject, Question
from agls.features.mcp.inputs import ServerInput
from agls.features.mcp.sampling import Sampler
from agls.frozen import frozen
from agls.json_values import is_list, is_object, list_in, object_in, objects_in
from agls.room.mcp_ports import Caller, McpQuestion, McpReply, ModelUse, Progress, forget, show_nothing
from agls.room.run_ports import HookPoints, HookVerdict
from agls.room.session_ports import Forms
from agls.short_text import brief

MOST_FIELDS = 30
SECRET = "password"  # the format of a field that doors do not show while it is typed
LONGEST_TITLE = 200  # characters of what is said of a field
MOST_TRIES = 3
ASKS = "The MCP server {} asks:\n{}"
OPENS = "The MCP server {} wants you to open a page of {}:\n{}\n{}"
NEVER = "Never enter a password or a key here: servers must ask for those on a page of their own."
NEEDS = "The MCP server {} needs {} ({} of {}).\n{}"
KEPT = "It is asked for once and kept for this folder; /mcp.forget {} forgets it."
KEPT_SECRET = (
    "It is a secret: it is kept with your keys, and neither the model nor the record of the session has it. "
    "/mcp.forget {} forgets it."
)
NO_PAGE = DECLINED = McpReply("decline")
MISFIT = "The hook {} answered what does not fit: {}"
TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
}


@frozen(eq=False)
class UserQuestions:
    """Asks whoever may fill in forms; where nobody is there, what is asked is cancelled.

    Hooks see what a server asks before the user does, and the answer before the server does.
    """

    forms: Forms
    use: ModelUse | None = None
    points: HookPoints = dataclasses.field(default_factory=HookPoints)

    def caller(
        self, call_id: str = "", show: Progress = show_nothing, keep: Callable[[str], None] = forget
    ) -> Caller:
        """**Returns** the user, as the one for whom a request is made."""

        async def ask(question: McpQuestion) -> McpReply:
            return await self._ask(question, call_id)

        if not self.forms.takes_forms:
            return Caller(show, ask, keep=keep, attended=False)
        sampler = Sampler(self.forms, self.use, call_id, show) if self.use else None
        return Caller(show, ask, sampler.sample if sampler else None, keep)

    async def value_of(self, wanted: ServerInput, server: str) -> str | None:
        """**Returns** what the user gives for an input of a server's file, `None` for nothing."""
        form, wrong = ServerForm(wanted.schema), ""
        for _ in range(MOST_TRIES):
            answer = await self.forms.ask(_question_for(wanted, server, form, wrong))
            if answer.outcome != "accepted":
                return None
            content, wrong = form.read(answer.content)
            if not wrong:
                return str(content[wanted.name])
        return None

    async def _ask(self, question: McpQuestion, call_id: str) -> McpReply:
        if question.url and not question.url.startswith(("https://", "http://")):
            return NO_PAGE
        form = ServerForm(question.schema)
        if not question.elicited:
            return await self._of_user(question, form, call_id)
        told = _told(question)
        asked = {**told, "message": question.message}
        if not question.url:
            asked["requested_schema"] = question.schema
        before = await self.points.ask("Elicitation", (question.server,), asked)
        if before.objection:
            return DECLINED
        said, wrong = _replied(before, form, McpReply("accept"))
        reply = said or await self._of_user(question, form, call_id, wrong)
        answered = {**told, "action": reply.action, "content": reply.content}
        after = await self.points.ask("ElicitationResult", (question.server,), answered)
        if after.objection:
            return DECLINED
        return _replied(after, form, reply)[0] or reply

    async def _of_user(
        self, question: McpQuestion, form: "ServerForm", call_id: str, wrong: str = ""
    ) -> McpReply:
        for _ in range(MOST_TRIES if self.forms.takes_forms else 0):
            answer = await self.forms.ask(_question(question, form, call_id, wrong))
            match answer.outcome:
                case "accepted":
                    content, wrong = form.read(answer.content)
                    if not wrong:
                        return McpReply("accept", content)
                case "declined" | "dismissed":
                    return McpReply("decline")
                case _:
                    break
        return McpReply("cancel")


def _told(question: McpQuestion) -> JsonObject:
    """**Returns** what hooks get of a question, and of its answer."""
    more = {"url": question.url, "elicitation_id": question.elicitation_id} if question.url else {}
    return {"mcp_server_name": question.server, "mode": "url" if question.url else "form", **more}


def _replied(verdict: HookVerdict, form: "ServerForm", reply: McpReply) -> tuple[McpReply | None, str]:
    """**Returns** the answer of a hook, `None` for none, and why one does not count."""
    action = verdict.reply.get("action", reply.action if "content" in verdict.reply else "")
    if action in {"decline", "cancel"}:
        return McpReply("decline" if action == "decline" else "cancel"), ""
    if action != "accept":
        return None, ""
    content, wrong = form.read(object_in(verdict.reply, "content") or reply.content)
    return (None, MISFIT.format(verdict.by, wrong)) if wrong else (McpReply("accept", content), "")


def _question_for(wanted: ServerInput, server: str, form: "ServerForm", wrong: str) -> Question:
    about = wanted.description.rstrip(".") or "a value"
    kept = (KEPT_SECRET if wanted.is_secret else KEPT).format(wanted.name)
    title = NEEDS.format(server, about, wanted.name, wanted.file, kept)
    shown = form.shown
    if wanted.is_secret:
        shown["properties"][wanted.name]["format"] = SECRET
    return Question("form", f"{title}\n{wrong}".strip(), schema=shown, is_secret=wanted.is_secret)


def _question(question: McpQuestion, form: "ServerForm", call_id: str, wrong: str) -> Question:
    if question.url:
        host = urlsplit(question.url).hostname or "nowhere"
        title = OPENS.format(question.server, host, question.message, question.url)
    else:
        title = f"{ASKS.format(question.server, question.message)}\n{NEVER}"
    return Question(
        "form",
        f"{title}\n{wrong}".strip(),
        call_id=call_id,
        subject={"type": "url", "url": question.url} if question.url else {},
        schema=form.shown,
    )


class ServerForm:
    """A form of a server: as clients show one, and what they send back as the server wants it."""

    def __init__(self, schema: JsonObject) -> None:
        self._fields = {
            name: field
            for name, field in list(object_in(schema, "properties").items())[:MOST_FIELDS]
            if is_object(field)
        }
        required = schema.get("required")
        self._required = [name for name in self._fields if is_list(required) and name in required]

    @property
    def shown(self) -> JsonObject:
        """The form as clients show it: choices by what people call them."""
        required = [name for name in self._required if "default" not in self._fields[name]]
        properties = {name: _shown(name, field) for name, field in self._fields.items()}
        return {"type": "object", "properties": properties, "required": required}

    def read(self, given: JsonObject) -> tuple[JsonObject, str]:
        """**Returns** the values, with those that the server set for what is left out; and what is wrong."""
        values: JsonObject = {}
        for name, field in self._fields.items():
            if given.get(name) not in (None, ""):
                values[name] = _meant(field, given[name])
            elif "default" in field:
                values[name] = field["default"]
            elif name in self._required:
                return {}, f"{name} is missing."
            if name in values and (problem := _problem(field, values[name])):
                return {}, f"{name} {problem}."
        return values, ""


def _choices(field: JsonObject) -> dict[str, Any]:
    """**Returns** the values of a choice, by what people call them."""
    one = object_in(field, "items") if field.get("type") == "array" else field
    titled = [each for key in ("oneOf", "anyOf") for each in objects_in(one.get(key)) if "const" in each]
    if titled:
        return {str(each.get("title") or each["const"]): each["const"] for each in titled}
    values, names = one.get("enum"), one.get("enumNames")
    if not is_list(values):
        return {}
    shown = names if is_list(names) and len(names) == len(values) else values
    return {str(name): value for name, value in zip(shown, values, strict=True)}


def _shown(name: str, field: JsonObject) -> JsonObject:
    title = str(field.get("title") or name)
    about = str(field.get("description") or "")
    default = f" (else: {field['default']})" if "default" in field else ""
    shown: JsonObject = {
        "type": field.get("type") if field.get("type") in TYPES else "string",
        "title": brief(f"{title}: {about}" if about and about != title else title, LONGEST_TITLE) + default,
    }
    if choices := list(_choices(field)):
        if shown["type"] == "array":
            shown |= {"items": {"type": "string", "enum": choices}, "uniqueItems": True}
        else:
            shown |= {"type": "string", "enum": choices}
    elif shown["type"] == "array":
        shown["items"] = {"type": "string"}
    elif shown["type"] == "boolean" and "default" in field:
        shown["default"] = field["default"] is True
    return shown


def _meant(field: JsonObject, value: Any) -> Any:
    choices = _choices(field)
    if is_list(value):
        return [choices.get(str(each), each) for each in value]
    return choices.get(str(value), value) if choices else value


def _problem(field: JsonObject, value: Any) -> str:
    """**Returns** why a value is none of the field, "" when it is one."""
    kind = str(field.get("type") or "string")
    is_number = kind in {"integer", "number"}
    choices = _choices(field)
    if choices and any(each not in choices.values() for each in (value if is_list(value) else [value])):
        return "is none of the choices"
    if not isinstance(value, TYPES.get(kind, object)) or (is_number and isinstance(value, bool)):
        return f"is no {kind}"
    return _beyond(field, value)


def _beyond(field: JsonObject, value: object) -> str:
    """**Returns** which limit of the field a value breaks, "" when it breaks none."""
    match value:
        case bool():
            return ""
        case int() | float():
            size, verb = value, "is"
            kind = "imum"
        case str():
            size, verb = len(value), "has"
            kind = "Length"
        case _:
            size, verb = len(list_in(value)), "has"
            kind = "Items"
    if isinstance(low := field.get(f"min{kind}"), int | float) and size < low:
        return f"{verb} less than {low:g}"
    if isinstance(high := field.get(f"max{kind}"), int | float) and size > high:
        return f"{verb} more than {high:g}"
    return ""
