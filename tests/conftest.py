"""Flags of the test run, and whose processes count for the coverage."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "the same each time", derandomize=True, deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)  # fmt: skip
settings.load_profile("the same each time")
HERE = Path(__file__).parent
# To measure a server nearly doubles what it costs to start one, and these start enough of them.
MEASURED = {
    "test_demo.py",
    "doors/headless/test_control.py",
    "doors/headless/test_explain.py",
    "doors/headless/test_resume.py",
    "doors/headless/test_run.py",
    "doors/headless/test_terminal.py",
    "doors/lsp/test_bad_requests.py",
    "doors/lsp/test_cancelling.py",
    "doors/lsp/test_editing.py",
    "doors/lsp/test_history.py",
    "doors/lsp/test_lifecycle.py",
    "doors/lsp/test_options_and_actions.py",
    "doors/lsp/test_plain.py",
    "doors/lsp/test_plain_clients.py",
    "doors/lsp/test_questions.py",
    "doors/lsp/test_runs.py",
    "doors/lsp/test_sessions.py",
    "doors/lsp/test_transcript.py",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--probes", action="store_true", help="print the table of probes")
    parser.addoption("--fuzz", type=float, metavar="SECONDS", help="fuzz for so long, with a new seed")
    parser.addoption(
        "--editors", action="store_true", help="also run what needs a real editor (tests/editors)"
    )
    parser.addoption("--slow", action="store_true", help="also run the long tests (fuzz, soak, crash points)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    flags = {"slow": "a long run: add --slow", "editors": "needs a real editor: scripts/test --editors"}
    for name, reason in flags.items():
        if config.getoption(f"--{name}"):
            continue
        for item in items:
            if name in item.keywords:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="module", autouse=True)
def processes_measured(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whether the coverage of the processes that the tests of this file start is measured."""
    with pytest.MonkeyPatch.context() as patch:
        if str(request.path.relative_to(HERE)) not in MEASURED:
            patch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--probes"):
        return
    kinds = ("passed", "failed", "error", "skipped")
    told = {kind: terminalreporter.getreports(kind) for kind in kinds}
    rows = {report.nodeid: (kind, report) for kind in kinds for report in told[kind]}
    terminalreporter.section("probes")
    for number, (kind, report) in enumerate(rows.values(), 1):
        name = report.nodeid.partition("[")[2].removesuffix("]")
        terminalreporter.line(
            f"{number:3}  {'pass' if kind == 'passed' else 'FAIL'}  {report.duration:6.2f} s  {name}"
        )
    failed = sum(kind != "passed" for kind, _ in rows.values())
    terminalreporter.line(f"{len(rows)} probes, {failed} failures")
