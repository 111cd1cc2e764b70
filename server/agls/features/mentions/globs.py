"""Mentions with wildcards: the files that fit, up to a bound."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from agls.engine.ports import Workspace, WorkspaceError
from agls.engine.vocabulary import Resource, ResourceLink
from agls.features.mentions.grammar import Mention
from agls.names import spelled
from agls.regex import regex
from agls.room import Piece

MOST_LINKED = 20  # files of one pattern
SECONDS = 1.0  # for looking for them
URI = "agls:files"
_WILDCARD = regex(r"[*?]|\[.*\]|\{.*,.*\}")
_LETTER = regex(r"\w")
MORE = "{} fits {} files. Linked are the first {} by name; a search with this pattern finds the others.\n"
AT_LEAST = "at least {}, as far as they were listed in {:g} s,"


async def matching_files(meanings: Sequence[Mention], workspace: Workspace) -> Sequence[Piece]:
    """**Returns** links to the files that a pattern fits, with a note where there are more.

    A pattern is understood as the tool `glob` does: without a `/` it fits names in any folder. One that fits
    nothing is only a word.
    """
    for pattern in dict.fromkeys(mention.path.removeprefix("./") for mention in meanings):
        if _WILDCARD.search(pattern) and _LETTER.search(pattern):
            files, is_whole = await _files(pattern, workspace)
            if files:
                return _pieces(pattern, files, workspace, is_whole=is_whole)
    return ()


async def _files(pattern: str, workspace: Workspace) -> tuple[Sequence[str], bool]:
    """**Returns** the files by name, and whether these are all."""
    found: list[str] = []
    with suppress(TimeoutError, WorkspaceError):  # what does not stand in the workspace fits nothing
        async with asyncio.timeout(SECONDS):
            async for portion in workspace.walk(glob=pattern):
                found += portion
            return sorted(found), True
    return sorted(found), False


def _pieces(pattern: str, files: Sequence[str], workspace: Workspace, *, is_whole: bool) -> Sequence[Piece]:
    places = [workspace.place(path) for path in files[:MOST_LINKED]]
    links = [ResourceLink(place.uri, place.shown) for place in places]
    if is_whole and len(files) <= MOST_LINKED:
        return links
    count = f"{len(files)}" if is_whole else AT_LEAST.format(len(files), SECONDS)
    return [Resource(URI, MORE.format(spelled(pattern), count, len(links))), *links]
