"""Which lines of which texts match: a program of its own, because Python cannot interrupt a regular
expression, but a process that runs one away can be ended.

It reads one question from its standard input and writes the answer to its standard output, both as
JSON (see `apart.py`). It needs only the parts of the standard library that load quickly.
"""

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

Search = Callable[[str], object]

UTF16 = (b"\xff\xfe", b"\xfe\xff")  # the two byte order marks
ERROR = 2  # the exit code of ripgrep that says so
ARGUMENTS = 500_000  # bytes of names that one program gets
SPARE = 65_536  # bytes that a file may hold beyond what it says: those in /proc say 0


def main() -> None:
    """Answer the one question."""
    asked = json.load(sys.stdin)
    search = re.compile(asked["pattern"], asked["flags"]).search
    if "names" in asked:
        names: list[str] = asked["names"]
        needed = [text.encode() for text in asked["needed"]]
        likely = sieved(asked["ripgrep"], needed, names, asked["max_bytes"])
        places = matching_files(search, needed, [names[place] for place in likely], asked["max_bytes"])
        answer = [likely[place] for place in places]
    else:
        answer = list(matching_lines(search, asked["texts"], asked["cap"], first_only=asked["first_only"]))
    json.dump(answer, sys.stdout)


def matching_files(
    search: Search, needed: Sequence[bytes], names: Sequence[str], max_bytes: int
) -> Iterator[int]:
    """Which of these files may have a matching line, by their places in the list.

    Each match contains one of the texts `needed`, which are ASCII in small letters, whatever the case.
    None is missed that the workspace would read as text. Links are not followed.
    """
    for place, name in enumerate(names):
        try:
            data = _bytes_of(name, max_bytes)
        except OSError:  # the workspace may have other means, or a better explanation
            yield place
            continue
        if _may_hold(needed, data) and any(map(search, lines_of(_text_of(data)))):
            yield place


def sieved(ripgrep: str, needed: Sequence[bytes], names: Sequence[str], max_bytes: int) -> list[int]:
    """The places of the files that hold one of the texts `needed`, or cannot be told, as ripgrep sees it.

    It only spares reading: a file that it cannot read stays in. Without it, or with nothing to look for,
    all do.
    """
    if not (ripgrep and needed):
        return list(range(len(names)))
    options = ["--no-config", "-0lFai", "--no-messages", "--no-ignore", "--hidden"]
    argv = [ripgrep, *options, *(part for text in needed for part in ("-e", text.decode())), "--"]
    kept: list[int] = []
    for places in _portions(names):
        # Of what is named to it ripgrep reads everything: pipes, files of any size, "-" as its input.
        fit = [place for place in places if names[place] != "-" and _is_small_file(names[place], max_bytes)]
        code, said = _output_of([*argv, *(names[place] for place in fit)]) if fit else (ERROR, b"")
        held = set(said.split(b"\0"))
        lacking = {place for place in fit if code != ERROR and os.fsencode(names[place]) not in held}
        kept += [place for place in places if place not in lacking]
    return kept


def _portions(names: Sequence[str]) -> Iterator[list[int]]:
    """The places of the names, in portions that fit into the arguments of one program."""
    portion: list[int] = []
    size = 0
    for place, name in enumerate(names):
        portion.append(place)
        size += len(os.fsencode(name))
        if size > ARGUMENTS:
            yield portion
            portion, size = [], 0
    yield portion


def _is_small_file(name: str, max_bytes: int) -> bool:
    try:
        status = os.lstat(name)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= max_bytes


def _output_of(argv: list[str]) -> tuple[int, bytes]:
    """Run a program with nothing to read; its exit code and what it wrote."""
    source, sink = os.pipe()
    nothing = os.open(os.devnull, os.O_RDWR)
    streams = [
        (os.POSIX_SPAWN_DUP2, handle, number) for number, handle in enumerate((nothing, sink, nothing))
    ]
    try:
        pid = os.posix_spawn(argv[0], argv, {}, file_actions=streams)
    except OSError:
        os.close(source)
        return ERROR, b""
    finally:
        os.close(sink)
        os.close(nothing)
    with os.fdopen(source, "rb") as reader:
        said = reader.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said


def matching_lines(
    search: Search, texts: Sequence[str], cap: int, *, first_only: bool
) -> Iterator[tuple[int, list[int]]]:
    """How many lines of each text match, and their numbers, counted from 0.

    At most `cap` numbers are given for all texts together. With `first_only` a text is left after
    its first match.
    """
    for text in texts:
        numbers = (number for number, line in enumerate(lines_of(text)) if search(line))
        found = list(islice(numbers, 1 if first_only else None))
        yield len(found), found[:cap]
        cap -= len(found[:cap])


def lines_of(text: str) -> list[str]:
    """The lines without their ends (CR LF, LF, CR, as in LSP 3.17); a final end begins no further line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _may_hold(needed: Sequence[bytes], data: bytes) -> bool:
    if not needed or data.startswith(UTF16):
        return True
    small = data.lower()
    return any(text in small for text in needed)


def _text_of(data: bytes) -> str:
    """What the workspace would read, though it may see text where that sees none."""
    encoding = "utf-16" if data.startswith(UTF16) else "utf-8-sig"
    if encoding == "utf-8-sig" and b"\0" in data:
        return ""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _bytes_of(name: str, max_bytes: int) -> bytes:
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        readable = stat.S_ISREG(status.st_mode) and status.st_size <= max_bytes
        return os.read(handle, status.st_size + SPARE) if readable else b""
    finally:
        os.close(handle)


if __name__ == "__main__":
    main()
