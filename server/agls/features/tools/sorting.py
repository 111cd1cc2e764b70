"""The tools of a request, sorted: those that are shown, and those that wait. The last sortings are kept."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agls.engine.ports import ToolSpec
from agls.features.tools.catalogue import listed
from agls.features.tools.find_tools import NAME, tool
from agls.features.tools.settings import Settings
from agls.features.tools.waiting import waiting
from agls.frozen import frozen

KEPT = 8  # sortings


@frozen(eq=False)
class SortedTools:
    """The tools that are shown from the start, with what searches for the others; and those, by name."""

    shown: Sequence[ToolSpec]
    seldom: Mapping[str, ToolSpec]


_known: deque[tuple[Settings, int | None, tuple[ToolSpec, ...], SortedTools]] = deque(maxlen=KEPT)


def sort(settings: Settings, window: int | None, tools: Sequence[ToolSpec]) -> SortedTools:
    """Return these tools, sorted for a model that sees so many tokens. Nearly all requests have the same."""
    wanted = tuple(tools)
    made = None
    for known in _known:
        if known[0] is settings and known[1] == window and known[2] == wanted:
            made = known[3]
            _known.remove(known)
            break
    made = made or _sorted(settings, window, wanted)
    _known.append((settings, window, wanted, made))  # these very tools: to compare them again takes no time
    return made


def _sorted(settings: Settings, window: int | None, tools: Sequence[ToolSpec]) -> SortedTools:
    searches = any(spec.name == NAME for spec in tools)
    seldom = {spec.name: spec for spec in waiting(settings, window, tools) if searches}
    shown = [spec for spec in tools if spec.name not in seldom and spec.name != NAME]
    if seldom:
        words, searching = listed(list(seldom.values()), settings.catalogue), tool().spec
        shown.append(replace(searching, description=f"{searching.description}\n{words}"))
    return SortedTools(shown, seldom)
