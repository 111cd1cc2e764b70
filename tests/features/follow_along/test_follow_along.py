"""What is shown of a run, and when. Through the real server: `doors/lsp/test_following_along.py`."""

from dataclasses import dataclass, field, replace

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Effect, Preview, Target, ToolContext, ToolSpec
from agls.engine.vocabulary import FileChange, FileVersion, ToolCall, ToolOutcome
from agls.features.follow_along.feature import build
from agls.features.follow_along.settings import Settings
from support.rooms import do, use
from support.scenario import check, say

PATCH = "--- a/a.py\n+++ b/a.py\n@@ -8,3 +8,4 @@\n one\n+two\n three\n four\n"
CHANGED = FileChange("file:///w/a.py", "modified", FileVersion("1"), FileVersion("2"), PATCH, "disk")


@dataclass
class FakeScreen:
    """Remembers what was shown."""

    follows: bool = True
    shown: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    async def reveal(self, path: str, line: int) -> None:
        """Show it."""
        self.shown.append((path, line))


class Edit:
    """A tool that says what it would touch, and then touches it."""

    spec = ToolSpec("edit", "", {"type": "object"}, frozenset({Effect.WRITES}))

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """A file, a command and a host."""
        named = (Effect.READS, "b.py"), (Effect.EXECUTES, "ls"), (Effect.NETWORK, "example.com")
        return Preview("Edit", {}, tuple(Target(*one) for one in named))

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """The change."""
        return ToolOutcome("done", changes=(CHANGED,))


async def look(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
    """What the permissions do: they look at what a call would do, and let it pass or not."""
    if invocation.call.arguments.get("value") == "refused":
        return ToolOutcome("no", status="rejected")
    preview = await invocation.tool.preview(invocation.call, invocation.context)
    return await inner(replace(invocation, preview=preview))


async def shown(value: str, *around: Feature) -> list[tuple[str, int]]:
    """What is shown of a run with one call."""
    screen = FakeScreen()
    tools = Feature(name="tools", tools=(Edit(),))
    rooms = [*around, build(Settings(), screen), tools]
    await check(use(do("c1", "edit", value)), say("done"), facts=None, features=rooms)
    return screen.shown


async def test_files_are_shown_before_they_are_used_and_then_what_changed_in_them() -> None:
    looking = Feature(name="looking", around_tool=look)
    assert await shown("go", looking) == [("b.py", 0), ("file:///w/a.py", 8)]


async def test_refused_call_is_not_shown() -> None:
    assert await shown("refused", Feature(name="looking", around_tool=look)) == []


async def test_call_that_was_not_previewed_shows_only_its_changes() -> None:
    assert await shown("go") == [("file:///w/a.py", 8)]
