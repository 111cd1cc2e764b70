"""What the arguments of the command line say about the configuration."""

from argparse import Namespace


def settings(arguments: Namespace) -> dict[str, str]:
    """What the arguments set, as a table of the config file."""
    said = {"model": arguments.model, "base_url": arguments.base_url}
    return {name: value for name, value in said.items() if value}
