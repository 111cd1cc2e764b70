"""Commands of git of which it is known that they only read, beside those that prefix rules may name.

The same words may list or make: `git branch --list x` and `git branch x`. So a command counts only with an
option that makes it list, with no operand that could make something, and with options that are known.
"""

from collections.abc import Mapping, Sequence

from agls.features.permissions.carriers import may_follow
from agls.frozen import frozen
from agls.regex import regex

_ANY = 1_000_000


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


@frozen
class Listing:
    """Options of a command that lists; with operands one of `needed` has to stand there."""

    options: frozenset[str]
    needed: frozenset[str] = frozenset()
    most: int = _ANY


_REFS = _names("--sort --format --contains --no-contains --merged --no-merged --points-at --column -i")
LISTINGS: Mapping[str, Listing] = {
    "branch": Listing(
        _REFS | _names("-a --all -r --remotes -v -vv --verbose --list -l --show-current --no-color"),
        _names("--list -l --contains --no-contains --merged --no-merged --points-at"),
    ),
    "tag": Listing(
        _REFS | _names("-l --list -n"),
        _names("-l --list --contains --no-contains --merged --no-merged --points-at"),
    ),
    "for-each-ref": Listing(_REFS | _names("--count --exclude")),
    "check-ignore": Listing(_names("-v --verbose -n --non-matching -q --quiet --no-index")),
    "check-attr": Listing(_names("-a --all --cached")),
    "name-rev": Listing(_names("--name-only --tags --always")),
    "show-ref": Listing(_names("--heads --tags --branches --head -s --hash --verify -q -d --abbrev")),
    "count-objects": Listing(_names("-v -H -vH --verbose --human-readable"), most=0),
    "cherry": Listing(_names("-v --verbose --abbrev"), most=3),
    "symbolic-ref": Listing(_names("--short -q --quiet"), most=1),
}

_CONFIG = _names(
    "--global --local --system --worktree --show-origin --show-scope --includes --no-includes --null -z "
    "--bool --int --type"
)
_SETTING = regex(r"[A-Za-z][A-Za-z0-9-]*(?:\.[\w./*@:+ -]+)+")
_MAY_BE_SECRET = regex(r"(?i)token|secret|pass|pwd|credential|auth|header|cookie|key|proxy|smtp|://")
_SIGNATURE = regex(r"%[-+ ]?G|%\([^)]*signature")
_FROM_LINES = regex(r"(?:-L)?(?:\d+,\+?\d+|:[\w.]+):(.+)")  # `git log -L1,5:FILE`, `-L :main:FILE`


def checks_signatures(said: Sequence[str]) -> bool:
    """Return whether these words of git, its command first, may have it ask gpg about a signature.

    A format does so with `%GK`, `%+G?` and the like, and with `%(signature)`, by which names are sorted, too.
    """
    by_name = said[0] in LISTINGS and any("signature" in word for word in said)
    return by_name or any(map(_SIGNATURE.search, said))


def lists(said: Sequence[str]) -> bool:
    """Return whether these words of git, its command first, only list or show something."""
    name, *rest = said
    match name, rest:
        case "stash", ["list", *more]:
            return may_follow(("git", "log"), more) and not _operands(more)
        case "stash", ["show", *more]:
            return may_follow(("git", "diff"), more)
        case "remote", ["get-url", remote]:
            return not remote.startswith("-")
        case "reflog", ["show", *more]:
            return may_follow(("git", "log"), more)
        case "reflog", ["-n", number, *more] if number.isdigit():
            return may_follow(("git", "log"), more) and not _operands(more)
        case "reflog", more:
            return may_follow(("git", "log"), more) and not _operands(more)
        case _:
            listed = name in LISTINGS and _only_lists(LISTINGS[name], rest)
            return listed or (name == "config" and _shows_setting(rest))


def files_of_lines(words: Sequence[str]) -> Sequence[str]:
    """Return the files in which `-L` looks for lines: they may stand in the option itself."""
    return [found[1] for word in words if (found := _FROM_LINES.fullmatch(word))]


def _shows_setting(words: Sequence[str]) -> bool:
    """Return whether `git config` shows one setting by its name, which is not that of a secret."""
    match [word for word in words if word.partition("=")[0] not in _CONFIG]:
        case ["--get" | "--get-all" | "get", name] | [name]:
            return bool(_SETTING.fullmatch(name)) and not _MAY_BE_SECRET.search(name)
        case _:
            return False


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def _only_lists(listing: Listing, rest: Sequence[str]) -> bool:
    if not all(_is_known(word, listing.options) for word in rest if word.startswith("-")):
        return False
    operands = _operands(rest)
    if len(operands) > listing.most:
        return False
    given = {word.partition("=")[0] for word in rest}
    return not (operands and listing.needed) or bool(given & listing.needed)


def _is_known(word: str, options: frozenset[str]) -> bool:
    return word.partition("=")[0] in options or word.rstrip("0123456789") in options & {"-n"}
