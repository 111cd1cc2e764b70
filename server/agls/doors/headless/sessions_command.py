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

from agls.config import ConfigInputs, home_folder, read
from agls.config.environment import process_environment
from agls.config.folders import state_folder
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.listing import ListFilter, rows_of, write_sessions
from agls.doors.headless.open_session import folder, several
from agls.doors.headless.record_verdict import write_check
from agls.doors.headless.session_summary import write_session
from agls.doors.headless.session_trace import Filter, write_trace
from agls.doors.headless.sketch_action import Sketch, invoke_in_sketch
from agls.doors.headless.streams import write, write_stderr
from agls.doors.session_export import exported
from agls.doors.session_import import LARGEST, NoSession, imported
from agls.engine.admission import Refused
from agls.engine.facts import Entry, Fact, RunEnded, SessionChanged
from agls.engine.history import beginning, forked, with_own_files
from agls.engine.log import Log
from agls.engine.ports import Journal, JournalError, new_id
from agls.engine.sessions import DIED
from agls.engine.spawning import helpers_of
from agls.engine.state import State, fold_all
from agls.room.session_metadata import archived, changed, tags_of
from agls.stores.files import FileStore
from agls.titles import title_from
from agls.views.escape import escape_controls
from agls.workspace.clock import SystemClock

Given = argparse.Namespace
USUAL_LIMIT = 50  # rows of a list for people


def list_sessions(given: Given, store: FileStore) -> None:
    """Follow `agls sessions`, `list` and `search`."""
    search = " ".join(given.words) if "words" in given else given.search
    cwd = folder(given.cwd) if given.cwd else ""
    wanted = ListFilter(search, cwd, given.tag, given.archived)
    most = given.limit if given.limit is not None else 0 if given.json else USUAL_LIMIT
    write_sessions(store, wanted, most, as_json=given.json)


def show(given: Given, store: FileStore) -> None:
    """Follow `show`."""
    session_id = _session_id(given, store)
    write_session(session_id, store.peek(session_id), as_json=given.json)


def audit(given: Given, store: FileStore) -> None:
    """Follow `audit`: write the record of each run."""
    session_id = _session_id(given, store)
    entries = _closed(store, session_id)
    here = str(home_folder())  # the record needs nothing of the session's folder
    setup = read(ConfigInputs(), here, lambda _: False)
    outcome = asyncio.run(
        invoke_in_sketch(setup, here, "audit", {"run": given.run}, Sketch(session_id, entries))
    )
    if given.json:
        write("".join(json.dumps(record) + "\n" for record in (outcome.data or {})["records"]))
    else:
        write("".join(f"{escape_controls(line)}\n" for line in outcome.text.splitlines()))


def verify(given: Given, store: FileStore) -> None:
    """Follow `verify`: say whether the file of records is as it was written."""
    write_check(store.records, given.head or "", as_json=given.json)


def _closed(store: FileStore, session_id: str) -> Sequence[Entry]:
    """**Returns** the entries; a run whose process died ends as it does when the session is opened."""
    entries = store.peek(session_id)
    state = fold_all(entries)
    if not state.running:
        return entries
    tail = store.follow(session_id)
    try:
        if tail.held():
            return entries
    finally:
        tail.close()
    last = entries[-1]
    return [*entries, Entry(last.seq + 1, last.at, RunEnded(state.run_id, DIED))]


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
    session_id = new_id("ses")
    entries = with_own_files(forked(everything, given.at), origin, session_id)
    store.share(origin, session_id)
    _create(store, entries, beginning(origin, everything, fold_all(entries)), session_id)
    write(f"{session_id}\n")


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
            raise CannotBegin(
                "This cannot be undone, and there is no terminal to ask at. Add --yes.", "usage"
            )
        more = f" and the {len(helpers)} sessions of its helpers" if helpers else ""
        write_stderr(f"Delete {session_id}{more} permanently? [y/N] ")
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
    "sessions verify": verify,
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


def _create(store: FileStore, entries: list[Entry], more: Sequence[Fact], session_id: str = "") -> str:
    """Create a session with these entries and facts. **Returns** its id. **Raises** `JournalError`."""
    with _closing(store.create(session_id or new_id("ses"))) as journal:
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
        raise CannotBegin(
            f"There is no folder {path.parent}. Create it, or choose another path for --out.", "usage"
        )
    if path.exists():
        raise CannotBegin(f"{path} already exists. Remove it, or choose another path for --out.", "usage")
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
