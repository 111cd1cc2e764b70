"""What the first line says of the program, whether a run can begin or not."""

from hashlib import sha256
from importlib.resources import files

from aglet import __version__
from aglet.engine.vocabulary import JsonObject
from aglet_protocol import PROTOCOL_VERSION, SCHEMA_REVISION


def greeting() -> JsonObject:
    """The versions, and which schema is spoken."""
    schema = files("aglet_protocol").joinpath("schema.json").read_bytes()
    return {
        "v": PROTOCOL_VERSION,
        "protocolVersion": PROTOCOL_VERSION,
        "schema": {"sha256": sha256(schema).hexdigest(), "revision": SCHEMA_REVISION},
        "server": {"name": "aglet", "version": __version__},
    }
