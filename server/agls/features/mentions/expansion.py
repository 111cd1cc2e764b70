"""From the words of a prompt to its pieces: a link to a file or a folder, or the lines that were named."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath

from agls.engine.ports import DirEntry, Workspace, WorkspaceError
from agls.engine.vocabulary import ResourceLink
from agls.features.mentions.globs import matching_files
from agls.features.mentions.grammar import Mention, MentionWord, mentions_in
from agls.features.mentions.named_lines import named_lines
from agls.features.mentions.settings import Settings
from agls.features.mentions.sources import Source, sources
from agls.features.mentions.symbols import Definition, definitions, is_name
from agls.regex import regex
from agls.room import Piece
from agls.room.folder_ports import Diagnostics, FileSnapshots, Uncommitted

MOST_DEFINITIONS = 5  # of one name
SECONDS = 1.0  # for looking for a file by its name alone
MOST_SEARCHES = 5  # for names in one text
_ADDRESS = regex(r"https?://[^\s/]")


async def expand(
    settings: Settings,
    text: str,
    workspace: Workspace,
    snapshots: FileSnapshots,
    uncommitted: Uncommitted,
    diagnostics: Diagnostics,
) -> Sequence[Piece]:
    """**Returns** what the text points at, each thing once; a word that names nothing is only a word.

    A file is pointed at by a link, which the model reads with a tool. Lines that are named come with it. Only
    what a list of the workspace shows can be meant: nothing outside, and nothing that a rule denies.
    """
    if not settings.enabled:
        return ()
    known = sources(workspace, uncommitted, diagnostics)
    pieces, searched = dict[Piece, None](), set[str]()
    for word in mentions_in(text):
        found = await _named(word, known, workspace)
        may_be_symbol = word.meanings or word.name not in known
        if (
            not found
            and may_be_symbol
            and is_name(word.name)
            and not word.alone
            and len(searched) < MOST_SEARCHES
        ):
            searched.add(word.name)
            found = [_link(each) for each in await definitions(workspace, word.name, MOST_DEFINITIONS)]
        pieces |= dict.fromkeys(found)
        if len(pieces) >= settings.most:
            break
    return tuple(pieces)[: settings.most]


async def _named(word: MentionWord, known: Mapping[str, Source], workspace: Workspace) -> Sequence[Piece]:
    """**Returns** the pieces for a word that names a source, an address or a path."""
    if word.name in known:
        return await known[word.name]()
    if _ADDRESS.match(word.name):
        return [ResourceLink(word.name, word.name)]
    if piece := await _first(word.meanings, workspace):
        return [piece]
    if files := await matching_files(word.meanings, workspace):
        return files
    return await _of_that_name(word.meanings[-1].path, workspace) if word.is_file else []


async def _of_that_name(name: str, workspace: Workspace) -> Sequence[Piece]:
    """**Returns** links to the files whose path ends so: other products show files without their folders."""
    found: list[str] = []
    with suppress(TimeoutError, WorkspaceError):
        async with asyncio.timeout(SECONDS):
            async for portion in workspace.walk():
                found += [path for path in portion if f"/{path}".endswith(f"/{name}")]
    places = [workspace.place(path) for path in found[:MOST_DEFINITIONS]]
    return [ResourceLink(place.uri, place.shown) for place in places]


def _link(found: Definition) -> ResourceLink:
    return ResourceLink(f"{found.uri}#L{found.line}", f"{found.name} in {found.shown}:{found.line}")


async def _first(meanings: Sequence[Mention], workspace: Workspace) -> Piece | None:
    for mention in meanings:
        try:
            if piece := await _piece(mention, workspace):
                return piece
        except WorkspaceError:  # it is no path of this workspace, or no text: the next meaning may be
            continue
    return None


async def _piece(mention: Mention, workspace: Workspace) -> Piece | None:
    """**Returns** what is there, `None` for nothing. **Raises** `WorkspaceError`."""
    place = workspace.place(mention.path)
    if not place.inside:
        return None
    kind = await _kind(place.shown, workspace)
    if mention.lines and kind == "file":
        return await named_lines(workspace, mention.path, place.uri, mention.lines)
    if not mention.lines and kind in {"file", "dir"}:
        return ResourceLink(place.uri, place.shown)
    return None


async def _kind(shown: str, workspace: Workspace) -> str:
    """**Returns** what the list of its folder says of it, "" for nothing. **Raises** `WorkspaceError`."""
    path = PurePosixPath(shown)
    if not path.name:
        return "dir"  # the root itself
    above = "" if str(path.parent) == "." else str(path.parent)
    entries: Sequence[DirEntry] = await workspace.list(above)
    return next((entry.kind for entry in entries if entry.name == path.name), "")
