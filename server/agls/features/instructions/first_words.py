"""What an agent is told with the first prompt of a session that is its own."""

from agls.engine.state import State
from agls.features.instructions.prompt_updates import ROOM
from agls.room.run_ports import RunInfo

FIRST_WORDS = "firstWords"  # the kind of the notes in journals
BEGIN = (
    "The file of this agent has these words for the begin of every session, before the prompt above:\n\n{}"
)


def agent_in(run: RunInfo) -> str:
    """Return the name of the agent of a run, "" for the user's own."""
    return str(run.options.get("agent", ""))


def first_words(run: RunInfo, state: State) -> str:
    """Return what is told now: nothing twice in a session, and nothing to whoever works for another."""
    told = (note for note in state.notes.get(ROOM, ()) if note.kind == FIRST_WORDS)
    if not run.initial_prompt or run.works_for or any(n.data.get("agent") == agent_in(run) for n in told):
        return ""
    return BEGIN.format(run.initial_prompt)
