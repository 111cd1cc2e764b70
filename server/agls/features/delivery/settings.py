"""The `[delivery]` section of the configuration, and the option that names a target of it."""

from collections.abc import Mapping
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator

from agls.room import Table

OPTION = "deliver"


class DeliveryTarget(Table):
    """Where results go: to exactly one of these.

    `file` is a path in the workspace; {run} and {session} in it become their ids. `webhook` is an address
    that gets JSON by POST (it often holds a secret, and is never shown). `command` is a program with its
    arguments, started in the workspace with the JSON as its input. `notify` shows a notice in the editor.
    """

    file: str = ""
    webhook: SecretStr = SecretStr("")
    command: tuple[str, ...] = ()
    notify: bool = False

    @model_validator(mode="after")
    def _one(self) -> Self:
        address = self.webhook.get_secret_value()
        if sum(map(bool, (self.file, address, self.command, self.notify))) != 1:
            raise ValueError("a target is exactly one of file, webhook, command, notify")
        if address and not host_of(address):
            raise ValueError("webhook is not an address such as https://host/path")
        return self


class Settings(Table):
    """The targets by name, the one for runs that name none ("": nowhere), and seconds for each delivery."""

    targets: Mapping[str, DeliveryTarget] = {}
    default: str = ""
    seconds: Annotated[float, Field(gt=0, le=60)] = 10.0

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.default and self.default not in self.targets:
            raise ValueError(f"default names {self.default!r}, which is none of the targets")
        return self


def target_from(settings: Settings, options: Mapping[str, object]) -> str:
    """Return the name of the target that a run with these options has, "" for none.

    **Raises** `ValueError`.
    """
    name = options.get(OPTION, settings.default)
    if name in {"", None}:
        return ""
    if not isinstance(name, str) or name not in settings.targets:
        known = ", ".join(settings.targets) or "there are none: write [delivery.targets.NAME]"
        raise ValueError(
            f"{OPTION} must name a target of your config file ({known}), not {str(name)[:100]!r}"
        )
    return name


def host_of(address: str) -> str:
    """Return the host of an http(s) address, "" when it is none."""
    try:
        parts = urlsplit(address)
        return (parts.hostname or "") if parts.scheme in {"http", "https"} and parts.port != 0 else ""
    except ValueError:  # brackets that do not match, a port that is none
        return ""
