"""Programs whose arguments can carry code: what a rule for any further words may cover of them.

A prefix rule names a program with its first words and allows what follows. For a program that runs what
an option says (`git -c alias.x=!CMD`, `make --eval=…`, `rg --pre=CMD`) that would allow everything: there
such a rule is accepted only for the commands in the table, and covers only the options that are listed.
"""

from collections.abc import Mapping, Sequence

from agls.regex import regex

_NUMBER = regex(r"-\d+[bcwkMG]?")  # `git log -5`, `find -mtime -1 -size -10k`


_LINES = regex(
    r"-L(?:\d+,\+?\d+|:[\w.]+(?=:))(?::(?![/~])(?!.*\.\.)[^:]+)?"
)  # `-L1,20`, `-L1,5:FILE`, `-L:main:FILE`
_SEARCHED = frozenset({"-G", "-S"})  # of git: what stands right behind one is what is looked for
_TYPE = regex(r"-[tT][a-z0-9]+")  # `rg -tpy`
_PERMISSIONS = regex(r"-[ugoa]*[+=][rwxXst]+")  # `find -perm -u+x`
_SORT_KEY = regex(r"-k[\d.,bdfghinrMV]+|-t[^\s\w]")  # `sort -t, -k2,2n`


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
    "husky lefthook just task gh glab find tree file bat batcat nm"
)
_QUIET = "-q --quiet -v --verbose --no-color"
_GIT = "--color --no-color --no-pager"
_DIFF = (
    "-p -u --patch -s --no-patch --raw -U --unified --stat --shortstat --numstat --dirstat --summary "
    "--minimal --name-only --name-status --patience --histogram --diff-algorithm --word-diff --color-words "
    "-w -b --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --no-renames "
    "--find-copies --compact-summary --no-prefix --color-moved --no-ext-diff --no-textconv "
    "--ignore-blank-lines -M --find-renames -R -a --text -W "
    "--function-context --full-index --abbrev --diff-filter -S -G --pickaxe-all --check --cached --staged "
    "--merge-base --relative --quiet --exit-code -z"
)
_LOG = (
    f"{_GIT} {_DIFF} --oneline --graph --all --branches --tags --remotes --decorate --no-decorate -n "
    "--max-count --skip --author --committer --since --until --after --before --grep -i -E -F --all-match "
    "--invert-grep --format --pretty --reverse --merges --no-merges --first-parent --follow --abbrev-commit "
    "--simplify-by-decoration --ancestry-path --cherry-pick --boundary --source --parents --children "
    "--no-abbrev-commit --date --date-order --topo-order --left-right --no-walk --full-history -L"
)
_FIND = (
    "-H -L -P -O -maxdepth -mindepth -depth -xdev -mount -daystart -noleaf -regextype -name -iname -path "
    "-ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -empty -perm -user "
    "-group -uid -gid -nouser -nogroup -links -inum -samefile -newer -anewer -cnewer -newermt -newerct "
    "-newerat -mtime -mmin -atime -amin -ctime -cmin -readable -writable -executable -a -and -o -or -not "
    "-true -false -prune -quit -print -print0 -printf -ls"
)
_RG = (
    "-i --ignore-case -s --case-sensitive -S --smart-case -n --line-number -N --no-line-number -l "
    "--files-with-matches --files-without-match -c --count --count-matches -w --word-regexp -x "
    "--line-regexp -F --fixed-strings -g --glob --iglob -t --type -T --type-not --type-list -A "
    "--after-context -B --before-context -C --context -e --regexp -o --only-matching -v --invert-match "
    "--hidden --files -m --max-count -d --max-depth --max-columns -u --unrestricted --no-ignore "
    "--no-ignore-vcs -U --multiline -P --pcre2 -H --with-filename -I --no-filename --heading --no-heading "
    "--column -r --replace --sort --sortr --stats --trim --json --vimgrep --color -p --pretty -q --quiet -a "
    "--text --no-messages --no-config -0 --null"
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
# Give what stands behind `--` to what they run. With any other program an option is one behind `--`, too:
# `git grep -e -- -OCMD` takes `--` for a pattern.
PASSING_ON = _names("npm pnpm yarn cargo go")
# The commands that a prefix rule may name, and the options that it covers.
OPTIONS: Mapping[tuple[str, ...], frozenset[str]] = {
    ("git", "status"): _names(
        "-s --short -b --branch --porcelain --long -v --verbose -u --untracked-files --ignored --show-stash "
        "--ahead-behind --no-ahead-behind --renames --no-renames --column --no-column -z -uno -uall -unormal"
    ),
    **{
        ("git", verb): _names(_LOG) for verb in ("log", "show", "diff", "shortlog", "rev-list", "whatchanged")
    },
    ("git", "shortlog"): _names(f"{_LOG} --summary --numbered -e --email -c"),
    ("git", "rev-list"): _names(f"{_LOG} --count --objects"),
    ("git", "diff-tree"): _names(
        f"{_DIFF} -r -t -m -c --cc -z --root --no-commit-id --no-renames --pretty --format"
    ),
    ("git", "add"): _names("-A --all -u --update -n --dry-run -v --verbose -N --intent-to-add"),
    ("git", "branch"): _names("-a --all -r --remotes -v -vv --list --show-current"),
    ("git", "rev-parse"): _names(
        "--short --abbrev-ref --show-toplevel --show-prefix --show-cdup --verify --is-inside-work-tree "
        "-q --quiet --symbolic-full-name --is-inside-git-dir --git-dir --absolute-git-dir "
        "--git-common-dir --is-bare-repository"
    ),
    ("git", "ls-files"): _names(
        "-m --modified -o --others -c --cached -d --deleted -s --stage -t -u -z --exclude-standard "
        "--full-name --directory --error-unmatch --eol"
    ),
    ("git", "ls-tree"): _names("-r -t -d -l --long -z --name-only --full-name --full-tree --abbrev"),
    ("git", "blame"): _names(
        "-L -w -M -C -l -t -s -e -p --porcelain --line-porcelain --date --since --color-lines"
    ),
    ("git", "cat-file"): _names("-p -t -s -e"),
    ("git", "describe"): _names("--all --tags --long --always --dirty --abbrev --match --exclude --contains"),
    ("git", "merge-base"): _names("-a --all --is-ancestor --fork-point --octopus"),
    ("git", "grep"): _names(
        "-i --ignore-case -n --line-number -l --files-with-matches -L -c --count -w --word-regexp -v "
        "--invert-match -h -H -E -F -P -e --and --or --not --all-match --cached --heading --break -A -B -C "
        "-p -W --color -o --only-matching -q --column --max-depth"
    ),
    **{(manager, "test"): _names(_NPM) for manager in ("npm", "pnpm", "yarn")},
    **{(manager, "run"): _names(_NPM) for manager in ("npm", "pnpm", "yarn")},
    **{("cargo", verb): _names(_CARGO) for verb in ("test", "build", "check", "clippy", "bench", "doc")},
    ("cargo", "fmt"): _names("--all --check -q -v"),
    **{("go", verb): _names(_GO) for verb in ("test", "build", "vet")},
    **{(make,): _names(_MAKE) for make in ("make", "gmake", "ninja")},
    ("pytest",): _names(
        "-q --quiet -v -vv -x --exitfirst -k -m -s --lf --last-failed --ff --failed-first --maxfail --tb -n "
        "--co --collect-only --durations -r --no-header --sw --stepwise"
    ),
    ("ruff", "check"): _names("--fix --diff -q --quiet --select --ignore --statistics"),
    ("ruff", "format"): _names("--check --diff -q --quiet"),
    ("rg",): _names(_RG),
    ("find",): _names(_FIND),
    ("tree",): _names(
        "-a -d -f -i -s -h -p -u -g -D -F -L -P -I -C -n -Q -N -r -t -c -v -S -J -X --noreport --prune --du "
        "--dirsfirst --filelimit --gitignore --ignore-case --charset --sort"
    ),
    ("file",): _names("-b --brief -i --mime --mime-type --mime-encoding -L --dereference -h -k -N"),
    ("sort",): _names(
        "-n --numeric-sort -r --reverse -u --unique -k --key -t --field-separator -f --ignore-case -h "
        "--human-numeric-sort -V --version-sort -b -s --stable -g -M -c --check -z -d -i"
    ),
}


def program(word: str) -> str:
    """The program that a word runs, without folder and version: `python` for `/usr/bin/python3.12`."""
    name = word.rpartition("/")[2]
    return name.rstrip(".0123456789") or name


def carries(words: Sequence[str]) -> bool:
    """**Returns** whether arguments can make the program run something else."""
    return not CARRIERS.isdisjoint({program(words[0]), words[0].rpartition("/")[2]})


def may_lead(words: Sequence[str]) -> bool:
    """Whether a prefix rule may have these first words."""
    return not carries(words) or _covered(words, words[1:])


def may_follow(words: Sequence[str], rest: Sequence[str]) -> bool:
    """Whether a rule with these first words covers a command that goes on like this."""
    return not carries(words) or _covered(words, rest)


def named_instead(words: Sequence[str]) -> str:
    """The commands of this program that a prefix rule may name, for people; "" when there is none."""
    name = words[0].rpartition("/")[2]
    return ", ".join(f"shell({' '.join(head)} *)" for head in OPTIONS if head[0] == name)


def _covered(words: Sequence[str], rest: Sequence[str]) -> bool:
    head = (words[0].rpartition("/")[2], *words[1:2])
    known = OPTIONS.get(head, OPTIONS.get(head[:1]))
    ends = "--" in rest and program(words[0]) in PASSING_ON
    before = rest[: rest.index("--")] if ends else rest
    return known is not None and all(_is_harmless(word, known, words[0]) for word in before)


def _is_harmless(word: str, known: frozenset[str], name: str) -> bool:
    if not word.startswith("-"):
        return "=" not in word or program(name) not in ASSIGNED
    if word == "--":
        return name.rpartition("/")[2] != "find"  # takes it for an option
    option = word.partition("=")[0]
    counted = option.rstrip("0123456789")  # `-n5`, `-j4`
    return (
        option in known
        or counted in known
        or bool(_NUMBER.fullmatch(word))
        or (program(name) == "git" and bool(_LINES.fullmatch(word)))
        or (program(name) == "git" and word[:2] in known & _SEARCHED)
        or (name == "rg" and bool(_TYPE.fullmatch(word)))
        or (name == "find" and bool(_PERMISSIONS.fullmatch(word)))
        or (name == "sort" and bool(_SORT_KEY.fullmatch(word)))
        or (word[1:].isalpha() and all(f"-{letter}" in known for letter in word[1:]))  # `-rn` for `-r -n`
    )
