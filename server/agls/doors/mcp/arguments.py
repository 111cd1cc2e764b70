"""What other agents may ask for: the tools, their arguments, and the shapes of their results."""

from inspect import cleandoc
from typing import Any

import mcp_types as types
from pydantic import Field

from agls.engine.vocabulary import JsonObject
from agls.toolkit import Arguments, schema_of

LONGEST_PROMPT = 1_000_000  # characters


class RunPrompt(Arguments):
    """Give a coding agent a task in this folder, in a new session, and wait for its answer.

    It knows nothing of this conversation, so say all that it needs. It may read the folder. What else it may
    do was decided by its user; what nobody allowed is refused. The result names the session, for `resume`.
    """

    prompt: str = Field(min_length=1, max_length=LONGEST_PROMPT, description="The task, in words.")
    title: str = Field("", max_length=200, description="A title of the session, for its user.")


class ResumeSession(Arguments):
    """Go on with a session of this folder, and wait for the answer.

    Without a prompt its last run goes on, where that was interrupted.
    """

    session_id: str = Field(max_length=100, description="As the result of `run` says it.")
    prompt: str = Field("", max_length=LONGEST_PROMPT, description="What to do next, in words.")


class CancelRun(Arguments):
    """Stop what `run` or `resume` began in a session and still works. What it did until then stays."""

    session_id: str = Field(max_length=100, description="The session.")


def _object(required: list[str], **properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required}


TEXT: JsonObject = {"type": "string"}
COUNT: JsonObject = {"type": "integer", "minimum": 0}
FILE = _object(["path", "change"], path=TEXT, change=TEXT, insertions=COUNT, deletions=COUNT)
RUN_RESULT = _object(
    ["session_id", "stop_reason", "text"],
    session_id={**TEXT, "description": "The session, for resume."},
    resource={**TEXT, "description": "The address of the whole session."},
    stop_reason={**TEXT, "description": "end_turn when the agent came to its own end."},
    text={**TEXT, "description": "The answer of the agent."},
    left_out={**COUNT, "description": "Characters of the answer that only the resource has."},
    files_changed={"type": "array", "items": FILE},
    more_files_changed={**COUNT, "description": "Files that are not in the list."},
    refused={**COUNT, "description": "Questions that nobody was there to answer."},
    cost_usd={"type": "number"},
)
CANCEL_RESULT = _object(
    ["session_id", "outcome"], session_id=TEXT, outcome={"enum": ["cancelled", "cancelling", "not_running"]}
)
ARGUMENTS: dict[str, type[Arguments]] = {"run": RunPrompt, "resume": ResumeSession, "cancel": CancelRun}


def _tool(name: str, title: str, output: JsonObject, **hints: Any) -> types.Tool:
    model = ARGUMENTS[name]
    return types.Tool(
        name=name,
        title=title,
        description=cleandoc(model.__doc__ or ""),
        input_schema=schema_of(model),
        output_schema=output,
        annotations=types.ToolAnnotations(**hints),
    )


TOOLS = [
    _tool("run", "Run the coding agent", RUN_RESULT, open_world_hint=True),
    _tool("resume", "Go on with a session", RUN_RESULT, open_world_hint=True),
    _tool("cancel", "Stop a run", CANCEL_RESULT, destructive_hint=False, idempotent_hint=True),
]
