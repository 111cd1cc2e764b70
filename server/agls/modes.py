"""The permission modes: how much runs without a question when no rule says otherwise."""

from typing import Literal, TypeGuard, get_args

Mode = Literal["ask", "acceptEdits", "plan", "allowAll"]
MODES: tuple[Mode, ...] = get_args(Mode)
WIDTH: dict[Mode, int] = {"plan": 0, "ask": 1, "acceptEdits": 2, "allowAll": 3}


def is_mode(value: object) -> TypeGuard[Mode]:
    """Whether this names a mode."""
    return value in MODES


def is_wider(mode: object, than: Mode) -> bool:
    """Whether more runs unasked in this mode than in the other. What is no mode is as strict as `ask`."""
    return is_mode(mode) and WIDTH[mode] > WIDTH[than]


def widens(mode: object) -> bool:
    """Whether something that has an effect runs unasked in this mode."""
    return is_wider(mode, "ask")


def complaint_of(value: object) -> str:
    """**Returns** what is wrong with the mode, "" when there is one of this name."""
    return "" if is_mode(value) else complaint(value)


def complaint(value: object) -> str:
    """Why this is no mode, and what to write instead."""
    if value == "auto":
        return "mode 'auto' is not in this version; 'allowAll' runs commands in the sandbox"
    return f"there is no mode {value!r}; the modes are {', '.join(MODES)}"
