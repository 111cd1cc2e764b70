"""Programs of which it is known that they only read, and the options for which that holds.

Everything that is not listed is in doubt: another option, an abbreviated one, a second operand where that
names an output. An option written with `=` takes a value. Sources: the manuals of GNU coreutils, grep,
findutils, diffutils, ripgrep, jq and git.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from agls.features.permissions.carriers import may_follow
from agls.features.permissions.git_readers import checks_signatures, files_of_lines, lists
from agls.features.permissions.listed_readers import (
    LISTED,
    GivenOption,
    listed,
    operands_and_options,
    operands_of,
)
from agls.features.permissions.scripts import awk_prints, jq_reads, scripts_in_options, sed_prints
from agls.frozen import frozen
from agls.redaction import is_secret
from agls.regex import regex
from agls.room.shell_tree import A_NAME, NotUnderstood

Operands = Literal["paths", "texts", "pattern", "none", "any"]
ENDLESS = 1_000_000


@frozen
class KnownReader:
    """What a program may be given; with `pattern` the first operand is one, unless an option gives it.

    With `any` every word is a text, whatever it looks like.

    `numbers` is whether `-5` is an option, `most` how many operands there may be. With `single` letters
    cannot stand together: `-ps` is no `-p -s`.
    """

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    operands: Operands = "paths"
    most: int = ENDLESS
    numbers: bool = False
    single: bool = False


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _reader(
    options: str,
    operands: Operands = "paths",
    *,
    most: int = ENDLESS,
    numbers: bool = False,
    single: bool = False,
) -> KnownReader:
    words = options.split()
    valued = frozenset(word[:-1] for word in words if word.endswith("="))
    flags = frozenset(words) - {f"{word}=" for word in valued}
    return KnownReader(flags, valued, operands, most, numbers, single)


_COUNTS = "-n= --lines= -c= --bytes= -q --quiet --silent -v --verbose -z --zero-terminated"
_GREP = (
    "-E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -e= --regexp= -i "
    "--ignore-case --no-ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c "
    "--count --color --colour --color= -L --files-without-match -l --files-with-matches -m= "
    "--max-count= -o --only-matching -q --quiet --silent -s --no-messages -b --byte-offset -H "
    "--with-filename -h --no-filename -n --line-number -T --initial-tab -Z --null -A= "
    "--after-context= -B= --before-context= -C= --context= -a --text --binary-files= -I --exclude= "
    "--exclude-dir= --include= -r --recursive --line-buffered -z --null-data"
)
_DIFF = (
    "-q --brief -s --report-identical-files -c -u -U= --unified --unified= -e --ed -n --rcs -y "
    "--side-by-side -W= --width= -p --show-c-function -t --expand-tabs -r --recursive --no-dereference -N "
    "--new-file -i --ignore-case -E -Z --ignore-trailing-space -b --ignore-space-change -w "
    "--ignore-all-space -B --ignore-blank-lines -a --text --strip-trailing-cr -d --minimal "
    "--color --color= --suppress-common-lines"
)
_LS = (
    "-a --all -A --almost-all -b -B -c -C -d --directory -f -F --classify -g -G "
    "--group-directories-first -h --human-readable --si -i --inode -k -l -m -n -N -o -p -q -Q -r "
    "--reverse -R --recursive -s --size -S -t -u -U -v -x -X -Z -1 --color --color= --full-time "
    "--sort= --time= --time-style= -I= --ignore= --hide= -w= --width= --format= --no-group"
)
_FD = (
    "-H --hidden -I --no-ignore -g --glob -i -s -a --absolute-path -p --full-path -0 -1 -q -e= --extension= "
    "-t= --type= -d= --max-depth= -E= --exclude= --color="
)
_BAT = "-n --number -p --plain -A -l= --language= -r= --line-range= --style= --color="
_EZA = "-1 -l -a -T --tree -L= --level= -h -r -s= --sort= -R -d -D -F --icons --color= --no-user --no-time"
READERS: Mapping[str, KnownReader] = {
    "ls": _reader(_LS),
    "cat": _reader(
        "-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T -u -v"
    ),
    "tac": _reader("-b -s="),
    "nl": _reader("-b= -n= -w= -s= -v= -i="),
    "head": _reader(_COUNTS, numbers=True),
    "tail": _reader(_COUNTS, numbers=True),
    "wc": _reader("-c --bytes -m --chars -l --lines -L --max-line-length -w --words"),
    "stat": _reader("-L --dereference -f --file-system -c= --format= --printf= -t --terse"),
    "du": _reader(
        "-a --all -b --bytes -c --total -d= --max-depth= -h --human-readable -k -m -s --summarize -S -x "
        "--apparent-size --si --exclude= --time --inodes"
    ),
    "df": _reader("-h --human-readable -H -k -T --print-type -i --inodes -P"),
    "uniq": _reader(
        "-c --count -d --repeated -D -i --ignore-case -u --unique -f= -s= -w= --skip-fields= -z", most=1
    ),
    "cut": _reader(
        "-b= --bytes= -c= --characters= -d= --delimiter= -f= --fields= --complement -s --only-delimited "
        "--output-delimiter="
    ),
    "tr": _reader("-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1", "texts"),
    "rev": _reader(""),
    "fold": _reader("-b -c -s -w="),
    "column": _reader("-t --table -s= -o= -n"),
    "comm": _reader("-1 -2 -3 --total --check-order --nocheck-order"),
    "paste": _reader("-d= --delimiters= -s --serial"),
    "join": _reader("-1= -2= -j= -t= -i -a= -v= -o= -e="),
    "cmp": _reader("-b -l -s --silent --quiet -n="),
    "diff": _reader(_DIFF, most=2),
    "grep": _reader(_GREP, "pattern", numbers=True),
    "egrep": _reader(_GREP, "pattern", numbers=True),
    "fgrep": _reader(_GREP, "pattern", numbers=True),
    "od": _reader("-A= -t= -c -x -b -d -N= -j= -v -w"),
    "xxd": _reader("-a -b -c= -g= -l= -s= -p -ps -u", most=1, single=True),
    "base64": _reader("-d --decode -i -w= --wrap="),
    "hexdump": _reader("-b -c -C -d -o -x -n= -s= -v"),
    "md5sum": _reader("-b -t --tag"),
    "sha1sum": _reader("-b -t --tag"),
    "sha256sum": _reader("-b -t --tag"),
    "sha512sum": _reader("-b -t --tag"),
    "b2sum": _reader("-b -t --tag"),
    "strings": _reader("-a -f -n= -t="),  # without `@FILE`, which is a file of more arguments
    "test": _reader("-f -d -e -s -r -w -x -L -h -n -z -eq -ne -lt -le -gt -ge", most=8, single=True),
    "cksum": _reader(""),
    "basename": _reader("-a -s= -z", "texts"),
    "dirname": _reader("-z", "texts"),
    "realpath": _reader("-e -m -q -s --relative-to= --relative-base="),
    "readlink": _reader("-f -e -m -n -q"),
    "pwd": _reader("-L -P", "none"),
    "echo": _reader("", "any"),
    "printf": _reader("", "texts"),
    "seq": _reader("-s= -w -f=", "texts"),
    ":": _reader("", "any"),
    "exit": _reader("", "texts", most=1),
    "printenv": _reader("", "texts", most=1),
    "expr": _reader("", "texts"),
    "whereis": _reader("-b -m -s", "texts"),
    "fmt": _reader("-w= --width= -s -u -c -t"),
    "expand": _reader("-t= -i"),
    "sum": _reader("-r -s"),
    "shuf": _reader("-n= --head-count= -e -i= --input-range= -r --repeat -z"),
    "tsort": _reader(""),
    "factor": _reader("", "texts"),
    "numfmt": _reader(
        "--to= --from= --suffix= --padding= --field= -d= --delimiter= --header --round=", "texts"
    ),
    "iconv": _reader("-f= --from-code= -t= --to-code= -c -l --list"),
    "getconf": _reader("-a", "texts", most=1),
    "cal": _reader("-1 -3 -m -y", "texts"),
    "fd": _reader(_FD, "pattern"),
    "fdfind": _reader(_FD, "pattern"),
    "bat": _reader(_BAT),
    "batcat": _reader(_BAT),
    "eza": _reader(_EZA),
    "exa": _reader(_EZA),
    "tokei": _reader("-f --files -s= -e= -t="),
    "true": _reader("", "none"),
    "false": _reader("", "none"),
    "whoami": _reader("", "none"),
    "uname": _reader("-a -s -n -r -v -m -p -i -o", "none"),
    "nproc": _reader("--all", "none"),
    "groups": _reader("", "none"),
    "locale": _reader("-a -m", "none"),
    "arch": _reader("", "none"),
    "hostname": _reader("-f -s -i -I", "none"),
    "free": _reader("-b -k -m -g -h --human -t -w", "none"),
    "lscpu": _reader("", "none"),
    "uptime": _reader("-p -s", "none"),
    "id": _reader("-u -g -G -n -r", "none"),
    "which": _reader("-a", "texts"),
    "type": _reader("-a -t -p -P -f", "texts"),
    "sleep": _reader("", "texts", most=1),
    "date": _reader("-u --utc -R -I --iso-8601 --iso-8601= -d= --date=", "texts", most=1),
    "cd": _reader(""),
}
# The first word behind it is the command of git; its options stand in `carriers`, where rules need them too.
GIT = _names(
    "status log show diff shortlog rev-list whatchanged rev-parse ls-files ls-tree blame cat-file "
    "describe merge-base grep diff-tree"
)
GIT_EXACT = frozenset(
    {
        *(
            ("branch", *rest)
            for rest in ((), ("-a",), ("-r",), ("-v",), ("-vv",), ("--show-current",), ("--list",))
        ),
        *(("tag", *rest) for rest in ((), ("-l",), ("--list",))),
        *(("remote", *rest) for rest in ((), ("-v",), ("show",))),
        ("stash", "list"),
        ("worktree", "list"),
        ("worktree", "list", "--porcelain"),
        ("ls-remote", "--get-url"),
        ("ls-remote", "--get-url", "origin"),
        ("reflog",),
        ("--version",),
        ("version",),
    }
)
EXACT = frozenset(
    tuple(words.split())
    for words in (
        *("env", "alias", "ulimit -a", "ruby -v", "perl -v", "php -v", "ssh -V", "openssl version"),
        *("java -version", "java --version", "set -e", "set -u", "set -x", "set -eu", "set -ex"),
        *(
            "set -o pipefail",
            "set -eo pipefail",
            "set -uo pipefail",
            "set -euo pipefail",
            "set -euxo pipefail",
        ),
    )
)
RECURSIVE = _names("grep egrep fgrep diff")
GIVES_PATTERN = _names("-e --regexp")
# Not those that look in the folder for the program to start: `cargo` (rust-toolchain.toml), `go` (go.mod),
# `yarn` (.yarnrc), `pytest` (its settings name modules to load).
VERSIONS = _names(
    "python python3 node bash make gcc g++ clang jq rg curl tar sqlite3 perl ruby docker gh cmake sed find "
    "pip pip3 uv ruff deno php lua ldd shellcheck"
)
GIT_ANYWHERE = frozenset({"--no-pager", "-P"})
_NUMBER = regex(r"-\d+")
# `printf %n PATH` sets it, and a shell may count with `a[$(CMD)]`.
_OF_VARIABLES = regex(r"%[^a-mo-zA-Z%]*(?:hh|h|ll|l|L|q|j|z|t)?n|\[.*[$`]", re.DOTALL)
_FORMAT_OF_DATE = regex(r"\+.*", re.DOTALL)
_SED = _reader("-n --quiet --silent -E -r -s", "paths")
_JQ = _reader(
    "-r --raw-output -c --compact-output -n --null-input -s --slurp -S --sort-keys -e -M -C "
    "--monochrome-output --color-output -R --raw-input -a -j --tab --indent="
)
_AWK = _reader("-F=")
SCRIPTED: Mapping[str, tuple[KnownReader, Callable[[str], bool]]] = {
    "sed": (_SED, sed_prints),
    "jq": (_JQ, jq_reads),
    **dict.fromkeys(("awk", "gawk", "mawk"), (_AWK, awk_prints)),
}
SHOW_HELP = (
    READERS.keys() - {":", "cd", "echo", "exit", "false", "printf", "pwd", "test", "true", "type"} | LISTED
)


def read_by(words: Sequence[str]) -> Sequence[str]:
    """Return the paths that this program reads, as they are written. It does nothing else.

    **Raises** `NotUnderstood` when it may do more, or when it is not known.
    """
    name, *rest = words
    if name == "git":
        return _git(rest)
    if name == "command" and rest[:1] == ["-v"]:
        return ()
    if (name, *rest) in EXACT or (name in SHOW_HELP and rest in (["--help"], ["--version"])):
        return ()
    if name in VERSIONS and rest in (
        ["--version"],
        ["-V"] if name.startswith("python") else ["-v"] if name == "node" else (),
    ):
        return ()
    if name in SCRIPTED:
        options, reads_only = SCRIPTED[name]
        return _behind_text(name, options, rest, reads_only)
    if name in LISTED:
        return listed(name, rest)
    if name in READERS:
        return _read(name, READERS[name], rest)
    raise NotUnderstood(f"{name} is not known to only read")


def git_folder(rest: Sequence[str]) -> str:
    """Return the folder in which git is to work, by its words: "" for the one where it is started."""
    return rest[1] if rest[:1] == ["-C"] and len(rest) > 1 else ""


def _read(name: str, reader: KnownReader, rest: Sequence[str]) -> Sequence[str]:
    if reader.operands == "any":
        return ()
    operands, options = divided(name, reader, rest)
    if (reader.operands == "none" and operands) or len(operands) > reader.most:
        raise NotUnderstood(f"{name} with {operands[-1]} may do more than read")
    _check_operands(name, operands)
    if reader.operands == "pattern" and not GIVES_PATTERN & options:
        operands = operands[1:]
    if name == "strings" and any(each.startswith("@") for each in rest):
        raise NotUnderstood("strings takes more arguments from a file")
    if name == "diff" and {"-r", "--recursive"} & options and "--no-dereference" not in options:
        raise NotUnderstood("diff would follow links: write --no-dereference, too")
    if {"-r", "--recursive"} & options and not operands:
        return (".",)
    return operands if reader.operands in {"paths", "pattern"} else ()


def _check_operands(name: str, operands: Sequence[str]) -> None:
    """**Raises** `NotUnderstood` where this program may do more with one of these words than read."""
    if name == "printenv" and any(map(is_secret, operands)):
        raise NotUnderstood("it prints what may be a key")
    if name == "date" and not all(_FORMAT_OF_DATE.fullmatch(each) for each in operands):
        raise NotUnderstood(f"date with {operands[0]} sets the clock")
    if name == "test" and any("[" in each for each in operands):
        raise NotUnderstood("a shell may count with what stands between brackets")
    if name == "printf" and any(map(_OF_VARIABLES.search, operands)):
        raise NotUnderstood("printf may set a variable, or count with one")


def _behind_text(
    name: str, reader: KnownReader, rest: Sequence[str], reads_only: Callable[[str], bool]
) -> Sequence[str]:
    """Return the operands behind the first, which is a program in a language of its own."""
    scripts, rest = scripts_in_options(name, rest)
    operands, _ = divided(name, reader, rest)
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    if not scripts or A_NAME in scripts or not all(map(reads_only, scripts)):
        raise NotUnderstood(f"what this script of {name} does is not known")
    return operands


def _git(rest: Sequence[str]) -> Sequence[str]:
    folder = git_folder(rest)
    said = rest[2:] if folder else rest
    while said and said[0] in GIT_ANYWHERE:
        said = said[1:]
    if tuple(said) in GIT_EXACT:
        return (folder,) if folder else ()
    if said and checks_signatures(said):
        raise NotUnderstood("git checks signatures with a program of its configuration")
    if said and lists(said):
        return [*([folder] if folder else []), *operands_of(said[1:])]
    if not said or said[0] not in GIT or not may_follow(("git", said[0]), said[1:]):
        raise NotUnderstood(f"git {' '.join(said[:2])} is not known to only read")
    operands = [*operands_of(said[1:]), *files_of_lines(said)]
    return [folder, *operands] if folder else operands


def divided(name: str, reader: KnownReader, rest: Sequence[str]) -> tuple[list[str], set[str]]:
    """Return the operands and the options. **Raises** `NotUnderstood` for an option that is not listed."""
    operands, given = parsed_options(name, reader, rest)
    return operands, {option for option, _ in given}


def parsed_options(
    name: str, reader: KnownReader, rest: Sequence[str]
) -> tuple[list[str], list[GivenOption]]:
    """Return the operands, and the options with their values. **Raises** as `divided` does."""

    def options_of(word: str, words: Iterator[str]) -> Sequence[GivenOption]:
        if reader.numbers and _NUMBER.fullmatch(word):
            return ()
        read = _long if word[1] == "-" else _letters
        return read(name, reader, word, words)

    return operands_and_options(rest, options_of)


def _long(name: str, reader: KnownReader, word: str, words: Iterator[str]) -> list[GivenOption]:
    option, has_value, value = word.partition("=")
    if option not in (reader.valued if has_value else reader.valued | reader.flags):
        raise NotUnderstood(f"{name} {option} is not known to only read")
    if not has_value and option not in reader.flags:
        value = next(words, "")
    return [(option, value)]


def _letters(name: str, reader: KnownReader, word: str, words: Iterator[str]) -> list[GivenOption]:
    if reader.single and word in reader.flags:
        return [(word, "")]
    if reader.single and word[:2] in reader.flags:
        raise NotUnderstood(f"{name} {word} is not known to only read")
    found = list[GivenOption]()
    for at, letter in enumerate(word[1:], 2):
        option = f"-{letter}"
        if option in reader.valued:
            return [*found, (option, word[at:] or next(words, ""))]
        if option not in reader.flags:
            raise NotUnderstood(f"{name} {option} is not known to only read")
        found.append((option, ""))
    return found
