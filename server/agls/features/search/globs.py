"""Which paths a glob means: `*`, `?`, `[…]` within a name, `**` for any folders, `{a,b}` for either.

A glob without a slash means a file name in any folder. A hostile glob costs no more than the product
of its length and the path's.
"""

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from functools import lru_cache

BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
ALTERNATIVES = 256  # patterns that braces may stand for

Names = tuple[str, ...]


def glob_matcher(glob: str) -> Callable[[str], bool]:
    """A test for paths with `/`. Raises `ValueError` for braces that stand for too much."""
    patterns = [_names(alternative) for alternative in _alternatives(glob)]

    def matches(path: str) -> bool:
        names = path.split("/")
        return any(_matches(pattern, names) for pattern in patterns)

    return matches


def _names(glob: str) -> Names:
    names = tuple(name for name in glob.split("/") if name not in ("", "."))
    return names if "/" in glob.strip("/") or glob.startswith("/") else ("**", *names)


def _alternatives(glob: str) -> list[str]:
    done: list[str] = []
    todo = [glob]
    while todo:
        pattern = todo.pop()
        if found := BRACES.search(pattern):
            before, after = pattern[: found.start()], pattern[found.end() :]
            todo += (before + choice + after for choice in found[1].split(","))
        else:
            done.append(pattern)
        if len(done) + len(todo) > ALTERNATIVES:
            raise ValueError(f"the braces of {glob!r} stand for more than {ALTERNATIVES} patterns")
    return done


def _matches(pattern: Names, names: Sequence[str]) -> bool:
    """Walk along the names and remember every place in the pattern that could have been reached."""
    places = _after_stars(pattern, {0})
    for name in names:
        stay = {place for place in places if place < len(pattern) and pattern[place] == "**"}
        step = {
            place + 1
            for place in places - stay
            if place < len(pattern) and _name_matcher(pattern[place])(name)
        }
        places = _after_stars(pattern, stay | step)
    return len(pattern) in places


def _after_stars(pattern: Names, places: set[int]) -> set[int]:
    """The places, and those behind them, as `**` may stand for no folder at all."""
    result = set(places)
    for place, name in enumerate(pattern):
        if place in result and name == "**":
            result.add(place + 1)
    return result


@lru_cache(ALTERNATIVES)
def _name_matcher(pattern: str) -> Callable[[str], object]:
    return re.compile(translate(pattern)).match
