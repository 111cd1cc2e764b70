"""The options of a session or a run as clients write them (protocol#options)."""

from collections.abc import Mapping
from difflib import get_close_matches

from agls.doors.from_wire import Malformed
from agls.engine.vocabulary import JsonObject
from agls.order import ROOMS
from agls.room import RunOption

OWN = tuple(RunOption(name, is_text=True) for name in ("agent", "model", "effort"))  # of no room
USER = "user"  # the one who can choose a mode that widens what runs unasked
KNOWN = {option.name: option for option in (*OWN, *(each for room in ROOMS for each in room.options))}


def read_options(given: Mapping[str, object], where: str = "params.options.{}") -> JsonObject:
    """Return the options that are set: `null` is the same as absent, and `_` begins a client's own.

    `where` is the member that has an option, by its name.
    **Raises** `Malformed` for an unknown name and for a value that can never be right; the room of the budget
    knows its limits, and the configuration the models.
    """
    options = {name: value for name, value in given.items() if value is not None}
    for name, value in options.items():
        check_name(name)
        if option := KNOWN.get(name):
            _check(option, value, where.format(name))
    return options


def by_user(chosen_by: str) -> bool:
    """Return whether a person chose the mode, as the client says. **Raises** `Malformed`."""
    if chosen_by not in {"", USER}:
        raise Malformed(f'params.chosenBy must be "{USER}", or left out')
    return chosen_by == USER


def check_name(name: str) -> None:
    """Refuse the name of an option that there is not. **Raises** `Malformed`."""
    if name not in KNOWN and not name.startswith("_"):
        raise Malformed(f"there is no option {name!r}; {_instead(name)}")


def _check(option: RunOption, value: object, where: str) -> None:
    if option.is_text and not isinstance(value, str):
        raise Malformed(f"{where} must be a string")
    if complaint := option.complaint(value):
        raise Malformed(f"{where}: {complaint}")


def _instead(name: str) -> str:
    meant = get_close_matches(name, KNOWN, 1)
    return f"did you mean {meant[0]!r}?" if meant else f"the options are {', '.join(KNOWN)}"
