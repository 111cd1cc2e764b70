"""`agls config explain`, and the log."""

import logging
from pathlib import Path

import pytest

from agls.doors.logs import LARGEST, begin_log
from doors.headless.conftest import SCRIPTED, Agls

pytestmark = pytest.mark.promise("P10")


def test_every_setting_is_shown_with_its_source(agls: Agls) -> None:
    agls.configure(f"{SCRIPTED}[budget]\nmax_turns = 9\n")
    agls.environment["AGLS_MODEL"] = "other"
    rows = {line.split()[0]: line for line in agls.run("config", "explain").out.splitlines() if line}
    assert rows["model"].split()[1:] == ['"other"', "environment,", "AGLS_MODEL"]
    assert f"user file, {agls.config_file}:6" in rows["budget.max_turns"]
    assert rows["permissions.mode"].split() == ["permissions.mode", '"ask"']


def test_config_explain_as_json_has_key_value_and_source(agls: Agls) -> None:
    rows = {row["key"]: row for row in agls.run("config", "explain", "--json").whole}
    assert rows["model"]["value"] == "scripted"
    assert rows["model"]["source"] == "user file"
    assert rows["permissions.mode"] == {
        "key": "permissions.mode",
        "value": "ask",
        "source": "default",
        "where": "default",
    }


def test_the_model_of_a_run_is_named(agls: Agls) -> None:
    agls.script({"text": "Done."})
    assert agls.run("config", "explain").out.endswith("\nA run here asks the model scripted (scripted).\n")
    agls.configure('model = "m"\n[models.m]\ncontext_window = 5\n')
    last = agls.run("config", "explain").out.splitlines()[-1]
    assert (
        last
        == f"A run here cannot begin: {agls.config_file}:2: models.m: base_url is missing; write where it is"
    )


def test_one_long_value_does_not_push_all_the_others(agls: Agls) -> None:
    rules = ", ".join(f'"shell(make {name})"' for name in ("one", "two", "three", "four", "five"))
    agls.configure(f"{SCRIPTED}[permissions]\nallow = [{rules}]\n")
    rows = agls.run("config", "explain").out.splitlines()
    assert len(rows[0]) < 100 < max(map(len, rows))


def test_a_project_file_is_shown_only_as_if_it_were_trusted(agls: Agls) -> None:
    (agls.workspace / ".agls").mkdir()
    (agls.workspace / ".agls/config.toml").write_text('model = "evil"\n[budget]\nmax_turns = 2\n')
    assert "project file" not in agls.run("config", "explain").out
    trusting = agls.run("config", "explain", "--trust")
    assert "project file" in trusting.out
    assert "model was ignored" in trusting.err


# --- the log -------------------------------------------------------------------------------------


@pytest.fixture
def kept_logging():
    """Whatever the test does to the root logger is undone."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


def test_the_log_is_private_and_holds_no_secret(tmp_path: Path, kept_logging: None) -> None:
    begin_log(tmp_path / "state", lambda: ["canary", "canary-long", "abc", ""])
    try:
        raise ValueError("canary-long abc")
    except ValueError:
        logging.getLogger("agls").exception("failed with %s", "canary")
    file = tmp_path / "state/agls.log"
    text = file.read_text()
    assert "failed with [secret]" in text
    assert "ValueError: [secret] abc" in text
    assert "canary" not in text
    assert file.stat().st_mode & 0o077 == 0


def test_a_log_that_grew_large_begins_anew(tmp_path: Path, kept_logging: None) -> None:
    (tmp_path / "agls.log").write_bytes(b"x" * (LARGEST + 1))
    begin_log(tmp_path, list[str])
    assert (tmp_path / "agls.log").stat().st_size == 0
    assert (tmp_path / "agls.log.1").stat().st_size == LARGEST + 1


def test_unwritable_log_stops_nothing(tmp_path: Path, kept_logging: None) -> None:
    (tmp_path / "state").write_text("")
    begin_log(tmp_path / "state", list[str])
    logging.getLogger("agls").error("nobody reads this")


def test_a_crash_of_a_tool_is_in_the_log_and_not_on_the_screen(agls: Agls) -> None:
    agls.script({"text": "x"})
    (agls.home / "script.json").write_text('{"prompts": [{"turns": [{"error": {"kind": "auth"}}]}]}')
    done = agls.run("run", "go")
    assert done.code == 1
    assert "Traceback" not in done.err
    assert (agls.state / "agls.log").exists()
