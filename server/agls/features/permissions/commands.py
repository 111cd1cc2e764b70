"""What a shell command says, read so that every doubt counts against it (SECURITY.md, P3).

Three questions with one direction of error each: is it provably one plain program with plain
words (`simple_argv`), does it mention a forbidden one anywhere (`mentions`), and which paths could
it touch (`touched`). None of them executes or expands anything.
"""

import shlex
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from posixpath import basename, join
from typing import Literal

from agls.engine.ports import Effect
from agls.features.permissions.git_readers import lists
from agls.regex import regex
from agls.room.given_code import gives_code, is_interpreter, may_be_alias, moves_programs
from agls.room.shell_words import FEEDERS, LONGEST, SHELLS, bare, folders_of
from agls.room.shell_words import parts as parts_in

Match = Literal["yes", "no", "unsure"]
UNKNOWN = "$"  # a path of which nothing is known
MOST_PATHS = 64  # paths of one command that are looked at; a command with more is not understood

_WORD = r"""(?:[A-Za-z0-9_@%+=:,./-]|'[^'\x00-\x1f\x7f]*'|"[^"\\$`!\x00-\x1f\x7f]*")+"""
_SIMPLE = regex(rf"{_WORD}(?: +{_WORD})*")
_PROGRAM = regex(r"[A-Za-z0-9_./+-]+")
_OPAQUE = regex(r"[$`{]")
_WILDCARD = regex(r"[*?\[]")
_PATH_LIKE = regex(r"[/.~$]")
_BEHIND_LETTERS = regex(r"-[A-Za-z0-9]{2,}?([/.~].*)")  # `grep -rf../x` for `grep -r -f ../x`
_TOKENS = regex(r"[^\w.*?/\[\]-]+")
_LETTERS = regex(r"-[A-Za-z0-9]{1,4}")
_FED = regex(r"[<|]")
_HIDDEN_NAME = regex(r"(?:^|/)\.[^/]*[*?\[]")  # a wildcard finds a name with a dot in front only so
_FOR_PEOPLE = regex(r"(?:[\w./~*?+@%:=-]|\$(?:[A-Za-z_]\w*|\{\w+\})|\{[^{}]*(?:,|\.\.)[^{}]*\})+")
_REDIRECTION = regex(r">[>|]?(?!&(?:\d+|-)(?:[\s;&|<>()`]|$))&?\s*([^\s;&|<>()]+)")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODE = _names("-c -e -E -r -p -n -pe -ne --eval --print eval -")  # what announces code as the next word
WRITERS = _names(
    "rm rmdir unlink shred truncate dd mv cp ln install tee chmod chown chgrp chattr rsync patch unzip tar "
    "wipefs mkfs curl wget -delete -exec -execdir -ok -okdir -fprint touch mkdir mkfifo mknod split csplit "
    "ed ex vi vim nvim emacs nano xxd uniq cpio bsdtar 7z ar gunzip bunzip2 unxz unzstd scp sftp "
    "apply checkout restore reset clean "
    "mke2fs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkswap blkdiscard "
    "fdisk sfdisk sgdisk parted"
)
EDITORS = _names("sed perl ruby")  # write with -i
SORTERS = _names("sort shuf iconv gpg openssl objcopy")  # write with -o
# Read a folder as a whole; those in RECURSIVE with an option for it, git as far as it knows the files.
TREES = _names(
    "rg ag ack ugrep rgrep find fd fdfind tar bsdtar zip 7z 7za 7zr rar pax rsync rclone scp xargs parallel "
    "ln shar mksquashfs genisoimage mkisofs restic borg jar docker podman buildah cpio ditto duplicity"
)
# Commands of programs that pack or copy the folder in which they are started.
PACKERS = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _names("pack publish")),
    "cargo": _names("package publish"),
    **dict.fromkeys(("poetry", "uv", "hatch", "flit"), _names("build publish")),
    **dict.fromkeys(("aws", "gsutil", "gcloud"), _names("cp sync mv rsync")),
    "docker-compose": _names("build up"),
    **dict.fromkeys(("docker", "podman", "nerdctl"), _names("build buildx bake compose")),
}
RECURSIVE = _names("grep egrep fgrep zgrep cp diff")
GIT_READS = _names(
    "grep show diff diff-tree diff-index diff-files range-diff log archive cat-file blame annotate stash "
    "whatchanged clone worktree bundle checkout-index fast-export format-patch difftool reflog restore "
    "unpack-file pack-objects merge-tree merge-file cherry-pick rebase revert request-pull send-email am"
)
_ACTIONS = _names("-exec -execdir -ok -okdir")  # of find
ARCHIVERS = _names("zipfile tarfile http.server shutil build")  # modules that interpreters run with -m
_RECURSE = regex(r"-[A-Za-z]*[rRa][A-Za-z]*|--(?:recursive|archive|deref|directories).*|recurse")
_NAMES_COMMANDS = _names("alias function eval source . trap enable hash shopt")
HARMLESS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})


def simple_argv(command: str) -> tuple[str, ...] | None:
    """The words of a command that is one program with plain arguments, `None` for everything else.

    No separators, substitutions, redirections, assignments, globs, escapes, braces, tildes or
    history, not even inside double quotes where a shell would still look at them.
    """
    if len(command) > LONGEST or not _SIMPLE.fullmatch(command):
        return None
    argv = tuple(shlex.split(command))
    return argv if _PROGRAM.fullmatch(argv[0]) else None


def is_plain(command: str) -> bool:
    """Whether this is one plain program, or one in another folder: `cd FOLDER && PROGRAM …`."""
    folder, _, rest = command.partition(" && ")
    way = simple_argv(folder) if rest else None
    program = rest if way and way[0] == "cd" and len(way) == 2 else command
    return simple_argv(program) is not None


def mentions(command: str, wanted: str) -> Match:
    """Whether the words of `wanted` occur, in order, in any part of the command, however quoted.

    `unsure` when the command decides at run time what it runs, when the words are there but not
    together, or when it is too long to look at.
    """
    if len(command) > LONGEST:
        return "unsure"
    parts, sought = parts_in(command), parts_in(wanted)
    needle, words = _joined(sought), _joined(parts)
    if len(sought) > 1:  # what is wanted is itself a compound command
        parts = (words,)
    if any(_in_order(needle, part, _same) for part in parts):
        return "yes"
    if _decides_when_run(command):
        return "unsure"
    scattered = bool(words) and all(_in_order([part], words, _could_be) for part in needle)
    return "unsure" if scattered else "no"


def touched(command: str) -> list[tuple[Effect, str]]:
    """The paths this command could read or, when it has a program or a redirection for it, write.

    A path that is only known at run time is given as it stands (`$HOME/x`, `~/x`). A command that is
    too long, or has too many paths, gives `UNKNOWN`.
    """
    from agls.features.permissions.harmless_scripts import without_scripts  # noqa: PLC0415 - a session begins without it

    if len(command) > LONGEST:
        return [(Effect.WRITES, UNKNOWN)]
    command = without_scripts(command)
    parts = parts_in(command)
    words = _joined(parts)
    effect = Effect.WRITES if _writes(words) or _runs_code(command, parts) else Effect.READS
    found = [(Effect.WRITES, target) for target in _REDIRECTION.findall(bare(command))]
    run, moves = _programs(command, parts), _folder_changes(parts)
    found += [
        (
            Effect.READS if (at == 0 and word in run) or part in moves or _is_input(part, word) else effect,
            _named(word),
        )
        for part in parts
        for at, word in enumerate(part)
    ]
    if "git" in words:  # `HEAD:path` names a file of a commit
        found += [(effect, path) for word in words if (path := word.rpartition(":")[2]) != word]
    found += [(Effect.READS, value[1]) for word in words if (value := _BEHIND_LETTERS.fullmatch(word))]
    if _in_order(["git", "config"], words, _same) and not _shows_setting(command):
        found.append((Effect.WRITES, ".git/config"))
    found = [(effect, path) for effect, path in found if path and path not in HARMLESS]
    found += [(effect, join(folder, path)) for folder in folders_of(parts) for effect, path in found]
    unique = list(dict.fromkeys(found))
    if len(unique) <= MOST_PATHS:
        return unique
    return [(Effect.WRITES if any(effect is Effect.WRITES for effect, _ in unique) else effect, UNKNOWN)]


def _folder_changes(parts: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Return the parts that are `cd FOLDER`; none where the command may call something else so."""
    is_itself = ("cd",) not in parts and _NAMES_COMMANDS.isdisjoint(_joined(parts))
    return [part for part in parts if len(part) == 2 and part[0] == "cd"] if is_itself else ()


def _is_input(part: Sequence[str], word: str) -> bool:
    """Return whether this names what `dd` only reads."""
    return part[0] == "dd" and word.startswith("if=")


def _shows_setting(command: str) -> bool:
    """Return whether this is one plain `git config` that shows a setting."""
    words = simple_argv(command)
    return words is not None and words[:2] == ("git", "config") and lists(words[1:])


def _programs(command: str, parts: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return the paths of programs: they are run, not written. Beside code only the first is certain."""
    first = _PROGRAM.match(command.lstrip())
    found = [first[0] if first else ""] if _runs_code(command, parts) else [part[0] for part in parts]
    return [path for path in found if "/" in path]


def read_whole(command: str, *, is_known: bool = False) -> list[str]:
    """The folders that this command may read with everything in them, as seen from where it begins.

    Where the command `is_known` to run only programs that read, `find` alone shows nothing but names.
    """
    if len(command) > LONGEST:
        return ["."]
    parts = parts_in(command)
    found = ["."] if _decides_when_run(command) else []
    for part in parts:
        if not (is_known and part[0] == "find" and _ACTIONS.isdisjoint(part)):
            found += _read_whole(part)
    found += [join(folder, path) for folder in folders_of(parts) for path in found]
    return list(dict.fromkeys(found))[:MOST_PATHS]


def known_only_when_run(path: str) -> bool:
    """Whether the shell would turn this word into another path, one that could be hidden or far away."""
    return path.startswith("~") or bool(_OPAQUE.search(path) or _HIDDEN_NAME.search(path))


def may_be_name(word: str) -> bool:
    """Whether people would take this word for a path: `$HOME/x` and `a{,.bak}`, and not `{print` or `{}`."""
    return bool(_FOR_PEOPLE.fullmatch(word))


def _read_whole(part: Sequence[str]) -> list[str]:
    names = {basename(word).casefold() for word in part}
    if "git" in names and GIT_READS & names:
        return ["."]
    if "-m" in part and ARCHIVERS & names:
        return ["."]
    if any(not verbs.isdisjoint(names) for name, verbs in PACKERS.items() if name in names):
        return ["."]
    recursive = any(_RECURSE.fullmatch(word) for word in part) and RECURSIVE & names
    if not (TREES & names or recursive):
        return []
    at = next(at for at, word in enumerate(part) if basename(word).casefold() in TREES | RECURSIVE)
    operands = [word for word in part[at + 1 :] if not word.startswith("-")]
    return operands if len(operands) > 1 else [".", *operands]  # what is left out is the folder itself


def _named(word: str) -> str:
    """The path that a word may name: itself, an option's value, or what stands right behind its letter."""
    if "=" in word:
        return word.rpartition("=")[2]
    if not word.startswith("-"):
        return word
    return word[2:] if _PATH_LIKE.search(word[2:]) else ""


def _writes(words: Sequence[str]) -> bool:
    names = {basename(word).casefold() for word in words}
    in_place = any(word.startswith(("-i", "--in-place", "-pi", "-ni")) for word in words)
    to_file = any(word.startswith(("-o", "--output")) for word in words)
    return bool(WRITERS & names or (in_place and EDITORS & names) or (to_file and SORTERS & names))


def _joined(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(parts))


@lru_cache(maxsize=64)
def _decides_when_run(command: str) -> bool:
    parts = parts_in(command)
    return (
        bool(_OPAQUE.search(command))
        or _runs_text(parts)
        or _runs_code(command, parts)
        or any(may_be_alias(part) or any(map(moves_programs, part)) for part in parts)
    )


def _runs_text(parts: Sequence[Sequence[str]]) -> bool:
    """Whether a part runs what it reads, or what stands in one of its words, as commands."""
    known = SHELLS | FEEDERS
    return any(part[0] == "." or any(basename(word).casefold() in known for word in part) for part in parts)


def _runs_code(command: str, parts: Sequence[Sequence[str]]) -> bool:
    """Whether an interpreter is, or may be, given its program in a word, or is fed with something."""
    fed = bool(_FED.search(command))
    return any(
        gives_code(part) or any(is_interpreter(word) and (fed or CODE & set(part)) for word in part)
        for part in parts
    )


def _in_order(needle: Sequence[str], words: Sequence[str], same: Callable[[str, str], bool]) -> bool:
    """Whether all words of the needle are there in this order, options and others between them."""
    rest = iter(words)
    return all(any(same(wanted.casefold(), word.casefold()) for word in rest) for wanted in needle)


def _same(wanted: str, word: str) -> bool:
    return wanted == word or wanted == word.rpartition("/")[2]


def _is_behind_letters(wanted: str, word: str) -> bool:
    """Whether the wanted word stands right behind the letters of options: `-Srm`."""
    return bool(_LETTERS.fullmatch(word.removesuffix(wanted))) and word.endswith(wanted)


def _could_be(wanted: str, word: str) -> bool:
    """Whether a wildcard may become the wanted word, or it may stand in a word of another program: `!rm`."""
    if any(_same(wanted, each) for each in (word, *_TOKENS.split(word))) or _is_behind_letters(wanted, word):
        return True
    return bool(_WILDCARD.search(word)) and word.strip("*?") != "" and fnmatchcase(wanted, basename(word))
