"""The folders that the user trusts: `agls trust`, and the question at the beginning of a run."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from agls.config import ConfigInputs, Setup, read
from agls.config.folders import PROJECT_FILE
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.open_session import folder
from agls.doors.headless.screen import TerminalScreen
from agls.doors.headless.streams import tell, write
from agls.doors.headless.terminal import Keyboard
from agls.features.instructions.nested import NAMES
from agls.views.escape import escape_controls
from agls.workspace.repository import folders_above

QUESTION = """
{files} would tell the agent how to work in {folder}.
Trust this folder, from now on? It may add instructions, ask and deny rules, lower limits, but no permission.
[y] Trust it  [n] Work without them (agls trust changes that): """
UNTRUSTED = (
    "{files}: not followed, because nobody trusts {folder}. To trust it: agls trust; for one run: --trust\n"
)


def trust(arguments: argparse.Namespace) -> int:
    """Follow `agls trust [DIR]`, `--list` and `--revoke [DIR]`."""
    here = folder(arguments.folder or ".")
    try:
        kept = read(ConfigInputs(remembered=True), here, lambda _: False).trust
        if arguments.list:
            write("".join(f"{escape_controls(each)}\n" for each in kept.folders()))
        elif not arguments.revoke:
            kept.remember(Path(here))
            tell(f"{escape_controls(here)} is trusted. To take that back: agls trust --revoke\n")
        elif kept.forget(Path(here)):
            tell(f"{escape_controls(here)} is not trusted any more.\n")
        else:
            raise CannotBegin(f"{here} was not trusted. See: agls trust --list", "usage", Exit.FAILED)
        if kept.ignored:
            tell(f"{escape_controls(kept.ignored)}\n")
    except OSError as problem:
        raise CannotBegin(f"That cannot be kept: {problem}", "configInvalid", Exit.FAILED) from problem
    return Exit.DONE


async def settle_trust(setup: Setup, here: str, keyboard: Keyboard | None, screen: TerminalScreen) -> None:
    """Ask once, at a terminal, whether a folder with files for agents is trusted; elsewhere name the files.

    The files are only looked for, not opened.
    """
    place = Path(here)
    if setup.trusts(place) or not (files := files_for_agents(here)):
        return
    named = ", ".join(map(escape_controls, files))
    if keyboard is None:
        tell(UNTRUSTED.format(files=named, folder=escape_controls(here)))
        return
    if setup.trust.declined(place):
        return
    keyboard.forget()
    answer = ""
    while answer not in {"y", "n"}:
        screen.ask(QUESTION.format(files=named, folder=escape_controls(here)))
        line = await keyboard.line()
        answer = "n" if line is None else line.strip().lower()[:1]
    try:
        (setup.trust.remember if answer == "y" else setup.trust.decline)(place)
    except OSError as problem:
        screen.say(f"That cannot be kept: {problem}")


def files_for_agents(here: str) -> Sequence[str]:
    """Return the files that would count if the folder were trusted, as seen from it."""
    places = [*folders_above(here), Path(here)]
    found = [next((place / name for name in NAMES if (place / name).exists()), None) for place in places]
    settings = Path(here, PROJECT_FILE)
    return [str(file) if file.parent != Path(here) else file.name for file in found if file] + (
        [str(PROJECT_FILE)] if settings.exists() else []
    )
