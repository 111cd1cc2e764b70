"""Patterns of paths: what they match exactly, what they forbid, and what a shell could make of a name.

`**/` is any folders, `**` anything, `*` and `?` stay within one name.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agls.regex import regex

_WILDCARD = regex(r"[*?\[]")
_CHOICE = regex(r"\[[^\]]+\]")


@lru_cache(maxsize=1024)
def path_glob(pattern: str) -> re.Pattern[str]:
    """A path pattern: `**/` is any folders, `**` anything, `*` and `?` stay within one name.

    What stands between two `**` is looked for once, at its first place, and so is what stands between two
    `*`: if there is a match, it goes on from there. So no path takes long, however many there are.
    """
    once = re.sub(r"(?:\*\*/)+", "**/", pattern)  # repeating it means nothing
    first, *rest = re.split(r"(\*\*/|\*\*)", once)
    text = _within_names(first)
    wide = rest[::2]
    spans = rest[1::2]
    for place, (kind, span) in enumerate(zip(wide, spans, strict=True)):
        anything, is_last = ("(?:[^/]+/)*" if kind == "**/" else ".*"), place == len(spans) - 1
        text += f"{anything}{_within_names(span)}" if is_last else f"(?>{anything}?{_within_names(span)})"
    return re.compile(text, re.DOTALL)


def _within_names(span: str) -> str:
    first, *rest = (re.escape(chunk).replace(r"\?", "[^/]") for chunk in re.split(r"\*", span))
    middle = "".join(f"(?>[^/]*?{chunk})" for chunk in rest[:-1])
    return f"{first}{middle}" + (f"[^/]*{rest[-1]}" if rest else "")


def forbids(pattern: str, names: Iterable[str]) -> bool:
    """Whether one of these names, or a folder it is in, fits the pattern, case and normal form apart."""
    glob = forbidding(pattern)
    return any(glob.fullmatch(_folded(name)) for name in names)


def may_become(pattern: str, names: frozenset[str]) -> bool:
    """Whether a shell may turn one of these names, by its wildcards, into one that the pattern means."""
    return any(_may_meet(_folded(pattern).split("/"), parts) for parts in _with_wildcards(names))


@lru_cache(maxsize=256)
def _with_wildcards(names: frozenset[str]) -> tuple[Sequence[str], ...]:
    return tuple(_folded(name).split("/") for name in names if _WILDCARD.search(name))


def _may_meet(wanted: Sequence[str], parts: Sequence[str]) -> bool:
    if len(wanted) == 1 or wanted[0] == "**":  # in any folder
        first = next((part for part in wanted if part != "**"), "*")
        return any(_alike(first, part) for part in parts)
    for ours, theirs in zip(wanted, parts, strict=False):
        if ours == "**":
            return True
        if not _alike(ours, theirs):
            return False
    return True


def _alike(ours: str, theirs: str) -> bool:
    """Whether a pattern and what a shell would match have a name in common; in doubt they have."""
    theirs = _CHOICE.sub("?", theirs)
    waiting, seen = [(0, 0)], set[tuple[int, int]]()
    while waiting and len(seen) < 10_000:
        at, to = step = waiting.pop()
        mine, other = ours[at : at + 1], theirs[to : to + 1]
        if not mine + other:
            return True
        if step in seen:
            continue
        seen.add(step)
        if "*" in {mine, other}:  # one of the two goes on: past the star, or with a character under it
            waiting += [(at + 1, to)] if mine else []
            waiting += [(at, to + 1)] if other else []
        elif mine == other or ("?" in {mine, other} and mine and other):
            waiting.append((at + 1, to + 1))
    return bool(waiting)


@lru_cache(maxsize=1024)
def forbidding(pattern: str) -> re.Pattern[str]:
    """The folded pattern with everything beneath it, and, when it is one name, in every folder.

    Who forbids all that is in a folder means the folder as well: it could be moved, or removed.
    """
    folded = _folded(pattern).removesuffix("/")
    floating = (folded if "/" in folded else f"**/{folded}").removesuffix("/**")
    anywhere = "/?" if floating.startswith("**") else ""
    return re.compile(f"{anywhere}(?:{path_glob(floating).pattern})(?:/.*)?", re.DOTALL)


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
