"""The texts for children, and their results for the model."""

from collections.abc import Iterator, Sequence
from typing import Literal

from agls.engine.state import State
from agls.engine.vocabulary import AssistantMessage, Resource, Text, ToolOutcome, UserMessage
from agls.features.subagents.lineage import Child
from agls.features.subagents.plan import PlannedTask
from agls.frozen import frozen
from agls.toolkit import shorten

SHARED = 20_000  # characters of the parent's conversation that a child is given
ASK_IT = "Ask the helper for the rest: resume its session."
CUT_OFF = """\
These helpers were at work when this session was cut off. What they began was not run again:
{}
Their sessions hold what they found out. To let one go on, resume it by its session id."""


@frozen
class Done:
    """A task after its end: completed, failed, skipped or cancelled. `answer` is what the child said last."""

    child: Child
    answer: str = ""
    worked: bool = False


def prompt_for(task: PlannedTask, before: Sequence[Done], conversation: str) -> str:
    """Return the prompt of a child: its task, the answers it depends on, the conversation if shared."""
    parts = [task.prompt]
    if before:
        parts += [
            "# Answers that this builds on",
            *(f"## {done.child.label}\n{done.answer}" for done in before),
        ]
    if conversation:
        parts += ["# The conversation that this is part of", conversation]
    return "\n\n".join(parts)


def conversation_of(state: State) -> str:
    """Return the messages of the user and the model in the context, the middle left out when it is long."""
    said: list[str] = []
    for message in state.context.messages:
        match message:
            case UserMessage(content=content, origin="user"):
                words = "\n".join(part.text for part in content if isinstance(part, Text | Resource))
                said.append(f"User: {words}")
            case AssistantMessage(text=text) if text:
                said.append(f"Agent: {text}")
            case _:
                pass
    return shorten("\n\n".join(said), SHARED, "The rest is not shared.")[0]


def single(done: Done) -> ToolOutcome:
    """Return the outcome of a call for one child."""
    return ToolOutcome(_text(done), _status([done]), _effects([done]))


def report(order: Sequence[Sequence[str]], all_done: Sequence[Done]) -> ToolOutcome:
    """Return the outcome of a call for several: completed, partial or failed, then each in its turn."""
    counts = [f"{n} {status}" for status in STATUSES if (n := _count(all_done, status))]
    whole = "completed" if _count(all_done, "completed") == len(all_done) else "partial"
    whole = "failed" if _status(all_done) == "failed" else whole
    batches = " then ".join(", ".join(batch) for batch in order)
    head = f"{whole}: {', '.join(counts)}. Order: {batches}."
    sections = (f"## {done.child.label}: {done.child.status}\n{_text(done)}" for done in all_done)
    return ToolOutcome("\n\n".join([head, *sections]), _status(all_done), _effects(all_done))


STATUSES = ("completed", "failed", "cancelled", "skipped")


def cut_off(children: Sequence[Child]) -> str:
    """Return the text for the model about children that a crash interrupted."""
    return CUT_OFF.format(
        "\n".join(f"- {child.label}, session {child.session_id}: {child.reason}" for child in children)
    )


def _text(done: Done) -> str:
    return "\n".join(_lines(done))


def _lines(done: Done) -> Iterator[str]:
    child = done.child
    if child.reason:
        yield f"[{child.status}: {child.reason}]"
    if done.answer:
        yield done.answer
    if child.session_id:
        yield f"[session {child.session_id}]"


def _count(all_done: Sequence[Done], status: str) -> int:
    return sum(done.child.status == status for done in all_done)


def _status(all_done: Sequence[Done]) -> Literal["completed", "failed"]:
    return "completed" if _count(all_done, "completed") else "failed"


def _effects(all_done: Sequence[Done]) -> Literal["none", "unknown"]:
    return "unknown" if any(done.worked for done in all_done) else "none"
