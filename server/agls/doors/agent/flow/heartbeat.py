"""Signs of life by the clock, and the end for clients that do not read (protocol#flow)."""

import asyncio

from agls.doors.agent.connection import Connection


async def beat(connection: Connection) -> None:
    """Send a heartbeat for every session that is not idle, and detach a client that reads nothing.

    It goes on until it is cancelled.
    """
    peer = connection.peer
    loop, limits = asyncio.get_running_loop(), peer.limits
    beaten = loop.time()
    while True:
        await asyncio.sleep(min(limits.heartbeat, limits.stuck / 4))
        if peer.stalled() > limits.stuck:
            for session_id in (*connection.attached, *connection.followed):
                connection.detach(session_id)
        elif loop.time() - beaten >= limits.heartbeat:
            beaten = loop.time()
            for attached in (*connection.attached.values(), *connection.followed.values()):
                if attached.publisher.status != "idle":
                    attached.publisher.beat()
