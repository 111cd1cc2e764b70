"""`agls import PRODUCT`: what another agent has of the user's, shown first, then taken over."""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from agls.config import ConfigInputs, GuardedFiles, SettingsEditor, Setup, read
from agls.config.import_plan import ImportPlan, ImportPlanner, PlannedFile, compared, write_files
from agls.diff import compare
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.open_session import folder
from agls.doors.headless.streams import write, write_json, write_stderr
from agls.engine.actions import ActionError
from agls.engine.admission import Refused
from agls.engine.run_action import invoke
from agls.engine.vocabulary import JsonObject
from agls.other_agents import PRODUCTS, ForeignFiles, LeftOut, MemoryEntryText
from agls.views.escape import escape_controls
from agls.workspace.editor import NoEditor
from agls.workspace.redact import harden
from agls.world import open_world

NO_HOME = "HOME names no folder, and the files of other agents are there. Set HOME."
NOT_THERE = "{} has no files here ({} does not exist)."
UNTRUSTED = "the folder is not trusted, so none of its files was opened; to take it over as well: agls trust"
ANY = "Nothing to take over from any of: {}."
NOTHING = "There is nothing to write.\n"
ASK = "Write this? [y/N] "
HOW = "Nothing was written. To write it: agls import {} --yes\n"
LEFT = "Nothing was written.\n"
REFUSED_ENTRY = "{}: {}"


def take_over_product(arguments: argparse.Namespace) -> int:
    """Follow `agls import`. **Raises** `CannotBegin` and `ConfigError`."""
    harden()
    here = folder(arguments.cwd or ".")
    setup = read(ConfigInputs(remembered=True), here, lambda root: arguments.trust and root == Path(here))
    files = _files(setup, here)
    if not arguments.product:
        return _list(files, as_json=arguments.json)
    product = PRODUCTS[arguments.product]
    if not product.is_there(files):
        problem = NOT_THERE.format(product.title, files.shown(product.home(files)))
        raise CannotBegin(problem, "usage", Exit.FAILED)
    guarded = GuardedFiles(setup.state_folder, setup.config_file)
    editor = SettingsEditor(setup, here, guarded)
    found = product.findings(files)
    if files.folder is None:
        found.append(LeftOut(here, "the project's part", UNTRUSTED))
    try:
        plan = ImportPlanner(setup.config_file, here, editor, _remembered(setup, here)).plan(found)
        writes = _shown_and_agreed(plan, arguments)
        problems = _write(plan, setup, here, editor, guarded) if writes else ()
    except OSError as problem:
        raise CannotBegin(f"That cannot be done: {problem}", "configInvalid", Exit.FAILED) from problem
    if arguments.json:
        write_json({**_json(plan), "written": writes, "problems": list(problems)})
    else:
        write_stderr("".join(f"Not remembered: {escape_controls(each)}\n" for each in problems))
        write_stderr("Written.\n" if writes else "")
    return Exit.FAILED if problems else Exit.DONE


def _files(setup: Setup, here: str) -> ForeignFiles:
    home = setup.environment.get("HOME", "")
    if not Path(home).is_absolute():
        raise CannotBegin(NO_HOME, "usage", Exit.FAILED)
    return ForeignFiles(home, here if setup.trusts_folder(here) else "", setup.environment)


def _list(files: ForeignFiles, *, as_json: bool) -> int:
    """Write which of the agents are there."""
    there = {name: product for name, product in PRODUCTS.items() if product.is_there(files)}
    if as_json:
        write_json({"products": sorted(there), "known": sorted(PRODUCTS)})
    elif there:
        rows = (f"agls import {name:<10} {product.title}\n" for name, product in there.items())
        write("".join(rows))
    else:
        write_stderr(f"{ANY.format(', '.join(product.title for product in PRODUCTS.values()))}\n")
    return Exit.DONE


def _shown_and_agreed(plan: ImportPlan, arguments: argparse.Namespace) -> bool:
    """Write the plan for people. **Returns** whether they want it written."""
    if not arguments.json:
        write("".join(f"{escape_controls(line)}\n" for line in _lines(plan)))
    if plan.is_empty:
        if not arguments.json:
            write_stderr(NOTHING)
        return False
    if arguments.dry_run or arguments.yes:
        return arguments.yes and not arguments.dry_run
    if arguments.json or not sys.stdin.isatty():
        write_stderr("" if arguments.json else HOW.format(arguments.product))
        return False
    write_stderr(ASK)
    agreed = sys.stdin.readline().strip().lower() in {"y", "yes"}
    if not agreed:
        write_stderr(LEFT)
    return agreed


def _lines(plan: ImportPlan) -> Iterator[str]:
    for change in _all_changes(plan):
        name = str(change.file).lstrip("/")
        yield from (
            line.removesuffix("\n") for line in compare(name, change.before, change.after).text.splitlines()
        )
    for about, entries in (
        ("everything", [each for each in plan.memory if not each.project]),
        ("this project", [each for each in plan.memory if each.project]),
    ):
        if entries:
            yield f"To remember for {about} (agls memory):"
            yield from (f"+ {each.text}" for each in entries)
    for title, rows in (("Counts already:", plan.stays), ("Not taken over:", plan.left_out)):
        if rows:
            yield title
            yield from (f"- {each.source}: {each.what}: {each.why}." for each in rows)


def _all_changes(plan: ImportPlan) -> Sequence[PlannedFile]:
    settings = (
        PlannedFile(each.file, each.before or None, each.after, each.project) for each in plan.settings
    )
    return [*plan.changes, *settings]


def _json(plan: ImportPlan) -> JsonObject:
    changes = _all_changes(plan)
    return {
        "changes": [
            {"file": str(each.file), "diff": compare(each.file.name, each.before, each.after).text}
            for each in changes
        ],
        "memory": [
            {"text": each.text, "about": "project" if each.project else "user"} for each in plan.memory
        ],
        "stays": [_row(each) for each in plan.stays],
        "leftOut": [_row(each) for each in plan.left_out],
    }


def _row(each: LeftOut) -> JsonObject:
    return {"source": each.source, "what": each.what, "why": each.why}


def _write(
    plan: ImportPlan, setup: Setup, here: str, editor: SettingsEditor, guarded: GuardedFiles
) -> Sequence[str]:
    """Write all. **Returns** the entries that were refused, with the reason. **Raises** `OSError`."""
    write_files(plan, editor, guarded)
    return asyncio.run(_remember(plan.memory, setup, here)) if plan.memory else ()


async def _remember(entries: Sequence[MemoryEntryText], setup: Setup, here: str) -> Sequence[str]:
    problems: list[str] = []
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        for each in entries:
            about = "project" if each.project else "user"
            try:
                await invoke(
                    world.sketch(here, "sketch", ()),
                    "memory",
                    {"do": "add", "text": each.text, "about": about},
                )
            except (ActionError, Refused) as problem:
                problems.append(REFUSED_ENTRY.format(each.text, problem))
    return problems


def _remembered(setup: Setup, here: str) -> frozenset[tuple[bool, str]]:
    """**Returns** the entries that are there; none where the memory is switched off."""
    return asyncio.run(_entries(setup, here))


async def _entries(setup: Setup, here: str) -> frozenset[tuple[bool, str]]:
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        try:
            outcome = await invoke(world.sketch(here, "sketch", ()), "memory", {})
        except (ActionError, Refused):
            return frozenset()
    rows = outcome.data["entries"] if outcome.data else ()
    return frozenset((row["about"] == "project", compared(row["text"])) for row in rows)
