"""Facts that are no event of their own kind: what rooms noted, and facts with nothing to show."""

from agls.engine import background
from agls.engine.facts import Fact, Injected, LimitsChanged, Noted, Steered, Used
from agls.engine.vocabulary import JsonObject
from agls.views import wire_json
from agls.views.run_totals import counts_of, spent

COUNTS = ("insertions", "deletions")
QUIET = frozenset(
    {"environment", background.ROOM}
)  # whose messages are for the model only: they are no items


def recorded(fact: Fact) -> JsonObject:
    """The data of `recorded`, which keeps `seq` free of holes."""
    name = type(fact).__name__
    data: JsonObject = {"fact": name[0].lower() + name[1:]}
    match fact:
        case Noted(feature, kind):
            return {**data, "feature": feature, "kind": kind}
        case Steered(item_id, run_id, content):
            return {**data, "itemId": item_id, "runId": run_id, "content": wire_json.content_blocks(content)}
        case Injected(messages) if messages:
            content = [block for message in messages for block in wire_json.content_blocks(message.content)]
            return {**data, "itemId": messages[-1].item_id, "by": messages[-1].origin, "content": content}
        case LimitsChanged(limits):
            return {**data, "limits": wire_json.limits(limits)}
        case Used(by, usage, cost):
            return {**data, "by": by, **spent(counts_of(usage), cost)}
        case _:
            return data


def checkpoint(note: Noted) -> JsonObject | None:
    """The data of `checkpoint`: the files whose state before a call or a restore was kept, if there are any.

    A restore is told when it begins, without files, and again with each file that it changed.
    """
    match note:
        case Noted(feature="checkpoints", kind="restored", data={"checkpointId": str(restore)}):
            return {"checkpointId": restore, "reason": "restore", "files": []}
        case Noted(feature="checkpoints", kind="made", data={"by": str(maker), "files": [*states]} as data):
            files = [state["uri"] for state in states if not state.get("lost")]
            by_call = "command" if data.get("command") else "call"
            reason = by_call if data.get("runId") else "restore"
            return {"checkpointId": maker, "reason": reason, "files": files} if files else None
        case _:
            return None


def subagent(note: Noted) -> JsonObject | None:
    """The item of a child that came to its end; its own events were told as its session's."""
    match note:
        case Noted(feature="subagents", kind="returned", data={"sessionId": str(child), **data}):
            status = "cancelled" if data["status"] == "interrupted" else data["status"]
            item = {"itemId": f"{data['callId']}.{child}", "kind": "subagent", "status": status}
            return {
                **item,
                "title": data["label"],
                "childSessionId": child,
                **wire_json.filled(text=data["reason"]),
            }
        case _:
            return None


def file_edit(note: Noted) -> JsonObject | None:
    """The item of a file that was changed outside of a call: a change or a file reverted."""
    match note:
        case Noted(feature="review", kind="judged", data={"itemId": str(item_id), "change": dict()} as data):
            again = data.get("verdict") == "restored"
            title = f"A change of the agent was {'made again' if again else 'reverted'}"
        case Noted(
            feature="checkpoints", kind="made", data={"itemId": str(item_id), "change": dict()} as data
        ):
            title = "A file was reverted"
        case _:
            return None
    change = {name: value for name, value in data["change"].items() if name not in COUNTS}
    return {"itemId": item_id, "kind": "fileEdit", "status": "completed", "title": title, "changes": [change]}
