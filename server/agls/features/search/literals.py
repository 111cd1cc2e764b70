"""Facts about a regular expression that are known before it is used.

These are the texts that every match contains, so that files without them can be skipped, and the length of a
line up to which matching is quick. Only what is certain is claimed: what is not
understood counts for nothing.
"""

import re

from agls.regex import regex

SHORTEST = 3  # characters; shorter texts are in nearly every file
STEPS = 6_000_000  # comparisons of characters, some ten milliseconds
COUNTED = regex(r"\{[\d,]*\}")
# Groups that change how the rest is read (flags, comments), and escapes that stand for other characters.
UNCERTAIN = regex(r"\(\?(?![:=!<P])|\\[xuUN0-9]")
TOKEN = regex(
    r"\\(?P<escaped>[^A-Za-z0-9])"
    r"|(?P<many>\+)"
    r"|(?P<maybe>[*?]|\{[\d,]*\})"
    r"|(?P<other>\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|[.^$\[\]{}])"
    r"|(?P<open>\()|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<plain>.)",
    re.DOTALL,
)
# Without regard to case, these also match letters outside ASCII (dotless i, long s, the Kelvin sign).
SHIFTY = frozenset("iIsSkK")


def required(pattern: str, *, ignore_case: bool = False) -> tuple[str, ...]:
    """Return ASCII texts of which every match contains at least one; none when nothing is certain."""
    if UNCERTAIN.search(pattern):
        return ()
    best = [max(runs, key=len, default="") for runs in _branches(pattern, ignore_case)]
    return tuple(best) if all(len(text) >= SHORTEST for text in best) else ()


def swift_width(pattern: str) -> int:
    """Return the width in characters up to which any line is matched in about ten milliseconds; 0: unknown.

    Each repeat can begin and end anywhere in the line, and for each way the rest of the pattern is compared.
    """
    tokens = list(TOKEN.finditer(pattern))
    if any(token.lastgroup == "open" or COUNTED.match(token[0]) for token in tokens):
        return 0
    repeats = sum(token.lastgroup in ("many", "maybe") for token in tokens)
    return int((STEPS / len(pattern)) ** (1 / (1 + repeats)))


def _branches(pattern: str, ignore_case: bool) -> list[list[str]]:
    """Return, for each alternative, the runs of literal characters in it."""
    branches = [[""]]
    depth = 0
    for token in TOKEN.finditer(pattern):
        kind, runs = token.lastgroup, branches[-1]
        depth += (kind == "open") - (kind == "close")
        if kind == "bar" and depth == 0:
            branches.append([""])
        elif kind in ("plain", "escaped") and depth == 0 and _certain(token[0][-1], ignore_case):
            runs[-1] += token[0][-1]
        else:
            if kind == "maybe":
                runs[-1] = runs[-1][:-1]
            runs.append("")
    return branches


def _certain(character: str, ignore_case: bool) -> bool:
    return " " <= character <= "~" and not (ignore_case and character in SHIFTY)
