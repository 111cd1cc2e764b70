"""What a command runs and obeys, as far as its words say: nothing is executed, and no file is read here."""

import re
import shlex
from collections.abc import Iterator, Sequence
from posixpath import basename, dirname, join

from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_words import INTERPRETERS, SHELLS, folders_of, parts, parts_of

_PACKAGE = "package.json *.config.js *.config.ts *.config.mjs *.config.cjs"
_PYTHON = "pyproject.toml setup.py setup.cfg"
# What a program runs besides what its words name, by the program.
OBEYED = {
    name: frozenset(patterns.split())
    for names, patterns in {
        "make gmake": "makefile gnumakefile *.mk",
        "npm npx pnpm pnpx yarn bun corepack node": _PACKAGE,
        "eslint prettier vite vitest jest webpack rollup mocha tsc": _PACKAGE,
        "pytest py.test": f"conftest.py pytest.ini tox.ini {_PYTHON}",
        "tox": f"tox.ini {_PYTHON}",
        "nox": "noxfile.py",
        "pip uv poetry pdm hatch pipx": _PYTHON,
        "python python3": f"conftest.py {_PYTHON}",
        "cargo": "cargo.toml build.rs",
        "go": "go.mod",
        "just": "justfile",
        "rake bundle": "rakefile gemfile",
        "gradle gradlew": "*.gradle *.gradle.kts",
        "mvn mvnw": "pom.xml",
        "composer": "composer.json",
        "task": "taskfile.yml taskfile.yaml",
        "cmake ctest": "cmakelists.txt *.cmake",
        "docker docker-compose podman": "dockerfile *compose*.yml *compose*.yaml",
        "pre-commit": ".pre-commit-config.yaml",
        "lint-staged": f".lintstagedrc* {_PACKAGE}",
    }.items()
    for name in names.split()
}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A folder that one of these is given is data: it is listed, searched, checked, formatted or moved.
FOLDER_IS_DATA = _names(
    "ls cat head tail wc tree find fd rg grep egrep fgrep ag ack du stat diff echo printf test [ git mkdir "
    "rm rmdir cp mv touch tar zip rsync ln ruff black isort flake8 pylint mypy pyright prettier eslint "
    "stylelint biome gofmt rustfmt shellcheck tsc cd chdir pushd"
)
HERE_OPTIONS = _names("-C --prefix --cwd --dir --directory --project")  # the program works in this folder
# Words that may stand before a program.
BEFORE = _names("env exec command time nice nohup sudo npx if then else elif do while until ! { builtin")
STARTS = ("__main__.py", "index.js", "package.json")  # what an interpreter runs of a folder
MOST_NESTED = 4  # commands in a word of a command
_FILE = regex(r"[^\s'\"`;|&<>()$=,:*?{}]+")
_WILDCARD = regex(r"[*?\[{]")
_ASSIGNED = regex(r"[A-Za-z_]\w*=.*", re.DOTALL)
_WRITTEN = regex(r"\d?>[>|]?&?\s*[^\s;&|<>()]+")


@frozen
class Obeyed:
    """What a command may run or obey.

    `names` are files, as seen from where the command begins, `folders` count whole where there is such a
    folder. `patterns` are names of files, in small letters, in a folder and in those above it.
    """

    names: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    patterns: frozenset[tuple[str, str]] = frozenset()


def obeyed_by(command: str) -> Obeyed:
    """**Returns** what a command may run or obey: each word may name a file, but not what is only written."""
    text = _WRITTEN.sub(" ", command)
    names, folders = set(_FILE.findall(text)), set[str]()
    patterns = set[tuple[str, str]]()
    for here, words in (*parts_of(text), *_quoted_parts(text)):
        patterns |= set(_patterns(here, words))
        named = set(_named(words))
        names |= {join(folder, name) for folder in (here, "") for name in named}
        if _program(words) not in FOLDER_IS_DATA:
            inside = named - set(_work_folders(words))
            folders |= {join(folder, name) for folder in (here, "") for name in inside}
    return Obeyed(frozenset(names), frozenset(folders), frozenset(patterns))


def obeyed_by_script(text: str) -> Obeyed:
    """**Returns** what a script of the shell runs: its programs, what its interpreters are given, no data."""
    names, patterns = set[str](), set[tuple[str, str]]()
    began = ""
    for line in text.replace("\\\n", "").splitlines():
        if line.lstrip().startswith("#"):
            continue
        for folder, words in parts_of(line):
            here = join(began, folder)
            patterns |= set(_patterns(here, words))
            named = [*_named(words)] if _interprets(words) else [word for word in words if "/" in word][:1]
            if _interprets(words) or _first(words) in named:
                beside = (name.lstrip("/") for name in named)  # `$(dirname "$0")/other.sh`
                names |= {join(base, name) for base in (here, "") for name in (*named, *beside)}
        began = join(began, *folders_of(parts(line)))
    return Obeyed(frozenset(names), frozenset(), frozenset(patterns))


def _quoted_parts(command: str, here: str = "", depth: int = 0) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the words of each part as the shell splits them: with blanks in them, or commands."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace, lexer.commenters = " \t\r", ""
    lexer.whitespace_split = True
    part: list[str] = []
    try:
        tokens = [*lexer, ";"]
    except ValueError:  # a quote that does not end
        return
    for token in tokens:
        if not token.strip(";&|()\n"):
            if part:
                yield here, part
                here = join(here, *folders_of([part]))
            part = []
            continue
        part.append(token)
        if depth < MOST_NESTED and len(token.split()) > 1:
            yield from _quoted_parts(token, here, depth + 1)


def _named(words: Sequence[str]) -> Iterator[str]:
    """Yield the paths that words may name, a module of Python and the folder before a wildcard included."""
    for at, word in enumerate(words):
        if at and words[at - 1] == "-m":
            yield from (f"{word.replace('.', '/')}.py", word.replace(".", "/"), word.partition(".")[0])
        yield word
        yield word.rpartition("=")[2]
        yield word[2:] if word.startswith("-") else ""
        if word.startswith("$"):
            yield word.partition("/")[2]
        if wild := _WILDCARD.search(word):
            yield dirname(word[: wild.start()])
        if word in {".", "./"}:
            yield from STARTS


def _patterns(here: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    folders = (here, *(join(here, folder) for folder in _work_folders(words)))
    for word in words:
        for pattern in OBEYED.get(basename(word).casefold(), ()):
            yield from ((folder, pattern) for folder in folders)


def _work_folders(words: Sequence[str]) -> Iterator[str]:
    """Yield the folders that options name for the program to work in."""
    for at, word in enumerate(words):
        option, _, value = word.partition("=")
        if option in HERE_OPTIONS and (value or at + 1 < len(words)):
            yield value or words[at + 1]


def _first(words: Sequence[str]) -> str:
    """Return the program of a part, as it is written."""
    rest = (word for word in words if word not in BEFORE and not _ASSIGNED.fullmatch(word))
    return next(rest, "")


def _program(words: Sequence[str]) -> str:
    return basename(_first(words)).casefold()


def _interprets(words: Sequence[str]) -> bool:
    stems = (basename(word).casefold().rstrip(".0123456789") for word in words)
    return words[0] == "." or any(stem in INTERPRETERS | SHELLS for stem in stems)
