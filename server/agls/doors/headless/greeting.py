"""The part of the first line that describes the program, whether a run can begin or not."""

from hashlib import sha256
from importlib.resources import files

from agls import __version__
from agls.engine.vocabulary import JsonObject
from agls_protocol import PROTOCOL_VERSION, SCHEMA_REVISION


def greeting() -> JsonObject:
    """Return the versions, and the schema that is spoken."""
    schema = files("agls_protocol").joinpath("schema.json").read_bytes()
    return {
        "v": PROTOCOL_VERSION,
        "protocolVersion": PROTOCOL_VERSION,
        "schema": {"sha256": sha256(schema).hexdigest(), "revision": SCHEMA_REVISION},
        "server": {"name": "agls", "version": __version__},
    }
