"""What the user may ask: a report of what went wrong, to give to whoever can mend it."""

import platform

from pydantic import Field

from agls import __version__
from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.state import State
from agls.room.process_ports import Examiner
from agls.short_text import brief, number_of
from agls.toolkit import Arguments, TypedAction

SENT = (
    "Nothing was sent. Read this before you pass it on: paths have your name in them. What was said in the "
    "session is not here; `/export` writes that, and `agls sessions trace {}` what happened in it."
)
LONGEST = 2_000  # characters of the reason for which a run ended


class Feedback(Arguments):
    """Write a report about agls for you to send: versions, how the last run ended, what the doctor finds.

    Nothing is sent. Keys and the conversation are not in it.
    """

    words: str = Field("", description="what went wrong, and what you expected")


def feedback(examine: Examiner) -> Action:
    """Return the action."""

    async def report(arguments: Feedback, context: ActionContext) -> ActionOutcome:
        model = str(context.state.options.get("model", ""))
        with context.breakable():
            found = await examine(context.workspace, model, True)
        rows = {
            "agls": __version__,
            "Python": platform.python_version(),
            "System": f"{platform.system()} {platform.release()} {platform.machine()}",
            "Session": context.session_id,
            "Model": model or "the default",
            "Last run": _last_end(context.state),
        }
        lines = [f"- {name}: {value}" for name, value in rows.items()]
        what = arguments.words.strip() or "(Say here what went wrong, and what you expected.)"
        parts = (
            "# Report about agls",
            what,
            "\n".join(lines),
            "## What the doctor finds",
            found.text,
        )
        data = {"words": arguments.words, **rows, "doctor": found.data}
        return ActionOutcome("\n\n".join((*parts, SENT.format(context.session_id))), data)

    return TypedAction(
        "feedback", "Make a report to pass on", Feedback, report, aliases=("bug",), group="Settings"
    )


def _last_end(state: State) -> str:
    """Return how the last run ended, in a line."""
    if state.stop is None:
        return "none has ended"
    detail = brief(state.stop.detail, LONGEST)
    told = (state.stop.reason.value, state.stop.kind, detail)
    turns, calls = number_of(state.run.turns, "turn"), number_of(state.run.tool_calls, "call")
    return f"{': '.join(filter(None, told))} ({turns}, {calls})"
