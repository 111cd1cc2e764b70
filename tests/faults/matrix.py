"""Kill before every call, let every call fail, or set the clock back there: one line of JSON for each point.

    python tests/faults/matrix.py FOLDER kill|ENOSPC|EIO|EDQUOT|clock [HOW-MANY [SEED]]

Everything is loaded once; each telling is a fork of this process, so that a point costs little.
"""

import json
import os
import random
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from faults import story  # noqa: E402 - found by the path above
from support.faults import Faults  # noqa: E402 - the same

AT_MOST = 4  # starts until the story must have come to its end


def in_a_fork(work: Callable[[], None], log: Path) -> int:
    """Do it in a process of its own; gives how that ended: an exit code, or minus the signal."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        work()
        code = 0
    except BaseException:  # noqa: BLE001 - it is written down, and the process ends here
        log.open("a").write(traceback.format_exc())
    finally:
        os._exit(code)


def counted(place: story.Place) -> list[str]:
    """The calls of a story that nobody disturbs."""
    names = place.folder / "names"

    def work() -> None:
        faults = Faults(0, "")
        faults.begin()
        try:
            story.tell(place)
        finally:
            names.write_text(json.dumps(faults.names))

    code = in_a_fork(work, place.folder / "errors")
    assert code == 0, (place.folder / "errors").read_text()
    assert list(story.problems(place)) == [], list(story.problems(place))
    return json.loads(names.read_text())


def at_point(place: story.Place, number: int, what: str) -> dict[str, Any]:
    """The story with one fault, then without any, until it is told; and what is wrong then."""

    def disturbed() -> None:
        faults = Faults(number, what)
        faults.begin()
        story.tell(place)

    errors = place.folder / "errors"
    first = in_a_fork(disturbed, errors)
    began, starts, code = time.monotonic(), 0, 1
    while code and starts < AT_MOST:
        starts += 1
        code = in_a_fork(lambda: story.tell(place), errors)
    found = list(story.problems(place)) if code == 0 else ["not resumable: " + errors.read_text()[-2000:]]
    seconds = round(time.monotonic() - began, 3)
    return {"point": number, "first": first, "starts": starts, "problems": found, "seconds": seconds}


def say(line: dict[str, Any]) -> None:
    """One line of JSON, at once."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main(folder: Path, what: str, how_many: int, seed: int) -> int:
    """All points, or a sample of them; gives the exit code."""
    place = story.Place(folder / "whole")
    place.make()
    names = counted(place)
    points = list(range(1, len(names) + 1))
    if how_many and how_many < len(points):
        points = sorted(random.Random(seed).sample(points, how_many))
    wrong, slowest = 0, 0.0
    for number in points:
        place = story.Place(folder / f"{what}-{number}")
        place.make()
        told = at_point(place, number, what) | {"call": names[number - 1], "of": len(names)}
        wrong += bool(told["problems"])
        slowest = max(slowest, told["seconds"])
        say(told)
        if not told["problems"]:
            shutil.rmtree(place.folder)
    say({"what": what, "points": len(points), "of": len(names), "failed": wrong, "slowest": slowest})
    return 1 if wrong else 0


if __name__ == "__main__":
    arguments = [*sys.argv[1:], "0", "1"][:4] if len(sys.argv) < 5 else sys.argv[1:5]
    sys.exit(main(Path(arguments[0]), arguments[1], int(arguments[2]), int(arguments[3])))
