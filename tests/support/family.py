"""A model server that plays a part for each session of a tree, told apart by their first words."""

from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agls.config import ConfigInputs, read
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Text, ToolResult
from agls.features.subagents.lineage import Child, children_of
from agls.workspace.editor import NoEditor
from agls.world import World, open_world
from support.model_server import Answer, Failure, ModelServer, Reply, Request

Parts = Mapping[str, Sequence[Answer]]


def cast(parts: Parts) -> Any:
    """Answers by the part that a user's first message begins with; what was answered says which is next."""

    def choose(request: Request) -> Answer:
        messages = request.body["messages"]
        first = str(next(m["content"] for m in messages if m["role"] == "user"))
        place = sum(m["role"] == "assistant" for m in messages)
        for name, answers in parts.items():
            if first.startswith(name):
                return answers[place] if place < len(answers) else Failure(400, f"{name} has no more to say")
        return Failure(400, f"nobody plays {first}")

    return choose


def delegate(*tasks: dict[str, Any], **more: Any) -> Reply:
    """A reply that calls `delegate`."""
    return Reply(calls=[("delegate", {"tasks": list(tasks), **more})])


def task(prompt: str, label: str = "", *depends_on: str, **more: Any) -> dict[str, Any]:
    """One task."""
    named = {"label": label} if label else {}
    return {"prompt": prompt, **named, **({"depends_on": list(depends_on)} if depends_on else {}), **more}


def config_for(folder: Path, server: ModelServer, more: str = "") -> Path:
    """Write a config file that uses this server; `more` may end with what its model is."""
    (folder / "workspace").mkdir(exist_ok=True)
    file = folder / "config.toml"
    model = "" if "[models.m]" in more else "[models.m]\n"
    file.write_text(f'model = "m"\n{more}\n{model}base_url = "{server.url}"\n')
    return file


@asynccontextmanager
async def opened(folder: Path, server: ModelServer, more: str = "", *, headless: bool = False):
    """A world whose model is this server; questions find nobody unless somebody attends."""
    told = ConfigInputs(config_file=str(config_for(folder, server, more)), state_dir=str(folder / "state"))
    setup = read(told, str(folder / "workspace"), lambda root: True, {})
    async with open_world(setup, editor=NoEditor(), headless=headless) as world:
        yield world


async def run(world: World, session: Session, prompt: str = "ROOT", **options: Any) -> State:
    """Say this and wait for the end."""
    admission = await session.prompt((Text(prompt),), options=options)
    return (await session.finished(admission.run_id)).state


def results(state: State) -> list[ToolResult]:
    """What the calls gave, as the model read it."""
    return [message for message in state.transcript if isinstance(message, ToolResult)]


def statuses(state: State) -> dict[str, str]:
    """How the children ended, by label."""
    return {child.label: child.status for child in children_of(state)}


def child(state: State, label: str) -> Child:
    """The latest child with this label."""
    return [one for one in children_of(state) if one.label == label][-1]
