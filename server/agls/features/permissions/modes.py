"""The permission modes: how much runs without a question when no rule says otherwise."""

from typing import Literal, TypeGuard, get_args

Mode = Literal["ask", "acceptEdits", "plan", "allowAll"]
MODES: tuple[Mode, ...] = get_args(Mode)


def is_mode(value: object) -> TypeGuard[Mode]:
    """Whether this names a mode."""
    return value in MODES


def complaint(value: object) -> str:
    """Why this is no mode, and what to write instead."""
    if value == "auto":
        return "mode 'auto' needs the sandbox, which this version does not have; use 'ask' or 'acceptEdits'"
    return f"there is no mode {value!r}; the modes are {', '.join(MODES)}"
