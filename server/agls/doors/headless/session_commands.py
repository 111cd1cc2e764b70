"""Commands about one session: a shell must say which one is meant, and a new one has nothing for them."""

from shlex import quote

from agls.assembly.listed_actions import command_named
from agls.doors.headless.exits import CannotBegin, Exit
from agls.engine.actions import ActionSpec

CHANGES = "Changes"
GROUPS = frozenset({"Conversation", "Model and context", CHANGES, "Work"})  # under which /help lists them
OWN_SESSION = (
    "This is about a new session, which was not kept. For the latest session of this folder: agls -c {}"
)
FAILED_HERE = "That is about a new session. For the latest session of this folder: agls -c {}"


def is_about_session(spec: ActionSpec) -> bool:
    """Return whether what the command shows or changes belongs to the session in which it is done."""
    return spec.group in GROUPS and not spec.outside


def shell_line(name: str) -> str:
    """Return how the command `/name` is typed in a shell; "" when no room always offers it."""
    if (spec := command_named(name)) is None:
        return ""
    latest = is_about_session(spec) and not spec.prompts
    return f'agls {"-c" if latest else "run"} "/{name}"'


def with_way_to_latest(problem: CannotBegin, spec: ActionSpec, prompt: str) -> CannotBegin:
    """Return why a command failed in a new session, with the way to the latest one if that may have more."""
    has_more = is_about_session(spec) or spec.group == CHANGES
    if problem.code is not Exit.FAILED or not has_more:
        return problem
    there = FAILED_HERE.format(quote(prompt.strip()))
    return CannotBegin(f"{problem}\n{there}", problem.kind, problem.code)
