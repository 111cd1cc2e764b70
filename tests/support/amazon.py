"""Bedrock on loopback: frames of Amazon's event stream, and the check of a request's signature."""

import json
from base64 import b64encode
from collections.abc import Sequence
from importlib import import_module
from typing import Any
from zlib import crc32

from support.model_server import Raw, Request

STREAM = {"Content-Type": "application/vnd.amazon.eventstream"}
ACCESS, SECRET, TOKEN = "AKIDCANARY0000000001", "canary/secret+0123456789", "canary-session-token"
SIGNING = {"AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": TOKEN}


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One frame, with its checksums."""
    block = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + len(value).to_bytes(2) + value.encode()
        for name, value in headers.items()
    )
    prelude = (len(block) + len(payload) + 16).to_bytes(4) + len(block).to_bytes(4)
    body = prelude + crc32(prelude).to_bytes(4) + block + payload
    return body + crc32(body).to_bytes(4)


def chunk(event: bytes) -> bytes:
    """An event of the model as Bedrock wraps it."""
    payload = {"bytes": b64encode(event).decode(), "p": "abcdefgh"}
    kind = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
    return frame(kind, json.dumps(payload).encode())


def exception(kind: str, message: str) -> bytes:
    """An error in the middle of a stream."""
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, json.dumps({"message": message}).encode())


def framed(events: Sequence[bytes], *more: bytes) -> Raw:
    """Server-sent events as frames, and more frames behind them."""
    chunks = [chunk(event.removeprefix(b"data: ").strip()) for event in events]
    return Raw([*chunks, *more], headers=STREAM)


def check_signature(request: Request, region: str, service: str = "bedrock") -> None:
    """Fail unless botocore makes the same signature of what arrived."""
    auth, requests = import_module("botocore.auth"), import_module("botocore.awsrequest")
    credentials = import_module("botocore.credentials").Credentials(ACCESS, SECRET, TOKEN)
    said = request.headers["authorization"]
    assert said.startswith("AWS4-HMAC-SHA256 Credential=")
    parts = dict(part.split("=", 1) for part in said.removeprefix("AWS4-HMAC-SHA256 ").split(", "))
    day = request.headers["x-amz-date"][:8]
    assert parts["Credential"] == f"{ACCESS}/{day}/{region}/{service}/aws4_request"
    names = parts["SignedHeaders"].split(";")
    assert {"content-type", "host", "x-amz-date", "x-amz-security-token"} <= set(names)
    assert request.headers["x-amz-security-token"] == TOKEN
    url = f"https://{request.headers['host']}{request.path}"
    signed = {name: request.headers[name] for name in names}
    arrived: Any = requests.AWSRequest(request.method, url, signed, request.content)
    arrived.context["timestamp"] = request.headers["x-amz-date"]
    signer: Any = auth.SigV4Auth(credentials, service, region)
    text = signer.string_to_sign(arrived, signer.canonical_request(arrived))
    assert signer.signature(text, arrived) == parts["Signature"]
