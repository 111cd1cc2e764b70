"""Going back: a session forked at an item, a conversation rewound to one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agls.engine import background
from agls.engine.admission import REQUESTS, Refused
from agls.engine.background import left_open
from agls.engine.context import SUMMARY
from agls.engine.facts import (
    Admitted,
    Asked,
    Cleared,
    Compacted,
    Cut,
    Entry,
    Expanded,
    Fact,
    Injected,
    Noted,
    Replied,
    Rewound,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
    TakenIn,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agls.engine.ports import new_id
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import (
    AssistantMessage,
    FileChange,
    Message,
    Stop,
    StopReason,
    ToolResult,
    UserMessage,
)

FORKED = Stop(StopReason.INTERRUPTED, "the fork begins here")
SUMMARISED = "it was summarised. Undo the summary first"
TAKEN_BACK = "a rewind took it back. Undo that rewind first"
SAID = (Cut, Injected, Replied, Steered, TakenIn, TurnStarted)
SHOWN = (*SAID, Asked, Cleared, Compacted, Expanded, ToolFinished, ToolStarted)


def forked(entries: Sequence[Entry], item_id: str) -> list[Entry]:
    """Return the facts of a fork that ends with this item ("" for the last one).

    Runs that never began are left out. The numbers are new, the times are the old ones.

    **Raises** `Refused` (`noSuchItem`).
    """
    kept = entries[: _end_of(entries, item_id)] if item_id else entries
    began = {entry.fact.run_id for entry in kept if isinstance(entry.fact, RunStarted)}
    facts = [(entry.at, _of_the_fork(entry.fact)) for entry in kept if _belongs(entry.fact, began)]
    return [Entry(seq, at, fact) for seq, (at, fact) in enumerate(facts, 1)]


def with_own_files(entries: Sequence[Entry], origin: str, fork: str) -> list[Entry]:
    """Return the facts of a fork, in which the paths of what is kept beside the session are its own.

    These are the outputs that are kept whole, and the files that notes of rooms name.
    """
    return [Entry(entry.seq, entry.at, _with_own_files(entry.fact, origin, fork)) for entry in entries]


def _with_own_files(fact: Fact, origin: str, fork: str) -> Fact:
    match fact:
        case ToolFinished(call_id, outcome) if outcome.kept:  # the path names the session, and the file last
            text = re.sub(rf"{re.escape(origin)}(?=\S*{re.escape(outcome.kept.name)})", fork, outcome.text)
            return ToolFinished(call_id, replace(outcome, text=text))
        case Noted(feature, kind, data) if isinstance(file := data.get("file"), str):
            own = re.sub(rf"(?<=[\\/]){re.escape(origin)}(?=[\\/])", fork, file)
            return Noted(feature, kind, {**data, "file": own})
        case _:
            return fact


def beginning(origin: str, entries: Sequence[Entry], fork: State, title: str = "") -> tuple[Fact, ...]:
    """Return the facts behind those of a fork, the last of which says whose fork it is: then it is whole.

    `entries` are all of the session that was forked: its title is taken even where it came later.
    """
    titles = (e.fact.title for e in reversed(entries) if isinstance(e.fact, SessionChanged))
    known = next(filter(None, titles), "")
    about = SessionChanged(title=title or (f"{known} (fork)" if known else ""), parent=origin)
    end = (RunEnded(fork.run_id, FORKED),) if fork.running else ()
    return (*end, *left_open(fork, background.FORKED), about)


def rewinding(session: Session, item_id: str, changes: tuple[FileChange, ...] = ()) -> Rewound:
    """Return the fact that makes this item ("" for none) the last one that the model sees from now on.

    An item of a reply with calls takes the results of all of them along. A place before a summary cannot be
    gone back to, but its end can: what came between is not there any more.

    **Raises** `Refused` (`runActive`, `noSuchItem`).
    """
    _require_rest(session)
    messages = session.state.context.messages
    keep = _kept(session.state, item_id) if item_id else 0
    last = name_of(messages[keep - 1]) if keep else ""
    return Rewound(new_id("rewind"), last, keep, changes=changes)


def undoing(session: Session, checkpoint_id: str, changes: tuple[FileChange, ...] = ()) -> Rewound:
    """Return the fact that brings back the conversation from before a rewind.

    **Raises** `Refused` (`runActive`, `noSuchItem`).
    """
    _require_rest(session)
    if checkpoint_id not in session.state.rewinds:
        raise Refused(f"There is no rewind {checkpoint_id[:100]!r} in this session.", "noSuchItem")
    messages = session.state.rewinds[checkpoint_id]
    last = name_of(messages[-1]) if messages else ""
    return Rewound(new_id("rewind"), last, undoes=checkpoint_id, changes=changes)


def last_words(messages: Sequence[Message]) -> str:
    """Return the last text of the model since the user's last message: its answer.

    A reply that its output limit cut off, and those that go on with it, are one text.
    """
    said = ""
    for message in reversed(messages):
        if isinstance(message, UserMessage) and message.origin == "user":
            break
        if isinstance(message, AssistantMessage):
            if said and not message.unfinished:
                break
            said = message.text + said
    return said


def name_of(message: Message) -> str:
    """Return the item id under which the user sees a message."""
    return message.call_id if isinstance(message, ToolResult) else message.item_id


def _require_rest(session: Session) -> None:
    if session.state.running or session.state.queue:
        raise Refused("A run is active in this session.", "runActive", session.state.run_id)


def _kept(state: State, item_id: str) -> int:
    """Return how many messages stand up to this item, with the results that belong to it."""
    messages, wanted = state.context.messages, item_id.removesuffix(".thought")
    since = max(
        (n for n, m in enumerate(messages) if isinstance(m, UserMessage) and m.origin == SUMMARY), default=-1
    )
    found = [place for place, m in enumerate(messages, 1) if place > since and name_of(m) == wanted]
    if found:
        keep = found[-1]
        while keep < len(messages) and isinstance(messages[keep], ToolResult):
            keep += 1
        return keep
    if since >= 0 and wanted == _last_replaced(state, since):
        return since + 1
    if any(name_of(message) == wanted for message in state.transcript):
        replaced = (message for before in state.summaries.values() for message in before.messages)
        how = SUMMARISED if wanted in map(name_of, replaced) else TAKEN_BACK
        raise Refused(
            f"The model does not see that item any more: {how}, or fork the session there.", "noSuchItem"
        )
    raise _unknown(item_id)


def _last_replaced(state: State, summary: int) -> str:
    """**Returns** the item behind which the summary, message number `summary`, goes on."""
    messages, length = state.summaries[name_of(state.context.messages[summary])]
    return name_of(messages[len(messages) - (length - summary)])


def _end_of(entries: Sequence[Entry], item_id: str) -> int:
    """Return how many entries there are up to this item; to the end of its run when nothing else is in it."""
    wanted = item_id.removesuffix(".thought")
    prompts = {entry.fact.run_id: entry.fact.item_id for entry in entries if isinstance(entry.fact, Admitted)}
    found = [place for place, entry in enumerate(entries, 1) if wanted in _completed(entry.fact, prompts)]
    if not found:
        return _end_that_closed(entries, wanted, prompts)
    for place in range(found[-1], len(entries)):
        if isinstance(entries[place].fact, SHOWN):
            break
        if isinstance(entries[place].fact, RunEnded):
            return place + 1
    return found[-1]


def _end_that_closed(entries: Sequence[Entry], wanted: str, prompts: Mapping[str, str]) -> int:
    """Return how many entries there are up to the end of the run that closed this item.

    A message that came too late for its run, or a call that had no end of its own.
    """
    opened, running = False, ""
    for place, entry in enumerate(entries, 1):
        opened = opened or wanted in _opened(entry.fact, prompts)
        match entry.fact:
            case RunStarted(run_id):
                running = run_id
            case RunEnded(run_id) if running in {run_id, ""}:
                if opened:
                    return place
                running = ""
            case _:
                pass
    raise _unknown(wanted)


def _opened(fact: Fact, prompts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the items that begin to wait with this fact: for a request to the model, or for a result."""
    match fact:
        case Steered(item_id):
            return (item_id,)
        case RunStarted(run_id):
            return (prompts.get(run_id, ""),)
        case Replied(tool_calls=calls):
            return tuple(call.call_id for call in calls)
        case _:
            return ()


def _completed(fact: Fact, prompts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the items of the conversation that end with this fact; `prompts` are those of the runs."""
    match fact:
        case TakenIn(item_ids):
            return item_ids
        case RunStarted(run_id) if (prompt := prompts.get(run_id, "")) and fact.took(prompt):
            return (prompt,)
        case Injected(messages):
            return tuple(message.item_id for message in messages)
        case Replied(item_id) | Cut(item_id) | Compacted(item_id) | Cleared(item_id) | Expanded(item_id):
            return (item_id,)
        case ToolFinished(call_id):
            return (call_id,)
        case _:
            return ()


def _belongs(fact: Fact, began: set[str]) -> bool:
    return not isinstance(fact, Admitted | RunEnded) or fact.run_id in began


def _of_the_fork(fact: Fact) -> Fact:
    """Return the fact without the keys of requests that were made of the other session."""
    match fact:
        case Admitted():
            return Admitted(fact.run_id, fact.item_id, fact.content, "", fact.options, fact.recovers)
        case Steered():
            return Steered(fact.item_id, fact.run_id, fact.content, "", fact.origin)
        case Noted(feature, kind) if feature == REQUESTS:
            return Noted(feature, kind, {})
        case _:
            return fact


def _unknown(item_id: str) -> Refused:
    return Refused(f"There is no item {item_id[:100]!r} in the conversation of this session.", "noSuchItem")
