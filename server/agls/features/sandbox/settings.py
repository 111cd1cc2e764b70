"""The configuration section `sandbox`. Only the user's own files may set it."""

from pathlib import PurePosixPath
from typing import Literal

from pydantic import Field, field_validator

from agls.regex import regex
from agls.room import Table
from agls.web_address import AddressRefused, host_rule

PLAIN = "{!r}: write a program with its first words, and * for any more, as in docker compose *"
_ODD = regex(r"[^A-Za-z0-9_@%+=:,./ -]|^ | $|  ")


class Settings(Table):
    """Which commands run in the sandbox, and what they may change and reach there besides the workspace."""

    use: Literal["off", "default", "always"] = Field(
        default="default",
        description="commands that nobody was asked about (default), all of them (always), or none (off)",
    )
    writable: list[str] = Field(
        default=[], description="absolute folders besides the workspace that commands may change"
    )

    outside: tuple[str, ...] = Field(
        default=(), description="programs with their first words that run outside, as in `docker compose *`"
    )
    hosts: tuple[str, ...] = Field(
        default=(), description="hosts that commands may reach: HOST, HOST:PORT, *.HOST"
    )
    private_hosts: tuple[str, ...] = Field(
        default=(), description="the same, and they may be on networks that are not public"
    )

    unix_sockets: bool = Field(
        default=True,
        description="whether commands may use Unix sockets among themselves; false closes all of them",
    )

    @field_validator("outside")
    @classmethod
    def _programs(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            words = pattern.removesuffix(" *")
            if not words.strip() or "*" in words or _ODD.search(words):
                raise ValueError(PLAIN.format(pattern))
        return patterns

    @field_validator("hosts", "private_hosts")
    @classmethod
    def _hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(map(host_rule, hosts))
        except AddressRefused as problem:
            raise ValueError(str(problem)) from None

    @field_validator("writable")
    @classmethod
    def _absolute(cls, folders: list[str]) -> list[str]:
        for folder in folders:
            if not PurePosixPath(folder).is_absolute() or folder.strip("/") == "":
                raise ValueError(f"{folder!r} is no absolute folder below /")
        return folders
