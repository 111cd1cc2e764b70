"""`agls schema`: the protocol exactly as this build speaks it, for writers of clients."""

import json
from collections.abc import Mapping
from pathlib import Path

import agls_protocol
from agls.doors.headless.exits import CannotBegin
from agls.doors.headless.streams import write, write_stderr
from agls_protocol.luacats import luacats
from agls_protocol.typescript import typescript

PACKAGE = Path(agls_protocol.__file__).parent


def write_schema(out: str) -> None:
    """Write all files into the folder `out`, which is made; with "" the schema to standard output.

    **Raises** `CannotBegin` when the folder cannot be written.
    """
    if not out:
        write((PACKAGE / "schema.json").read_text(encoding="utf-8"))
        return
    folder = Path(out)
    try:
        for name, text in protocol_files().items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "that is no name for a folder"
        message = f"The schema cannot be written to {out}: {why}. Name a folder that you may write to."
        raise CannotBegin(message, "usage") from error
    write_stderr(f"The protocol was written to {folder}: schema, names, types, golden transcripts.\n")


def protocol_files() -> Mapping[str, str]:
    """Return every file by its name in the folder."""
    schema = (PACKAGE / "schema.json").read_text(encoding="utf-8")
    document = json.loads(schema)
    golden = sorted((PACKAGE / "golden").glob("*.json*"))
    return {
        "schema.json": schema,
        "meta.json": (PACKAGE / "meta.json").read_text(encoding="utf-8"),
        "protocol.ts": typescript(document),
        "protocol.lua": luacats(document),
        **{f"golden/{path.name}": path.read_text(encoding="utf-8") for path in golden},
    }
