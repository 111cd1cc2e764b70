"""Flags of the test run."""

import pytest


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
