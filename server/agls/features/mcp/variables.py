"""`${VAR}` in the definitions of servers; `$${VAR}` stands for itself."""

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

from agls.regex import regex

_NAMED = regex(r"\$?\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class UnsetVariable(ValueError):
    """A definition names a variable that has no value."""


class Variables:
    """The variables that definitions may name; the `keys` of the user's models are never their values.

    What is `given` counts where the environment has no variable of the name.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        keys: Collection[str],
        given: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._environment, self._keys = environment, keys
        self._given = given

    def has(self, name: str) -> bool:
        """**Returns** whether the environment has a value of this name."""
        return bool(self._environment.get(name))

    def and_given(self, given: Mapping[str, str]) -> "Variables":
        """**Returns** these, and what is given besides."""
        return Variables(self._environment, self._keys, given)

    def expand(self, text: str) -> str:
        """**Returns** the text with the values. **Raises** `UnsetVariable`."""
        return _NAMED.sub(self._value, text)

    def _value(self, found: re.Match[str]) -> str:
        if found[0].startswith("$$"):  # the files of some products mean what they write
            return found[0][1:]
        name, instead = found[1], found[2]
        value = self._environment.get(name, "")
        if value and value in self._keys:
            raise UnsetVariable(f"the variable {name} is the key of a model, which no server gets")
        value = value or self._given.get(name, "")
        if value:
            return value
        if instead is None:
            raise UnsetVariable(f"the variable {name} is not set: set it where agls is started")
        return instead
