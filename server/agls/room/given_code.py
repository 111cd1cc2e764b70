"""Code that a command gives to another program in its words: to an interpreter, to git, by a variable.

What a script or a Makefile says is not in the words; that is the sandbox's business.
"""

import re
from collections.abc import Sequence
from posixpath import basename

from agls.regex import regex
from agls.room.shell_words import INTERPRETERS, LAUNCHERS


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What announces code, by interpreter: alone (`-c`), behind letters (`-Ic`), or with the code in its word.
_OPTIONS = {
    "python": regex(r"-[bBdEiIOPqRsSuvVxX]*c.*|-"),
    "perl": regex(r"-[\w.]*[eEnpMmIdx].*|-"),
    "ruby": regex(r"-[\w.]*[enprI].*|-"),
    "node": regex(r"-[pecr]+|--(?:eval|print|require|import|loader|experimental-loader)(?:=.*)?|eval|-"),
    "php": regex(r"-[rBREFdz].*|--(?:run|process).*|-"),
    "lua": regex(r"-[el].*|-"),
    "tclsh": regex(r"-"),
    "awk": regex(r".*"),  # its first word is code
}
_LIKE = {
    "pypy": "python",
    "ipython": "python",
    "jruby": "ruby",
    "nodejs": "node",
    "deno": "node",
    "bun": "node",
    "tsx": "node",
    "ts-node": "node",
    "luajit": "lua",
    "gawk": "awk",
    "mawk": "awk",
    "nawk": "awk",
    "wish": "tclsh",
}
_OTHERS = _names(
    "R Rscript julia elixir iex erl guile racket sbcl clisp ecl octave scala kotlin groovy swift ghc ghci "
    "runghc jshell pwsh powershell osascript emacs emacsclient vi vim view nvim ex gdb lldb raku expect "
    "gosh csi janet ocaml bc dc gnuplot"
)
_OF_OTHERS = regex(
    r"-[A-Za-z]*[ceE].*|-P.*|--?(?:eval|expr|ex|cmd|exec|command|batch|load|script)(?:[ =].*)?|\+.+|-"
)
_MODULES = _names("timeit pdb code trace cProfile profile runpy bdb doctest")  # of Python: run what is named
_VERSION = "0123456789."
# The commands of git itself: no alias takes their place. Any other may be one.
GIT_COMMANDS = _names(
    "add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr "
    "check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean "
    "clone column commit commit-graph commit-tree config count-objects credential cvsserver daemon "
    "describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch- "
    "pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id "
    "grep gui hash-object help hook http-backend imap-send index-pack init init-db instaweb interpret- "
    "trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge- "
    "file merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack- "
    "objects pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff read- "
    "tree rebase receive-pack reflog refs remote repack replace replay request-pull rerere reset restore "
    "rev-list rev-parse revert rm scalar send-email send-pack sh-i18n shortlog show show-branch show- "
    "index show-ref sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic- "
    "ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload- "
    "pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree"
)
# Options of git itself whose value is the next word.
_GIT_VALUES = _names(
    "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --list-cmds"
)
_MOVES_PROGRAMS = regex(
    r"(?:PATH|LD_[A-Z_]+|BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|[A-Z0-9]+_?OPT(?:ION)?S?)=.*"
)


def gives_code(words: Sequence[str]) -> bool:
    """**Returns** whether an interpreter among these words of a program gets code in those behind it."""
    return any(_gets_code(words, at) for at in range(len(words)))


def is_interpreter(word: str) -> bool:
    """**Returns** whether a program runs code that it is given."""
    name = basename(word)
    return _family(name) in _OPTIONS or name in _OTHERS or _family(name) in INTERPRETERS


def may_be_alias(words: Sequence[str]) -> bool:
    """**Returns** whether these words of one program are git with a command that it does not know itself."""
    at = next((at for at, word in enumerate(words) if basename(word).casefold() == "git"), None)
    if at is None or (at and not _leads_to_another(words[:at])):
        return False
    verb = git_command(words[at + 1 :])
    return bool(verb) and verb not in GIT_COMMANDS


def git_command(words: Sequence[str]) -> str:
    """**Returns** the command that git gets in its words, "" for none."""
    left = iter(words)
    for word in left:
        if not word.startswith("-"):
            return word
        if word in _GIT_VALUES:
            next(left, None)
    return ""


def moves_programs(word: str) -> bool:
    """**Returns** whether a word is the assignment of a variable that decides which program or code runs."""
    return bool(_MOVES_PROGRAMS.fullmatch(word))


def _leads_to_another(words: Sequence[str]) -> bool:
    """Return whether what stands before a program runs it: `env`, `find … -exec`, an assignment."""
    runs = LAUNCHERS | {"find", "fd", "fdfind"}
    return all("=" in word for word in words) or any(basename(word).casefold() in runs for word in words)


def _gets_code(words: Sequence[str], at: int) -> bool:
    name, behind = basename(words[at]), words[at + 1 :]
    family = _family(name)
    option = _OPTIONS.get(family)
    if option is None:
        if name not in _OTHERS or (at and not _leads_to_another(words[:at])):
            return False
        option = _OF_OTHERS
    if family == "python":
        behind, module = _of_python(behind)
        if module in _MODULES:
            return True
    return any(map(option.fullmatch, behind))


def _of_python(words: Sequence[str]) -> tuple[Sequence[str], str]:
    """Return the options of Python itself, and the module that it runs; behind them all is the program's."""
    left, options = iter(words), list[str]()
    for word in left:
        if word == "-m" or not word.startswith("-"):
            return options, next(left, "") if word == "-m" else ""
        options.append(word)
        if word in {"-W", "-X"}:
            next(left, None)
    return options, ""


def _family(name: str) -> str:
    plain = name.casefold().rstrip(_VERSION)
    return _LIKE.get(plain, plain)


# --- what other programs get ---------------------------------------------------------------------

# Run a program that stands in one of their words, whole or as a part of it (`!rm x`, `EXEC:rm`).
_CARRY_TEXTS = _names(
    "alias at batch bash4 bash5 capsh catchsegv chronic clang cp cpulimit csh curl dc direnv emacs ex fd "
    "fdfind expect firejail gcc gdb gnuplot gosu hash hg ifne install ld.so less ln m4 make gmake man "
    "mosh more most mv nano nc ncat nix-shell nohup nu nvim pee proot psql rbash rg rsync scp sed setpriv "
    "sftp socat sort split sqlite3 ssh su su-exec tar bsdtar tcsh telnet tox valgrind vi view vim wget "
    "xonsh xterm zip elvish ash mksh mysql lftp ftp"
)
# Run what stands behind one of their commands, or behind an option.
_RUN_BEHIND = _names(
    "bun bunx conda docker docker-compose hatch just kubectl mamba micromamba nerdctl nix npm npx pdm "
    "pipenv pipx pixi pnpm poetry podman rye rustup task uv uvx yarn devbox"
)
_RUN = _names("run exec x dlx shell -c --call --command -- -e")
_GIT_RUNS = _names(
    "bisect submodule rebase filter-branch difftool mergetool ls-remote clone fetch push pull archive "
    "config hook maintenance for-each-repo"
)
_BETWEEN = regex(r"[\s!;&|()<>@:=,+`{}]+")
_QUOTES = regex(r"['\"\\]")
_READERS = _names("at batch ed m4")  # of commands
# The name of a variable: what stands in `a[$(rm x)]` runs.
_ARITHMETIC = regex(r"\[.*(?:\$\(|`)", re.DOTALL)
_NAMES_A_PROGRAM = regex(
    r"(?:\w*(?:PAGER|EDITOR|VISUAL|DIFF|COMMAND|ASKPASS|BROWSER|SHELL|SSH)|GIT_CONFIG_\w+|LESSOPEN|LESSCLOSE)=.*",
    re.DOTALL,
)


def names_a_program(word: str) -> bool:
    """**Returns** whether a word is the assignment of a variable whose value others run."""
    return bool(_NAMES_A_PROGRAM.fullmatch(word))


def reads_commands(words: Sequence[str]) -> bool:
    """**Returns** whether a program runs what it reads, or what the shell finds in its words when it runs."""
    name, behind = basename(words[0]), words[1:]
    reads = name in _READERS or (name in {"crontab", "make", "gmake"} and bool({"-", "-f-"} & {*behind}))
    return reads or any(map(_ARITHMETIC.search, behind))


def tokens(words: Sequence[str]) -> tuple[str, ...]:
    """**Returns** what may be words of a command within these words."""
    return tuple(token for word in words for token in _BETWEEN.split(_QUOTES.sub("", word)) if token)


def carried(words: Sequence[str]) -> Sequence[str]:
    """**Returns** the words of a program in which it may be told what else to run."""
    name, behind = basename(words[0]), words[1:]
    if name == "git":
        verb = git_command(behind)
        return behind if verb in _GIT_RUNS else [word for word in behind if "=" in word]
    if name in _RUN_BEHIND:
        at = next((at for at, word in enumerate(behind) if word in _RUN), None)
        return behind if name.endswith("x") else [] if at is None else behind[at + 1 :]
    return behind if name in _CARRY_TEXTS or name.startswith("ld-linux") else []
