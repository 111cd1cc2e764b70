"""The grammar of what a text points at. Pure: whether there is such a file is not known here.

`@path` is what agls writes itself. Who is used to other products may write `#file:path`, `#sym:Name`,
`#selection` or `@workspace`: these mean the same here.
"""

import re
from collections.abc import Iterator

from agls.frozen import frozen
from agls.regex import regex

SELECTION, WORKSPACE = "selection", "workspace"
EDITOR = "editor"
# Words behind a `#`, and what each stands for.
HASH_WORDS = {
    "selection": SELECTION,
    "file": EDITOR,
    "editor": EDITOR,
    "codebase": WORKSPACE,
    "workspace": WORKSPACE,
    "changes": "diff",
    "problems": "diagnostics",
}
_PREFIX = r"(?:@|#(file|folder|sym|symbol):)"
_BEGIN = r"""(?<![^\s(\[{"'“‘«（「,;])"""  # a blank, or what a sentence puts in front of a name
_SPAN = r"(?::|#)L?(\d+)(?:-L?(\d+)|:\d+)?"  # `:10-20`, `#L10-L20`, and `:10:5` as compilers write it
_NAMED = rf'(?:"([^"\n]+)"(?:{_SPAN})?|((?:\\ |(?![,;]@)\S)+))'
_END = r"""(?=[,;:.!?)\]}'"]*(?:\s|\Z))"""
_WORD = regex(rf"{_BEGIN}(?:{_PREFIX}{_NAMED}|#({'|'.join(HASH_WORDS)}){_END})")
_BEFORE = regex(rf'{_BEGIN}{_PREFIX}(?:"([^"\n]*)|([^\s"](?:(?![,;]@)\S)*)?)\Z')
_FENCED = regex(
    r"^ {0,3}(`{3,}(?![^\n]*`)|~{3,})[^\n]*(?:\n(?:.*?^ {0,3}\1[`~]*[ \t]*$|.*)|\Z)", re.DOTALL | re.MULTILINE
)
_INK = regex(r"\S")
_HASH_BEFORE = regex(r"(?<!\S)#(\w*)\Z")
_REST = regex(r"\S*")
_QUOTED_REST = regex(r'[^"\n]*"')
_LINES = regex(rf"(.+?){_SPAN}")
_NAMES = {"sym", "symbol"}
_WIDE = "，。、；：！？）」”’»"  # in writings without blanks other words may follow
_CLOSING = f",;:.!?)]}}'\"{_WIDE}"  # what a sentence puts behind a name
_NO_BLANK = regex(f"[{_WIDE}]")


@frozen
class Mention:
    """A word that may point at a path; `lines` are the first and the last, from 1, `None` for the whole."""

    path: str
    lines: tuple[int, int] | None = None


@frozen
class MentionWord:
    """A word that begins with `@`: the paths that it may mean, the likeliest first.

    `name` is what may be no path, without what a sentence puts behind it, "" in quotes. A word that is
    `alone` on one of several lines may be a decorator in some code, and so may one that follows no blank.
    One that `is_file` may name a file without its folder.
    """

    meanings: tuple[Mention, ...]
    name: str = ""
    alone: bool = False
    is_file: bool = False


def mentions_in(text: str) -> Iterator[MentionWord]:
    """**Returns** the words that begin with `@`, or with a `#` that means as much.

    `@path`, `@path:10`, `@path:10-20`, and in quotes what has blanks: `@"a b.py":3`. `#file:path` and
    `#sym:Name` are the same in other words; `#selection` and its like stand for what `HASH_WORDS` says.
    A block of code is what somebody pasted: nothing in it is meant.
    """
    text = _FENCED.sub(lambda block: _INK.sub(" ", block[0]), text)
    for found in _WORD.finditer(text):
        kind, quoted, first, last, word, stands = found.groups()
        if stands:
            yield MentionWord((), HASH_WORDS[stands])
        elif kind in _NAMES:
            yield MentionWord((), (quoted or word).rstrip(_CLOSING))
        elif quoted:
            named = (Mention(quoted, _span(first, last)),) if first else tuple(_meanings(quoted))
            yield MentionWord(named, is_file=bool(kind))
        else:
            bare = word.rstrip(_CLOSING)
            spellings = dict.fromkeys(filter(None, (word, bare, _NO_BLANK.split(word)[0])))
            meanings = tuple(meaning for name in spellings for meaning in _meanings(name.replace("\\ ", " ")))
            name = "" if kind or _is_in_quotes(found) else bare
            yield MentionWord(meanings, name, _is_alone(found), is_file=bool(kind))


@frozen
class MentionSoFar:
    """A mention that somebody is typing: its path up to the cursor, and where all of it stands."""

    path: str
    start: int
    end: int


def mention_at(text: str, cursor: int) -> MentionSoFar | None:
    """**Returns** the mention that the cursor is in, `None` where it is in none."""
    found = _BEFORE.search(text, text.rfind("\n", 0, cursor) + 1, cursor)
    if found is None:
        return None
    _, quoted, bare = found.groups()
    rest = (_QUOTED_REST if quoted is not None else _REST).match(text, cursor)
    return MentionSoFar(bare or quoted or "", found.start(), rest.end() if rest else cursor)


def hash_word_at(text: str, cursor: int) -> MentionSoFar | None:
    """**Returns** the word behind a `#` that the cursor is in; `None` for none, and in a heading."""
    found = _HASH_BEFORE.search(text, text.rfind("\n", 0, cursor) + 1, cursor)
    rest = _REST.match(text, cursor)
    return MentionSoFar(found[1], found.start(), rest.end() if rest else cursor) if found else None


def written(path: str) -> str:
    """**Returns** a mention of this path; none means one with both blanks and quotes in its name."""
    return f'@"{path}"' if re.search(r"\s", path) else f"@{path}"


def _meanings(name: str) -> Iterator[Mention]:
    yield Mention(name)
    if found := _LINES.fullmatch(name):
        yield Mention(found[1], _span(found[2], found[3]))


def _is_in_quotes(found: re.Match[str]) -> bool:
    before = found.string[found.start() - 1 : found.start()]
    return bool(before.strip()) and before not in "(["


def _is_alone(found: re.Match[str]) -> bool:
    text = found.string
    if text[found.start() - 1 : found.start()].strip():
        return True
    begin, end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
    line = text[begin:] if end < 0 else text[begin:end]
    return line.strip() == found[0] and len(text.strip()) > len(found[0])


def _span(first: str | None, last: str | None) -> tuple[int, int] | None:
    if not first:
        return None
    begin = int(first[:9])
    return begin, int(last[:9]) if last else begin
