"""The wiring of the room."""

import json
from collections.abc import Sequence
from dataclasses import replace

from agls.engine.facts import GateFact, Injected, PhaseStarted, Replied
from agls.engine.feature import Feature, RunView
from agls.engine.history import last_words
from agls.engine.ports import CallModel, ModelRequest, Reply, new_id
from agls.engine.vocabulary import Stop, StopReason, Text, UserMessage
from agls.features.output_schema.notes import RESULT, ROOM
from agls.features.output_schema.settings import Settings, schema_from
from agls.room.run_ports import RunInfo

WANTED = (
    "When the work is done, answer with JSON alone: no word and no fence around it. "
    "It must fit this JSON Schema:\n{}"
)
AGAIN = "Your answer does not fit the JSON Schema: {}. Answer again, with JSON alone that fits it."
FAILED = "The answer does not fit the output schema: {}."


def build(settings: Settings, run: RunInfo) -> Feature | None:
    """Build the feature of one run that has a schema."""
    schema = schema_from(settings, run.options)
    if not schema:
        return None
    from agls.features.output_schema.answers import fitting  # noqa: PLC0415 - most runs have no schema

    sent_back: list[str] = []  # the problems that were reported to the model in this run

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        return () if view.state.run.turns else (_said(WANTED.format(json.dumps(schema, ensure_ascii=False))),)

    async def around_model(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
        last = 0 < settings.attempts <= len(sent_back)
        return await inner(replace(request, output_schema=schema, tools=() if last else request.tools))

    async def before_stop(reply: Replied, view: RunView) -> Sequence[Injected | PhaseStarted]:
        if reply.finish in {"refusal", "content_filter"}:
            return ()
        try:
            output = fitting(last_words(view.state.transcript), schema)
        except ValueError as problem:
            if len(sent_back) >= settings.attempts:
                view.stop(Stop(StopReason.MODEL_ERROR, FAILED.format(problem), "outputInvalid"))
                return ()
            sent_back.append(str(problem))
            return (_said(AGAIN.format(problem)),)
        view.note(ROOM, RESULT, {"runId": view.state.run_id, "output": output})
        return ()

    return Feature(name=ROOM, before_turn=before_turn, around_model=around_model, before_stop=before_stop)


def _said(text: str) -> Injected:
    return Injected((UserMessage(new_id("item"), (Text(text),), ROOM),))
