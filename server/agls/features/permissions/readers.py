"""Programs of which it is known that they only read, and the options for which that holds.

Everything that is not listed is in doubt: another option, an abbreviated one, a second operand where that
names an output. An option written with `=` takes a value. Sources: the manuals of GNU coreutils, grep,
findutils, diffutils, ripgrep, jq and git.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from agls.features.permissions.carriers import may_follow
from agls.features.permissions.git_readers import checks_signatures, files_of_lines, lists
from agls.features.permissions.known_reader import KnownReader, divided, reader_of
from agls.features.permissions.listed_readers import LISTED, listed, operands_of, without_lines
from agls.features.permissions.other_readers import OTHERS
from agls.features.permissions.scripts import awk_prints, jq_reads, scripts_in_options, sed_prints
from agls.features.permissions.version_readers import version_asked
from agls.redaction import is_secret
from agls.regex import regex
from agls.room.shell_tree import A_NAME, NotUnderstood


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COUNTS = "-n= --lines= -c= --bytes= -q --quiet --silent -v --verbose -z --zero-terminated"
_GREP = (
    "-E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -e= --regexp= -i "
    "--ignore-case --no-ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c "
    "--count --color --colour --color= -L --files-without-match -l --files-with-matches -m= "
    "--max-count= -o --only-matching -q --quiet --silent -s --no-messages -b --byte-offset -H "
    "--with-filename -h --no-filename -n --line-number -T --initial-tab -Z --null -A= "
    "--after-context= -B= --before-context= -C= --context= -a --text --binary-files= -I --exclude= "
    "--exclude-dir= --include= -r --recursive -R --dereference-recursive --line-buffered -z --null-data"
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
    "ls": reader_of(_LS),
    "cat": reader_of(
        "-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T -u -v"
    ),
    "tac": reader_of("-b -s="),
    "nl": reader_of("-b= -n= -w= -s= -v= -i="),
    "head": reader_of(_COUNTS, numbers=True),
    "tail": reader_of(_COUNTS, numbers=True),
    "wc": reader_of("-c --bytes -m --chars -l --lines -L --max-line-length -w --words"),
    "stat": reader_of("-L --dereference -f --file-system -c= --format= --printf= -t --terse"),
    "du": reader_of(
        "-a --all -b --bytes -c --total -d= --max-depth= -h --human-readable -k -m -s --summarize -S -x "
        "--apparent-size --si --exclude= --time --inodes"
    ),
    "df": reader_of("-h --human-readable -H -k -T --print-type -i --inodes -P"),
    "uniq": reader_of(
        "-c --count -d --repeated -D -i --ignore-case -u --unique -f= -s= -w= --skip-fields= -z", most=1
    ),
    "cut": reader_of(
        "-b= --bytes= -c= --characters= -d= --delimiter= -f= --fields= --complement -s --only-delimited "
        "--output-delimiter="
    ),
    "tr": reader_of("-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1", "texts"),
    "rev": reader_of(""),
    "fold": reader_of("-b -c -s -w="),
    "column": reader_of("-t --table -s= -o= -n"),
    "comm": reader_of("-1 -2 -3 --total --check-order --nocheck-order"),
    "paste": reader_of("-d= --delimiters= -s --serial"),
    "join": reader_of("-1= -2= -j= -t= -i -a= -v= -o= -e="),
    "cmp": reader_of("-b -l -s --silent --quiet -n="),
    "diff": reader_of(_DIFF, most=2),
    "grep": reader_of(_GREP, "pattern", numbers=True),
    "egrep": reader_of(_GREP, "pattern", numbers=True),
    "fgrep": reader_of(_GREP, "pattern", numbers=True),
    "od": reader_of("-A= -t= -c -x -b -d -N= -j= -v -w"),
    "xxd": reader_of("-a -b -c= -g= -l= -s= -p -ps -u", most=1, single=True),
    "base64": reader_of("-d --decode -i -w= --wrap="),
    "hexdump": reader_of("-b -c -C -d -o -x -n= -s= -v"),
    "md5sum": reader_of("-b -t --tag"),
    "sha1sum": reader_of("-b -t --tag"),
    "sha256sum": reader_of("-b -t --tag"),
    "sha512sum": reader_of("-b -t --tag"),
    "shasum": reader_of("-a= --algorithm= -b --binary -t --text"),
    "b2sum": reader_of("-b -t --tag"),
    "strings": reader_of("-a -f -n= -t="),  # without `@FILE`, which is a file of more arguments
    "test": reader_of("-f -d -e -s -r -w -x -L -h -n -z -eq -ne -lt -le -gt -ge", most=8, single=True),
    "cksum": reader_of(""),
    "basename": reader_of("-a -s= -z", "texts"),
    "dirname": reader_of("-z", "texts"),
    "realpath": reader_of("-e -m -q -s --relative-to= --relative-base="),
    "readlink": reader_of("-f -e -m -n -q"),
    "pwd": reader_of("-L -P", "none"),
    "echo": reader_of("", "any"),
    "printf": reader_of("", "texts"),
    "seq": reader_of("-s= -w -f=", "texts"),
    ":": reader_of("", "any"),
    "exit": reader_of("", "texts", most=1),
    "printenv": reader_of("", "texts", most=1),
    "expr": reader_of("", "texts"),
    "whereis": reader_of("-b -m -s", "texts"),
    "fmt": reader_of("-w= --width= -s -u -c -t"),
    "expand": reader_of("-t= -i"),
    "sum": reader_of("-r -s"),
    "shuf": reader_of("-n= --head-count= -e -i= --input-range= -r --repeat -z"),
    "tsort": reader_of(""),
    "factor": reader_of("", "texts"),
    "numfmt": reader_of(
        "--to= --from= --suffix= --padding= --field= -d= --delimiter= --header --round=", "texts"
    ),
    "getconf": reader_of("-a", "texts", most=1),
    "cal": reader_of("-1 -3 -m -y", "texts"),
    "fd": reader_of(_FD, "pattern"),
    "fdfind": reader_of(_FD, "pattern"),
    "bat": reader_of(_BAT),
    "batcat": reader_of(_BAT),
    "eza": reader_of(_EZA),
    "exa": reader_of(_EZA),
    "tokei": reader_of("-f --files -s= -e= -t="),
    "true": reader_of("", "none"),
    "false": reader_of("", "none"),
    "whoami": reader_of("", "none"),
    "uname": reader_of("-a -s -n -r -v -m -p -i -o", "none"),
    "nproc": reader_of("--all", "none"),
    "groups": reader_of("", "none"),
    "locale": reader_of("-a -m", "none"),
    "arch": reader_of("", "none"),
    "hostname": reader_of("-f -s -i -I", "none"),
    "free": reader_of("-b -k -m -g -h --human -t -w", "none"),
    "lscpu": reader_of("", "none"),
    "uptime": reader_of("-p -s", "none"),
    "id": reader_of("-u -g -G -n -r", "none"),
    "which": reader_of("-a", "texts"),
    "type": reader_of("-a -t -p -P -f", "texts"),
    "sleep": reader_of("", "texts", most=1),
    "date": reader_of("-u --utc -R -I --iso-8601 --iso-8601= -d= --date=", "texts", most=1),
    "cd": reader_of(""),
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
        *(
            "env",
            "alias",
            "ulimit -a",
            "tty",
            "ruby -v",
            "perl -v",
            "php -v",
            "ssh -V",
            "openssl version",
        ),
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
FOLLOWS = _names("-R --dereference-recursive")  # of grep: links, too
DEEP = _names("-r --recursive") | FOLLOWS
GIVES_PATTERN = _names("-e --regexp")
GIT_ANYWHERE = frozenset({"--no-pager", "-P"})
# `printf %n PATH` sets it, and a shell may count with `a[$(CMD)]`.
_OF_VARIABLES = regex(r"%[^a-mo-zA-Z%]*(?:hh|h|ll|l|L|q|j|z|t)?n|\[.*[$`]", re.DOTALL)
_FORMAT_OF_DATE = regex(r"\+.*", re.DOTALL)
_SED = reader_of("-n --quiet --silent -E -r -s", "paths")
_JQ = reader_of(
    "-r --raw-output -c --compact-output -n --null-input -s --slurp -S --sort-keys -e -M -C "
    "--monochrome-output --color-output -R --raw-input -a -j --tab --indent="
)
_AWK = reader_of("-F=")
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
    if version_asked(words).is_one:
        return ()
    if name in SCRIPTED:
        options, reads_only = SCRIPTED[name]
        return _behind_text(name, options, rest, reads_only)
    if name in LISTED:
        return listed(name, rest)
    if name in OTHERS:
        return OTHERS[name](name, rest)
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
    if name in RECURSIVE and DEEP & options and not operands:
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
    operands = [*operands_of(without_lines(said)[1:]), *files_of_lines(said)]
    return [folder, *operands] if folder else operands
