"""The files of a repository that somebody else keeps: fetched with git, of which no program is run.

Neither hooks nor filters nor submodules take part: nothing is checked out, the files come from an archive.
"""

import os
import tarfile
from collections.abc import Mapping
from pathlib import Path

from agls.engine.ports import WorkspaceError
from agls.regex import regex
from agls.workspace.git_commands import QUIETLY, WITHOUT_HOOKS
from agls.workspace.program import output_of

SECONDS = 300.0
PROTOCOLS = "https:http:ssh:git:file"
MOST_BYTES = 200_000_000
_COMMIT = regex(r"[0-9a-f]{7,64}")
_REF = regex(r"[A-Za-z0-9][\w./+-]{0,199}")
BAD_REF = "{!r} is no branch, tag or commit"
BARE = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_ATTR_NOSYSTEM": "1"}


async def fetch_repository(
    address: str, ref: str, commit: str, target: Path, environment: Mapping[str, str]
) -> str:
    """Put the files of a branch, tag or commit ("": the main branch) into the folder `target`.

    **Returns** the commit. **Raises** `WorkspaceError`.
    """
    for named in filter(None, (ref, commit)):
        if not _REF.fullmatch(named) or ".." in named:
            raise WorkspaceError(BAD_REF.format(named))
    bare, archive = target.with_name(f"{target.name}.git"), target.with_name(f"{target.name}.tar")
    variables = {**environment, **QUIETLY, "GIT_ALLOW_PROTOCOL": PROTOCOLS, "GIT_LFS_SKIP_SMUDGE": "1"}
    is_whole = bool(commit) or _COMMIT.fullmatch(ref)
    some = () if is_whole else ("--depth=1", *(("--branch", ref) if ref else ()))
    clone = (
        "git",
        *WITHOUT_HOOKS,
        "clone",
        "--quiet",
        "--bare",
        "--template=",
        *some,
        "--",
        address,
        str(bare),
    )
    await output_of(clone, variables, SECONDS)
    here = ("git", *WITHOUT_HOOKS, "--git-dir", str(bare))
    wanted = commit or (ref if is_whole else "HEAD")
    found = (
        await output_of((*here, "rev-parse", "--verify", f"{wanted}^{{commit}}"), variables, SECONDS)
    ).strip()
    plain = {**variables, **BARE}
    await output_of((*here, "archive", "--format=tar", "-o", str(archive), found), plain, SECONDS)
    _unpack(archive, target)
    return found


def _unpack(archive: Path, target: Path) -> None:
    """Take the files and links out of an archive. **Raises** `WorkspaceError`."""
    if archive.stat().st_size > MOST_BYTES:
        raise WorkspaceError(f"the repository has more than {MOST_BYTES:,} bytes")
    target.mkdir(parents=True)
    try:
        with tarfile.open(archive) as held:
            held.extractall(target, filter="data")
    except tarfile.TarError as problem:
        raise WorkspaceError(f"the repository has what is no file of it: {problem}") from None
