"""What people write of intervals and times of day at the beginning of a prompt."""

import os
import time
from collections.abc import Iterator

import pytest

from agls.features.timed_prompts.times import (
    clock_time,
    cron_fields,
    cron_moment,
    duration,
    interval_in,
    time_in,
)

NOON = 1_764_417_600.0  # Saturday, 2025-11-29 12:00 UTC; in Berlin an hour later


@pytest.fixture(autouse=True)
def berlin() -> Iterator[None]:
    """The zone of the tests: one whose clocks are set twice a year."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize(
    ("text", "seconds", "rest"),
    [
        ("5m check the build", 300, "check the build"),
        ("1h30m look", 5400, "look"),
        ("90s look", 90, "look"),
        ("1.5h look", 5400, "look"),
        ("every 2 hours look", 7200, "look"),
        ("every 5m: look", 300, "look"),
        ("every 1 hour and 30 minutes look", 5400, "look"),
        ("check the build every 20m", 1200, "check the build"),
        ("check\nthe build every 2 days", 172800, "check\nthe build"),
        ("5M look", 300, "look"),
        ("5m", 300, ""),
        ("check every file", None, ""),
        ("5 files are to be checked", None, ""),
        ("5mb is too much", None, ""),
        ("every 5mb file", None, ""),
        ("check", None, ""),
    ],
)
def test_interval_stands_at_the_beginning_or_behind_every(
    text: str, seconds: float | None, rest: str
) -> None:
    found = interval_in(text)
    assert (found.seconds, found.rest) == (seconds, rest) if found else seconds is None


@pytest.mark.parametrize(
    ("text", "shown", "rest"),
    [
        ("14:30 run the tests", "14:30", "run the tests"),
        ("at 14:30, run the tests", "14:30", "run the tests"),
        ("2pm run", "14:00", "run"),
        ("2:30 PM: run", "14:30", "run"),
        ("12am run", "2025-11-30 00:00", "run"),
        ("12pm run", "2025-11-30 12:00", "run"),
        ("9:00 run", "2025-11-30 09:00", "run"),
        ("tomorrow 9:00 run", "2025-11-30 09:00", "run"),
        ("tomorrow at 9am run", "2025-11-30 09:00", "run"),
        ("2026-03-29 12:00 run", "2026-03-29 12:00", "run"),
        ("2026-10-25T12:00 run", "2026-10-25 12:00", "run"),
        ("today 9:00 run", "09:00", "run"),
        ("in 20m run", "13:20", "run"),
        ("in 2 hours run", "15:00", "run"),
        ("20m run", "13:20", "run"),
        ("24:00 run", None, ""),
        ("13pm run", None, ""),
        ("12:60 run", None, ""),
        ("2026-13-01 12:00 run", None, ""),
        ("14 tests are to be run", None, ""),
        ("14:30:20 run", None, ""),
        ("1.5 run", None, ""),
        ("run", None, ""),
        ("", None, ""),
    ],
)
def test_time_is_the_next_of_its_kind_in_the_zone_of_the_user(
    text: str, shown: str | None, rest: str
) -> None:
    found = time_in(text, NOON)
    assert (clock_time(found.seconds, NOON), found.rest) == (shown, rest) if found else shown is None


def test_durations_and_fields_of_cron_say_the_same_again() -> None:
    said = {seconds: duration(seconds) for seconds in (0, 0.5, 59, 60, 5400, 90061)}
    assert said == {0: "0s", 0.5: "0.5s", 59: "59s", 60: "1m", 5400: "1h30m", 90061: "1d1h1m1s"}
    assert [cron_fields(each) for each in (30, 300, 7200, 86400)] == [
        "*/1 * * * *",
        "*/5 * * * *",
        "0 */2 * * *",
        "0 9 * * *",
    ]
    assert cron_moment(NOON) == "0 13 29 11 *"
    assert clock_time(NOON + 30, NOON) == "13:00:30"
