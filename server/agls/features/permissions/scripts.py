"""What the small programs for `sed`, `awk` and `jq` may say, so that they are known to print and do no more.

Each function returns whether that is certain. A program that is written in another way is in doubt.
"""

import re
from collections.abc import Sequence

from agls.regex import regex
from agls.room.shell_tree import NotUnderstood

# `1,5p`, `/from/,/to/p`, `$p`; `s/a/b/g`, also several of them. Neither a pattern nor a replacement holds a
# line end or its own delimiter, so no command can stand in it (`w`, `e` and `r` are commands, and flags of
# `s`). Some versions take a delimiter between brackets for a part of the pattern: so brackets end before it.


def _pattern(mark: str) -> str:
    bracket = rf"\[\^?(?:\[:\w+:\]|[^\]\[^{mark}\n])(?:\[:\w+:\]|[^\]\[{mark}\n])*\]"
    return rf"(?:[^{mark}\[\\\n]|\\[^\n]|{bracket})+"


def _change(mark: str) -> str:
    end = re.escape(mark)
    return rf"s{end}{_pattern(mark)}{end}(?:[^{mark}\\\n]|\\[^\nc])*{end}[gpiI\d]*"


_ADDRESS = rf"(?:\d+|\$|/{_pattern('/')}/)"
_WHERE = rf"(?:{_ADDRESS}(?:,(?:{_ADDRESS}|\+\d+))?)?!?"
_DOES = "|".join((r"[pd=qG]", r"\{[pd=q](?:; ?[pd=q])*;? ?\}", *map(_change, "/|#,")))
_SED = regex(rf"{_WHERE}(?:{_DOES})(?:; ?{_WHERE}(?:{_DOES}))*;? ?")
_SED_SCRIPT = regex(r"-([nErs]*)e(.*)", re.DOTALL)
_JQ_LOADS = regex(r"\b(?:import|include|input_filename|env|ENV|get_search_list|modulemeta)\b")
_AWK_STRING = regex(r'"(?:[^"\\]|\\[tn])*"')
_AWK_TEXT = regex(r"(?:[ -\[\]-~]|\\[tns.dw])*")  # what can be seen, with few escapes
_AWK_REDIRECTION = regex(r">(?!=)|(?<!\|)\|(?!\|)|\|\|\||@")
# `>` compares where a pattern begins, and between parentheses; elsewhere it may write a file. Nothing is
# printed before the first `{`, so there it compares, too.
_AWK_COMPARED = regex(r"(^ ?|\(|\} ?)(?:NR|FNR|NF|length(?:\(\$\w+\))?|\$\w+) ?> ?(?=\d+ ?(?:$|\)|\{|&&))")
_AWK_FIRST_PATTERN = regex(r"[^{]*")
_AWK_THAN_NUMBER = regex(r">(?= ?\d)")
_AWK_VALUE = regex(r"[\w=.,:; |/\t-]*")
AWKS = frozenset({"awk", "gawk", "mawk"})
_AWK_NAME = regex(r"[A-Za-z_]\w*")
_AWK_KNOWN = frozenset(
    word
    for words in (
        "print printf BEGIN END NR NF FNR FS OFS RS ORS length substr index tolower toupper if else next",
        "FILENAME",
        "exit in for int sum count total max min seen line name value gsub sub split sprintf RSTART RLENGTH",
        "while do break continue match key val avg arr result found start end prev last first parts out",
    )
    for word in words.split()
)
_AWK_NEVER = regex(
    r"system|getline|close|fflush|ENVIRON|ARG|PROCINFO|FUNCTAB|SYMTAB|func|include|load|namespace|extension|FILENAME\s*=(?!=)",
    re.IGNORECASE,
)


def scripts_in_options(name: str, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the scripts that options of `sed` give, and the other words.

    Of `jq` there are none: `--arg NAME VALUE`, which reads nothing, is left out of its words.
    """
    scripts, others = list[str](), list[str]()
    left = iter(words)
    for word in left:
        if word == "--":
            return scripts, [*others, word, *left]
        if name in AWKS and word == "-v":
            _check_variable(next(left, ""))
        elif name == "jq" and word in {"--arg", "--argjson"}:
            next(left, None)
            next(left, None)
        elif name == "sed" and word.startswith("--expression="):
            scripts.append(word.partition("=")[2])
        elif name == "sed" and (given := _SED_SCRIPT.fullmatch(word)):
            scripts.append(given[2] or next(left, ""))
            others += [f"-{given[1]}"] if given[1] else []
        else:
            others.append(word)
    return scripts, others


def _check_variable(text: str) -> None:
    """**Raises** `NotUnderstood` unless awk gives a variable of this script a plain value by this."""
    name, is_set, _ = text.partition("=")
    is_known = len(name) == 1 and name.isalpha()
    if not is_set or not (is_known or name in _AWK_KNOWN) or not _AWK_VALUE.fullmatch(text):
        raise NotUnderstood(f"what awk does with {text} is not certain")


def sed_prints(script: str) -> bool:
    """Return whether a script of `sed` only prints lines, perhaps with a text replaced."""
    return bool(_SED.fullmatch(script))


def jq_reads(query: str) -> bool:
    """Return whether a query of `jq` reads nothing but its input."""
    return not _JQ_LOADS.search(query)


def awk_prints(script: str) -> bool:
    """Return whether a script of `awk` only prints: no other program, no file, nothing of the environment.

    The dangerous words may not even stand in texts or expressions, as a `/` may divide, too.
    """
    if not _AWK_TEXT.fullmatch(script) or _AWK_NEVER.search(script):
        return False
    code = _AWK_STRING.sub(" ", script)
    compared = _AWK_FIRST_PATTERN.sub(lambda first: _AWK_THAN_NUMBER.sub("<", first[0]), script, count=1)
    if '"' in code or _AWK_REDIRECTION.search(_AWK_COMPARED.sub(r"\1", compared)):
        return False
    return all(len(name) == 1 or name in _AWK_KNOWN for name in _AWK_NAME.findall(_regexes_cut(code)))


def _regexes_cut(code: str) -> str:
    """Return the code without what is surely a pattern: one between slashes where nothing is divided."""
    return regex(r"(^|[~(!&|{;,] ?)/[^/]*/").sub(r"\1 ", code)
