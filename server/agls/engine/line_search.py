"""A search for lines in files: the question and the answer."""

from collections.abc import Sequence

from agls.frozen import frozen


@frozen
class LineSearch:
    """The lines that a regular expression of Python matches, in the files below `under` that fit `glob`.

    Files that fit the glob `exclude`, and those in folders that do, are left out.
    With `multiline` the expression is matched against whole texts, `.` matches line ends too, and each line
    that a match touches is a matching one. Of `only`, if there are any, a file's name must fit one pattern.

    `needed` are texts of which every match contains one (ASCII in small letters; none: not known). Whatever a
    line of up to `swift_width` characters holds, it is matched within milliseconds (0: not known).
    `limit`, and `offset` for what is skipped before, count matching lines when `by_line`, else files; with
    `first_only` one line of a file will do. `context` lines around each are given, each cut at `width`
    characters. A file over `max_bytes` is searched line by line, not with `multiline`, and one that is very
    large only where it is `under` itself. Files whose name fits one of the patterns `left_out` are not
    searched, unless `under` is the file, nor what is in the folders `shut`, unless `under` is in one. After
    `seconds` the search ends with what it found.
    """

    expression: str
    under: str = ""
    glob: str = ""
    exclude: str = ""
    only: Sequence[str] = ()
    multiline: bool = False
    ignore_case: bool = False
    needed: Sequence[str] = ()
    swift_width: int = 0
    offset: int = 0
    limit: int = 100
    by_line: bool = True
    first_only: bool = False
    context: int = 0
    width: int = 400
    max_bytes: int = 5_000_000
    left_out: Sequence[str] = ()
    shut: Sequence[str] = ()
    seconds: float = 30.0


@frozen
class SearchLine:
    """A line of a file: its number, counted from 0, whether it matches, and its text."""

    number: int
    matches: bool
    text: str


@frozen
class MatchingFile:
    """A file with matches: its path as people read it, how many lines match, and those to show."""

    name: str
    count: int
    lines: Sequence[SearchLine]


@frozen
class FoundLines:
    """The files that a search found, in its order, which is the same for every part of the result.

    Files that exist only in the editor come first; then each folder's files by name, before its subfolders.
    `searched` counts the files that were looked at, `more` says that there is more than the limit allows,
    `stopped` that the time was over before everything was searched. `binary` are the paths of files that are
    no text and match all the same; they are looked for when the search has `needed` texts. `large` are the
    paths of texts that were not searched because of their size, and may hold one of these.
    """

    files: Sequence[MatchingFile]
    searched: int
    more: bool = False
    stopped: bool = False
    binary: Sequence[str] = ()
    large: Sequence[str] = ()
