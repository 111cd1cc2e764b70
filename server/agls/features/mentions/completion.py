"""Ways to go on with a word that begins with `@`: paths, and what else it may point at."""

import asyncio
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from pathlib import PurePosixPath

from agls.engine.ports import Workspace, WorkspaceError
from agls.features.mentions.grammar import HASH_WORDS, MentionSoFar, hash_word_at, mention_at, written
from agls.features.mentions.settings import Settings
from agls.features.mentions.sources import ABOUT, DIAGNOSTICS, DIFF
from agls.features.mentions.symbols import definitions, is_name
from agls.fuzzy import fit
from agls.room import Completion, Completions, Typing
from agls.room.declaration import CompletionKind
from agls.room.folder_ports import Diagnostics, FileSnapshots, Uncommitted

MOST = 40  # paths
MOST_SYMBOLS = 20
OWN = (DIFF, DIAGNOSTICS)
HASHES = {name: ABOUT[HASH_WORDS[name]] for name in ("selection", "changes", "problems", "codebase")}
LOOKED_AT = 20_000  # files
DATED = 500  # of those that fit best
MADE = frozenset(  # folders that programs fill
    "__pycache__ node_modules site-packages htmlcov .venv venv .tox .nox .cache .mypy_cache .pytest_cache "  # noqa: SIM905 - names
    ".ruff_cache .gradle .terraform .next .idea .svn .hg".split()
)
NO_TEXT = frozenset(  # ends of names
    "pyc pyo class o obj a so dylib dll exe lib wasm jar war bin zip gz tgz bz2 xz zst 7z rar tar db sqlite "  # noqa: SIM905 - names
    "sqlite3 pickle pkl npy npz parquet woff woff2 ttf otf eot mp3 mp4 mov avi wav ogg".split()
)
SECONDS = 1.0  # for looking through the workspace


async def complete(
    settings: Settings,
    typing: Typing,
    workspace: Workspace,
    snapshots: FileSnapshots,
    uncommitted: Uncommitted,
    diagnostics: Diagnostics,
) -> Completions:
    """**Returns** what the word at the cursor may become; nothing where it does not begin with `@`."""
    word = mention_at(typing.text, typing.cursor) if settings.enabled else None
    if word is None:
        return Completions(_hash_words(typing) if settings.enabled else ())
    paths = await _paths(word, workspace, snapshots)
    beginning, loose = _sources(word)
    items = [*beginning, *paths.items, *await _symbols(word, workspace), *loose]
    return Completions(items, paths.more)


def _hash_words(typing: Typing) -> Sequence[Completion]:
    """**Returns** what stands behind a `#` in other products."""
    word = hash_word_at(typing.text, typing.cursor)
    if word is None:
        return ()
    rows = [
        _other(f"#{name}", "source", word, about) for name, about in HASHES.items() if fit(name, word.path)
    ]
    files = _other("#file:", "argument", word, "a file, by its path or name")
    return [*rows, *([files] if fit("file:", word.path) else ())]


def _sources(word: MentionSoFar) -> tuple[Sequence[Completion], Sequence[Completion]]:
    """**Returns** what is no file and begins so, then what only fits: files are meant more often.

    The words of other products must begin so.
    """
    begin = [name for name in OWN if name.startswith(word.path)]
    loose = [name for name in OWN if name not in begin and fit(name, word.path)]
    begin += [name for name in ABOUT if word.path and name not in OWN and name.startswith(word.path)]
    beginning, others = (
        [_other(f"@{name}", "source", word, ABOUT[name]) for name in names] for names in (begin, loose)
    )
    return beginning, others


async def _symbols(word: MentionSoFar, workspace: Workspace) -> Sequence[Completion]:
    """**Returns** names that are defined in the workspace and begin so, each once."""
    if not is_name(word.path):
        return []
    found = await definitions(workspace, word.path, MOST_SYMBOLS, begins=True)
    first = {each.name: each for each in reversed(found)}
    return [_other(f"@{each.name}", "symbol", word, f"{each.shown}:{each.line}") for each in first.values()]


def _other(text: str, kind: CompletionKind, word: MentionSoFar, about: str) -> Completion:
    return Completion(label=text[1:], kind=kind, text=text, start=word.start, end=word.end, detail=about)


async def _paths(word: MentionSoFar, workspace: Workspace, snapshots: FileSnapshots) -> Completions:
    """**Returns** paths that fit: open files first, then what was changed last, then what programs made."""
    opened = _shown(snapshots.open_documents(), workspace)
    found, more = await _files(workspace)
    names = dict.fromkeys((*opened, *found))
    names |= dict.fromkeys(f"{folder}/" for name in found for folder in _folders(name))
    ranks = {
        name: (name not in opened and _is_seldom_meant(name), -fits, name not in opened)
        for name in names
        if (fits := fit(name, word.path))
    }
    near = nsmallest(DATED, ranks, key=lambda name: (*ranks[name], len(name)))
    dates = dict(zip(near, await asyncio.to_thread(snapshots.changed_at, near), strict=True))
    near.sort(key=lambda name: (*ranks[name], name.endswith("/"), -dates[name], len(name)))
    return Completions([_path(name, word) for name in near[:MOST]], more or len(ranks) > MOST)


async def _files(workspace: Workspace) -> tuple[Sequence[str], bool]:
    """**Returns** the files of the workspace that are not ignored, and whether there are more."""
    names: list[str] = []
    try:
        async with asyncio.timeout(SECONDS):
            async for portion in workspace.walk():
                names += portion
                if len(names) > LOOKED_AT:
                    return names[:LOOKED_AT], True
    except TimeoutError:
        return names, True
    except WorkspaceError:  # the folder is gone: then there are only open documents
        return names, False
    return names, False


def _shown(paths: Sequence[str], workspace: Workspace) -> Mapping[str, None]:
    places = (workspace.place(path) for path in paths)
    return {place.shown: None for place in places if place.inside}


def _is_seldom_meant(name: str) -> bool:
    """**Returns** whether a path is something that programs made for themselves, or no text."""
    last = name.rpartition("/")[2]
    return not MADE.isdisjoint(name.split("/")) or last.rpartition(".")[2].lower() in NO_TEXT


def _folders(name: str) -> Sequence[str]:
    return [str(folder) for folder in PurePosixPath(name).parents if folder.name]


def _path(name: str, word: MentionSoFar) -> Completion:
    above, _, last = name.rstrip("/").rpartition("/")
    is_folder = name.endswith("/")
    return Completion(
        label=f"{last}/" if is_folder else last,
        kind="folder" if is_folder else "file",
        text=written(f"./{name}" if name.rstrip("/") in ABOUT else name),
        start=word.start,
        end=word.end,
        detail=above,
    )
