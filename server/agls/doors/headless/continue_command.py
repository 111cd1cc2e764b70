"""The command line that goes on with a run: as it was given, with the limit that ended it raised."""

from collections.abc import Mapping
from dataclasses import replace
from shlex import quote

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen

WORDS = '"go on"'
NEED_WORDS = {"refusal", "cancelled", "killed"}  # these are continued only with a prompt
RAISED = {"maxTurns": ("maxTurns", "--max-turns"), "timeout": ("maxSeconds", "--max-seconds")}


@frozen
class ContinueCommand:
    """What `agls resume` needs again: the session, and the `settings` that the command line gave."""

    session_id: str
    settings: Mapping[str, str]

    def after_error(self, kind: str) -> str:
        """Return the line for the user after an error of this kind: another model, or the same once more."""
        if kind == "modelNotFound" and self.settings.get("model"):
            other = replace(self, settings={**self.settings, "model": ""})
            return f"Go on with another model: {other.command('error', {})} --model NAME"
        if kind == "network" and self.settings.get("base_url"):
            return f"Go on once this address answers: {self.command('error', {})}"
        return self.after("error", {})

    def after(self, reason: str, limits: JsonObject) -> str:
        """Return the line for the user after a run with these limits that ended for this reason."""
        return f"Go on with: {self.command(reason, limits)}"

    def command(self, reason: str, limits: JsonObject) -> str:
        """Return the command for a run with these limits that ended for this reason, to be typed as it is."""
        limit, option = RAISED.get(reason, ("", ""))
        before = limits.get(limit)
        return self._line(WORDS if reason in NEED_WORDS else "", f"{option} {before * 2:g}" if before else "")

    def after_overflow(self) -> str:
        """Return the lines for a conversation that is too long for the model.

        Where there is nothing to compact, the prompt alone was too long: the next run summarises it.
        """
        first, words = self._line("/compact"), self._line(WORDS)
        larger = replace(self, settings={**self.settings, "model": ""})._line("--model NAME", WORDS)
        return f"Make room, then go on: {first}; {words}\nOr ask a model with a larger context: {larger}"

    def with_words(self) -> str:
        """Return the command for a run that is continued only with a prompt."""
        return self._line(WORDS)

    def _line(self, *more: str) -> str:
        given = (("--base-url", self.settings.get("base_url")), ("--model", self.settings.get("model")))
        again = (f"{option} {quote(value)}" for option, value in given if value)
        return " ".join(filter(None, ("agls resume", self.session_id, *again, *more)))
