"""Intervals and times of day, as people write them at the beginning of a prompt."""

from datetime import datetime, timedelta
from re import IGNORECASE

from agls.frozen import frozen
from agls.regex import regex

MINUTE = 60.0
HOUR = 60 * MINUTE
DAY = 24 * HOUR
SECONDS = {"s": 1.0, "m": MINUTE, "h": HOUR, "d": DAY}
_UNITS = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|[smhd])(?![a-z])"
_PART = regex(rf"(\d+(?:\.\d+)?)\s*({_UNITS})", IGNORECASE)
_SHORT = regex(r"((?:\d+(?:\.\d+)?[smhd])+)(?:\s+|$)", IGNORECASE)
_NAMED = regex(rf"(?:every|in)\s+((?:\d+(?:\.\d+)?\s*{_UNITS}\s*(?:and\s+)?)+)[,:]?(?:\s+|$)", IGNORECASE)
_BEHIND = regex(rf"(?s)(.*\S)\s+every\s+((?:\d+(?:\.\d+)?\s*{_UNITS}\s*)+)$", IGNORECASE)
_DAY = regex(r"(today|tomorrow|\d{4}-\d\d-\d\d)[,T\s]\s*", IGNORECASE)
_CLOCK = regex(r"(?:at\s+)?(\d{1,2})(?::(\d\d))?\s*([ap]m)?(?![\w.]|:\d)[,:]?(?:\s+|$)", IGNORECASE)


@frozen
class Spoken:
    """What a text says of time (in seconds: an interval, or a Unix time), and the rest of it."""

    seconds: float
    rest: str


def interval_in(text: str) -> Spoken | None:
    """Return the interval at the beginning of a text (`5m`, `every 2 hours`), or at its end after `every`.

    **Returns** `None` where there is none.
    """
    for pattern in (_SHORT, _NAMED):
        if found := pattern.match(text):
            return Spoken(_seconds(found[1]), text[found.end() :].strip())
    if found := _BEHIND.fullmatch(text):
        return Spoken(_seconds(found[2]), found[1])
    return None


def time_in(text: str, now: float) -> Spoken | None:
    """Return the time at the beginning of a text: `14:30`, `2pm`, `tomorrow 9:00`, `in 20m`.

    A time of day is that of today, or of tomorrow when it has passed. **Returns** `None` where there is none.
    """
    if (found := _NAMED.match(text)) or (found := _SHORT.match(text)):
        return Spoken(now + _seconds(found[1]), text[found.end() :].strip())
    today = datetime.fromtimestamp(now).astimezone()
    day = _DAY.match(text)
    clock = _CLOCK.match(text, day.end() if day else 0)
    if clock is None or not (clock[2] or clock[3]):
        return None
    hour = _hour(int(clock[1]), (clock[3] or "").lower())
    date = _date(day[1].lower(), today) if day else today
    if date is None or not 0 <= hour < 24 or int(clock[2] or 0) > 59:
        return None
    due = _local(date, hour, int(clock[2] or 0))
    if not day and due <= now:
        due = _local(today + timedelta(days=1), hour, int(clock[2] or 0))
    return Spoken(due, text[clock.end() :].strip())


def clock_time(moment: float, now: float) -> str:
    """Return a time for people: the hour alone where it is today."""
    local, today = datetime.fromtimestamp(moment).astimezone(), datetime.fromtimestamp(now).astimezone()
    if local.date() == today.date():
        return local.strftime("%H:%M:%S" if 0 <= moment - now < MINUTE else "%H:%M")
    return local.strftime("%Y-%m-%d %H:%M")


def duration(seconds: float) -> str:
    """Return a length of time as `interval_in` reads it."""
    left, said = seconds, ""
    for unit in ("d", "h", "m"):
        count, left = divmod(left, SECONDS[unit])
        said += f"{count:.0f}{unit}" if count else ""
    return f"{said}{left:g}s" if left or not said else said


def cron_fields(every: float) -> str:
    """Return the fields of cron for about this interval; it knows none below a minute."""
    if every < HOUR:
        return f"*/{max(1, round(every / MINUTE))} * * * *"
    return f"0 */{round(every / HOUR)} * * *" if every < DAY else "0 9 * * *"


def cron_moment(moment: float) -> str:
    """Return the fields of cron for a moment."""
    local = datetime.fromtimestamp(moment).astimezone()
    return f"{local.minute} {local.hour} {local.day} {local.month} *"


def _seconds(text: str) -> float:
    return sum(float(count) * SECONDS[unit[0].lower()] for count, unit in _PART.findall(text))


def _hour(hour: int, half: str) -> int:
    if half:
        return hour % 12 + 12 * (half == "pm") if 1 <= hour <= 12 else -1
    return hour


def _date(day: str, today: datetime) -> datetime | None:
    if day in {"today", "tomorrow"}:
        return today + timedelta(days=day == "tomorrow")
    try:
        return datetime.fromisoformat(day)
    except ValueError:
        return None


def _local(day: datetime, hour: int, minute: int) -> float:
    return datetime(day.year, day.month, day.day, hour, minute).astimezone().timestamp()
