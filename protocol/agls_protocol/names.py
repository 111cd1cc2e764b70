"""`meta.json`: the names of the protocol, for programs that only look whether something exists."""

import hashlib
import json
from typing import Any

JsonObject = dict[str, Any]


def meta(schema: str) -> str:
    """The whole file, for this schema."""
    document: JsonObject = json.loads(schema)
    methods: JsonObject = document["methods"]
    names = {
        "protocolVersion": document["version"],
        "revision": document["revision"],
        "schemaSha256": hashlib.sha256(schema.encode()).hexdigest(),
        "requests": _sent(methods, answered=True),
        "notifications": _sent(methods, answered=False),
        "events": {
            "facts": sorted(set(document["events"]) & set(document["facts"])),
            "others": sorted(set(document["events"]) - set(document["facts"])),
        },
        "reserved": document["reserved"],
        "itemKinds": [_kind(document["$defs"], part["$ref"]) for part in document["$defs"]["Item"]["anyOf"]],
        "errors": [{name: error[name] for name in ("code", "kind")} for error in document["errors"]],
    }
    return json.dumps(names, indent=1) + "\n"


def _kind(definitions: JsonObject, reference: str) -> str:
    return definitions[reference.rpartition("/")[2]]["properties"]["kind"]["enum"][0]


def _sent(methods: JsonObject, *, answered: bool) -> JsonObject:
    """Method names by direction."""
    return {
        direction: sorted(
            name
            for name, method in methods.items()
            if method["direction"] == direction and ("result" in method) is answered
        )
        for direction in ("toServer", "toClient")
    }
