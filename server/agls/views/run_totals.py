"""What one run used and changed, added up for its `runEnded`."""

from typing import Any, cast

from agls.engine import vocabulary as engine
from agls.engine.facts import Answered, Cut, Fact, Noted, Replied, RunStarted, ToolFinished, Used
from agls.engine.note_items import NoteTable, RunOutput
from agls.engine.ports import Journal
from agls.engine.state import State
from agls.engine.vocabulary import FileChange, Stop
from agls.views.net_lines import NetLines
from agls.views.values import run_error, stop_reason, usage
from agls.views.wire_json import compact
from agls_protocol.events import RunEndedData
from agls_protocol.items import FileChanged, Usage

MERGED = {  # what two changes of one file in a row come to; "" is nothing at all
    ("added", "modified"): "added",
    ("added", "deleted"): "",
    ("deleted", "added"): "modified",
}


class RunTotals:
    """Sums over one run. What no provider reported is left out: a zero would be a lie."""

    def __init__(self) -> None:
        self._unanswered = 0
        self._output: list[Any] = []  # the answer that fits the schema of the run, when there is one
        self._usage: dict[str, int] = {}
        self._cost: float | None = None
        self._unpriced = self._estimated = 0
        self._files: dict[str, FileChanged] = {}
        self._net: dict[str, NetLines] = {}

    def take(self, fact: Fact, notes: NoteTable) -> None:
        """Add what a fact of the run says."""
        match fact:
            case Replied(model_calls=0):
                pass  # nobody was asked
            case Cut(usage=used) if used.estimated:
                self._estimated += 1  # what came of it is not known
            case Replied(usage=used, cost=cost) | Used(usage=used, cost=cost) | Cut(usage=used, cost=cost):
                self._spend(used, cost)
            case ToolFinished(_, outcome):
                for done in outcome.changes:
                    self._change(done)
            case Answered(_, answer):
                self._unanswered += answer.outcome == "unanswered"
            case Noted(room, kind, data) if row := notes.rows.get((room, kind)):
                self._output += [item.value for item in row(data) if isinstance(item, RunOutput)]
            case _:
                pass

    def _spend(self, used: engine.Usage, cost: float | None) -> None:
        """Add one model call; `cost` in US dollars, `None` when its price is not known."""
        for name, count in cast(dict[str, int], usage(used)).items():
            self._usage[name] = self._usage.get(name, 0) + count
        self._estimated += used.estimated
        if cost is None:
            self._unpriced += 1
        else:
            self._cost = (self._cost or 0.0) + cost

    def _change(self, done: FileChange) -> None:
        """Add a change of a file: what counts is what became of it in the run, not each step."""
        before = self._files.pop(done.uri, None)
        net = self._net.pop(done.uri, None) or NetLines()
        kind = MERGED.get((before["change"], done.change), done.change) if before else done.change
        if not kind:
            return
        net.apply(done.patch, done.insertions, done.deletions)
        came, went = done.insertions, done.deletions
        if before:
            summed = came + before["insertions"], went + before["deletions"]
            came, went = net.counts() if net.is_known else summed
            if kind == "modified" and not (came or went):
                return  # it is as it was
        self._net[done.uri] = net
        self._files[done.uri] = {"uri": done.uri, "change": kind, "insertions": came, "deletions": went}

    def end(self, stop: Stop) -> RunEndedData:
        """Return what `runEnded` says: calls that are not in its sums are counted beside them."""
        error = run_error(stop)
        data: RunEndedData = {
            "stopReason": stop_reason(stop),
            "filesChanged": list(self._files.values()),
            "usage": cast(Usage, self._usage),
            "cost": self._cost,
            "unpriced": None if self._cost is None else self._unpriced or None,
            "estimated": self._estimated or None,
            "unanswered": self._unanswered or None,
            "detail": "" if error else stop.detail,
            "error": error,
        }
        ended = compact(RunEndedData, data)
        return {**ended, "output": self._output[-1]} if self._output else ended


def run_so_far(notes: NoteTable, journal: Journal, state: State) -> RunTotals:
    """Return the sums of the run that is on, up to this state; empty ones when none is."""
    totals = RunTotals()
    if state.running:
        runs = reversed(journal.of(RunStarted))
        begun = next(entry.seq for entry in runs if entry.seq <= state.seq)
        for entry in journal.entries(begun)[: state.seq - begun]:
            totals.take(entry.fact, notes)
    return totals
