"""A process that is forked from the loaded program is like one that loads it itself."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage

from support.patience import PATIENCE
from support.processes import PROGRAM, SEEN, LoadedProcess, often, run, start_with, without_env

PIPE = subprocess.PIPE


@pytest.fixture(params=["forked", "cold"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """How to start it, with a home of its own; it was started often enough to be forked."""
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    own = {name: value for name, value in os.environ.items() if name == "PATH" or name.startswith(SEEN)}
    options: dict[str, Any] = {"env": {"HOME": str(home), **own}, "cwd": work}
    for _ in range(often(start_with(own))):
        run([*PROGRAM, "--version"], timeout=PATIENCE, **options)
    return {**options, "cold": request.param == "cold"}


def started(*arguments: str, **way: Any) -> LoadedProcess:
    process = LoadedProcess([*PROGRAM, *arguments], text=True, stdin=PIPE, stdout=PIPE, stderr=PIPE, **way)
    assert process.forked != way["cold"]
    if process.forked:
        command = Path(f"/proc/{process.pid}/cmdline").read_text().rstrip("\0").split("\0")
        assert command == [*PROGRAM, *arguments]
    return process


def test_exit_code_and_output_are_those_of_the_program(way: dict[str, Any]) -> None:
    wrong = run([*PROGRAM, "no-such-command"], timeout=PATIENCE, **way)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no-such-command" in wrong.stderr
    right = run([*PROGRAM, "--version"], timeout=PATIENCE, **way)
    assert right.returncode == 0
    assert right.stdout.startswith("agls ")


def test_signal_ends_it_and_is_its_return_code(way: dict[str, Any]) -> None:
    with started("serve", "--stdio", **way) as process:
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.1)
        process.kill()
        assert process.wait(PATIENCE) == -signal.SIGKILL
        assert process.poll() == -signal.SIGKILL
    assert not Path(f"/proc/{process.pid}").exists()


def test_environment_folder_and_input_are_those_that_were_given(way: dict[str, Any]) -> None:
    config = way["cwd"].parent / "given.toml"
    config.touch()
    way["env"] |= {"AGLS_CONFIG": str(config)}
    run([*PROGRAM, "config", "set", "budget.max_turns", "40"], timeout=PATIENCE, **way)
    assert "max_turns = 40" in config.read_text()
    asked = run([*PROGRAM, "run", "-"], timeout=PATIENCE, input="", **way)
    assert asked.returncode == 2, "an empty prompt was read"
    with started("serve", "--stdio", **way) as process:
        assert Path(f"/proc/{process.pid}/cwd").readlink() == way["cwd"]
        process.kill()


@pytest.mark.parametrize("way", ["forked"], indirect=True)
def test_program_behind_env_is_forked_with_the_variables_that_it_sets(way: dict[str, Any]) -> None:
    config = way["cwd"].parent / "a=b.toml"
    config.touch()
    line = ["env", "-u", "ABSENT", f"AGLS_CONFIG={config}", *PROGRAM]
    assert run([*line, "config", "set", "budget.max_turns", "40"], timeout=PATIENCE, **way).returncode == 0
    assert "max_turns = 40" in config.read_text()
    serve = [*line, "serve", "--stdio"]
    with LoadedProcess(serve, stdin=PIPE, stdout=PIPE, **way) as process:
        assert process.forked
        assert Path(f"/proc/{process.pid}/cmdline").read_text().split("\0")[:3] == PROGRAM
        process.kill()
    assert without_env(["env", "-u", "A", "B=2", "C=a=b", "x"], {"A": "1", "B": "1"}) == (
        ["x"],
        {"B": "2", "C": "a=b"},
    )


def test_session_is_its_own_when_that_is_asked_for(way: dict[str, Any]) -> None:
    with started("serve", "--stdio", start_new_session=True, **way) as process:
        assert os.getsid(process.pid) == process.pid
        process.kill()


def test_usual_locale_is_what_python_takes_where_none_is_set() -> None:
    look = "import locale, sys; print(locale.setlocale(locale.LC_CTYPE), sys.getfilesystemencoding())"
    none = {"PATH": os.environ["PATH"]}
    usual = {**none, "LANG": "C.UTF-8"}
    shown = {run([sys.executable, "-c", look], timeout=PATIENCE, env=each).stdout for each in (none, usual)}
    assert len(shown) == 1, shown
    assert start_with(none) == start_with(usual) != start_with({**usual, "LANG": "C"})


def test_other_programs_are_started_in_the_usual_way() -> None:
    done = run([sys.executable, "-c", "print('other')"], timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (0, "other\n")


FORKS = """
import os, sys
from support.loaded_agls import Measuring

forks, data, config = sys.argv[1:]
measuring = Measuring(config, forks)
if not os.fork():
    sys.exit()
os.wait()
print(os.listdir(data))
measuring.write()
"""


def test_fork_that_is_not_measured_leaves_nothing_for_the_coverage(tmp_path: Path) -> None:
    """A database for each would take longer to write, and to put together, than many a command line."""
    forks, data = tmp_path / "forks", tmp_path / "data"
    forks.mkdir()
    data.mkdir()
    measured = Coverage(data_file=str(data / "coverage"), data_suffix=True).config.serialize()
    done = subprocess.run(
        [sys.executable, "-P", "-c", FORKS, forks, data, measured],
        env={"PYTHONPATH": str(Path(__file__).parents[1])},
        stdout=PIPE,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
    assert len(list(data.iterdir())) == 1, "what was measured is written"
