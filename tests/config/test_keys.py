"""Keys that are kept: where they are found, in which order, and that each goes to its own host only."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agls.config import (
    Choice,
    ConfigError,
    ConfigInputs,
    KeyFile,
    Keyring,
    Setup,
    look_for_keys,
    offered_models,
)
from support.config import home, setup_of, workspace, write
from support.keyring_stub import make_keyring

pytestmark = pytest.mark.promise("P10")

__all__ = ["home", "workspace"]  # fixtures
KEY, OTHER = "sk-canary-kept-1", "sk-canary-kept-2"


class FakeEditor:
    """An editor with some keys."""

    name = "the editor's secret storage"

    def __init__(self, **keys: str) -> None:
        self.keys, self.asked = {name.replace("_", "."): key for name, key in keys.items()}, list[str]()

    async def find(self, host: str) -> str:
        """What it has."""
        self.asked.append(host)
        return self.keys.get(host, "")


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the keyring of whoever runs the tests."""
    monkeypatch.setattr("agls.config.key_store.find_spec", lambda name: None)


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = make_keyring(tmp_path / "library")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setattr("agls.config.key_store.find_spec", lambda name: name)
    for name in ("keyring", "keyring.errors"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield package
    for name in ("keyring", "keyring.errors"):
        sys.modules.pop(name, None)


class Keys:
    """The models of a user file, with what is kept for their hosts."""

    def __init__(self, workspace: Path, tmp_path: Path) -> None:
        self._workspace, self._folder = workspace, tmp_path / "own"
        self.file = KeyFile(self._folder / "state")

    def setup(self, text: str = "", environment: Mapping[str, str] | None = None, **arguments: Any) -> Setup:
        write(self._folder / "config.toml", text)
        told = ConfigInputs(arguments, {}, str(self._folder / "config.toml"), str(self._folder / "state"))
        return setup_of(self._workspace, dict(environment or {}), told=told)

    async def of(self, setup: Setup) -> dict[str, tuple[str, str]]:
        """The key and the place of every model."""
        await look_for_keys(setup, setup.load(str(self._workspace)))
        offered = offered_models(setup, setup.load(str(self._workspace)))
        return {e.name: (e.api_key, e.key_place) for e in offered.endpoints}


@pytest.fixture
def keys(home: Path, workspace: Path, tmp_path: Path) -> Keys:
    return Keys(workspace, tmp_path)


WORK = '[models.work]\nbase_url = "https://work.example/v1"\n'


async def test_a_key_in_the_file_is_for_its_host_and_no_other(keys: Keys) -> None:
    keys.file.set("work.example", KEY)
    other = '[models.other]\nbase_url = "https://work.example.evil.example/v1"\n'
    assert await keys.of(keys.setup(WORK + other)) == {"work": (KEY, "the file of keys"), "other": ("", "")}


async def test_the_environment_then_the_editor_then_the_keyring_then_the_file(
    keys: Keys, keyring: Path
) -> None:
    editor, ring = FakeEditor(work_example="from the editor"), Keyring()
    ring.set("work.example", "from the keyring")
    keys.file.set("work.example", "from the file")
    setup = keys.setup(WORK)
    object.__setattr__(setup, "places", (editor,))
    assert await keys.of(setup) == {"work": ("from the editor", "the editor's secret storage")}
    editor.keys.clear()
    assert await keys.of(setup) == {"work": ("from the keyring", "the system's keyring")}
    assert ring.remove("work.example")
    assert await keys.of(setup) == {"work": ("from the file", "the file of keys")}
    keys.file.remove("work.example")
    assert await keys.of(setup) == {"work": ("", "")}
    assert setup.kept == {}
    named = keys.setup(WORK + 'api_key_env = "K"\n', {"K": "from the environment"})
    object.__setattr__(named, "places", (editor,))
    editor.asked.clear()
    assert await keys.of(named) == {"work": ("from the environment", "")}
    assert editor.asked == [], "nobody is asked for a key that is there"


async def test_stored_key_replaces_an_unset_variable(keys: Keys) -> None:
    keys.file.set("work.example", KEY)
    setup = keys.setup(f'model = "work"\n{WORK}api_key_env = "NOT_SET"\n')
    with pytest.raises(ConfigError, match="NOT_SET is not set"):
        offered_models(setup, setup.load("/"))
    assert await keys.of(setup) == {"work": (KEY, "the file of keys")}


async def test_a_provider_needs_no_more_than_a_kept_key(keys: Keys) -> None:
    keys.file.set("api.anthropic.com", KEY)
    claude = keys.setup('model = "c"\n[models.c]\ndialect = "anthropic"\nmodel = "claude-x"\n')
    assert await keys.of(claude) == {"c": (KEY, "the file of keys")}
    assert await keys.of(keys.setup("", {"ANTHROPIC_MODEL": "claude-x"})) == {
        "claude-x": (KEY, "the file of keys")
    }
    assert await keys.of(keys.setup("", model="claude-y")) == {"claude-y": (KEY, "the file of keys")}
    moved = {"ANTHROPIC_MODEL": "claude-x", "ANTHROPIC_BASE_URL": "https://proxy.example"}
    assert await keys.of(keys.setup("", moved)) == {"claude-x": ("", "")}


async def test_another_address_gets_the_key_of_that_address(keys: Keys) -> None:
    keys.file.set("work.example", KEY)
    keys.file.set("new.example", OTHER)
    setup = keys.setup(f'model = "work"\n{WORK}', base_url="https://new.example/v1")
    assert (await keys.of(setup))["work"] == (OTHER, "the file of keys")
    alone = keys.setup("", base_url="https://new.example/v1", model="m")
    assert await keys.of(alone) == {"m": (OTHER, "the file of keys")}


async def test_a_server_on_this_machine_is_given_none(keys: Keys) -> None:
    keys.file.set("127.0.0.1", KEY)
    assert await keys.of(keys.setup('[models.m]\nbase_url = "http://127.0.0.1:1/v1"\n')) == {"m": ("", "")}


async def test_the_key_is_a_secret_and_stands_in_no_text(keys: Keys, workspace: Path) -> None:
    keys.file.set("work.example", KEY)
    setup = keys.setup(WORK)
    await keys.of(setup)
    assert KEY in setup.secrets
    assert KEY not in repr(setup) + repr(setup.kept) + str(setup.environment)
    model = await Choice(lambda: setup).model(str(workspace), "work")
    assert KEY not in repr(model.info)


# --- the file ------------------------------------------------------------------------------------


def test_the_file_is_for_the_user_alone(keys: Keys) -> None:
    keys.file.set("a.example", KEY)
    keys.file.set("b.example", OTHER)
    assert keys.file.read() == {"a.example": KEY, "b.example": OTHER}
    assert keys.file.file.stat().st_mode & 0o777 == 0o600
    assert (keys.file.remove("a.example"), keys.file.remove("a.example")) == (True, False)
    assert keys.file.read() == {"b.example": OTHER}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
async def test_a_file_that_others_can_open_is_refused_with_the_remedy(keys: Keys, mode: int) -> None:
    keys.file.set("work.example", KEY)
    keys.file.file.chmod(mode)
    with pytest.raises(ConfigError) as refused:
        await keys.of(keys.setup(WORK))
    assert str(refused.value).endswith(f"chmod 600 {keys.file.file}")
    with pytest.raises(ConfigError):
        keys.file.set("more.example", KEY)
    keys.file.file.chmod(0o600)
    assert (await keys.of(keys.setup(WORK)))["work"][0] == KEY


def test_a_file_of_somebody_else_is_refused(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    keys.file.set("work.example", KEY)
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with pytest.raises(ConfigError, match="is not yours"):
        keys.file.read()


def test_a_link_is_not_followed(keys: Keys, tmp_path: Path) -> None:
    keys.file.set("work.example", KEY)
    keys.file.file.rename(tmp_path / "elsewhere.json")
    keys.file.file.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(ConfigError, match="cannot be read"):
        keys.file.read()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"keys": []}', '{"key": {}}', "\udcff"])
def test_damaged_key_file_is_refused(keys: Keys, text: str) -> None:
    keys.file.set("work.example", KEY)
    keys.file.file.write_bytes(os.fsencode(text))
    with pytest.raises(ConfigError, match="damaged"):
        keys.file.read()


# --- the keyring ---------------------------------------------------------------------------------


async def test_a_keyring_that_is_locked_holds_nothing(keyring: Path) -> None:
    ring = Keyring()
    ring.set("work.example", KEY)
    assert (ring.usable, await ring.find("work.example")) == (True, KEY)
    (keyring / "locked").touch()
    assert await ring.find("work.example") == ""
    with pytest.raises(ConfigError, match="--in file"):
        ring.set("work.example", KEY)


async def test_keyring_without_its_library_holds_nothing() -> None:
    assert (Keyring().usable, await Keyring().find("x"), Keyring().remove("x")) == (False, "", False)
