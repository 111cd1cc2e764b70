"""The modes that were chosen for sessions while this process runs.

They are kept in memory only. A journal, which other programs can write, can name a mode but cannot choose it:
a session that is opened again has the configured mode until somebody chooses a wider one again.
"""

from collections.abc import Mapping

from agls.engine.admission import Refused
from agls.engine.state import State
from agls.frozen import frozen
from agls.modes import Mode, is_mode, is_wider, widens

NOT_CHOSEN = (
    "the mode {} lets things run unasked, and the folder {} is not trusted. Only a person may choose it "
    'there: a client whose user chose it says "chosenBy": "user"; or trust the folder: agls trust'
)


class UntrustedMode(Refused):
    """A mode that widens what runs unasked, for a folder that nobody trusts, which no person chose."""

    def __init__(self, mode: object, folder: str) -> None:
        super().__init__(NOT_CHOSEN.format(mode, folder), "untrustedMode")


class Choices:
    """The chosen modes of each session. A child may have those of the session that it works for."""

    def __init__(self) -> None:
        self._chosen: dict[str, set[Mode]] = {}
        self._dropped: dict[str, Mode] = {}

    def choose(self, session_id: str, options: Mapping[str, object]) -> None:
        """Remember the mode that these options choose, if they choose one."""
        mode = options.get("mode")
        if is_mode(mode):
            self._chosen.setdefault(session_id, set()).add(mode)

    def has(self, session_id: str, mode: Mode) -> bool:
        """**Returns** whether the mode was chosen for this session."""
        return mode in self._chosen.get(session_id, ())

    def reopen(self, session_id: str, state: State, configured: Mode) -> bool:
        """Forget what was chosen before the session was closed.

        **Returns** whether the session's options name a mode that is wider than the configured one: then it
        must be taken out of them.
        """
        self._chosen.pop(session_id, None)
        mode = state.options.get("mode")
        if not is_mode(mode) or not is_wider(mode, configured):
            return False
        self._dropped[session_id] = mode
        return True

    def dropped(self, session_id: str) -> Mode | None:
        """**Returns** the mode that opening the session removed from its options; only once."""
        return self._dropped.pop(session_id, None)


def check(options: Mapping[str, object], folder: str, *, trusted: bool, by_user: bool) -> None:
    """Refuse a mode that widens what runs unasked where nobody trusts the folder and no person chose it.

    **Raises** `UntrustedMode`.
    """
    if widens(options.get("mode")) and not (trusted or by_user):
        raise UntrustedMode(options["mode"], folder)


@frozen
class SessionChoices:
    """The choices for the last of these sessions, and for those that it works for."""

    choices: Choices
    sessions: tuple[str, ...]

    def allow(self, mode: Mode) -> bool:
        """**Returns** whether somebody chose this mode."""
        return any(self.choices.has(session_id, mode) for session_id in self.sessions)

    def mode_of(self, state: State, configured: Mode) -> Mode:
        """**Returns** the mode that holds now.

        A mode that is wider than the configured one holds only when it was chosen while this process runs.
        One that this version does not have is the strict `ask`.
        """
        mode = state.settings.get("mode", configured)
        if not is_mode(mode):
            return "ask"
        return configured if is_wider(mode, configured) and not self.allow(mode) else mode

    def not_restored(self, state: State, configured: Mode) -> Mode | None:
        """**Returns** the wider mode in the run's record that nobody chose since; only once."""
        dropped = self.choices.dropped(self.sessions[-1])
        mode = state.settings.get("mode")
        if is_mode(mode) and self.mode_of(state, configured) != mode:
            return mode
        return None if "mode" in state.settings else dropped
