"""What may be spent beyond the limits of the run itself, and by whom."""

from agls.engine.limits import tightest
from agls.engine.vocabulary import Limits
from agls.features.budget.settings import Settings
from agls.frozen import frozen

NO_LIMITS = Limits()


@frozen
class Allowance:
    """The limits of a session, of a day, and of a caller on a day. Nothing can be raised above `most`."""

    session: Limits = NO_LIMITS
    day: Limits = NO_LIMITS
    caller: Limits = NO_LIMITS
    most: Limits = NO_LIMITS
    who: str = ""

    @property
    def by_day(self) -> bool:
        """Whether anything depends on what others spend today."""
        return self.day != NO_LIMITS or self.caller != NO_LIMITS


def allowance(settings: Settings, policy: Settings, who: str) -> Allowance:
    """What `who` may spend by the configuration, and by the managed file's policy, which stands above it."""
    return Allowance(
        session=tightest(settings.session.limits, policy.session.limits),
        day=tightest(settings.day.limits, policy.day.limits),
        caller=tightest(settings.caller(who).limits, policy.caller(who).limits),
        most=policy.limits,
        who=who,
    )
