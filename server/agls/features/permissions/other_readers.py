"""Programs that show what is in an archive, a compressed file, a package or the table of processes.

Not `npm ls` (npm writes a log where the folder says), `pip list` and `pip freeze` (they may look for a newer
pip, and start git), `docker` (whoever owns the socket decides what an answer is).
"""

import re
from collections.abc import Callable, Mapping, Sequence

from agls.features.permissions.known_reader import divided, parsed_options, reader_of
from agls.regex import regex
from agls.room.shell_tree import NotUnderstood

_TAR = reader_of(
    "-t --list -v --verbose -z --gzip -j --bzip2 -J --xz --zstd --full-time --numeric-owner -f= --file=",
    "texts",
)
_ARCHIVES = frozenset({"-f", "--file"})
_FIRST_OF_TAR = regex(r"[tvzjJ]{1,6}f")  # `tar tzvf x.tgz`, without a dash
_UNZIP = frozenset(
    {"-l", "-v", "-lv", "-vl", "-lq", "-ql", "-qql", "-lqq", "-Z", "-Z1", "-Zl", "-Zm", "-Zs", "-Zv"}
)
_ZIPINFO = frozenset({"-1", "-l", "-m", "-s", "-v", "-h", "-t", "-z"})
_ZGREP = reader_of("-i -n -c -l -h -H -v -w -x -E -F -o -q -s -e= -A= -B= -C= -m=", "pattern")
_LESS = reader_of("-N -n -R -S -F -X -E -e -i -I -M -m -s")
_PS = reader_of(
    "-e -A -a -f -F -l -H -j -w --forest --no-headers -o= --format= -p= --pid= --ppid= -u= -U= --user= -C= "
    "-t= -s= --sort= -L -T",
    "texts",
)
# An `e` would show the environments of processes, and `O` takes a format of its own.
_OF_PS = regex(r"(?!.*(.).*\1)[auxf]{1,4}w{0,2}|\d{1,7}")
_COLUMNS = frozenset(
    word
    for words in (
        "pid ppid pgid sid tty tt tname user uid euser euid ruser ruid group gid comm ucmd cmd args command",
        "etime etimes time cputime lstart start start_time stime bsdstart pcpu %cpu pmem %mem rss rssize vsz",
        "sz size ni pri stat state s nlwp thcount psr wchan c cls f lwp tid",
    )
    for word in words.split()
)
_ICONV = reader_of("-f= --from-code= -t= --to-code= -c -l --list")
# With another `/` in it, it may be the name of a file: a table of characters, which iconv reads.
_CHARACTER_SET = regex(r"[\w.:+-]*(?:/{1,2}(?:TRANSLIT|IGNORE))*", re.IGNORECASE)
_OF_ZGREP = regex(r"-[A-Za-z]{1,8}\d{0,4}")
_PACKAGE = regex(r"[A-Za-z0-9][\w.-]{0,100}")
_PATTERN = regex(r"[*?\[\]\\]")
# What these start, whatever lies first in PATH. Of tar this follows from what the archive begins with.
STARTED: Mapping[str, Sequence[str]] = {
    "tar": ("gzip", "bzip2", "xz", "lzip", "lzma", "lzop", "zstd", "compress", "uncompress"),
    "shasum": ("perl",),
    "zcat": ("gzip",),
    "zgrep": ("gzip", "grep", "sed", "expr", "printf", "cat"),
    "unzip": ("zipinfo",),
    "less": ("lesspipe", "lesspipe.sh"),
}


def _archive(name: str, rest: Sequence[str]) -> Sequence[str]:
    if rest and _FIRST_OF_TAR.fullmatch(rest[0]):
        rest = [f"-{rest[0]}", *rest[1:]]
    members, given = parsed_options(name, _TAR, rest)
    files = [value for option, value in given if option in _ARCHIVES]
    lists = any(option in {"-t", "--list"} for option, _ in given)
    if any(member.startswith("@") for member in members):
        raise NotUnderstood("some programs called tar read a member that begins with @ as an archive")
    if not lists or len(files) != 1 or ":" in files[0] or files[0] in {"", "-"}:
        raise NotUnderstood("tar is known to only read where it lists one file of this machine")
    return files


def _zipped(name: str, rest: Sequence[str]) -> Sequence[str]:
    forms = _UNZIP if name == "unzip" else _ZIPINFO
    said = rest[1:] if rest and rest[0] in forms else rest
    if not said or (name == "unzip" and said == rest) or any(word.startswith("-") for word in said):
        raise NotUnderstood(f"{name} here is not known to only list an archive")
    if _PATTERN.search(said[0]):
        raise NotUnderstood(f"which archives {name} would find by a pattern is not known")
    return [said[0], f"{said[0]}.zip", f"{said[0]}.ZIP"]


def _unpacked(name: str, rest: Sequence[str]) -> Sequence[str]:
    if any(word.startswith("-") for word in rest):
        raise NotUnderstood(f"{name} with options is not known to only read")
    endings = ("", ".gz", ".z", "-gz", "-z", "_z", ".Z") if name == "zcat" else ("",)
    return [f"{word}{ending}" for word in rest for ending in endings]


def _searched(name: str, rest: Sequence[str]) -> Sequence[str]:
    operands, given = parsed_options(name, _ZGREP, rest)
    found = operands if any(option == "-e" for option, _ in given) else operands[1:]
    said = [word for word in rest if word[:1] == "-" and not _OF_ZGREP.fullmatch(word)]
    if said or any(not word.isprintable() for word in found):
        raise NotUnderstood(f"{name} here is not known to only read")
    return found


def _converted(name: str, rest: Sequence[str]) -> Sequence[str]:
    operands, given = parsed_options(name, _ICONV, rest)
    if not all(_CHARACTER_SET.fullmatch(value) for _, value in given):
        raise NotUnderstood(f"{name} may read a table of characters from a file")
    return operands


def _paged(name: str, rest: Sequence[str]) -> Sequence[str]:
    operands, _ = divided(name, _LESS, rest)
    if not operands or any(word.startswith("+") or _PATTERN.search(word) for word in operands):
        raise NotUnderstood(f"{name} here is not known to only read")
    return operands


def _processes(name: str, rest: Sequence[str]) -> Sequence[str]:
    operands, given = parsed_options(name, _PS, rest)
    columns = [value for option, value in given if option in {"-o", "--format"}]
    shown = {column.strip().partition("=")[0] for value in columns for column in value.split(",")}
    if not all(map(_OF_PS.fullmatch, operands)) or not shown <= _COLUMNS:
        raise NotUnderstood("ps may show the environments of processes here")
    return ()


def _package(name: str, rest: Sequence[str]) -> Sequence[str]:
    if rest[:1] == ["show"] and rest[1:] and all(map(_PACKAGE.fullmatch, rest[1:])):
        return ()
    raise NotUnderstood(f"{name} {' '.join(rest[:1])} is not known to only read")


OTHERS: Mapping[str, Callable[[str, Sequence[str]], Sequence[str]]] = {
    "tar": _archive,
    "unzip": _zipped,
    "zipinfo": _zipped,
    "zcat": _unpacked,
    "bzcat": _unpacked,
    "xzcat": _unpacked,
    "zgrep": _searched,
    "iconv": _converted,
    "less": _paged,
    "ps": _processes,
    "pip": _package,
    "pip3": _package,
}
