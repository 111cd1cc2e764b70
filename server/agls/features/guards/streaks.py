"""What the transcript says about going in circles. Counted there, so that a resume forgets nothing."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise, takewhile

from agls.engine.vocabulary import AssistantMessage, Message, ToolCall, ToolResult, UserMessage
from agls.features.guards.settings import Settings
from agls.frozen import frozen

ROOM = "guards"


@frozen
class Round:
    """The calls of one reply and what they gave."""

    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]

    @property
    def failed(self) -> bool:
        """Whether all of them failed. What a human refused is no failure, and no success."""
        judged = [result.status for result in self.results if result.status != "rejected"]
        return bool(judged) and all(status == "failed" for status in judged)

    @property
    def judged(self) -> bool:
        """Whether anything of it ran, or could have."""
        return any(result.status != "rejected" for result in self.results)

    def repeats(self, other: "Round") -> bool:
        """Return whether it made the calls of the other, with the same arguments."""
        return list(map(_asked, self.calls)) == list(map(_asked, other.calls))

    def equals(self, other: "Round") -> bool:
        """Return whether it made them, and they gave the same."""
        return self.repeats(other) and list(map(_gave, self.results)) == list(map(_gave, other.results))


@frozen
class RoundStreak:
    """The rounds between two words of this room, newest first; `nudged` is whether it spoke before them."""

    rounds: tuple[Round, ...]
    nudged: bool

    def failures(self) -> int:
        """Return how many replies in a row, up to now, had nothing but calls that failed."""
        judged = (one for one in self.rounds if one.judged)
        return sum(1 for _ in takewhile(lambda one: one.failed, judged))

    def repetitions(self) -> int:
        """Return how often the last calls were made in a row with the same arguments and results."""
        same = sum(1 for _ in takewhile(lambda pair: pair[0].equals(pair[1]), pairwise(self.rounds)))
        return same + 1 if self.rounds else 0

    @property
    def is_circle(self) -> bool:
        """Whether there is nothing else in it."""
        return bool(self.rounds) and len(self.rounds) in {self.failures(), self.repetitions()}


def latest(messages: Sequence[Message], waited: Collection[str]) -> RoundStreak:
    """Return the rounds since the user or this room last spoke, as far back as it counts: often two."""
    return RoundStreak(tuple(_counted(_without_waiting(_unspoken(messages), waited))), nudged=False)


def stretches(messages: Sequence[Message], waited: Collection[str]) -> list[RoundStreak]:
    """Return the rounds since the user last spoke, the newest first; `waited` as in `latest`."""
    made: list[RoundStreak] = []
    rounds: list[Round] = []
    for one in _read(messages):
        if isinstance(one, Round):
            rounds.append(one)
        else:
            made.append(RoundStreak(tuple(_without_waiting(rounds, waited)), one.origin == ROOM))
            rounds = []
    return [*made, RoundStreak(tuple(_without_waiting(rounds, waited)), nudged=False)]


def _read(messages: Sequence[Message]) -> Iterator[Round | UserMessage]:
    """Yield the rounds since the user last spoke, the newest first, and who spoke before them."""
    results: list[ToolResult] = []
    for message in reversed(messages):
        match message:
            case ToolResult():
                results.append(message)
            case AssistantMessage(tool_calls=calls) if calls:
                yield Round(calls, tuple(reversed(results)))
                results = []
            case UserMessage(origin=origin) if origin in {"user", ROOM}:
                yield message
                if origin == "user":
                    return
            case _:
                pass


def _unspoken(messages: Sequence[Message]) -> Iterator[Round]:
    """Yield the rounds since anybody last spoke, the newest first."""
    for one in _read(messages):
        if not isinstance(one, Round):
            return
        yield one


def _counted(rounds: Iterable[Round]) -> Iterator[Round]:
    """Yield the rounds up to one that ends both counts: it did not fail, and is no repetition."""
    fails, repeats = True, True
    newer: Round | None = None
    for one in rounds:
        yield one
        fails = fails and (one.failed or not one.judged)
        repeats = repeats and (newer is None or newer.equals(one))
        if not (fails or repeats):
            return
        newer = one


def ignored(made: Iterable[RoundStreak]) -> int:
    """Return how many nudges in a row, up to now, changed nothing."""
    return sum(1 for _ in takewhile(lambda one: one.nudged and one.is_circle, made))


def circle_in(now: RoundStreak, settings: Settings) -> str:
    """Return the repeated failure in plain words, "" when there is none."""
    if (times := now.repetitions()) >= settings.identical_calls:
        name = now.rounds[0].calls[-1].name
        return f"The same call of {name} was made {times} times in a row, with the same result each time."
    if (times := now.failures()) >= settings.failed_calls:
        return f"{times} replies in a row had nothing but calls that failed."
    return ""


def _without_waiting(rounds: Iterable[Round], waited: Collection[str]) -> Iterator[Round]:
    """Return the rounds, newest first, without those that only looked again at what they waited for."""
    behind = iter(rounds)
    newer, one = None, next(behind, None)
    while one:
        older = next(behind, None)
        waits = all(call.call_id in waited for call in one.calls)
        if not (waits and any(one.repeats(near) for near in (older, newer) if near)):
            yield one
        newer, one = one, older


def _asked(call: ToolCall) -> tuple[object, ...]:
    return call.name, call.arguments, call.malformed


def _gave(result: ToolResult) -> tuple[object, ...]:
    return result.status, result.text, result.images
