"""Where plugins come from: a folder, a repository, or an entry of a catalogue in one of these."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agls.config.shared_folder import folders_of_others
from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.json_values import is_object, object_in, objects_in, text_in
from agls.plugin_files import PluginProblem
from agls.plugin_files.reading import MANIFESTS
from agls.regex import regex
from agls.workspace.fetched_repository import fetch_repository

CATALOGUES = tuple(
    f"{folder}/marketplace.json"
    for folder in (".claude-plugin", ".agents/plugins", ".cursor-plugin", ".github/plugin", ".plugin")
)
GITHUB = "https://github.com/{}.git"
_ADDRESS = regex(r"(?:https?|ssh|git|file)://.+|[\w.-]+@[\w.-]+:(?!//).+")
_NAMED = regex(r"([A-Za-z0-9][A-Za-z0-9-]*)@(.+)")
_REPOSITORY = regex(r"[\w.-]+/[\w.-]+")
NOTHING = "{!r} is neither a folder nor the address of a repository"
NOT_IN_CATALOGUE = "the catalogue has no plugin {!r}; it has: {}"
IS_CATALOGUE = "this is a catalogue. Name one of its plugins: {}"
NO_CATALOGUE = "there is no catalogue: none of {} is there"
NO_SOURCE = 'its catalogue names no source of it: write "source": "./FOLDER" there'
NOT_BUILT = (
    "plugins of the source {!r} are not fetched: that would run programs, or is not known. Fetch it "
    "yourself, and give its folder: agls plugin add ./FOLDER"
)


@frozen
class FetchedPlugin:
    """A plugin that was fetched: its folder, its `name` and `entry` in a catalogue, and the commit.

    What is in the folders `left_out` belongs to other plugins of the same catalogue.
    """

    folder: Path
    name: str = ""
    entry: JsonObject | None = None
    commit: str = ""
    left_out: Sequence[Path] = ()


@asynccontextmanager
async def fetched(source: str, environment: Mapping[str, str]) -> AsyncGenerator[FetchedPlugin]:
    """Fetch a plugin for as long as the block runs. **Raises** `PluginProblem` and `OSError`."""
    with TemporaryDirectory(prefix="agls-plugin-") as place:
        fetch = _Fetch(Path(place), environment)
        if named := _of_catalogue(source):
            yield await fetch.of_catalogue(named[1], named[2])
        else:
            folder, commit = await fetch.folder(source)
            _refuse_catalogue(folder, source)
            others = folders_of_others(folder, {}, [*_local_folders(folder)])
            name = Path(source.partition("#")[0]).name.removesuffix(".git")
            yield FetchedPlugin(folder, name, commit=commit, left_out=others)


class _Fetch:
    """Fetches into a folder that is gone afterwards."""

    def __init__(self, place: Path, environment: Mapping[str, str]) -> None:
        self._place, self._environment = place, environment
        self._count = 0

    async def folder(self, source: str) -> tuple[Path, str]:
        """**Returns** the folder of a source, and its commit."""
        if local := local_folder(source):
            return local, ""
        address, _, ref = source.partition("#")
        if not _ADDRESS.fullmatch(address):
            repository = local_folder(address)
            if not repository:
                raise PluginProblem(NOTHING.format(source))
            address = str(repository)
        return await self._repository(address, ref)

    async def of_catalogue(self, name: str, source: str) -> FetchedPlugin:
        """**Returns** a plugin by its name in a catalogue."""
        root, commit = await self.folder(source)
        whole = catalogue(root)
        entries = {text_in(each.get("name")): each for each in objects_in(whole.get("plugins"))}
        if name not in entries:
            raise PluginProblem(NOT_IN_CATALOGUE.format(name, ", ".join(entries) or "none"))
        entry: JsonObject = {key: value for key, value in entries[name].items() if key != "source"}
        base = text_in(object_in(whole, "metadata").get("pluginRoot"))
        folder, own = await self._place_of(_from_base(entries[name].get("source"), base, root), root)
        others = folders_of_others(folder, entry, [*_local_folders(root)])
        return FetchedPlugin(folder, name, entry, own or commit, others)

    async def _place_of(self, said: object, root: Path) -> tuple[Path, str]:
        """**Returns** the folder that an entry names."""
        if isinstance(said, str):
            return _below(root, said), ""
        ref, sha = text_in(object_in(said).get("ref")), text_in(object_in(said).get("sha"))
        match object_in(said):
            case {"source": "local", "path": str(path)}:
                return _below(root, path), ""
            case {"source": "github", "repo": str(repo)} if _REPOSITORY.fullmatch(repo):
                return await self._repository(GITHUB.format(repo), ref, sha)
            case {"source": "url", "url": str(url)} if _ADDRESS.fullmatch(url):
                return await self._repository(url, ref, sha)
            case {"source": "git-subdir", "url": str(url), "path": str(path)}:
                address = GITHUB.format(url) if _REPOSITORY.fullmatch(url) else url
                folder, commit = await self._repository(address, ref, sha)
                return _below(folder, path), commit
            case {"source": "archive"}:
                return await self._archive(object_in(said), root), ""
            case {} if not object_in(said):
                raise PluginProblem(NO_SOURCE)
            case other:
                raise PluginProblem(NOT_BUILT.format(other.get("source")))

    async def _archive(self, said: JsonObject, root: Path) -> Path:
        """**Returns** the folder of a plugin in an archive, at an address or below the catalogue."""
        from agls.config import plugin_archive  # noqa: PLC0415 - few plugins are in one

        self._count += 1
        target = self._place / str(self._count)
        address, path, digest = (text_in(said.get(key)) for key in ("url", "path", "sha256"))
        if address:
            folder = await plugin_archive.unpacked(address, digest, target)
            return _below(folder, path) if path else folder
        return await asyncio.to_thread(plugin_archive.unpack_below, root, path, digest, target)

    async def _repository(self, address: str, ref: str, sha: str = "") -> tuple[Path, str]:
        self._count += 1
        target = self._place / str(self._count)
        try:
            return target, await fetch_repository(address, ref, sha, target, self._environment)
        except WorkspaceError as problem:
            raise PluginProblem(f"{address} cannot be fetched: {problem}") from None


def local_folder(name: str) -> Path | None:
    """**Returns** the folder of this name, `None` where there is none."""
    path = Path(name).expanduser()
    return path.resolve() if name and path.is_dir() else None


def _of_catalogue(source: str) -> "re.Match[str] | None":
    """**Returns** the name of a plugin and its catalogue, `None` for another source."""
    if _ADDRESS.fullmatch(source) or local_folder(source):
        return None
    return _NAMED.fullmatch(source)


def catalogue(root: Path) -> Mapping[str, Any]:
    """**Returns** the catalogue in a folder. **Raises** `PluginProblem`."""
    for name in CATALOGUES:
        try:
            said: Any = json.loads((root / name).read_text("utf-8-sig"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError) as problem:
            raise PluginProblem(f"{name} cannot be read: {problem}") from None
        if is_object(said):
            return said
        raise PluginProblem(f"{name}, line 1: it is no JSON object")
    raise PluginProblem(NO_CATALOGUE.format(", ".join(CATALOGUES)))


def _refuse_catalogue(folder: Path, source: str) -> None:
    """**Raises** `PluginProblem` for a folder that is a catalogue and no plugin."""
    if any((folder / name).exists() for name, _ in MANIFESTS):
        return
    if any((folder / name).exists() for name in CATALOGUES):
        names = (text_in(each.get("name")) for each in objects_in(catalogue(folder).get("plugins")))
        raise PluginProblem(IS_CATALOGUE.format(", ".join(f"{name}@{source}" for name in names)))


def _local_folders(root: Path) -> Iterator[Path]:
    """Yield the folders of the plugins that a catalogue in this folder has, if there is one."""
    try:
        whole = catalogue(root)
    except PluginProblem:
        return
    base = text_in(object_in(whole, "metadata").get("pluginRoot"))
    for each in objects_in(whole.get("plugins")):
        said = each.get("source")
        path = _from_base(said if isinstance(said, str) else object_in(said).get("path"), base, root)
        with suppress(PluginProblem, ValueError, OSError):
            if isinstance(path, str) and not object_in(said).get("url"):
                yield _below(root, path)


def _from_base(said: object, base: str, root: Path) -> object:
    """**Returns** the source of an entry; the bare name of a folder is one in the `base` of its catalogue.

    So is `./NAME` where it is not in the `root`.
    """
    if not base or not isinstance(said, str) or said.startswith("/"):
        return said
    inside = f"{base}/{said}"
    is_there = not said.startswith(".") or (not (root / said).is_dir() and (root / inside).is_dir())
    return inside if is_there else said


def _below(root: Path, said: str) -> Path:
    """**Returns** a folder inside another. **Raises** `PluginProblem`."""
    path = (root / said).resolve()
    if not path.is_relative_to(root.resolve()) or not path.is_dir():
        raise PluginProblem(f"the catalogue names the folder {said!r}, which is not in it")
    return path
