"""Models that the client has, and requests to them."""

from dataclasses import field

from agls_protocol.items import JsonObject
from agls_protocol.record import record


@record
class LanguageModel:
    """A model of the client: `id` names it there, `editor/ID` here. `maxInputTokens` is what it takes."""

    id: str
    max_input_tokens: int | None = None


@record
class LanguageModelsParams:
    """`agent/languageModel/list`: all models that the client has now."""

    models: list[LanguageModel]


@record
class OfferedTool:
    """A tool that the model may call. `inputSchema` is a JSON Schema."""

    name: str
    description: str
    input_schema: JsonObject


@record
class AskedMessage:
    """A message: its `role` is user or assistant, its `content` a list of parts by `type`.

    The parts are `text` (`text`), `image` (`data`, `mimeType`), `toolCall` (`callId`, `name`, `input`) and
    `toolResult` (`callId`, `text`).
    """

    role: str
    content: list[JsonObject]


@record
class AskLanguageModelParams:
    """`agent/languageModel/ask`: the client asks its `model`, and sends the answer in pieces."""

    request_id: str
    model: str
    system: str
    messages: list[AskedMessage]
    tools: list[OfferedTool] = field(default_factory=list[OfferedTool])
    max_output_tokens: int | None = None


@record
class LanguageModelFailure:
    """Why a model did not answer: `kind` as in `Errors`, and the client's words."""

    kind: str
    message: str


@record
class AskLanguageModelAnswer:
    """The answer is complete, and how it ended (`finish`: stop, length or refusal); or why there is none."""

    finish: str | None = None
    error: LanguageModelFailure | None = None


@record
class AskedToolCall:
    """A call that the model wants, whole."""

    call_id: str
    name: str
    input: JsonObject


@record
class LanguageModelDeltaParams:
    """`agent/languageModel/delta`: more of the answer to a request."""

    request_id: str
    text: str | None = None
    thinking: str | None = None
    tool_call: AskedToolCall | None = None
