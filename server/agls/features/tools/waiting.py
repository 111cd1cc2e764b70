"""Which tools wait, and which of them were found: that follows from the tools and the session's notes."""

from collections.abc import Sequence

from agls.engine.ports import ToolSpec
from agls.engine.state import State
from agls.features.tools.catalogue import size_of
from agls.features.tools.settings import Settings

ROOM, FOUND = "tools", "found"
PER_TOKEN = 3.6  # characters


def waiting(settings: Settings, window: int | None, specs: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
    """Return those of these tools that are not shown from the start to a model that sees so many tokens."""
    match settings.load:
        case "all":
            return ()
        case "search":
            return tuple(spec for spec in specs if spec.load != "always")
        case _:
            loads = {"search", "auto"} if _is_crowded(settings, window, specs) else {"search"}
            return tuple(spec for spec in specs if spec.load in loads)


def _is_crowded(settings: Settings, window: int | None, specs: Sequence[ToolSpec]) -> bool:
    if not window or all(spec.load != "auto" for spec in specs):
        return False
    return size_of(specs) / PER_TOKEN > window * settings.share / 100


def found_in(state: State) -> tuple[str, ...]:
    """Return the names of the tools that were found in this session, in that order."""
    notes = state.notes.get(ROOM, ())
    names = (name for note in notes if note.kind == FOUND for name in note.data.get("names", ()))
    return tuple(dict.fromkeys(names))
