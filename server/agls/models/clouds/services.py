"""The addresses of models in clouds, and their dialects there."""

import re

from agls.models.endpoint import DialectName, Service

PUBLISHERS = {"anthropic": "publishers/anthropic", "gemini": "publishers/google", "chat": "endpoints/openapi"}


def dialect_there(service: Service, model: str) -> DialectName:
    """Return the dialect of a model in this cloud."""
    if "claude" in model:
        return "anthropic"
    return "gemini" if service == "vertex" and re.match("gemini", model) else "chat"


def url_there(service: Service, dialect: DialectName, region: str, project: str) -> str:
    """Return the address of a cloud's models in this dialect, for `base_url`."""
    if service == "bedrock":
        host = f"https://bedrock-runtime.{region}.amazonaws.com"
        return host if dialect == "anthropic" else f"{host}/openai/v1"
    host = "aiplatform.googleapis.com" if region == "global" else f"{region}-aiplatform.googleapis.com"
    publisher = PUBLISHERS.get(dialect, PUBLISHERS["chat"])
    return f"https://{host}/v1/projects/{project}/locations/{region}/{publisher}"
