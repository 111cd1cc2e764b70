"""Rules about hosts, held against commands.

Where a command connects stands in no text. So the sandbox keeps these rules, and where there is none, nothing
runs that may connect.
"""

from collections.abc import Iterable, Sequence

from agls.engine.ports import Effect
from agls.features.permissions.decision import NO_OTHER_WAY, Allow, Ask, Deny, Verdict
from agls.features.permissions.rules import ResolvedTarget, parse_rule
from agls.features.permissions.settings import Settings
from agls.room.sandbox_ports import CommandSandbox

DENIED = (
    "The rule deny {} forbids it: a command can reach the network, and nothing keeps it from that here: {}."
)
ASKED = "The rule ask {} requires your answer: a command can reach the network."


class CommandNetwork:
    """Holds the rules `network` and `network(HOST)` of the settings against the commands of one run."""

    def __init__(self, settings: Settings, sandbox: CommandSandbox) -> None:
        self._denies, self._asks = _about_hosts(settings.deny), _about_hosts(settings.ask)
        self._sandbox = sandbox

    def confines(self, targets: Sequence[ResolvedTarget]) -> bool:
        """Return whether this may run in the sandbox only, whoever was asked."""
        return bool(self._denies) and any(map(_can_connect, targets))

    async def judge(self, targets: Sequence[ResolvedTarget], verdict: Verdict) -> Verdict:
        """Return the verdict with these rules, which ask or refuse where no sandbox keeps them."""
        is_bound = bool(self._denies or self._asks) and any(map(_can_connect, targets))
        if not is_bound or isinstance(verdict, Deny):
            return verdict
        missing = await self._sandbox.unavailable()
        if not missing:
            return verdict
        if self._denies:
            return Deny(DENIED.format(self._denies, missing), NO_OTHER_WAY, "rule")
        return Ask((ASKED.format(self._asks),)) if isinstance(verdict, Allow) else verdict


def _can_connect(target: ResolvedTarget) -> bool:
    is_command = target.effect is Effect.EXECUTES and bool(target.value)
    return is_command and not target.reads_only


def _about_hosts(rules: Iterable[str]) -> str:
    return next((rule.text for rule in map(parse_rule, rules) if rule.name == "network"), "")
