"""What `find`, `tree`, `file`, `sort` and `rg` read: their options stand in `carriers`, for rules, too."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from agls.features.permissions.carriers import may_follow
from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import NotUnderstood

GivenOption = tuple[str, str]  # an option, and its value


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


LISTED = _names("find tree file sort rg")
_BEFORE_PATHS = _names("-H -P")  # of find; -L and -O follow links, or may
_RG_VALUED = _names(
    "-g --glob --iglob -t --type -T --type-not -A --after-context -B --before-context -C "
    "--context -e --regexp -m --max-count -d --max-depth --max-columns -r --replace --sort "
    "--sortr --color"
)
_COMPARES = _names("-newer -anewer -cnewer -samefile")  # of find: with the file that stands behind it
_GIVES_PATTERN = _names("-e --regexp --files --type-list")


def listed(name: str, rest: Sequence[str]) -> Sequence[str]:
    """Return the paths that such a program reads. **Raises** `NotUnderstood` when it may do more."""
    if not may_follow((name,), rest):
        raise NotUnderstood(f"an option of {name} here is not known to only read")
    match name:
        case "find":
            return _found(rest)
        case "rg":
            said = said_to_rg(rest)
            return (said.operands if _GIVES_PATTERN & said.options else said.operands[1:]) or (".",)
        case _:
            return operands_of(rest)


_LINES_BY_PATTERN = regex(r"/[^/\\]+/,(?:\+?\d+|/[^/\\]+/)")  # of `git blame`: `-L '/def main/,+10'`


def operands_of(words: Sequence[str]) -> list[str]:
    """Return the words that are no options, where every option that takes one has it in its own word."""
    at = words.index("--") if "--" in words else len(words)
    return [*(word for word in words[:at] if not word.startswith("-")), *words[at + 1 :]]


def without_lines(words: Sequence[str]) -> Sequence[str]:
    """Return the words of `git blame` without the lines that `-L` chooses by patterns: they are no path."""
    if words[:1] != ["blame"]:
        return words
    before = dict(enumerate(words, 1))
    return [
        word
        for at, word in enumerate(words)
        if not (before.get(at) == "-L" and _LINES_BY_PATTERN.fullmatch(word))
    ]


def _found(rest: Sequence[str]) -> Sequence[str]:
    if any(word.startswith(("-L", "-O")) for word in rest):
        raise NotUnderstood("find would follow links, or may")
    begin = next((at for at, word in enumerate(rest) if word not in _BEFORE_PATHS), len(rest))
    paths = list[str]()
    for word in rest[begin:]:
        if word[:1] in {"-", "(", "!"}:
            break
        paths.append(word)
    compared = [value for test, value in pairwise(rest) if test in _COMPARES]
    return [*(paths or ["."]), *compared]


@frozen
class SaidToRg:
    """What rg is given: its operands, and its options with their values; letters together are apart."""

    operands: Sequence[str]
    given: Sequence[GivenOption]

    @property
    def options(self) -> frozenset[str]:
        return frozenset(option for option, _ in self.given)


def said_to_rg(rest: Sequence[str]) -> SaidToRg:
    return SaidToRg(*operands_and_options(rest, _options_of_rg))


def operands_and_options(
    rest: Sequence[str], options_of: Callable[[str, Iterator[str]], Sequence[GivenOption]]
) -> tuple[list[str], list[GivenOption]]:
    """Return the operands, and the options with their values.

    `options_of` reads those in a word, and takes the next words where they are their values.
    """
    operands, given = list[str](), list[GivenOption]()
    words = iter(rest)
    for word in words:
        if word == "--":
            operands += words
        elif word == "-" or not word.startswith("-"):
            operands.append(word)
        else:
            given += options_of(word, words)
    return operands, given


def _options_of_rg(word: str, words: Iterator[str]) -> list[GivenOption]:
    """Return the options in a word, and take the next word where it is the value of one."""
    if word.startswith("--"):
        option, has_value, value = word.partition("=")
        if option in _RG_VALUED and not has_value:
            value = next(words, "")
        return [(option, value)]
    found = list[GivenOption]()
    for at, letter in enumerate(word[1:], 2):
        if (option := f"-{letter}") in _RG_VALUED:
            return [*found, (option, (word[at:] or next(words, "")).removeprefix("="))]
        found.append((option, ""))
    return found
