"""The options of the command line that limit a run."""

import argparse
from collections.abc import Callable
from math import isfinite, nan

from agls.engine.vocabulary import JsonObject


def count(value: str) -> int:
    """A whole number, 0 or more."""
    if not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{value!r} is not a whole number, 0 or more")
    return int(value)


def _number(of: str) -> Callable[[str], float]:
    def read(value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            number = nan
        if not isfinite(number) or number < 0:
            raise argparse.ArgumentTypeError(f"{value!r} is not a number of {of}, 0 or more")
        return number

    return read


LIMITS: dict[str, tuple[Callable[[str], float], str]] = {
    "maxTurns": (count, "model requests at most (50 where nobody is at a terminal)"),
    "maxSeconds": (
        _number("seconds"),
        "seconds at most, questions not counted (1800 where nobody is at a terminal)",
    ),
    "maxCostUsd": (_number("US dollars"), "US dollars at most"),
    "maxModelCalls": (count, "model calls at most, those of helpers and children included"),
    "maxToolCalls": (count, "tool calls at most"),
    "maxDelegatedTasks": (
        count,
        "tasks given to other agents at most; more are refused, and the run does them itself",
    ),
    "maxTotalTokens": (count, "tokens at most, in and out"),
    "maxInputTokens": (count, "tokens in at most"),
    "maxOutputTokens": (count, "tokens out at most"),
    "maxReasoningTokens": (count, "tokens of reasoning at most"),
    "maxSessionTurns": (count, "model requests at most in the whole session"),
}


def add_limits(parser: argparse.ArgumentParser) -> None:
    """One option for each limit of a run, and who asks for it."""
    group = parser.add_argument_group(
        "limits", "Where none is given those of [budget] in the configuration hold."
    )
    for name, (read, what) in LIMITS.items():
        group.add_argument(_flag(name), type=read, metavar="N", dest=name, help=what)
    group.add_argument("--caller", default="", help="who asks: [budget.callers] may limit them on a day")
    group.add_argument(
        "--parent-run", default="", metavar="ID", help="the run of another program it works for"
    )


def limits(arguments: argparse.Namespace) -> JsonObject:
    """The limits that were given, as options of a run."""
    said = {"caller": arguments.caller or None, "parentRun": arguments.parent_run or None}
    given = {name: getattr(arguments, name) for name in LIMITS} | said
    return {name: value for name, value in given.items() if value is not None}


def _flag(name: str) -> str:
    """`maxCostUsd` is `--max-cost-usd`."""
    return "--" + "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)
