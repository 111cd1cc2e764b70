"""The dialect of Ollama's own `/api/chat`.

Unlike its OpenAI-compatible address it takes the size of the context (`num_ctx`), so that a long
prompt is not cut off without a word.
"""

from collections.abc import Mapping, Sequence

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import AssistantMessage, Content, Finish, Image, JsonObject, Message, Usage
from agls.json_values import object_in, objects_in, text_in
from agls.models.dialects.answer import AnswerReader, finish_in
from agls.models.dialects.dialect import Dialect
from agls.models.dialects.messages import (
    NOTHING,
    as_text,
    contents_of,
    images_of_results,
    results_of,
    text_of,
    turns,
)
from agls.models.dialects.usage import count_in
from agls.models.endpoint import Endpoint

FINISHES: Mapping[str, Finish] = {"length": "length"}


def body_of(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """Return the JSON body of a request for a streamed answer."""
    body: JsonObject = {"model": endpoint.model, "stream": True}
    options: JsonObject = {}
    if endpoint.context_window:
        options["num_ctx"] = endpoint.context_window
    if limit := endpoint.limited(request.max_output_tokens):
        options["num_predict"] = limit
    if options:
        body["options"] = options
    if request.effort:
        level = request.effort if "gpt-oss" in endpoint.model else True
        body["think"] = False if request.effort == "none" else level
    if request.output_schema and not request.tools:  # it would keep the model from calling any
        body["format"] = request.output_schema
    if request.tools:
        described = (
            {"name": tool.name, "description": tool.description, "parameters": tool.schema}
            for tool in request.tools
        )
        body["tools"] = [{"type": "function", "function": function} for function in described]
    head = [{"role": "system", "content": request.system}] if request.system else []
    return {**body, "messages": [*head, *_messages(request.messages)]}


def _messages(messages: Sequence[Message]) -> list[JsonObject]:
    sent: list[JsonObject] = []
    for turn in turns(messages):
        if isinstance(turn, AssistantMessage):
            sent.append(_assistant(turn))
            continue
        for result in results_of(turn):
            sent.append({"role": "tool", "tool_name": result.name, "content": result.text or NOTHING})
        if contents := [*images_of_results(turn), *contents_of(turn)]:
            sent.append(_user(contents))
    return sent


def _user(contents: Sequence[Content]) -> JsonObject:
    images = [part.data for part in contents if isinstance(part, Image)]
    text = "\n\n".join(words for part in contents if (words := as_text(part)))
    return {"role": "user", "content": text, **({"images": images} if images else {})}


def _assistant(message: AssistantMessage) -> JsonObject:
    sent: JsonObject = {"role": "assistant", "content": text_of(message)}
    if message.tool_calls:
        sent["thinking"] = message.thinking
        called = ({"name": call.name, "arguments": call.arguments} for call in message.tool_calls)
        sent["tool_calls"] = [{"function": function} for function in called]
    return sent


class OllamaAnswerReader(AnswerReader):
    """Reads lines of JSON, or one. `done` ends the answer."""

    def __init__(self, reply_id: str, endpoint: Endpoint) -> None:
        super().__init__(reply_id, endpoint)
        self._called = 0

    def _read(self, chunk: JsonObject) -> None:
        message = object_in(chunk.get("message"))
        self._say(message.get("thinking"), "")
        self._say(*self._thought.feed(text_in(message.get("content"))))
        for call in objects_in(message.get("tool_calls")):
            self._called += 1  # every call comes whole, and some versions give all of them one index
            self._calls.take({**call, "index": self._called})
        if chunk.get("done") is True:
            self._finish = finish_in(FINISHES, chunk.get("done_reason"))
            self._usage = Usage(count_in(chunk, "prompt_eval_count"), count_in(chunk, "eval_count"))
            self.done = self._whole = True


def root(endpoint: Endpoint) -> str:
    """Return the address of the server itself, also for its OpenAI-compatible address."""
    return endpoint.base_url.partition("?")[0].rstrip("/").removesuffix("/v1")


DIALECT = Dialect(
    url=lambda endpoint: f"{root(endpoint)}/api/chat",
    body=body_of,
    answer=OllamaAnswerReader,
    listing=lambda endpoint: f"{root(endpoint)}/api/tags",
    names=("models", "name"),
    cuts_silently=True,
    writes_calls=True,
    sampled=("options", "temperature", "top_p"),
)
