"""How the values of options are read: what cannot be used is refused with what can."""

import argparse
import json
from pathlib import Path

from agls.doors.headless.options.parser import no_such

MODES = ("ask", "acceptEdits", "plan", "allowAll")


def folder_name(value: str) -> str:
    """Read a folder's name; an empty one is most likely a variable that is not set."""
    if not value:
        raise argparse.ArgumentTypeError("the name of the folder is empty")
    return value


def mode(value: str) -> str:
    """Read the name of a permission mode."""
    if value == "auto":
        raise argparse.ArgumentTypeError(
            f"auto needs the sandbox, which this version does not have; use {', '.join(MODES)}"
        )
    if value not in MODES:
        raise argparse.ArgumentTypeError(no_such("mode", value, MODES))
    return value


def schema(value: str) -> object:
    """Read the file with a JSON Schema."""
    try:
        return json.loads(Path(value).read_text(encoding="utf-8"))
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{value} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"{value} is no JSON: {error}") from None
