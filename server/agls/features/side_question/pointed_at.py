"""What a question points at (`@path`), with the text of files: no tool reads it for the answer."""

from collections.abc import Callable, Iterable, Sequence

from agls.engine.ports import Workspace, WorkspaceError
from agls.engine.vocabulary import Resource, ResourceLink
from agls.redaction import without_keys

MOST = 60_000  # characters of all files together
CUT = "\n[The rest is left out: {:,} of {:,} characters.]"


async def with_texts(
    pieces: Sequence[Resource | ResourceLink], workspace: Workspace, secrets: Callable[[], Iterable[str]]
) -> Sequence[Resource | ResourceLink]:
    """**Returns** the pieces: links to text files became their texts, without the user's keys."""
    room, found = MOST, list[Resource | ResourceLink]()
    for piece in pieces:
        text = await _text_of(piece, workspace)
        if text is None:
            found.append(piece)
            continue
        clean = without_keys(secrets(), text)
        kept = clean[:room]
        room -= len(kept)
        cut = CUT.format(len(clean) - len(kept), len(clean)) if len(kept) < len(clean) else ""
        found.append(Resource(piece.uri, kept + cut))
    return found


async def _text_of(piece: Resource | ResourceLink, workspace: Workspace) -> str | None:
    """**Returns** the text, `None` for a link to anything else than a text file."""
    if isinstance(piece, Resource):
        return piece.text
    try:
        return (await workspace.read(workspace.place(piece.uri).shown)).text
    except WorkspaceError:  # a folder, a page, an image
        return None
