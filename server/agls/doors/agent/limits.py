"""The numbers of one connection in one place: what `initialize` says is what holds (protocol#flow)."""

from typing import NamedTuple

MAX_QUEUED = 256  # runs of one session that may wait for their turn
LONGEST_KEY = 256  # characters of a clientKey: it is kept with its session
REPLAYED_EVENTS = 5_000  # events a client may have missed and still get one by one
PAGE = (4_096, 2 * 1024 * 1024)  # bytes of one result: the least and the most that `maxBytes` can ask for


class ConnectionLimits(NamedTuple):
    """The most that may wait, for how long, and the size of one event. Sizes are bytes, times seconds."""

    event: int = 256 * 1024  # one event; a client may ask for less
    high: int = 256_000  # of waiting events; from here on deltas are merged for `merge` before they go
    merge: float = 0.25
    full: int = 1_000_000  # of waiting events; from here on deltas are left out, until there are `drained`
    drained: int = 50_000
    most: int = 16 * 1024 * 1024  # of everything that waits; from here on sessions are detached
    stuck: float = 30.0  # without a byte read by the client; then its sessions are detached
    known: float = 1.0  # that a client reads after a run began by itself; then it can mean that run
    heartbeat: float = 15.0  # between two signs of life of a session that is not idle
    credit: int = 512  # events a client that acknowledges has not acknowledged yet
    answers: int = 8 * 1024 * 1024  # of answers nobody reads; from here on no request is read
    inbox: int = 8 * 1024 * 1024  # of messages that were read and not looked at yet
    calls: int = 5_000  # requests that are followed at once
