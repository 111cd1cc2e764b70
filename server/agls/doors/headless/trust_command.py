"""The folders that the user trusts: `agls trust`, and the question at the beginning of a run."""

import argparse
import json
from datetime import datetime
from pathlib import Path
from shlex import quote

from agls.config import ConfigInputs, ConsentRecord, ConsentStore, Setup, Trust, read
from agls.disk_space import unsaved
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.open_session import RunRequest, folder
from agls.doors.headless.screen import TerminalScreen
from agls.doors.headless.streams import write, write_stderr
from agls.doors.headless.terminal import PROMPT, Keyboard
from agls.doors.trust_files import files_for_agents
from agls.views.escape import escape_controls, escape_name

QUESTION = """
{files} would instruct the agent how to work in {folder}.
Trust this folder from now on? It may add instructions, ask and deny rules and lower limits, not permissions.
[y] Trust it  [n] Work without them (agls trust changes that)
"""
COUNT = "From the next run on these count: {}. What they offer to run needs your consent when it is used."
NONE_YET = "It has no files for agents yet."
NO_CONSENT = "There is no consent {!r} for {}. See: agls trust --list"
UNTRUSTED = "{files}: ignored, because {folder} is not trusted. To trust it: {way}\n"
WAY, WAY_OF_ADDED = "agls trust; for one run: --trust", "agls trust {}"


def trust(arguments: argparse.Namespace) -> int:
    """Follow `agls trust [DIR]`, `--list`, `--revoke [DIR]`, `--show NAME` and `--withdraw NAME`."""
    here = folder(arguments.folder or ".")
    try:
        kept = read(ConfigInputs(remembered=True), here, lambda _: False).trust
        if arguments.list:
            _list(kept)
        elif arguments.show or arguments.withdraw:
            (_show if arguments.show else _withdraw)(
                arguments.show or arguments.withdraw, here, kept.consents
            )
        elif not arguments.revoke:
            kept.remember(Path(here))
            _say_what_counts(here)
        elif kept.forget(Path(here)):
            write_stderr(f"{escape_name(here)} is not trusted any more.\n")
        else:
            raise CannotBegin(f"{here} was not trusted. See: agls trust --list", "usage", Exit.FAILED)
        for ignored in filter(None, (kept.ignored, kept.consents.ignored)):
            write_stderr(f"{escape_controls(ignored)}\n")
    except OSError as problem:
        raise CannotBegin(unsaved(problem), "configInvalid", Exit.FAILED) from problem
    return Exit.DONE


def _say_what_counts(here: str) -> None:
    files = ", ".join(map(escape_name, files_for_agents(here)))
    counts = COUNT.format(files) if files else NONE_YET
    write_stderr(f"{escape_name(here)} is trusted. {counts}\nTo take that back: agls trust --revoke\n")


def _list(trust: Trust) -> None:
    """Write the trusted folders, each with what of it may act below it; then what is of other folders."""
    records, folders = trust.consents.all(), trust.folders()
    if not (records or folders):
        write_stderr("No folder is trusted.\n")
    for place in dict.fromkeys((*folders, *(record.folder for record in records))):
        write(f"{escape_name(place)}{'' if place in folders else '  (not trusted)'}\n")
        write("".join(f"  {_name(record)}\n" for record in records if record.folder == place))


def _show(name: str, here: str, consents: ConsentStore) -> None:
    place = str(Path(here).resolve())
    found = next((each for each in consents.all() if each.folder == place and _name(each) == name), None)
    if found is None:
        raise CannotBegin(NO_CONSENT.format(name, here), "usage", Exit.FAILED)
    given = datetime.fromtimestamp(found.given_at).astimezone().isoformat(" ", "minutes")
    shown = json.dumps(found.definition, indent=2, ensure_ascii=False)
    files = "".join(f"With the file {escape_name(file)}, as it was then.\n" for file in found.files)
    write(f"You consented to this on {given}:\n{escape_controls(shown)}\n{files}")


def _withdraw(name: str, here: str, consents: ConsentStore) -> None:
    kind, _, short = name.partition(" ")
    if not consents.revoke(here, kind, short):
        raise CannotBegin(NO_CONSENT.format(name, here), "usage", Exit.FAILED)
    write_stderr(f"You are asked again before {escape_name(name)} is used.\n")


def _name(record: ConsentRecord) -> str:
    return escape_name(f"{record.kind} {record.name}")


async def settle_trust(
    setup: Setup, request: RunRequest, here: str, keyboard: Keyboard | None, screen: TerminalScreen
) -> None:
    """Ask once, at a terminal, whether a folder with files for agents is trusted: `here`, and each added one.

    Elsewhere every new session names them once, unless that was answered with no. They are only looked for,
    not opened.
    """
    ways = {here: WAY} if keyboard or not request.resume else dict[str, str]()
    for place in map(folder, request.add_dirs):
        ways.setdefault(place, WAY_OF_ADDED.format(escape_name(quote(place))))
    for place, way in ways.items():
        if setup.trusts(Path(place)) or setup.trust.declined(Path(place)):
            continue
        if named := ", ".join(map(escape_name, files_for_agents(place))):
            if keyboard:
                await _ask(setup, place, named, keyboard, screen)
            else:
                write_stderr(UNTRUSTED.format(files=named, folder=escape_name(place), way=way))


async def _ask(setup: Setup, place: str, named: str, keyboard: Keyboard, screen: TerminalScreen) -> None:
    keyboard.forget()
    answer = ""
    while answer not in {"y", "n"}:
        screen.ask(QUESTION.format(files=named, folder=escape_name(place)))
        screen.ask(PROMPT.format("y, n"))
        line = await keyboard.line()
        screen.answered(typed=line is not None)
        if line is None:
            return  # it was dismissed: another time it is asked again
        answer = line.strip().lower()[:1]
    try:
        (setup.trust.remember if answer == "y" else setup.trust.decline)(Path(place))
    except OSError as problem:
        screen.say(unsaved(problem))
