"""Settings of the configuration, and limits of a run, from the arguments of the command line."""

from argparse import Namespace

from agls.engine.limits import FIELDS
from agls.engine.vocabulary import JsonObject
from agls.names import camel

PROMPTS = {"system_prompt": "system", "append_system_prompt": "append", "override_system_prompt": "override"}


def settings(arguments: Namespace) -> dict[str, str]:
    """Return the settings of the arguments, as a table of the config file."""
    said = {"model": arguments.model, "base_url": arguments.base_url}
    return {name: value for name, value in said.items() if value}


def prompts(arguments: Namespace) -> JsonObject:
    """Return what the arguments say of the system prompt, as a table of the config file."""
    given = {member: getattr(arguments, name) for name, member in PROMPTS.items()}
    said = {member: text for member, text in given.items() if text}
    return {"instructions": said} if said else {}


def limits(arguments: Namespace) -> JsonObject:
    """Return the limits of the arguments, and the caller, as options of a run."""
    given = {name: getattr(arguments, name) for name in (*FIELDS, "caller", "parent_run")}
    return {camel(name): value for name, value in given.items() if value not in (None, "")}
