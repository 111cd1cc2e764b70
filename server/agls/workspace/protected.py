"""Names that other programs execute or obey: a write to them is a way to run code later.

The list covers names, not files: a protected name that does not exist yet is protected too. Every
component is compared case-folded, Unicode-normalised and without what file systems ignore (trailing
dots and spaces, `::$DATA`, invisible characters). Ordinary sources that tools run (Makefile,
`package.json`, `conftest.py`) are not in it: their danger shows in the diff.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

KEYS = "keys.json"  # in a folder of agls's own: the keys that the user stored
SEAL = "seal.key"  # in the same place: the key with which agls signs saved permissions
CLOSED = frozenset({KEYS, SEAL, "config.toml"})
AGLS = "This belongs to agls itself: it decides what the agent may do."

_DANGERS = {
    AGLS: ".agls .aglet",  # with its former name
    "Git obeys what is in this folder, and runs programs that are named there.": """
        .git git~1 .hg .svn .jj .husky""",
    "Git obeys this file, and can run programs because of it.": """
        .gitmodules .gitattributes .gitconfig .config/git .lfsconfig""",
    "Editors obey this when the folder is opened, and can run programs because of it.": """
        .vscode .idea .zed .fleet .devcontainer .vim .vimrc .gvimrc .exrc .nvimrc .nvim.lua
        .config/nvim .emacs .emacs.d .dir-locals.el *.code-workspace *.sublime-project""",
    "Coding agents obey this, and can start programs or lose their limits because of it.": """
        .mcp.json .claude .claude.json .codex .cursor .cursorrules .gemini .windsurf .windsurfrules
        .kiro .amazonq .roo .clinerules .continue .opencode .github/copilot-instructions*
        .github/instructions .github/prompts agent.md agents.md claude.md claude.local.md gemini.md""",
    "Shells and other programs run or obey this when they start.": """
        .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .login .inputrc .zshrc
        .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .xprofile .xinitrc .xsession
        .config/fish .config/autostart .config/systemd .ssh .gnupg""",
    "Developer tools obey this, and can run programs or send credentials because of it.": """
        .ripgreprc .npmrc .yarnrc* .pnpmfile.cjs .pypirc pip.conf .netrc .curlrc .wgetrc
        .cargo/config* rust-toolchain* .tool-versions .mise.toml mise.toml .gdbinit .lldbinit
        .pre-commit-config.yaml lefthook.yml .lefthook.yml""",
    "This usually holds secrets, and programs load it into their environment.": ".env*",
    "Build servers run what this says, with credentials of their own.": """
        .github/workflows .github/actions .gitlab-ci.yml .circleci .buildkite .travis.yml
        .drone.yml .woodpecker* jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml""",
    "Python runs this at every start.": "sitecustomize.py usercustomize.py *.pth",
}
_SENTENCES = tuple(_DANGERS)
_RULES = re.compile(
    "/(?:{})/".format(
        "|".join(
            "({})".format("|".join(re.escape(name).replace(r"\*", "[^/]*") for name in names.split()))
            for names in _DANGERS.values()
        )
    )
)


def danger(parts: Sequence[str]) -> str:
    """Return a sentence that names the danger of writing to this path, "" when there is none known.

    `parts` are the path's components; a component anywhere in it counts, so that everything inside a
    protected folder is protected as well.
    """
    found = _RULES.search("/{}/".format("/".join(map(_plain, parts))))
    return _SENTENCES[(found.lastindex or 0) - 1] if found else ""


@lru_cache(maxsize=10_000)
def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    visible = "".join(c for c in folded if unicodedata.category(c) != "Cf")
    return visible.partition(":")[0].rstrip(". ")
