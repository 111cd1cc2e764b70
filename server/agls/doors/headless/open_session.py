"""The session that a command line asks for: made or opened, and checked before its run."""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Literal

from agls.commands import TypedCommand
from agls.config import ConfigError, PluginRecord, check_folder
from agls.doors.attachments import attached, piped_in, remark_on
from agls.doors.headless.continue_command import ContinueCommand
from agls.doors.headless.exits import CannotBegin
from agls.doors.headless.heard import Heard
from agls.doors.headless.left_open import left_open
from agls.doors.headless.typed_command import command_in_prompt
from agls.doors.typed_text import admitted_content, may_be_command
from agls.efforts import unusual
from agls.engine.facts import Admitted, Noted, SessionChanged
from agls.engine.ports import JournalBusy, JournalError
from agls.engine.session import Session
from agls.engine.state import State, inherited_options
from agls.engine.vocabulary import (
    Content,
    JsonObject,
    SessionRow,
    Stop,
    StopReason,
    Text,
)
from agls.frozen import frozen
from agls.room.exposed import PermissionRules
from agls.workspace.hidden_files import Hiding
from agls.world import World

BROKEN_OFF = frozenset({StopReason.INTERRUPTED, StopReason.MODEL_ERROR, StopReason.INTERNAL_ERROR})
AT_A_LIMIT = frozenset(
    {
        StopReason.MAX_TURNS,
        StopReason.TIMEOUT,
        StopReason.BUDGET,
        StopReason.MAX_TOKENS,
        StopReason.GUARD,
    }
)
NO_TURN = "--max-turns 0 allows no request to the model, so nothing could be done. Give 1 or more."
GO_ON = "Go on where you stopped."  # a model that has replied needs a message to reply to
ATTACHED = "{} goes to the model: you attached it, though a rule denies the agent to read it."
Mode = Literal["text", "json", "jsonl"]


@frozen
class RunRequest:
    """One `agls run` or `agls resume`. `options` hold for this run, `arguments` are settings.

    `piped` goes with the prompt. With `expand` the prompt may point at files. `cwd` is "" when no folder was
    named. `session_id` is the session to continue (or the beginning of its id); "" is the latest one of the
    folder when `resume` is set; `since` is the last fact of it that the reader of its events knows. With
    `control` standard input has requests, one per line. Plugins that are `tried` are on for it.
    With `require_offers` a missing consent ends the run.
    """

    cwd: str = ""
    prompt: str = ""
    piped: bytes = b""
    expand: bool = True
    output: Mode = "text"
    quiet: bool = False
    control: bool = False
    resume: bool = False
    session_id: str = ""
    since: int | None = None
    title: str = ""
    trust: bool = False
    require_offers: bool = False
    add_dirs: tuple[str, ...] = ()
    attach: tuple[str, ...] = ()
    options: JsonObject = field(default_factory=JsonObject)
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    tried: tuple[PluginRecord, ...] = ()


@frozen
class PreparedRun:
    """A session that is ready for its run.

    `content` is the prompt, `recovers` the run to continue ("" for none), `notes` are for the user. `since`
    is the last fact that the reader of the events knows (`None`: it asks for none again). A `command` is done
    instead; the `content` goes with the run of one that makes a prompt. What was `heard` before that is told
    when somebody listens. A run that `begun` names was begun by the session itself.
    """

    session: Session
    options: JsonObject
    model: str
    notes: tuple[str, ...]
    since: int | None = None
    content: tuple[Content, ...] = ()
    recovers: str = ""
    is_new: bool = False
    command: TypedCommand | None = None
    begun: str = ""
    heard: tuple[Heard, ...] = ()


def folder(path: str) -> str:
    """Return the absolute path of a folder that can be worked in. **Raises** `CannotBegin`."""
    try:
        real = str(Path(path).expanduser().resolve())
        check_folder(real)
    except ConfigError as problem:
        raise CannotBegin(str(problem), "noFolder") from None
    except (OSError, RuntimeError, ValueError):  # too long, of no such user, or the current folder is gone
        raise CannotBegin(f"the folder {path[:300]!r} cannot be reached.", "noFolder") from None
    return real


async def prepare_run(world: World, request: RunRequest, here: str) -> PreparedRun:
    """Make a session in the folder `here`, or open the one to continue.

    **Raises** `CannotBegin`, `ConfigError`, `ModelError` and `JournalError`.
    """
    if request.options.get("maxTurns") == 0:
        raise CannotBegin(NO_TURN, "usage")
    roots = tuple(folder(path) for path in request.add_dirs)
    prepared = await (_go_on if request.resume else _anew)(world, request, here)
    session = prepared.session
    world.choose(session.session_id, request.options)  # the author of the command line chose it
    if roots:
        session.log.record(SessionChanged(roots=_more(session.state.roots, roots)))
    return prepared


async def _anew(world: World, request: RunRequest, here: str) -> PreparedRun:
    if not request.prompt.strip() and not request.attach and not request.piped:
        raise CannotBegin('There is no prompt. Give one: agls run "…"', "usage")
    sketch = world.sketch(here)
    command = await _command(world, request, sketch)
    prompts = command is None or command.spec.prompts
    model = await _model(world, here, request.options) if prompts else ""
    heard = Heard(sketch)
    said = await _content(world, request, sketch, command) if prompts else ()
    try:
        session = await world.sessions.create(here, title=request.title)
    except JournalError as problem:  # the state folder cannot be used
        raise CannotBegin(str(problem), "journal") from None
    if command and request.options and not prompts:  # no run has them: the command is about one that would
        world.check_options(here, request.options)
        session.log.record(SessionChanged(options=request.options))
    notes = (
        *remark_on(said),
        *_remarks(world, request, here),
        *world.notes(here, trouble_only=request.quiet),
    )
    return PreparedRun(
        session, request.options, model, notes, content=said, is_new=True, command=command, heard=(heard,)
    )


async def _go_on(world: World, request: RunRequest, here: str) -> PreparedRun:
    session = await opened(world, request.session_id or await latest(world, here))
    if (request.since or 0) > session.state.seq:
        raise CannotBegin(
            f"{session.session_id} has {session.state.seq} facts. Name one of them, or leave out --since.",
            "cursorExpired",
        )
    cwd = folder(session.state.cwd)  # it may be gone by now
    if request.cwd and cwd != here:
        raise CannotBegin(f"{session.session_id} is a session of {cwd}. Leave out --cwd.", "usage")
    command = await _command(world, request, session)
    if command and not command.spec.prompts:
        return PreparedRun(
            session, request.options, "", _notes(world, request, session, here), command=command
        )
    heard = Heard(session)
    content = await _content(world, request, session, command)
    recovers = "" if content or session.state.queue else _broken_off(session, request.arguments)
    if recovers and session.state.stop and session.state.stop.reason in AT_A_LIMIT:
        content = (Text(GO_ON),)
    options = inherited_options(session.state, request.options, recovers)
    model = await _model(world, cwd, {**session.state.options, **options})
    notes = (*remark_on(content), *_notes(world, request, session, here))
    return PreparedRun(
        session,
        request.options,
        model,
        notes,
        request.since,
        content,
        recovers,
        command=command,
        heard=(heard,),
    )


def _notes(world: World, request: RunRequest, session: Session, here: str) -> tuple[str, ...]:
    """Return what the user should know of a session that goes on. **Raises** `ConfigError`."""
    cwd, damage = folder(session.state.cwd), session.log.journal.damage
    elsewhere = () if cwd == here else (f"This session works in {cwd}.",)
    damaged = (
        (f"The file of this session was damaged; it continues from before the damage: {damage}.",)
        if damage
        else ()
    )
    of_request = _remarks(world, request, cwd)
    return (
        *elsewhere,
        *damaged,
        *left_open(session),
        *of_request,
        *world.notes(cwd, trouble_only=request.quiet),
    )


def _remarks(world: World, request: RunRequest, cwd: str) -> Iterator[str]:
    """Yield what the user should know of what they asked for. **Raises** `ConfigError`."""
    if remark := unusual(str(request.options.get("effort", ""))):
        yield remark
    denied = world.setup.load(cwd).config.exposed(PermissionRules).hidden() if request.attach else ()
    hiding = Hiding(denied, ((str(Path(cwd).resolve()), cwd),))
    for file in request.attach:
        if hiding.hides(str(Path(file).resolve())):
            yield ATTACHED.format(file)


async def _command(world: World, request: RunRequest, session: Session) -> TypedCommand | None:
    """Return the command that the prompt is, `None` for another. **Raises** `CannotBegin`, `ConfigError`."""
    if not (request.expand and may_be_command(request.prompt)):
        return None
    content = (Text(request.prompt), *piped_in(request.piped))
    files = await attached(request.attach, world.setup, session.state.cwd, world.storage.blobs)
    return command_in_prompt(world, session, (*content, *files))


async def _content(
    world: World, request: RunRequest, session: Session, command: TypedCommand | None
) -> tuple[Content, ...]:
    """Return the prompt and what goes with it; an empty text is left out. **Raises** `ConfigError`.

    What the words of a command point at comes with the prompt that it makes.
    """
    text: tuple[Content, ...] = (Text(request.prompt),) if request.prompt.strip() else ()
    files = await attached(request.attach, world.setup, session.state.cwd, world.storage.blobs)
    content = (*text, *piped_in(request.piped), *files)
    if command or not content:
        return content
    return await admitted_content(world, session, content, expand=request.expand)


async def _model(world: World, cwd: str, options: JsonObject) -> str:
    """Return the name of the run's model. **Raises** `ConfigError`, `ModelError` for wrong options."""
    world.check_options(cwd, options)
    client = await world.model(cwd, str(options.get("model", "")))
    return client.info.name


async def opened(world: World, session_id: str) -> Session:
    """Open the session with this id. **Raises** `CannotBegin` and `JournalBusy`."""
    try:
        return await world.sessions.open(await _whole_id(world, session_id))
    except JournalBusy:
        raise
    except JournalError as problem:
        raise CannotBegin(f"{problem} See: agls sessions", "sessionNotFound") from None


async def _whole_id(world: World, beginning: str) -> str:
    """Complete the beginning of an id. **Raises** `CannotBegin` when several sessions begin so.

    An id with which no session begins is returned unchanged.
    """
    found: list[str] = []
    async for row in _rows(world):
        if row.session_id == beginning:
            return beginning
        found += [row.session_id] if row.session_id.startswith(beginning) else []
    if len(found) > 1:
        raise CannotBegin(several(beginning, found), "usage")
    return found[0] if found else beginning


async def _rows(world: World, cwd: str = "") -> AsyncGenerator[SessionRow]:
    """Yield all sessions, or those of a folder, the latest first."""
    cursor = ""
    while True:
        rows, cursor = await world.sessions.list(cwd=cwd, cursor=cursor)
        for row in rows:
            yield row
        if not cursor:
            return


def several(beginning: str, found: Sequence[str]) -> str:
    """Return the message that more than one session begins so."""
    return f"More than one session begins with {beginning!r}: {', '.join(found[:5])}"


async def latest(world: World, cwd: str) -> str:
    """Return the id of the session of this folder that was used last. **Raises** `CannotBegin`.

    Archived ones do not count, nor those with neither a prompt nor anything for one: their process was killed
    before. One whose file is damaged counts: whoever goes on with it is told.
    """
    async for row in _rows(world, cwd):
        if not row.parent_item and not row.archived:  # a child is its parent's
            entries = await world.sessions.peek(row.session_id)
            has_begun = any(isinstance(entry.fact, Admitted | Noted) for entry in entries)
            if has_begun or await _is_damaged(world, row.session_id):
                return row.session_id
    none = f'There is no session of {cwd} (of other folders: agls sessions). Begin one: agls run "…"'
    raise CannotBegin(none, "sessionNotFound")


async def _is_damaged(world: World, session_id: str) -> bool:
    """Return whether the file of a session is damaged; then it is open from now on."""
    try:
        session = await world.sessions.open(session_id)
    except JournalError:
        return False
    if session.log.journal.damage:
        return True
    await world.sessions.close(session_id)
    return False


def _broken_off(session: Session, settings: Mapping[str, str]) -> str:
    """Return the run that did not come to its end. **Raises** `CannotBegin` when there is none."""
    stop = session.state.stop
    if stop and stop.reason in BROKEN_OFF | AT_A_LIMIT:
        return session.state.run_id
    message = f"There is nothing to continue in {session.session_id}: {_how_it_stands(session.state)}."
    if stop and stop.reason is not StopReason.END_TURN:
        way = f"To go on all the same: {ContinueCommand(session.session_id, settings).with_words()}"
    else:
        way = f'Say what to do: agls resume {session.session_id} "…"'
    raise CannotBegin(f"{message} {way}", "nothingToContinue")


def _how_it_stands(state: State) -> str:
    match state.stop:
        case None:
            return "it was rewound to before its last run" if state.run_id else "it has had no run"
        case Stop(reason=StopReason.END_TURN):
            return "its last run is complete"
        case stop:
            return f"its last run ended ({stop.reason.replace('_', ' ')})"


def _more(known: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    return (*known, *(root for root in new if root not in known))
