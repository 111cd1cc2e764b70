"""Where a name that is replaced everywhere is only a part of a longer one."""

from agls.regex import regex

_NAME = regex(r"[^\W\d]\w*")
_BEHIND = regex(r"\w*")
_BEFORE = regex(r"\w*\Z")
LONGEST = 40  # characters of a word that are shown at each side
ONE = " One of them is a part of a longer word, {word} in line {line}: is that meant?"
SOME = " {count} of them are parts of longer words, such as {word} in line {line}: is that meant?"


def words_changed(flat: str, old: str) -> str:
    """Return what is to be said of the longer words of a text that hold a name `old`; "" if there are none.

    A text that only such words hold was meant as a part of them.
    """
    if not _NAME.fullmatch(old):
        return ""
    places: list[int] = []
    whole = 0
    at = flat.find(old)
    while at >= 0:
        end = at + len(old)
        is_part = any(each.isalnum() or each == "_" for each in (flat[at - 1 : at], flat[end : end + 1]))
        places += [at] * is_part
        whole += not is_part
        at = flat.find(old, end)
    if not places or not whole:
        return ""
    first = places[0]
    end = first + len(old)
    before = _BEFORE.search(flat, max(0, first - LONGEST), first)
    behind = _BEHIND.match(flat, end, end + LONGEST)
    word = f"{before[0] if before else ''}{old}{behind[0] if behind else ''}"
    line = flat.count("\n", 0, first) + 1
    return (SOME if len(places) > 1 else ONE).format(count=len(places), word=f"`{word}`", line=line)
