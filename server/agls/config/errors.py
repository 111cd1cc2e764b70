"""What is said when a setting cannot be used."""

from collections.abc import Sequence


class ConfigError(Exception):
    """A setting is wrong: `file`, `line` (from 1; 0 when unknown) and `key` say where.

    `others` are further mistakes that were found with it.
    """

    def __init__(self, message: str, *, file: str = "", line: int = 0, key: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.file, self.line = file, line
        self.key = key
        self.others: tuple[ConfigError, ...] = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        own = ": ".join(part for part in (place, self.key, self.message) if part)
        return "\n".join((own, *map(str, self.others)))


def together(problems: Sequence[ConfigError]) -> ConfigError:
    """**Returns** the first of these mistakes, with the others beside it."""
    first, *others = problems
    first.others = (*first.others, *others)
    return first


class KeyMissing(ConfigError):
    """The provider of the model that was chosen wants a key, and there is none."""
