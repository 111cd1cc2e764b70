"""The user's models, read again when the config file has changed while the process runs."""

from collections.abc import Callable, MutableMapping
from dataclasses import replace
from pathlib import Path

from agls.config.environment import process_environment
from agls.config.errors import ConfigError
from agls.config.load import load
from agls.config.setup import ConfigInputs, Setup, Trusts, read
from agls.config.sources import Rank, Source
from agls.engine.vocabulary import JsonObject

MODEL_KEYS = frozenset({"model", "models", "tiers", "base_url", "api_key", "api_key_env"})
Stamp = tuple[int, int, int] | None


class Reload:
    """Follows the models that the config file names. All other settings hold as they were at the start.

    A program that the agent starts could write the file: what widens permissions needs a restart. Where the
    settings were wrong, nothing could be started so far: then the file counts whole. It also does when
    the user says so (`whole`). Keys are taken out of the `variables`.
    """

    def __init__(
        self,
        inputs: ConfigInputs,
        folder: str,
        trusts: Trusts,
        setup: Setup,
        variables: Callable[[], MutableMapping[str, str]] = process_environment,
    ) -> None:
        self._inputs, self._variables = inputs, variables
        self._folder, self._trusts = folder, trusts
        self._seen = _stamp(setup.config_file)

    def __call__(self, setup: Setup) -> Setup:
        """Return the setup with the models of the file as it is now; the same object when it is the same.

        **Raises** `ConfigError` when the file is wrong, each time until it is corrected.
        """
        stamp = _stamp(setup.config_file)
        if stamp == self._seen:
            return setup
        anew = self.whole(setup)
        if _is_wrong(setup):
            return anew
        return replace(anew, sources=_with_models(setup.sources, anew.sources, str(setup.config_file)))

    def whole(self, setup: Setup) -> Setup:
        """Return the setup with all settings as their files have them now. **Raises** `ConfigError`."""
        stamp, variables = _stamp(setup.config_file), self._variables()
        now = read(self._inputs, self._folder, self._trusts, {**variables, **setup.environment, **setup.keys})
        for name in now.keys:
            variables.pop(name, None)
        self._seen = stamp
        environment = {name: value for name, value in setup.environment.items() if name not in now.keys}
        return replace(setup, sources=now.sources, keys=now.keys, environment=environment)


def _with_models(before: tuple[Source, ...], now: tuple[Source, ...], file: str) -> tuple[Source, ...]:
    """**Returns** the sources of before with the models that the file names now."""
    known = next((source.values for source in before if source.file == file), JsonObject())
    kept = {key: value for key, value in known.items() if key not in MODEL_KEYS}
    read_now = next((source for source in now if source.file == file), Source(Rank.USER, {}, file))
    models = {key: value for key, value in read_now.values.items() if key in MODEL_KEYS}
    others = (source for source in before if source.file != file)
    return (replace(read_now, values={**kept, **models}), *others)


def _is_wrong(setup: Setup) -> bool:
    try:
        load(setup.sources)
    except ConfigError:
        return True
    return False


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
