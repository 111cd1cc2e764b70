"""Settings of the configuration, and limits of a run, from the arguments of the command line."""

from argparse import Namespace

from agls.engine.limits import FIELDS
from agls.engine.vocabulary import JsonObject
from agls.names import camel


def settings(arguments: Namespace) -> dict[str, str]:
    """Return the settings of the arguments, as a table of the config file."""
    said = {"model": arguments.model, "base_url": arguments.base_url}
    return {name: value for name, value in said.items() if value}


def limits(arguments: Namespace) -> JsonObject:
    """Return the limits of the arguments, and the caller, as options of a run."""
    given = {name: getattr(arguments, name) for name in (*FIELDS, "caller", "parent_run")}
    return {camel(name): value for name, value in given.items() if value not in (None, "")}
