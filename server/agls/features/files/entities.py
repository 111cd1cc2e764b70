"""HTML entities in new lines of code, where the characters themselves are meant."""

from collections.abc import Sequence

from agls.regex import regex

_QUOTES = ("'", '"', "`")
_ENTITY = regex(r"&(?:amp|lt|gt|quot|#39);")
_IN_CODE = regex(
    r"&amp;&amp;|[=-]&gt;|\w&lt;[\w,. ?;&\[\]]*&gt;"
    r"|^\s*(?:\} )?(?:else )?(?:if|elif|while|for|return|assert)\b.*&[lg]t;"
)
_BESIDE_MARKUP = regex(r"&amp;&amp;|=&gt;")  # in code whose texts between tags may rightly have entities
_MARKUP = (".js", ".jsx", ".tsx", ".mjs", ".cjs")
_COMMENT = regex(r"^\s*(?://|/\*|\*|#|--)|</?\w")


def line_with_entities(shown: str, text: str, old: str, lines: Sequence[str]) -> str:
    """Return one of these new lines of a file of code whose entities stand for characters; "" for none.

    It is one of `old` but for them, or its condition, or has them where no code has any, in a file without.
    """
    odd = [line for line in lines if _ENTITY.search(line)]
    if not odd:
        return ""
    from html import unescape  # noqa: PLC0415 - its table of names is large, and few texts need it

    there = {line.strip() for line in old.split("\n")}
    again = [line for line in odd if unescape(line).strip() in there]
    is_more = len(again) < len(lines)  # that all of `old` is escaped, and nothing else changed, may be meant
    and_signs = [line for line in odd if "&amp;&amp;" in line and "&&" in old and not _quoted(line, "&amp;")]
    strict = _BESIDE_MARKUP if shown.lower().endswith(_MARKUP) else _IN_CODE
    code = [
        line for line in odd if strict.search(line) and not _quoted(line, "&") and not _COMMENT.search(line)
    ]
    if _ENTITY.search(text) or not is_more:
        code = []
    return next(iter([*and_signs, *(again if is_more else ()), *code]), "")


def _quoted(line: str, part: str) -> bool:
    """Return whether a part of a line begins within quotes."""
    return any(line.count(quote, 0, line.find(part)) % 2 for quote in _QUOTES)
