"""Results in pages: no more bytes than the client wants, what is long in them shortened as on the wire."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from agls.doors.agent.flow.sizes import SMALLEST, fitted, json_size
from agls.doors.agent.limits import PAGE
from agls.doors.messages import JsonObject


class Page:
    """How many bytes a result has left, of those that the client takes at once; `largest` is one event's."""

    def __init__(self, max_bytes: int, largest: int) -> None:
        self.left = min(max(max_bytes, PAGE[0]), PAGE[1])
        self._largest = largest

    def must_have(self, value: JsonObject, among: int = 1) -> JsonObject:
        """What is in the result in any case, one `among` others: it gets its share of half of the page."""
        share = max(SMALLEST, self.left // 2 // max(among, 1))
        fit, size = fitted(value, share)
        self.left -= size
        return fit

    def takes_whole(self, values: Sequence[JsonObject]) -> bool:
        """Take all of these as they are, if all together are no longer than one may be; else none of them."""
        size = json_size(values) - len(values) - 1  # without the brackets and commas of the list
        fits = size <= min(self._largest, self.left)
        self.left -= size if fits else 0
        return fits

    def takes(self, values: Iterable[JsonObject], *, first: bool, part: str = "") -> list[JsonObject] | None:
        """These, which stay together, or `None` when there is no room for them. There is for the `first`.

        Each is shortened to what an event may have, of many to its share of what is left.
        """
        together = list(values)
        share = self._largest
        if first:
            share = max(SMALLEST, min(share, self.left // max(len(together), 1)))
        fits = [fitted(value, share, part) for value in together]
        size = sum(size for _, size in fits)
        if size > self.left and not first:
            return None
        self.left -= size
        return [fit for fit, _ in fits]


def events_page(
    facts: Iterator[list[JsonObject]], page: Page, limit: int, types: Iterable[str] | None
) -> tuple[list[list[JsonObject]], bool]:
    """The first of these facts' events, those of one fact together, and whether there are more.

    At least those of one fact are given, whatever the limits say.
    """
    wanted = None if types is None else set(types)
    chosen = ([event for event in events if wanted is None or event["type"] in wanted] for events in facts)
    given: list[list[JsonObject]] = []
    count = 0
    for events in filter(None, chosen):
        fits = (
            page.takes(events, first=not given, part="data")
            if count + len(events) <= limit or not given
            else None
        )
        if fits is None:
            return given, True
        given.append(fits)
        count += len(fits)
    return given, False


def in_order(facts: Iterable[list[JsonObject]]) -> list[JsonObject]:
    """The events of these facts."""
    return list(chain.from_iterable(facts))


def all_or_none(facts: Iterator[list[JsonObject]], page: Page, limit: int) -> list[JsonObject] | None:
    """The events of all these facts; `None` when they are too many, or too large."""
    given, more = events_page(facts, page, limit, None)
    chosen = in_order(given)
    return None if more or len(chosen) > limit or page.left < 0 else chosen
