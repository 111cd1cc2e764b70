"""Answers that fit a JSON Schema."""

from agls.features.output_schema.notes import NOTES
from agls.features.output_schema.settings import OPTION, Settings, schema_from
from agls.room import Room, RunOption, build_of
from agls.room.run_ports import RunInfo

ROOM = Room(
    "output_schema",
    Settings,
    build_of(__name__),
    heading="Form of the answer",
    needs=(RunInfo,),
    check=schema_from,
    options=(RunOption(OPTION),),
    notes=NOTES,
)
