"""A plugin of pytest: a failing test prints what the servers that it started wrote to their logs."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

NAMES = ("stderr.log", "agls.log")  # standard error of a `support.wire.Wire`, and the log in a state folder
LAST = 8_000  # characters of one log


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the logs to the report of a failure."""
    report = yield
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if report.failed and isinstance(folder, Path):
        report.sections.extend(logs_in(folder))
    return report


def logs_in(folder: Path) -> Iterator[tuple[str, str]]:
    """Return the title and the end of each log below the folder that is not empty."""
    for path in sorted(path for name in NAMES for path in folder.rglob(name) if path.is_file()):
        if text := path.read_text(errors="replace")[-LAST:]:
            yield f"log of the server: {path.relative_to(folder)}", text
