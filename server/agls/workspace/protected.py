"""Names that other programs execute or obey: a write to them is a way to run code later.

The list covers names, not files: a protected name that does not exist yet is protected too. Every
component is compared case-folded, Unicode-normalised and without what file systems ignore (trailing
dots and spaces, `::$DATA`, invisible characters). Ordinary sources that tools run (Makefile,
`package.json`, `conftest.py`) are not in it: they are marked where a change of them is shown.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

KEYS = "keys.json"  # in a folder of agls's own: the keys that the user stored
SEAL = "seal.key"  # in the same place: the key with which agls signs saved permissions
CLOSED = frozenset({KEYS, SEAL, "config.toml"})
AGLS = "This belongs to agls itself: it decides what the agent may do."

_DANGERS = {
    AGLS: ".agls .aglet",  # with its former name
    "Git obeys what is in this folder, and runs programs that are named there.": """
        .git git~1 .hg .hgrc .svn .jj .husky .githooks .simple-git-hooks* .lintstagedrc*
        .overcommit.yml""",
    "Git obeys this file, and can run programs because of it.": """
        .gitmodules .gitattributes .gitconfig .config/git .lfsconfig""",
    "Editors obey this when the folder is opened, and can run programs because of it.": """
        .vscode .idea .zed .fleet .devcontainer .devcontainer.json .vim .vimrc .gvimrc .exrc .nvimrc
        .nvim.lua .lvimrc .config/nvim .emacs .emacs.d .dir-locals.el .dir-locals-2.el .ycm_extra_conf.py
        .helix .vs .theia .kateproject* .externaltoolbuilders *.code-workspace *.sublime-project""",
    "Coding agents obey this, and can start programs or lose their limits because of it.": """
        .mcp.json .claude .claude.json .codex .cursor .cursorrules .gemini .windsurf .windsurfrules
        .kiro .amazonq .roo .roomodes .clinerules .continue .opencode opencode.json* .agents .crush
        crush.json .crush.json .goose* .aider* .kilo* .trae .qwen .junie .augment* .factory .vibe
        .github/copilot-instructions* .github/instructions .github/prompts .github/hooks
        .github/agents .github/skills .github/chatmodes .agent .aiassistant .antigravity .codebuddy .iflow
        .openhands .warp warp.md .rules agent.md agents.md claude.md claude.local.md gemini.md qwen.md""",
    "Shells and other programs run or obey this when they start.": """
        .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .login
        .inputrc .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .xprofile .xinitrc
        .xsession .config/fish .config/autostart .config/systemd .config/tmux .tmux.conf .screenrc
        .direnvrc .config/direnv .pdbrc .irbrc .pryrc .rdbgrc .byebugrc .rprofile .renviron .ghci .erlang
        .iex.exs .ocamlinit .lessfilter .psqlrc .sqliterc *.desktop .ssh
        .gnupg""",
    "Developer tools obey this, and can run programs or send credentials because of it.": """
        .ripgreprc .npmrc .yarnrc* .pnpmfile.cjs .pypirc pip.conf .netrc .curlrc .wgetrc
        .cargo/config* rust-toolchain* .tool-versions .mise* mise.toml mise.local.toml mise/config*
        .config/mise* .rtx.toml .prototools aqua.yaml .aqua.yaml .gdbinit .lldbinit .ackrc ansible.cfg
        .bazelversion .bazeliskrc tools/bazel .jvmopts .sbtopts
        .pre-commit-config.yaml lefthook.yml .lefthook.yml lefthook.toml .lefthook.toml flake.nix
        .bazelrc .bundle/config .m2/settings.xml .gradle/init.d .terraformrc .config/pip .config/gh
        .docker/config.json .kube/config .aws .azure .config/gcloud""",
    "Programs are found here by their names, and run.": """
        .venv/bin .venv/scripts venv/bin venv/scripts node_modules/.bin .local/bin pyvenv.cfg
        gradlew gradlew.bat mvnw mvnw.cmd *-wrapper.properties .mvn .yarn/releases .yarn/plugins
        .pnp.cjs""",
    "This usually holds secrets, and programs load it into their environment.": ".env*",
    "Build servers run what this says, with credentials of their own.": """
        .github/workflows .github/actions .gitea/workflows .forgejo/workflows .gitlab-ci.yml .circleci
        .buildkite .travis.yml .drone.yml .woodpecker* jenkinsfile azure-pipelines.yml
        bitbucket-pipelines.yml .appveyor.yml appveyor.yml .cirrus.yml .cirrus.star .semaphore .tekton
        .teamcity .builds .build.yml .gitlab/ci cloudbuild.yaml cloudbuild.yml buildspec.yml
        .zuul.yaml .zuul.d""",
    "Python runs this at every start.": "sitecustomize.py usercustomize.py *.pth",
}
_MARKS = {
    "pytest runs this file before any test.": "conftest.py",
    "Building or installing the project runs this file.": "setup.py build.rs build.gradle build.gradle.kts",
    "Programs that run the tasks of the project run what this file says.": """
        noxfile.py tox.ini makefile gnumakefile justfile rakefile package.json composer.json
        pyproject.toml procfile taskfile.yml vagrantfile""",
    "Development tools run this file when they read their settings.": """
        *.config.js *.config.ts *.config.cjs *.config.mjs .eslintrc.* .prettierrc.* .mocharc.* .rspec
        .pylintrc pylintrc""",
}
PROTECTED = tuple(name for names in _DANGERS.values() for name in names.split())
"""The names, as patterns of one or two components, in lower case; `*` stands for any text in a component."""


class _NameTable:
    """Finds the sentence of a table for a name. To compile one pattern of them all takes ten milliseconds."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._sentences = tuple(table)
        names = [(name, rank) for rank, words in enumerate(table.values()) for name in words.split()][::-1]
        self._whole = {name: rank for name, rank in names if "*" not in name}
        self._begin = {name[:-1]: rank for name, rank in names if name.endswith("*")}
        self._end = {name[1:]: rank for name, rank in names if name.startswith("*")}
        self._begins, self._ends = tuple(self._begin), tuple(self._end)

    def sentence(self, name: str, inside: str = "") -> str:
        """Return the first sentence for a component, or for it and the one `inside` it; "" for none."""
        both = f"{name}/{inside}"
        ranks = [self._whole[each] for each in (name, both) if each in self._whole]
        if both.startswith(self._begins):
            ranks += [rank for begin, rank in self._begin.items() if both.startswith(begin)]
        if name.endswith(self._ends):
            ranks += [rank for end, rank in self._end.items() if name.endswith(end)]
        return self._sentences[min(ranks)] if ranks else ""


_DANGEROUS, _MARKED = _NameTable(_DANGERS), _NameTable(_MARKS)


def danger(parts: Sequence[str]) -> str:
    """Return a sentence that names the danger of writing to this path, "" when there is none known.

    `parts` are the path's components; a component anywhere in it counts, so that everything inside a
    protected folder is protected as well.
    """
    components = "/".join(map(_plain, parts)).split("/")  # what is one component may look like two
    for name, inside in zip(components, [*components[1:], ""], strict=True):
        if found := _DANGEROUS.sentence(name, inside):
            return found
    return ""


def mark(parts: Sequence[str]) -> str:
    """Return a sentence that says which program runs this source, "" when none is known to.

    It may be written like any other, and is marked where the change is shown.
    """
    return _MARKED.sentence(_plain(parts[-1])) if parts else ""


@lru_cache(maxsize=10_000)
def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    visible = "".join(c for c in folded if unicodedata.category(c) != "Cf")
    return visible.partition(":")[0].rstrip(". ")
