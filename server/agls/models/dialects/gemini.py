"""The dialect of Gemini's generateContent."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import (
    AssistantMessage,
    Content,
    Finish,
    Image,
    JsonObject,
    Message,
    ToolResult,
    Usage,
)
from agls.json_values import object_in, objects_in, text_in
from agls.models.dialects.answer import CUTTING, AnswerReader, finish_in, own_opaque
from agls.models.dialects.chat_messages import SIGNED_ELSEWHERE
from agls.models.dialects.counting import PostJson
from agls.models.dialects.dialect import Dialect
from agls.models.dialects.gemini_arguments import placed
from agls.models.dialects.messages import (
    NOTHING,
    as_text,
    compact_json,
    contents_of,
    images_of_results,
    results_of,
    text_of,
    turns,
)
from agls.models.dialects.tool_schemas import flat
from agls.models.dialects.usage import count_in
from agls.models.endpoint import Endpoint
from agls.models.errors import malformed
from agls.regex import regex

VERSION = regex(r"gemini-(\d+)(?:\.(\d+))?")
LEVELS = {"none": "minimal", "minimal": "minimal", "low": "low", "medium": "medium"}  # since version 3
BUDGETS = {"none": 128, "minimal": 512, "low": 2048, "medium": 8192}  # tokens to think, before version 3
MOST = 24576
FINISHES: Mapping[str, Finish] = {
    "max_tokens": "length",
    **dict.fromkeys(
        ("safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety", "model_armor"),
        "content_filter",
    ),
}
BAD_CALLS = {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}


def body_of(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """Return the JSON body of a request."""
    settings: JsonObject = {}
    if limit := endpoint.limited(request.max_output_tokens):
        settings["maxOutputTokens"] = limit
    if _version(endpoint.model) >= (2, 5):
        settings["thinkingConfig"] = {"includeThoughts": True, **_thinking(request.effort, endpoint.model)}
    if (shape := request.output_schema) and not (request.tools and _version(endpoint.model) < (3, 0)):
        settings |= {"responseMimeType": "application/json", "responseJsonSchema": shape}
    body: JsonObject = {"generationConfig": settings} if settings else {}
    if request.tools:
        declared = [
            {"name": tool.name, "description": tool.description, "parametersJsonSchema": flat(tool.schema)}
            for tool in request.tools
        ]
        body["tools"] = [{"functionDeclarations": declared}]
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    return {**body, "contents": _contents(request.messages, endpoint)}


def _version(model: str) -> tuple[int, int]:
    found = VERSION.search(model)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def _thinking(effort: str, model: str) -> JsonObject:
    if not effort:
        return {}
    if _version(model) >= (3, 0):
        return {"thinkingLevel": LEVELS.get(effort, "high")}
    return {"thinkingBudget": BUDGETS.get(effort, MOST)}


def _contents(messages: Sequence[Message], endpoint: Endpoint) -> list[JsonObject]:
    sent: list[JsonObject] = []
    ids: dict[str, str] = {}  # of calls to which the server gave an id, as the server knows them
    for turn in turns(messages):
        if isinstance(turn, AssistantMessage):
            kept = own_opaque(turn.opaque, endpoint, "parts")
            named = [object_in(part["functionCall"]).get("id") for part in kept if "functionCall" in part]
            known = zip(turn.tool_calls, named, strict=False)
            ids |= {call.call_id: call_id for call, call_id in known if call_id}
            sent.append({"role": "model", "parts": _said(turn, kept, endpoint)})
            continue
        results = [_result(result, ids) for result in results_of(turn)]
        rest = [_part(part) for part in (*images_of_results(turn), *contents_of(turn))]
        sent.append({"role": "user", "parts": [*results, *rest]})
    return sent


def _part(part: Content) -> JsonObject:
    if isinstance(part, Image):
        return {"inlineData": {"mimeType": part.media_type, "data": part.data}}
    return {"text": as_text(part)}


def _result(result: ToolResult, ids: Mapping[str, str]) -> JsonObject:
    named = {"id": ids[result.call_id]} if result.call_id in ids else {}
    said = {"error" if result.is_error else "output": result.text or NOTHING}
    return {"functionResponse": {**named, "name": result.name, "response": said}}


def _said(message: AssistantMessage, kept: Sequence[JsonObject], endpoint: Endpoint) -> list[JsonObject]:
    """Return an answer as parts, in the model's own order when it has signatures."""
    calls = [{"name": call.name, "args": call.arguments} for call in message.tool_calls]
    if not kept:
        text = text_of(message)
        sent: list[JsonObject] = [{"functionCall": call} for call in calls]
        if sent and _version(endpoint.model) >= (3, 0):
            sent[0]["thoughtSignature"] = SIGNED_ELSEWHERE
        return [*([{"text": text}] if text else []), *sent]
    waiting = iter(calls)
    return [
        {**part, "functionCall": {**object_in(part["functionCall"]), **object_in(next(waiting, None))}}
        if "functionCall" in part
        else part
        for part in kept
    ]


class GeminiAnswerReader(AnswerReader):
    """Reads chunks, or one answer. A `finishReason` or `blockReason` ends the answer."""

    def __init__(self, reply_id: str, endpoint: Endpoint) -> None:
        super().__init__(reply_id, endpoint)
        self._parts: list[JsonObject] = []
        self._counts: JsonObject = {}
        self._arguments: JsonObject | None = None  # of a call that comes in pieces, while it is open
        self._called = 0

    @property
    def finished(self) -> bool:
        """Whether the server sent a reason to finish, and every call is complete."""
        return self._whole and (self._arguments is None or self._finish in CUTTING)

    def _read(self, chunk: JsonObject) -> None:
        usage = object_in(chunk.get("usageMetadata"))
        self._counts |= {key: count for key, count in usage.items() if count is not None}
        self._usage = usage_of(self._counts)
        if object_in(chunk.get("promptFeedback")).get("blockReason"):
            self._finish, self._whole = "content_filter", True
        for candidate in objects_in(chunk.get("candidates")):
            if not candidate.get("index"):
                self._candidate(candidate)

    def _candidate(self, candidate: JsonObject) -> None:
        for part in objects_in(object_in(candidate.get("content")).get("parts")):
            self._part(part)
        if reason := candidate.get("finishReason"):
            self._finish, self._whole = finish_in(FINISHES, reason), True
            if reason in BAD_CALLS and not self._called:
                self.failure = malformed(self.endpoint, "wrote a call of a tool that cannot be read")

    def _part(self, part: JsonObject) -> None:
        signed = {"thoughtSignature": part["thoughtSignature"]} if part.get("thoughtSignature") else {}
        if "functionCall" in part:
            self._call(object_in(part["functionCall"]), signed)
        elif part.get("thought"):
            self._say(part.get("text"), "")
        elif isinstance(text := part.get("text"), str):
            self._say("", text)
            if not signed and self._parts and self._parts[-1].keys() == {"text"}:
                self._parts[-1]["text"] += text
            else:
                self._parts.append({"text": text, **signed})

    def _call(self, call: JsonObject, signed: JsonObject) -> None:
        if name := text_in(call.get("name")):
            self._called += 1
            named = {"id": call["id"]} if text_in(call.get("id")) else {}
            self._parts.append({"functionCall": named, **signed})
            self._calls.take({"index": self._called, **named, "function": {"name": name}})
            self._arguments = {}
        if self._arguments is None:
            return
        args = call.get("args")
        self._arguments |= object_in(args)
        for piece in objects_in(call.get("partialArgs")):
            placed(self._arguments, piece)
        if not call.get("willContinue"):
            whole = args if args and not isinstance(args, dict) else self._arguments
            self._calls.take({"index": self._called, "function": {"arguments": compact_json(whole)}})
            self._arguments = None

    def _opaque(self, *, with_calls: bool) -> JsonObject:
        named = (object_in(part.get("functionCall")).get("id") for part in self._parts)
        if not any("thoughtSignature" in part for part in self._parts) and not any(named):
            return {}
        return {"parts": [part for part in self._parts if part.get("text") != "" or len(part) > 1]}


def usage_of(raw: JsonObject) -> Usage:
    """Return the usage of an answer. Thoughts, which it counts apart, are billed as output."""
    said, thought = count_in(raw, "candidatesTokenCount"), count_in(raw, "thoughtsTokenCount")
    return Usage(
        input_tokens=count_in(raw, "promptTokenCount"),
        output_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
        reasoning_tokens=thought,
        cache_read_tokens=count_in(raw, "cachedContentTokenCount"),
    )


def _url(endpoint: Endpoint, verb: str = "streamGenerateContent?alt=sse") -> str:
    model = quote(endpoint.model.removeprefix("models/"), safe="-._~/:@")
    return endpoint.at(f"/models/{model}:{verb}", "v1beta")


async def counted(post: PostJson, body: JsonObject, endpoint: Endpoint) -> int | None:
    """Return the tokens of a request, counted by the server."""
    model = f"models/{endpoint.model.removeprefix('models/')}"
    counted_body = {"generateContentRequest": {"model": model, **body}}
    return count_in(await post(_url(endpoint, "countTokens"), counted_body), "totalTokens")


DIALECT = Dialect(
    url=_url,
    body=body_of,
    answer=GeminiAnswerReader,
    listing=lambda endpoint: endpoint.at("/models?pageSize=1000", "v1beta"),
    names=("models", "name"),
    key=("x-goog-api-key", "{}"),
    counting=counted,
    sampled=("generationConfig", "temperature", "topP"),
)
