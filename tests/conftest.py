"""Flags of the test run, and whose processes count for the coverage."""

import gc
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from hypothesis import HealthCheck, settings

import agls
from support.journal_rules import check_journals
from support.machine import NO_LOCAL_SERVERS
from support.processes import end_loaded

settings.register_profile(
    "the same each time", derandomize=True, deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)  # fmt: skip
settings.load_profile("the same each time")
HERE = Path(__file__).parent
BEGUN = time.monotonic()
# What is measured for the coverage takes twice the time and more, unless it is forked (docs/decisions/990).
# In the folders that start most processes
# only those of some files are measured: what the others reach, these reach too, but for a line in a hundred.
# The tests' own process is measured for the first cases of each test, for properties only in the engine, and
# not at all in folders whose tests drive the whole program and in files that repeat what others do.
UNMEASURED = (
    "benchmarks/",
    "doors/",
    "editors/",
    "faults/",
    "language_servers/",
    "mcp_servers/",
    "repo/",
    "security/",
    "workspace/",
)
MEASURED = (
    "doors/headless/test_code_intelligence.py",
    "doors/headless/test_code_outlines.py",
    "doors/headless/test_completion.py",
    "doors/headless/test_config_page.py",
    "doors/headless/test_demo.py",
    "doors/headless/test_hooks.py",
    "doors/headless/test_instructions.py",
    "doors/headless/test_large_files.py",
    "doors/headless/test_mcp.py",
    "doors/headless/test_mcp_add.py",
    "doors/headless/test_mcp_inputs.py",
    "doors/headless/test_memory.py",
    "doors/headless/test_piped.py",
    "doors/headless/test_policy.py",
    "doors/headless/test_python_plugins.py",
    "doors/headless/test_rewinds.py",
    "doors/headless/test_run.py",
    "doors/headless/test_running_text.py",
    "doors/headless/test_skill_conduct.py",
    "doors/headless/test_skill_folders.py",
    "doors/headless/test_trusting.py",
    "doors/headless/test_try_hooks.py",
    "doors/lsp/test_code_queries.py",
    "doors/lsp/test_editor_models.py",
    "doors/lsp/test_mcp.py",
    "doors/lsp/test_mcp_inputs.py",
    "doors/headless/test_agent_files.py",
    "doors/headless/test_children.py",
    "doors/headless/test_control.py",
    "doors/headless/test_dialects.py",
    "doors/headless/test_doctor.py",
    "doors/headless/test_explain.py",
    "doors/headless/test_import_product.py",
    "doors/headless/test_imports.py",
    "doors/headless/test_keys.py",
    "doors/headless/test_mcp_serve.py",
    "doors/headless/test_models.py",
    "doors/headless/test_plugins.py",
    "doors/headless/test_schema.py",
    "doors/headless/test_session_trace.py",
    "doors/headless/test_sessions.py",
    "doors/headless/test_terminal.py",
    "doors/headless/test_usage.py",
    "doors/lsp/test_attaching.py",
    "doors/lsp/test_bad_requests.py",
    "doors/lsp/test_children.py",
    "doors/lsp/test_confirmed_edits.py",
    "doors/lsp/test_diagnosis.py",
    "doors/lsp/test_editor_truth.py",
    "doors/lsp/test_file_edits.py",
    "doors/lsp/test_following_along.py",
    "doors/lsp/test_history.py",
    "doors/lsp/test_plain.py",
    "doors/lsp/test_plain_clients.py",
    "doors/lsp/test_recovery.py",
    "doors/lsp/test_client_capabilities.py",
    "doors/lsp/test_transcript.py",
    "doors/lsp/test_virtual_transcript.py",
    "doors/lsp/test_whole_items.py",
)
# These do many times what others do once: long sessions, keystrokes, tables of inputs.
REPEATING = (
    "doors/lsp/test_edits_beside_typing.py",
    "doors/lsp/test_probes.py",
    "doors/lsp/test_reduced_clients.py",
    "doors/lsp/test_result_pages.py",
    "doors/lsp/test_typing.py",
    "doors/test_stalls.py",
    "doors/test_typed_inputs.py",
)
DRIVING = ("benchmarks/", "editors/", "faults/", "protocol/", "repo/", "security/")
CASES = 2

# `--fast`: of the engine, the rooms and the views the files that start no server; of the others those that
# start no program at all.
FAST = ("engine/", "features/", "views/")
FAST_IN_MEMORY = ("test_", "checkup/", "config/", "doors/", "protocol/", "repo/", "stores/")
STARTS_SERVERS = re.compile(
    r"^from (?:support\.wire|doors\.\w+\.conftest) import .*\b(?:Wire|Serve|Agls)\b", re.M
)
STARTS_PROGRAMS = re.compile(r"\b(subprocess|Wire|Serve|Agls|TypeScript|served|pytest_lsp)\b")

pytest_plugins = ["support.promise_table", "support.sandboxes", "support.server_logs"]
RECORDED = (
    "library/",
    "faults/",
)  # what these leave is read; elsewhere what was said is checked as it is said


def pytest_configure() -> None:
    """Hide the model servers of this machine, and give every process of a test the signals of a terminal.

    The signals also under nohup: what is ignored here would be ignored there, too, and a test that sends it
    would wait for nothing.
    """
    os.environ.update(NO_LOCAL_SERVERS)
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--probes", action="store_true", help="print the table of probes")
    parser.addoption("--fuzz", type=float, metavar="SECONDS", help="fuzz for so long, with a new seed")
    parser.addoption(
        "--editors", action="store_true", help="also run what needs a real editor (tests/editors)"
    )
    parser.addoption("--fast", action="store_true", help="only what needs no program but Python, in a minute")
    parser.addoption("--slow", action="store_true", help="also run the long tests (fuzz, soak, crash points)")
    parser.addoption(
        "--minutes",
        type=float,
        metavar="M",
        help="begin no long test, and none in an editor, later than this",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `--fast`, collect only what is quick."""
    if not config.getoption("--fast") or collection_path.is_dir():
        return None
    where = str(collection_path.relative_to(HERE))
    text = collection_path.read_text()
    if where.startswith(FAST):
        return bool(STARTS_SERVERS.search(text)) or None
    return not where.startswith(FAST_IN_MEMORY) or bool(STARTS_PROGRAMS.search(text)) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    flags = {"slow": "a long run: add --slow", "editors": "needs a real editor: scripts/test --editors"}
    for name, reason in flags.items():
        if config.getoption(f"--{name}"):
            continue
        for item in items:
            if item.get_closest_marker(name):  # not a keyword: the folder of the checkout is one, too
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a long test, or one in an editor, for which no time is left."""
    minutes = item.config.getoption("--minutes")
    takes_long = item.get_closest_marker("slow") or item.get_closest_marker("editors")
    if minutes is not None and takes_long and time.monotonic() > BEGUN + minutes * 60:
        pytest.skip(f"the {minutes:g} minutes for it are over")


def pytest_collection_finish() -> None:
    """What was collected stays: looking for garbage in it again and again is a sixth of a short test."""
    gc.collect()
    gc.freeze()


def is_measured(item: pytest.Item) -> bool:
    """Whether the coverage of the tests' own process is measured for this test."""
    where = str(item.path.relative_to(HERE))
    if where.startswith((*DRIVING, *REPEATING)):
        return False
    if where.startswith("engine/"):
        return True
    if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        return False  # hundreds of examples, whose ways through the code the other tests take as well
    return not is_later_case(item)


def is_later_case(item: pytest.Item) -> bool:
    """Whether this is none of the first cases of its test."""
    cases = getattr(item, "callspec", None)
    return cases is not None and max(cases.indices.values(), default=0) >= CASES


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Measure once what modules do when they are imported: the forks of the program have that behind them."""
    if is_first(session.config) and is_covered():
        for module in walk_packages(agls.__path__, "agls."):
            if not module.name.endswith("__main__"):
                import_module(module.name)


def is_first(config: pytest.Config) -> bool:
    """Whether this process runs the tests alone, or is the first of those that do."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    return worker == "gw0" if worker else not config.getoption("numprocesses", None)


def is_covered() -> bool:
    """Whether the coverage of this process is measured."""
    return type(sys.gettrace()).__module__.startswith("coverage")


@contextmanager
def unmeasured() -> Generator[None]:
    """Measure no coverage of this process in the block."""
    if not is_covered():
        yield
        return
    tracer, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        threading.settrace(of_threads)
        sys.settrace(tracer)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Measure the coverage of what a file of tests imports, once, and not of finding its tests."""
    if isinstance(collector, pytest.Module) and is_first(collector.config):
        with suppress(Exception, pytest.skip.Exception):  # it fails once more where that is reported
            _ = collector.obj
    with unmeasured():
        return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop() -> Generator[None, object, object]:
    """Have the coverage of the forks written before it is put together."""
    try:
        return (yield)
    finally:
        end_loaded()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Measure the coverage only where it says something new."""
    with nullcontext() if is_measured(item) else unmeasured():
        return (yield)


@pytest.fixture(scope="module", autouse=True)
def processes_measured(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whether the coverage of the processes that the tests of this file start is measured."""
    with pytest.MonkeyPatch.context() as patch:
        where = str(request.path.relative_to(HERE))
        if where.startswith(UNMEASURED) and where not in MEASURED:
            patch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
        yield


@pytest.fixture(autouse=True)
def later_cases_unmeasured(request: pytest.FixtureRequest, processes_measured: None) -> Iterator[None]:
    """Whether that of a later case of a test is measured: the first ones go the same ways."""
    if not is_later_case(request.node):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
        yield


@pytest.fixture(autouse=True)
def journals_keep_the_rules(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test recorded, through whatever door, says on the wire what the protocol allows."""
    where = str(request.path.relative_to(HERE))
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    yield
    if folder and where.startswith(RECORDED):
        check_journals(folder)


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
