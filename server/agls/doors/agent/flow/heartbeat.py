"""What happens by the clock: signs of life, and an end for clients that do not read (protocol#flow)."""

import asyncio

from agls.doors.agent.door import Door
from agls.doors.agent.peer import Peer


async def pulse(door: Door, peer: Peer) -> None:
    """Until cancelled: a heartbeat of every session that is not idle; who reads nothing is detached."""
    loop, limits = asyncio.get_running_loop(), peer.limits
    beaten = loop.time()
    while True:
        await asyncio.sleep(min(limits.heartbeat, limits.stuck / 4))
        if peer.stalled() > limits.stuck:
            for session_id in (*door.attached, *door.followed):
                door.detach(session_id)
        elif loop.time() - beaten >= limits.heartbeat:
            beaten = loop.time()
            for attached in (*door.attached.values(), *door.followed.values()):
                if attached.publisher.status != "idle":
                    attached.publisher.beat()
