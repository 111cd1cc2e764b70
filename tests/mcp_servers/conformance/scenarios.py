"""The scenarios of the conformance tests of MCP, and how each ended: see `scripts/mcp-conformance`.

They run two at a time: all at once, as the package does it, a small machine is too slow for their limits.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

REVISIONS = ("2025-11-25", "2026-07-28")
DRIVER = Path(__file__).with_name("driver.py")
PACKAGE = "node_modules/@modelcontextprotocol/conformance"
LIMIT = "60000"  # milliseconds
AT_ONCE = 2
# Scenarios that are known not to pass, with the reason. Others must pass, and these must not.
KNOWN: dict[tuple[str, str], str] = {}


class Scenario(NamedTuple):
    """A scenario at the revision of the protocol that it is run at."""

    revision: str
    name: str


class Ended(NamedTuple):
    """How a scenario ended, and what was said meanwhile."""

    passed: bool
    said: str


def required(package: Path, revision: str) -> Iterator[Scenario]:
    """Yield the scenarios that a client needs for a revision, as the package lists them."""
    of_client = False
    for line in (package / "requirements" / f"{revision}.yaml").read_text("utf-8").splitlines():
        if line and not line.startswith((" ", "#")):
            of_client = line == "client:"
        elif of_client and line.startswith("  - "):
            yield Scenario(revision, line.removeprefix("  - ").strip())


def run(node: str, package: Path, scenario: Scenario) -> Ended:
    """Run one. **Returns** how it ended."""
    with TemporaryDirectory() as folder:
        argv = [node, str(package / "dist/index.js"), "client", "--scenario", scenario.name, "--verbose"]
        argv += ["--spec-version", scenario.revision, "--timeout", LIMIT, "--output-dir", folder]
        argv += ["--command", f"{sys.executable} {DRIVER}"]
        done = subprocess.run(argv, cwd=folder, env=os.environ, capture_output=True, text=True, check=False)
    return Ended(done.returncode == 0, done.stdout + done.stderr)


def main(node: str, place: str, wanted: Sequence[str]) -> int:
    """Run them all, or those that are named. **Returns** the exit code."""
    package = Path(place) / PACKAGE
    found = [one for revision in REVISIONS for one in required(package, revision)]
    chosen = [one for one in found if not wanted or one.name in wanted]
    with ThreadPoolExecutor(AT_ONCE) as workers:
        ended = dict(zip(chosen, workers.map(partial(run, node, package), chosen), strict=True))
    surprises = [one for one in chosen if ended[one].passed is (one in KNOWN)]
    for one in chosen:
        word = "passed" if ended[one].passed else "FAILED"
        why = f"  known: {KNOWN[one]}" if one in KNOWN else ""
        sys.stdout.write(f"{one.revision}  {one.name:<45} {word}{why}\n")
    for one in surprises:
        sys.stdout.write(f"\n== {one.revision} {one.name}\n{ended[one].said[-4_000:]}\n")
    passed = sum(each.passed for each in ended.values())
    sys.stdout.write(f"\n{passed} of {len(chosen)} scenarios passed.\n")
    return 1 if surprises or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
