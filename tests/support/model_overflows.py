"""How providers say that a request does not fit the model's context: their words, and the numbers in them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Case(NamedTuple):
    """An error answer, and the limit and the used tokens that can be read out of it."""

    status: int
    body: Any  # JSON, or a text as it is; "" for none
    limit: int | None = None
    used: int | None = None


TPM = "Request too large for model on TPM: Limit 8000, Requested 9000"
PERPLEXITY = "The total length of all messages is too long."
OPENROUTER = "This endpoint's maximum context length is 7 tokens. However, you requested about 9 tokens"
LM_STUDIO = "The number of tokens to keep from the initial prompt is greater than the context length"


def error(message: str, **more: Any) -> Any:
    """The usual shape."""
    return {"error": {"message": message, **more}}


OVERFLOWS: Mapping[str, Sequence[Case]] = {
    "Anthropic": [
        Case(400, error("prompt is too long: 3333 tokens > 2000 maximum"), 2000, 3333),
        Case(413, error("Request exceeds the maximum size", type="request_too_large")),
        Case(400, error("input length and `max_tokens` exceed context limit: 190 + 20 > 200"), 200, 190),
    ],
    "OpenAI": [
        Case(
            400,
            error("Your input exceeds the context window of this model.", code="context_length_exceeded"),
        ),
        Case(
            400,
            error("maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens"),
            8192,
            9000,
        ),
        Case(
            429,
            error("Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 50000"),
            30000,
            50000,
        ),
    ],
    "DeepSeek": [
        Case(
            400,
            error("This model's maximum context length is 100 tokens. However, you requested 120 tokens"),
            100,
            120,
        )
    ],
    "vLLM": [
        Case(
            400,
            {
                "object": "error",
                "message": "maximum context length is 10 tokens. However, you requested 12 tokens",
                "code": 400,
            },
            10,
            12,
        )
    ],
    "OpenRouter": [
        Case(
            400,
            error(
                "This endpoint's maximum context length is 7 tokens. However, you requested about 9 tokens"
            ),
            7,
            9,
        )
    ],
    "Ollama": [Case(400, error("prompt too long; exceeded max context length by 50 tokens"))],
    "llama.cpp": [
        Case(400, error("x", type="exceed_context_size_error", n_prompt_tokens=12, n_ctx=8), 8, 12),
        Case(500, error("request (12 tokens) exceeds the available context size (8 tokens)"), 8, 12),
        Case(400, error("the request exceeds the available context size, try increasing it")),
    ],
    "LM Studio": [
        Case(
            400,
            error(
                "Trying to keep the first 9000 tokens when context the overflows. However, the model is "
                "loaded with context length of only 4096 tokens"
            ),
            4096,
            9000,
        ),
        Case(
            400,
            error(LM_STUDIO),
        ),
    ],
    "Gemini": [
        Case(
            400,
            error(
                "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
                status="INVALID_ARGUMENT",
            ),
            1048576,
            1250074,
        )
    ],
    "Cohere": [
        Case(
            400,
            {
                "error_type": "TOO_MANY_TOKENS",
                "message": "too many tokens: size limit exceeded by 5 tokens. "
                "The limit for this model is 10 tokens.",
            },
            10,
            15,
        )
    ],
    "Perplexity": [
        Case(
            400,
            error(PERPLEXITY, type="too_many_prompt_tokens", code=400),
        )
    ],
    "Groq": [
        Case(
            413,
            error(
                "Request too large for model on TPM: Limit 8000, Requested 9000", code="rate_limit_exceeded"
            ),
            8000,
            9000,
        ),
        Case(400, error("Please reduce the length of the messages or completion.")),
    ],
    "xAI": [
        Case(
            400,
            error("This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
            131072,
            537812,
        )
    ],
    "Kimi": [
        Case(
            400, error("Your request exceeded model token limit: 262144 (requested: 291351)"), 262144, 291351
        )
    ],
    "MiniMax": [Case(400, error("invalid params, context window exceeds limit (2013)"))],
    "Mistral": [
        Case(
            400,
            error("Prompt contains 12 tokens, too large for model with 8 maximum context length"),
            8,
            12,
        ),
        Case(400, ""),
        Case(413, ""),
    ],
    "Bedrock": [Case(400, error("input is too long for requested model"))],
    "GitHub Copilot": [Case(400, error("prompt token count of 12 exceeds the limit of 10"), 10, 12)],
    "Together": [
        Case(400, error("The input (12 tokens) is longer than the model's context length (8 tokens)."), 8, 12)
    ],
    "Fireworks": [Case(400, error("The prompt is too long: 12, model maximum context length: 8"), 8, 12)],
    "Hugging Face": [
        Case(
            422,
            error("`inputs` tokens + `max_new_tokens` must be <= 8. Given: 12 `inputs` tokens"),
            8,
            12,
        )
    ],
    "watsonx": [
        Case(400, error("the number of input tokens 12 cannot exceed the total tokens limit 8"), 8, 12),
    ],
    "Cerebras": [
        Case(400, ""),
        Case(413, "<html>413 Request Entity Too Large</html>"),
        Case(400, error("Input Tokens Exceeded: Number of input tokens exceeds maximum length")),
    ],
}
