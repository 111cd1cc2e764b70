"""What the files of single products have besides the usual placeholders. Pure."""

from collections.abc import Mapping

from agls.regex import regex

# Of prompt files for Copilot: what stands for what an editor has. The model is told of that by other ways.
OF_EDITOR: Mapping[str, str] = {
    **dict.fromkeys(("selection", "selectedText"), "(what the user selected, where they selected anything)"),
    **dict.fromkeys(("file", "relativeFile", "fileBasename"), "(the file that the user has open)"),
    "fileDirname": "(the folder of the file that the user has open)",
}
_FILE = regex(r"(?<![\w/&])#file:(?:'([^'\n]+)'|\"([^\"\n]+)\"|([^\s,;)\]`'\"]*[^\s,;.:)\]`'\"]))")
_PAIR = regex(r"(?<!\S)([A-Z][A-Z0-9_]*)=(?:\"([^\"]*)\"|'([^']*)'|(\S*))")


def with_mentions(text: str) -> str:
    """Return a text for Copilot with `@"path"` in the place of `#file:path`."""
    return _FILE.sub(lambda found: f'@"{next(filter(None, found.groups()))}"', text)


def pairs_in(words: str) -> Mapping[str, str]:
    """Return the values that a prompt of Codex is given by name: `FILES="a b" TITLE=Fix`."""
    return {found[1]: found[2] or found[3] or found[4] or "" for found in _PAIR.finditer(words)}
