"""Programs whose arguments can carry code: what a rule for any further words may cover of them.

A prefix rule names a program with its first words and allows what follows. For a program that runs what
an option says (`git -c alias.x=!CMD`, `make --eval=…`, `rg --pre=CMD`) that would allow everything: there
such a rule is accepted only for the commands in the table, and covers only the options that are listed.
"""

from collections.abc import Mapping, Sequence


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Run a program, load code, or write any file, because of an option, an operand or a name they are given.
CARRIERS = _names(
    "git hg svn jj sed tar bsdtar zip 7z cpio rsync scp sftp curl wget vi vim view nvim emacs nano ed "
    "ex less more most man sort split make gmake ninja cmake ctest bazel meson gradle gradlew mvn "
    "mvnw ant sbt npm npx pnpm pnpx yarn yarnpkg corepack cargo rustc rustup go gcc g++ cc c++ clang "
    "clang++ ld gfortran javac java kotlin scala pytest py.test tox nox coverage pip pipx uv uvx "
    "poetry pdm hatch conda mamba gem bundle bundler rake composer docker docker-compose podman "
    "nerdctl kubectl helm terraform tofu ansible ansible-playbook vagrant packer aws gcloud gdb lldb "
    "valgrind perf sqlite3 psql mysql mongo mongosh redis-cli ftp lftp telnet nc ncat netcat socat "
    "openssl gpg rg ag ack fd fdfind tcpdump tshark apt apt-get dpkg yum dnf pacman brew crontab at "
    "batch journalctl systemctl m4 dc latex pdflatex xelatex lualatex gnuplot octave R Rscript julia "
    "ghc runghc dotnet swift elixir mix erl rebar3 zig nix nix-shell osascript powershell pwsh jest "
    "vitest mocha eslint prettier webpack vite tsx ts-node tsc ruff mypy pylint black pre-commit "
    "husky lefthook just task gh glab"
)
_QUIET = "-q --quiet -v --verbose --no-color"
_GIT = "--color --no-color --no-pager"
_LOG = (
    f"{_GIT} --oneline --stat --shortstat --graph --all --decorate -n --max-count --author --since --until "
    "--format --pretty --name-only --name-status --cached --staged --reverse --merges --no-merges --follow "
    "--abbrev-commit --date"
)
_CARGO = (
    f"{_QUIET} --release -r --all --workspace -p --package --lib --bin --bins --test --tests --example --doc "
    "--examples --features -F --all-features --no-default-features --locked --offline --frozen --no-run "
    "--no-fail-fast"
)
_NPM = "-s --silent --if-present -w --workspace --workspaces --watch --watchAll --coverage --reporter --ci"
_GO = "-v -run -count -race -short -timeout -cover -bench -benchmem -failfast -json"
_MAKE = "-j -k --keep-going -s --silent -n --dry-run -B --always-make"
ASSIGNED = _names("make gmake")  # `make SHELL=CMD`: an operand sets a variable
# The commands that a prefix rule may name, and the options that it covers. Behind `--` anything goes.
OPTIONS: Mapping[tuple[str, ...], frozenset[str]] = {
    ("git", "status"): _names("-s --short -b --branch --porcelain --long -v --verbose -u --ignored"),
    **{("git", verb): _names(_LOG) for verb in ("log", "show", "diff", "shortlog")},
    ("git", "add"): _names("-A --all -u --update -n --dry-run -v --verbose -N --intent-to-add"),
    ("git", "branch"): _names("-a --all -r --remotes -v -vv --list --show-current"),
    ("git", "rev-parse"): _names("--short --abbrev-ref --show-toplevel --verify"),
    ("git", "ls-files"): _names("-m --modified -o --others -c --cached --exclude-standard"),
    ("git", "blame"): _names("-L -w"),
    **{(manager, "test"): _names(_NPM) for manager in ("npm", "pnpm", "yarn")},
    **{(manager, "run"): _names(_NPM) for manager in ("npm", "pnpm", "yarn")},
    **{("cargo", verb): _names(_CARGO) for verb in ("test", "build", "check", "clippy", "bench", "doc")},
    ("cargo", "fmt"): _names("--all --check -q -v"),
    **{("go", verb): _names(_GO) for verb in ("test", "build", "vet")},
    **{(make,): _names(_MAKE) for make in ("make", "gmake", "ninja")},
    ("pytest",): _names(
        "-q --quiet -v -vv -x --exitfirst -k -m -s --lf --last-failed --ff --failed-first --maxfail --tb "
        "-n --co --collect-only --durations -r --no-header --sw --stepwise"
    ),
    ("ruff", "check"): _names("--fix --diff -q --quiet --select --ignore --statistics"),
    ("ruff", "format"): _names("--check --diff -q --quiet"),
    ("rg",): _names(
        "-i --ignore-case -n --line-number -l --files-with-matches -c --count -w --word-regexp -F "
        "--fixed-strings -g --glob -t --type -A -B -C -e -S --smart-case -o --only-matching -v --no-heading "
        "--invert-match --hidden --files"
    ),
    ("sort",): _names("-n -r -u -k -t -f -h -V -b -s -g"),
}


def program(word: str) -> str:
    """The program that a word runs, without folder and version: `python` for `/usr/bin/python3.12`."""
    name = word.rpartition("/")[2]
    return name.rstrip(".0123456789") or name


def carries(words: Sequence[str]) -> bool:
    """Whether the program can be told by its arguments to run something else."""
    return not CARRIERS.isdisjoint({program(words[0]), words[0].rpartition("/")[2]})


def options_of(words: Sequence[str]) -> frozenset[str] | None:
    """The options that a prefix rule with these first words covers, `None` where it may not be one."""
    head = (words[0].rpartition("/")[2], *words[1:2])
    return OPTIONS.get(head, OPTIONS.get(head[:1]))


def named_instead(words: Sequence[str]) -> str:
    """The commands of this program that a prefix rule may name, for people; "" when there is none."""
    name = words[0].rpartition("/")[2]
    return ", ".join(f"shell({' '.join(head)} *)" for head in OPTIONS if head[0] == name)


def may_follow(words: Sequence[str], rest: Sequence[str]) -> bool:
    """Whether a rule with these first words covers a command that goes on like this."""
    if not carries(words):
        return True
    known = options_of(words)
    before = rest[: rest.index("--")] if "--" in rest else rest
    return known is not None and all(_is_harmless(word, known, words[0]) for word in before)


def _is_harmless(word: str, known: frozenset[str], name: str) -> bool:
    if not word.startswith("-"):
        return "=" not in word or program(name) not in ASSIGNED
    option = word.partition("=")[0]
    counted = option.rstrip("0123456789")  # `-n5`, `-j4`, and `-5` for `-n 5`
    return (
        option in known or (counted in known and counted != "-") or (option[1:].isdecimal() and "-n" in known)
    )
