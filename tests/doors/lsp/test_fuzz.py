"""Recorded sessions, damaged by chance: no hang, no traceback, no growth (promise P8, catalogue a).

In the default run: a few seconds from a fixed seed. `scripts/test --fuzz [SECONDS]` goes on with new seeds,
prints the seed of a failure, and keeps the bytes that caused it.
"""

import random
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from support.fuzz import mutated, recorded, scratched
from support.leftovers import resident
from support.message_rules import check_answer
from support.patience import PATIENCE
from support.wire import Wire, script, turns

pytestmark = pytest.mark.promise("P8")

SEED = 20261121
SECONDS = 5.0  # of the default run
BURST = 20  # damaged frames before the server is asked whether it lives
LIFE = 60  # bursts one server has to stand
LAST = 0.02  # how often a frame's header is damaged too: nobody knows then where the next frame begins
GROWTH = 20  # MB in a life


@pytest.fixture
def seconds(request: pytest.FixtureRequest) -> float:
    return request.config.getoption("--fuzz") or SECONDS


@pytest.mark.timeout(0)
def test_damaged_sessions_never_hang_the_server(
    tmp_path: Path, seconds: float, request: pytest.FixtureRequest
) -> None:
    seed = SEED if seconds == SECONDS else random.SystemRandom().randrange(10**9)
    until, lives, frames = time.monotonic() + seconds, 0, 0
    while time.monotonic() < until:
        folder = tmp_path / str(lives)
        folder.mkdir()
        sent: list[bytes] = []
        try:
            life(folder, seed + lives, until, sent)
        except BaseException:
            kept = Path.cwd() / f"fuzz-{seed + lives}.bin"
            kept.write_bytes(b"".join(sent))
            sys.stderr.write(f"seed {seed + lives}: {kept} has what was sent\n")
            raise
        lives, frames = lives + 1, frames + len(sent)
    sys.stderr.write(f"{frames} damaged frames, {lives} servers, from seed {seed}: 0 hangs, 0 tracebacks\n")
    assert frames


def life(folder: Path, seed: int, until: float, sent: list[bytes]) -> None:
    """What one server is put through, until it may end or the time is over."""
    chance = random.Random(seed)
    prompt = {**turns({"text": "hello " * 50, "delay": 0}), "pattern": ".", "repeat": True}
    with Wire(folder, script(folder, prompt)) as wire:
        wire.unchecked = "what the client says is damaged"
        wire.initialize()
        messages = recorded(wire, wire.session())
        wire.run(messages[3]["params"]["sessionId"])
        before = None
        for number in range(LIFE):
            burst = [mutated(chance, messages, len(sent) + n) for n in range(BURST)]
            last = chance.random() < LAST
            if last:
                burst[-1] = scratched(chance, burst[-1])
            sent += burst
            with suppress(BrokenPipeError):
                wire.write(b"".join(burst))
            if last or time.monotonic() > until:
                break
            answers(wire)
            before = before or (resident(wire) if number > LIFE // 3 else None)
            assert not before or resident(wire) - before < GROWTH
        assert wire.process.stdin
        wire.process.stdin.close()
        assert wire.exit_code(PATIENCE) in {0, 1}
        wire.closed()
        check(wire)


def answers(wire: Wire) -> None:
    """Within the time that tells a hang."""
    asked = wire.post("agent/nothing")
    wire.until(lambda m: m.get("id") == asked, PATIENCE)


def check(wire: Wire) -> None:
    """Nothing of the server's insides in any answer; none of its own in the log but what it gave up."""
    for message in list(wire.messages):
        if "method" not in message:
            check_answer(message)
        assert "Traceback" not in str(message)
    assert "Traceback" not in wire.errors()
