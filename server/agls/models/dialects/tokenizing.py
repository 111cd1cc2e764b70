"""Token counts by local servers of the chat dialect: vLLM counts a conversation, llama.cpp a text."""

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_list, text_in
from agls.models.dialects.counting import PostJson
from agls.models.dialects.usage import count_in
from agls.models.endpoint import Endpoint


async def count_tokens(post: PostJson, body: JsonObject, endpoint: Endpoint) -> int | None:
    """Return the tokens of a request, counted by a server on this machine; `None` for other servers."""
    if not endpoint.is_local:
        return None
    root = endpoint.base_url.rstrip("/").removesuffix("/v1")
    talk = {key: body[key] for key in ("model", "messages", "tools") if key in body}
    answer = await post(f"{root}/tokenize", talk)
    if (count := count_in(answer, "count")) or "tokens" not in answer:
        return count
    prompt = text_in((await post(f"{root}/apply-template", talk)).get("prompt"))
    text = {"content": prompt, "add_special": True, "parse_special": True}
    tokens = (await post(f"{root}/tokenize", text)).get("tokens") if prompt else None
    return len(tokens) if is_list(tokens) else None
