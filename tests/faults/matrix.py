"""Kill before every call, let every call fail, or set the clock back there: one line of JSON for each point.

    python tests/faults/matrix.py FOLDER kill|power|ENOSPC|EIO|EDQUOT|clock|all [--points N] [--layer strace]

Everything is loaded once; each telling is a fork of this process, so that a point costs little.
"""

import argparse
import json
import random
import shutil
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from faults import layers, story  # noqa: E402 - found by the path above
from faults.layers import FAULTS, LAYERS, Layer, Point  # noqa: E402 - the same

AT_MOST = 4  # starts until the story must have come to its end


def at_point(layer: Layer, place: story.Place, point: Point, what: str) -> dict[str, Any]:
    """The story with one fault, then without any, until it is told; and what is wrong then."""
    first, hit = layer.tell(place, point, what)
    began, starts, code = time.monotonic(), 0, 1
    while code and starts < AT_MOST:
        starts += 1
        code = layers.ended(layers.fork(lambda: story.tell(place), layers.errors(place)))
    found = list(story.problems(place)) if code == 0 else ["not resumable: " + complaints(place)]
    seconds = round(time.monotonic() - began, 3)
    told = {"first": first, "hit": hit, "starts": starts, "problems": found, "seconds": seconds}
    return point._asdict() | told


def complaints(place: story.Place) -> str:
    """The end of what the tellings complained about."""
    return layers.errors(place).read_text()[-2000:] if layers.errors(place).exists() else ""


def say(line: dict[str, Any]) -> None:
    """One line of JSON, at once."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def found(layer: Layer, folder: Path, what: str) -> list[Point]:
    """Where the story can be disturbed so; it is told once, and nothing may be wrong with it."""
    place = story.Place(folder)
    place.make()
    points = [point for point in layer.points(place) if layers.can_fail(point, what)]
    assert list(story.problems(place)) == [], list(story.problems(place))
    return points


def sampled(points: list[Point], options: argparse.Namespace) -> list[Point]:
    """All points, or as many as are wanted."""
    if not 0 < options.points < len(points):
        return points
    return sorted(random.Random(options.seed).sample(points, options.points))


def of_one_kind(folder: Path, what: str, options: argparse.Namespace) -> bool:
    """The story with this fault at each point; whether nothing was wrong."""
    layer = LAYERS[options.layer]()
    everywhere = found(layer, folder / "whole", what)
    points, wrong, missed, slowest = sampled(everywhere, options), 0, 0, 0.0
    for at, point in enumerate(points):
        place = story.Place(folder / str(at))
        place.make()
        told = at_point(layer, place, point, what)
        wrong += bool(told["problems"])
        missed += not told["hit"]
        slowest = max(slowest, told["seconds"])
        say(told)
        if not told["problems"]:
            shutil.rmtree(place.folder)
    summary = {"points": len(points), "of": len(everywhere), "missed": missed, "failed": wrong}
    say({"layer": options.layer, "what": what, **summary, "slowest": slowest})
    return not wrong


def main(options: argparse.Namespace) -> int:
    """The faults that were asked for; gives the exit code."""
    if options.layer == "strace" and (why := layers.untraceable()):
        sys.stderr.write(f"{why}: the calls are only disturbed from inside the process\n")
        return 0
    faults = FAULTS[options.layer] if options.what == "all" else [options.what]
    sound = [of_one_kind(options.folder / what, what, options) for what in faults]
    return 0 if all(sound) else 1


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("what", choices=(*FAULTS["inside"], "all"))
    parser.add_argument("--points", type=int, default=0, help="how many, 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layer", choices=LAYERS, default="inside")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main(arguments()))
