"""Files of variables (`.env`) that servers of editors name by `envFile`."""

from collections.abc import Mapping

from agls.regex import regex

_LINE = regex(r"\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*")
_QUOTED = regex(r"""(["'])(.*)\1\s*(?:#.*)?""")
_REMARK = regex(r"(?:^|\s)#.*$")
_ESCAPED = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}
_ESCAPE = regex(r'\\[nt"\\]')


def variables_in(text: str) -> Mapping[str, str]:
    """**Returns** the variables of a file, each on a line `NAME=value`; of one name the last counts."""
    lines = text.removeprefix("\ufeff").splitlines()
    return {found[1]: _value(found[2]) for line in lines if (found := _LINE.fullmatch(line))}


def _value(written: str) -> str:
    quoted = _QUOTED.fullmatch(written)
    if not quoted:
        return _REMARK.sub("", written)
    if quoted[1] == "'":
        return quoted[2]
    return _ESCAPE.sub(lambda found: _ESCAPED[found[0]], quoted[2])
