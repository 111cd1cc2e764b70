"""What pages may cost, and where they may be."""

from agls.frozen import frozen


@frozen(kw_only=True)
class PageLimits:
    """What a page may cost: bytes of it, seconds for all, and for how many seconds it is remembered (`keep`).

    `private_hosts` may be on a network that is not public.
    """

    most: int
    seconds: float
    keep: float = 0.0
    private_hosts: frozenset[str] = frozenset()
