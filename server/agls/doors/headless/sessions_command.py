"""The command `agls sessions …`: work on the journals of sessions that nobody has open."""

import argparse
import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from agls.config.environment import process_environment
from agls.config.folders import state_folder
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.listing import ListFilter, rows_of, write_sessions
from agls.doors.headless.open_session import folder, several
from agls.doors.headless.session_summary import write_session
from agls.doors.headless.session_trace import Filter, write_trace
from agls.doors.headless.streams import tell, write
from agls.doors.session_export import exported
from agls.doors.session_import import LARGEST, NoSession, imported
from agls.engine.admission import Refused
from agls.engine.facts import Entry, Fact, SessionChanged
from agls.engine.history import beginning, forked
from agls.engine.log import Log
from agls.engine.ports import Journal, JournalError, new_id
from agls.engine.spawning import helpers_of
from agls.engine.state import State, fold_all
from agls.features.audit.record import records
from agls.features.audit.report import as_json, page
from agls.features.history.session_metadata import archived, changed, tags_of
from agls.stores.files import FileStore
from agls.titles import title_from
from agls.views.escape import escape_controls
from agls.workspace.clock import SystemClock

Given = argparse.Namespace


def list_sessions(given: Given, store: FileStore) -> None:
    """Follow `agls sessions`, `list` and `search`."""
    search = " ".join(given.words) if "words" in given else given.search
    cwd = folder(given.cwd) if given.cwd else ""
    write_sessions(store, ListFilter(search, cwd, given.tag, given.archived), as_json=given.json)


def show(given: Given, store: FileStore) -> None:
    """Follow `show`."""
    session_id = _session_id(given, store)
    write_session(session_id, store.peek(session_id), as_json=given.json)


def audit(given: Given, store: FileStore) -> None:
    """Follow `audit`: write the record of each run."""
    session_id = _session_id(given, store)
    found = [record for record in records(store.peek(session_id)) if given.run in {"", record.run_id}]
    if given.run and not found:
        raise CannotBegin(f"There is no run {given.run[:100]!r} in {session_id}.", "usage")
    if given.json:
        write("".join(json.dumps(as_json(record, session_id)) + "\n" for record in found))
    else:
        write("".join(f"{escape_controls(line)}\n" for line in page(found).splitlines()))


def trace(given: Given, store: FileStore) -> None:
    """Follow `trace`: write the facts, and the wire events of each."""
    session_id = _session_id(given, store)
    wanted = Filter(frozenset(given.type), given.run, given.item)
    if not write_trace(session_id, store.peek(session_id), wanted, as_json=given.json):
        raise CannotBegin(f"Nothing in {session_id} is of this type, run and item.", "usage")


def rename(given: Given, store: FileStore) -> None:
    """Follow `rename`."""
    title = title_from(_text(given.title))
    session_id = _session_id(given, store)
    _record(store, session_id, lambda _: SessionChanged(title=title))
    write(f"{session_id}  {escape_controls(title)}\n")


def tag(given: Given, store: FileStore) -> None:
    """Follow `tag`."""
    session_id, given_tags = _session_id(given, store), [_text(word) for word in given.tags]
    add, remove = ([], given_tags) if given.remove else (given_tags, [])
    state = _record(store, session_id, lambda state: changed(tags_of(state), add, remove))
    write(f"{session_id}  {escape_controls(', '.join(tags_of(state)) or 'no tags')}\n")


def archive(given: Given, store: FileStore) -> None:
    """Follow `archive`."""
    session_id = _session_id(given, store)
    _record(store, session_id, lambda _: archived(not given.undo))
    write(f"{session_id}  {'in the list again' if given.undo else 'put away'}\n")


def fork(given: Given, store: FileStore) -> None:
    """Follow `fork`: write the new session's id."""
    origin = _session_id(given, store)
    everything = store.peek(origin)
    entries = forked(everything, given.at)
    write(f"{_create(store, entries, beginning(origin, everything, fold_all(entries)))}\n")


def export(given: Given, store: FileStore) -> None:
    """Follow `export`: write to standard output, or to a new file, wholly or not at all."""
    session_id = _session_id(given, store)
    data = exported(session_id, store.peek(session_id), given.format)
    if given.out:
        _write_new(Path(given.out), data)
    else:
        write(data.decode("utf-8"))


def import_files(given: Given, store: FileStore) -> None:
    """Follow `import`: take in each file that is a session, and name the others."""
    cwd = folder(given.cwd) if given.cwd else ""
    problems: list[str] = []
    for name in given.files:
        try:
            entries, state = imported(_read(Path(name)), SystemClock().now())
        except (OSError, NoSession) as problem:
            why = problem.strerror if isinstance(problem, OSError) else str(problem)
            problems.append(f"{name} was not imported: {why}")
            continue
        here = cwd or state.cwd or folder(".")
        session_id = _create(store, entries, [SessionChanged(cwd=here)] if here != state.cwd else [])
        write(f"{session_id}  {escape_controls(name)}\n")
    if problems:
        raise CannotBegin("\n".join(problems), "notImported", Exit.FAILED)


def delete(given: Given, store: FileStore) -> None:
    """Follow `delete`, after a yes from the terminal or from the command line."""
    session_id = _session_id(given, store)
    helpers = helpers_of(store, session_id)
    if not given.yes:
        if not sys.stdin.isatty():
            raise CannotBegin("This cannot be undone, and nobody can be asked. Add --yes.", "usage")
        more = f" and the {len(helpers)} sessions of its helpers" if helpers else ""
        tell(f"Delete {session_id}{more} for good? [y/N] ")
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            raise CannotBegin("Nothing was deleted.", "cancelled", Exit.CANCELLED)
    for each in (*helpers, session_id):
        store.delete(each)
        write(f"{each}  deleted\n")


COMMANDS: Mapping[str, Callable[[Given, FileStore], None]] = {
    "sessions": list_sessions,
    "sessions list": list_sessions,
    "sessions search": list_sessions,
    "sessions show": show,
    "sessions audit": audit,
    "sessions trace": trace,
    "sessions rename": rename,
    "sessions tag": tag,
    "sessions archive": archive,
    "sessions fork": fork,
    "sessions export": export,
    "sessions import": import_files,
    "sessions delete": delete,
}


def follow(given: Given) -> int:
    """Follow the command that the arguments name. **Raises** `CannotBegin`."""
    logging.basicConfig(format="agls: %(message)s")  # which files are no sessions
    try:
        COMMANDS[given.command](given, FileStore(state_folder(process_environment())))
    except (JournalError, OSError) as problem:
        raise CannotBegin(str(problem), "journal", Exit.FAILED) from problem
    except (Refused, ValueError) as problem:
        raise CannotBegin(str(problem), "usage") from problem
    return Exit.DONE


SESSIONS: Mapping[str, Callable[[Given], int]] = dict.fromkeys(COMMANDS, follow)


def _session_id(given: Given, store: FileStore) -> str:
    """Complete the beginning of a session's id. **Raises** `JournalError` and `CannotBegin`."""
    rows = rows_of(store, ListFilter(archived=True))
    found = [row.session_id for row in rows if row.session_id.startswith(given.session)]
    if given.session in found or len(found) == 1:
        return given.session if given.session in found else found[0]
    if not found:
        raise CannotBegin(
            f"There is no session {given.session[:100]!r}. See: agls sessions", "sessionNotFound"
        )
    raise CannotBegin(several(given.session, found), "usage")


def _record(store: FileStore, session_id: str, fact: Callable[[State], Fact]) -> State:
    """Record a fact in a session that nobody has open. **Raises** `JournalError`, `JournalBusy`."""
    with _closing(store.open(session_id)) as journal:
        log = Log(journal, SystemClock(), fold_all(journal.entries()))
        log.record(fact(log.state))
        asyncio.run(log.sync())
        return log.state


def _create(store: FileStore, entries: list[Entry], more: Sequence[Fact]) -> str:
    """Create a session with these entries and facts. **Returns** its id. **Raises** `JournalError`."""
    with _closing(store.create(new_id("ses"))) as journal:
        journal.append(*entries)
        log = Log(journal, SystemClock(), fold_all(entries))
        for fact in more:
            log.record(fact)
        asyncio.run(log.sync())
        if journal.trouble:
            raise JournalError(journal.trouble)
        return journal.session_id


@contextmanager
def _closing(journal: Journal) -> Generator[Journal]:
    try:
        yield journal
    finally:
        journal.close()


def _read(path: Path) -> bytes:
    """Read the file. **Raises** `OSError` and `NoSession`."""
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise NoSession(f"it is larger than {LARGEST // 1_000_000} MB.")
    return data


def _write_new(path: Path, data: bytes) -> None:
    """Write a new file, for the user only, wholly or not at all. **Raises** `CannotBegin`, `OSError`."""
    if not path.parent.is_dir():
        raise CannotBegin(f"There is no folder {path.parent}. Make it, or give --out another name.", "usage")
    if path.exists():
        raise CannotBegin(f"{path} is there already. Remove it, or give --out another name.", "usage")
    with NamedTemporaryFile("wb", dir=path.parent, prefix=".agls-", delete=False) as fresh:
        try:
            fresh.write(data)
            fresh.flush()
            os.link(fresh.name, path)
        finally:
            Path(fresh.name).unlink()
    write(f"{path}\n")


def _text(argument: str) -> str:
    """Return an argument of the command line as text: it may hold bytes that are none."""
    return os.fsencode(argument).decode("utf-8", "replace")
