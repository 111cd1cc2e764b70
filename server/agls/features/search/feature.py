"""Wiring of the room `search`."""

from agls.engine.feature import Feature
from agls.engine.ports import Effect
from agls.toolkit import TypedTool

from .glob import Glob, Globbing, describe_glob, glob_targets
from .grep import Grep, Grepping, describe_grep, grep_targets
from .settings import Settings

READS = frozenset({Effect.READS})


def build(settings: Settings) -> Feature:
    """The search tools."""
    find_names = TypedTool("glob", Glob, Globbing(settings).glob, READS, glob_targets, describe_glob)
    find_lines = TypedTool(
        name="grep",
        arguments=Grep,
        work=Grepping(settings).grep,
        effects=READS,
        targets=grep_targets,
        describe=describe_grep,
        output_limit=settings.output_characters,
    )
    return Feature(name="search", tools=(find_names, find_lines))
