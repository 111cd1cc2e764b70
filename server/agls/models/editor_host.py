"""The port to models that the editor has: it asks them for us, by its own account and consent."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from agls.engine.ports import ModelError
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.models.endpoint import Endpoint

PREFIX = "editor/"
NOT_HERE = "{} is a model of an editor, and no editor that has models is connected."
HOW = "Work in VS Code, where it is, or choose another model: --model NAME, or model in the config file."


@frozen
class EditorModelRow:
    """A model of the editor: its id there, and how many tokens it takes (`None`: unknown)."""

    id: str
    context_window: int | None = None


class EditorModelHost(Protocol):
    """An editor with models. `is_there`: it answers requests; `rows` are the models that it named so far."""

    @property
    def is_there(self) -> bool: ...
    @property
    def rows(self) -> Sequence[EditorModelRow]: ...

    def ask(self, body: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """Yield the pieces of an answer, the last with `finish`. Closing it cancels the request.

        **Raises** `ModelError`.
        """
        ...


class NoEditorModels:
    """Implements `EditorModelHost` where there is none."""

    is_there = False
    rows: Sequence[EditorModelRow] = ()

    async def ask(self, body: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """Nobody could be asked. **Raises** `ModelError`."""
        raise not_here(f"{PREFIX}{body.get('model', '')}")
        yield {}


NO_EDITOR = NoEditorModels()


def not_here(name: str) -> ModelError:
    """Return the error of a model whose editor is not there."""
    return ModelError(NOT_HERE.format(name), kind="modelNotFound", hint=HOW)


def editor_endpoint(host: EditorModelHost, name: str) -> Endpoint:
    """Return the endpoint of a model, which the editor may not have named yet. **Raises** `ModelError`."""
    if not host.is_there:
        raise not_here(name)
    model = name.removeprefix(PREFIX)
    window = next((row.context_window for row in host.rows if row.id == model), None)
    return Endpoint(name=name, model=model, dialect="editor", context_window=window)
