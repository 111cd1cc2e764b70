"""The options of a session or a run as clients write them (protocol#options)."""

from collections.abc import Mapping
from difflib import get_close_matches

from agls.doors.from_wire import Malformed
from agls.engine.vocabulary import JsonObject
from agls.features.budget.limits import OPTIONS as BUDGETS
from agls.features.delivery.settings import OPTION as DELIVER
from agls.features.output_schema.settings import OPTION as SCHEMA
from agls.features.permissions.modes import complaint, is_mode

TEXTS = ("agent", "model", "mode", "effort", "caller", "parentRun")
USER = "user"  # who can choose a mode that widens what runs unasked
KNOWN = (*TEXTS, *BUDGETS, SCHEMA, DELIVER)


def read_options(given: Mapping[str, object]) -> JsonObject:
    """The options that are set: `null` is the same as not given, and `_` begins what is the client's own.

    Raises `Malformed` for a name nobody knows and for a value that can never be right; what a budget
    may be is known to its room, and what models there are to the configuration.
    """
    options = {name: value for name, value in given.items() if value is not None}
    for name, value in options.items():
        check_name(name)
        if name in TEXTS and not isinstance(value, str):
            raise Malformed(f"params.options.{name} must be a string")
    if "mode" in options and not is_mode(options["mode"]):
        raise Malformed(f"params.options.mode: {complaint(options['mode'])}")
    return options


def by_user(chosen_by: str) -> bool:
    """Whether the client says that a person chose the mode. **Raises** `Malformed`."""
    if chosen_by not in {"", USER}:
        raise Malformed(f'params.chosenBy must be "{USER}", or left out')
    return chosen_by == USER


def check_name(name: str) -> None:
    """Refuse the name of an option that there is not. Raises `Malformed`."""
    if name not in KNOWN and not name.startswith("_"):
        raise Malformed(f"there is no option {name!r}; {_instead(name)}")


def _instead(name: str) -> str:
    meant = get_close_matches(name, KNOWN, 1)
    return f"did you mean {meant[0]!r}?" if meant else f"the options are {', '.join(KNOWN)}"
