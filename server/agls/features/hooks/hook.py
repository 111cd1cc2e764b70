"""A hook as it is used: its setting, with its origin and what happens when it fails."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from typing import TYPE_CHECKING

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.condition import fits
from agls.features.hooks.settings import ALL, WITHOUT_MATCHER, Event, HookSetting, OnFailure, Settings
from agls.frozen import frozen
from agls.json_values import object_in
from agls.short_text import cut

if TYPE_CHECKING:
    from agls.features.hooks.forms import HookForm

LONGEST_NAME = 60  # characters of a command in a message


@frozen(eq=False)
class Hook:
    """A hook. `origin` is `user`, `managed`, or the file of somebody else that offers it.

    `environment` are variables that its program gets besides the usual ones. One of another product gets and
    answers other JSON: that of its `form`.
    """

    setting: HookSetting
    origin: str
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    form: "HookForm | None" = None

    @property
    def name(self) -> str:
        """What a person calls it: its name, else its command, address, question or tool."""
        setting = self.setting
        call = f"{setting.server}: {setting.tool}" if setting.server else ""
        line = " ".join((setting.command, *setting.args))
        words = setting.name or line or setting.url or setting.prompt or call
        return cut(" ".join(words.split()), LONGEST_NAME)

    @property
    def may_allow(self) -> bool:
        """Whether it may answer in the user's place: what others wrote or say only makes things stricter."""
        return self.origin in {"user", "managed"} and not self.setting.server

    @property
    def digest(self) -> str:
        """A short name of exactly this definition."""
        text = json.dumps(self.setting.model_dump(mode="json"), sort_keys=True)
        form = f" {self.form}" if self.form else ""
        return sha256(f"{self.origin} {text}{form}".encode()).hexdigest()[:12]

    @property
    def on_failure(self) -> OnFailure:
        """The meaning of a failure: one of the administrator's hooks refuses, another lets all go on."""
        return self.setting.on_failure or ("closed" if self.origin == "managed" else "open")

    def is_for(self, event: Event) -> bool:
        """**Returns** whether it sees such events."""
        return event == self.setting.event or (self.form is not None and event in self.form.also)

    def matches(self, event: Event, *subjects: str) -> bool:
        """**Returns** whether the hook is for this event of one of these subjects."""
        matcher, is_its = self.setting.matcher, self.is_for(event)
        if not is_its or matcher in ALL or event in WITHOUT_MATCHER:
            return is_its
        from agls.features.hooks.matching import matches  # noqa: PLC0415 - few sessions have a matcher

        return matches(matcher, *subjects)

    def wants(
        self, names: Sequence[str], data: JsonObject, folder: str, leads_to: Callable[[str], str]
    ) -> bool:
        """**Returns** whether what happens fits the condition of the hook, which is for calls of tools."""
        condition = self.setting.condition
        if self.form and not self.form.fits(data):
            return False
        if not condition or "tool_input" not in data:
            return True
        return fits(condition, tuple(names), object_in(data, "tool_input"), folder, leads_to)


def hooks_of(settings: Settings) -> tuple[Hook, ...]:
    """**Returns** the hooks that are on, those of the administrator first."""
    managed = tuple(Hook(setting, "managed") for setting in settings.managed)
    return managed if settings.only_managed else (*managed, *(Hook(s, "user") for s in settings.handlers))
