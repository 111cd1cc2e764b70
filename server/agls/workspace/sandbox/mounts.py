"""What programs in the sandbox see of the files: all to read but what is hidden, and little to change.

Only real paths are mounted, links resolved before: a link in the workspace can lead no mount anywhere.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from os.path import lexists, realpath
from pathlib import Path
from typing import Literal

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.workspace.sandbox.denied import Denial, DeniedFiles
from agls.workspace.sandbox.names import Marked

View = Literal["writable", "readable", "hidden", "closed"]
MOST_MOUNTS = 64  # of protected names that are not git's: those nearest to the root; the others are compared
MOST_REPOSITORIES = 256
TOO_MANY = "There are more than {} repositories in the workspace, too many to protect each."
TOO_WIDE = "The workspace {} is no folder of a project: the sandbox would let commands change everything."
NOTHING_DENIED: Mapping[str, Denial] = {}
_SYSTEM = ("/run", "/var/tmp")
_OURS = Path(__file__).parents[3]
TEMPORARY = ("/run/", "/tmp/", "/var/tmp/")
_SECRET = """
    .ssh .gnupg .aws .azure .kube .docker .config/gcloud .config/gh .config/glab-cli .config/hub
    .config/op .config/doctl .config/containers/auth.json .config/rclone .config/git/credentials
    .config/pip/pip.conf .config/helm .netrc .git-credentials .pypirc .npmrc .yarnrc.yml
    .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml
    .gradle/gradle.properties .terraform.d .terraformrc .vault-token .databrickscfg .boto .s3cfg
    .password-store .pgpass .my.cnf .local/share/keyrings .local/share/kwalletd .config/keybase .mozilla
    .config/google-chrome .config/chromium .config/BraveSoftware .thunderbird .bash_history .zsh_history
    .python_history .psql_history .mysql_history .node_repl_history .claude .claude.json .codex .gemini
    .cursor
"""

_SECRETS = tuple(_SECRET.split())


@frozen
class Bounds:
    """The bounds of commands in the sandbox; all are real paths.

    `roots` may be changed but for protected names, `scratch` ("": none) altogether; `hidden` are files and
    folders of agls's own; `shown` are folders in them, or in others that are hidden, which programs may read.
    `temporary` is the folder that they see as `/tmp` ("": an empty one, which goes
    with them), `denied` finds what rules deny. With `sockets` programs may use Unix sockets of their own.
    """

    roots: tuple[str, ...]
    scratch: str = ""
    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    temporary: str = ""
    denied: DeniedFiles = DeniedFiles()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    sockets: bool = True

    @property
    def changeable(self) -> tuple[str, ...]:
        """All folders that programs may change."""
        return (*self.roots, self.scratch) if self.scratch else self.roots


def check_width(bounds: Bounds) -> None:
    """**Raises** `WorkspaceError` when what may be changed is the system, the home, or a folder above it."""
    home = realpath(bounds.environment.get("HOME") or "/")
    for folder in bounds.roots:
        if folder == "/" or f"{home}/".startswith(f"{folder}/"):
            raise WorkspaceError(TOO_WIDE.format(folder))


def views(
    bounds: Bounds,
    marked: Mapping[str, Marked],
    denied: Mapping[str, Denial] = NOTHING_DENIED,
    folders: Iterable[str] = (),
) -> Sequence[tuple[str, View]]:
    """Return how each path is seen that is not just readable, those above before those below.

    What is hidden looks empty, what is closed cannot be opened. Sockets with a relative name are looked
    for in these `folders`, too.

    **Raises** `WorkspaceError` when too much would have to be mounted.
    """
    found: dict[str, View] = dict.fromkeys(_hidden(bounds, folders), "hidden")
    found |= dict.fromkeys((path for path in bounds.hidden if Path(path).exists()), "hidden")
    found |= dict.fromkeys((path for path in bounds.shown if Path(path).is_dir()), "readable")
    found |= dict.fromkeys(_programs(bounds), "readable")
    found |= dict.fromkeys(bounds.changeable, "writable")
    inner: dict[str, View] = {**denied, **dict.fromkeys(mounted(marked, bounds.roots), "readable")}
    inner |= {path: view for path, view in denied.items() if view == "closed"}
    found |= {path: view for path, view in inner.items() if not _is_closed_above(path, denied)}
    in_order = sorted(found.items(), key=lambda each: each[0].count("/"))
    return [(path, view) for path, view in in_order if view != "hidden" or not _is_out_of_sight(path, found)]


def _is_closed_above(path: str, denied: Mapping[str, Denial]) -> bool:
    """Return whether a folder above is closed: a mount below it would open it."""
    while path := path.rpartition("/")[0]:
        if denied.get(path) == "closed":
            return True
    return False


def _is_out_of_sight(path: str, found: Mapping[str, View]) -> bool:
    """Return whether the nearest folder above for which a view is known is hidden anyway."""
    while path := path.rpartition("/")[0]:
        if view := found.get(path):
            return view == "hidden"
    return False


def _programs(bounds: Bounds) -> Iterator[str]:
    """Yield the folders of programs that would be out of sight: on some systems they all lie in `/run`.

    Those of agls itself are among them: what leads into the sandbox goes on in it.
    """
    for folder in (*bounds.environment.get("PATH", "").split(os.pathsep), sys.prefix, str(_OURS)):
        real = realpath(folder)
        is_own = any(f"{real}/".startswith(f"{root}/") for root in bounds.changeable)
        if real.startswith(TEMPORARY) and Path(real).is_dir() and not is_own:
            yield real


def _hidden(bounds: Bounds, folders: Iterable[str]) -> Iterator[str]:
    home = realpath(bounds.environment.get("HOME") or "/")
    for name in _SECRETS:  # most are not there: to look is quick, to resolve each link on the way is not
        if lexists(f"{home}/{name}") and lexists(path := realpath(f"{home}/{name}")):
            yield path
    for path in _SYSTEM:
        if Path(path).is_dir() and not Path(path).is_symlink():
            yield path
    yield from _sockets(bounds.changeable, folders)


def _sockets(changeable: Sequence[str], folders: Iterable[str]) -> Iterator[str]:
    """Yield the sockets of this machine that have a path and are in sight: of editors, agents, daemons.

    The kernel knows one by the name that it was given: in a folder that nobody knows when that is relative.
    It is looked for in those that are `changeable`, in `folders`, and where programs are now.
    """
    try:
        with Path("/proc/net/unix").open(encoding="utf-8", errors="surrogateescape") as lines:
            rows = [line.split(maxsplit=7) for line in lines]
    except OSError:
        return
    names = {row[7].rstrip("\n") for row in rows if len(row) == 8 and not row[7].startswith("@")}
    relative = {name for name in names if not name.startswith("/")}
    here = {*changeable, *folders, *_places_of_programs()} if relative else set[str]()
    inside = tuple(f"{folder}/" for folder in changeable)
    for path in (*names - relative, *(f"{folder}/{name}" for folder in here for name in relative)):
        if lexists(path) and ((real := realpath(path)).startswith(inside) or not real.startswith(TEMPORARY)):
            yield real


def _places_of_programs() -> Iterator[str]:
    """Yield the folders in which the programs of this machine are, as far as we may know."""
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            yield str((process / "cwd").readlink())


def mounted(marked: Mapping[str, Marked], roots: Sequence[str]) -> frozenset[str]:
    """Return the real paths that are mounted of these names. **Raises** `WorkspaceError` for too many."""
    paths = sorted(marked, key=lambda path: path.count("/"))
    git = [path for path in paths if marked[path].is_git]
    if len(git) > MOST_REPOSITORIES:
        raise WorkspaceError(TOO_MANY.format(MOST_REPOSITORIES))
    others = [path for path in paths if not marked[path].is_git]
    chosen = (*git, *others[:MOST_MOUNTS])
    real = (realpath(path) if marked[path].is_link else path for path in chosen)
    inside = (path for path in real if any(path.startswith(f"{root}/") for root in roots))
    return frozenset(path for path in inside if Path(path).exists())
