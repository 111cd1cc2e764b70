"""Settings are read and changed by name, in each layer, and a run honours them."""

import json
import stat
import tomllib
from pathlib import Path

import pytest

from doors.headless.conftest import SCRIPTED, Agls

pytestmark = [pytest.mark.row(67), pytest.mark.timeout(300)]
COMMENTED = f"# mine\n{SCRIPTED}\n[budget] # what a run may spend\nmax_turns = 9 # enough\n"


@pytest.fixture
def agls(tmp_path: Path) -> Agls:
    made = Agls(tmp_path)
    made.configure(COMMENTED)
    return made


def test_config_set_keeps_comments_and_order_and_the_file_is_private(agls: Agls) -> None:
    assert agls.run("config", "set", "budget.max_turns", "1").code == 0
    assert agls.run("config", "set", "permissions.deny", '["shell(rm *)"]').code == 0
    text = agls.config_file.read_text()
    assert text.startswith(COMMENTED.replace("= 9 #", "= 1 #"))
    assert text.endswith('[permissions]\ndeny = ["shell(rm *)"]\n')
    assert stat.S_IMODE(agls.config_file.stat().st_mode) == 0o600
    got = agls.run("config", "get", "budget.max_turns")
    assert (got.out, got.err) == ("1\n", f"user file, {agls.config_file}:8\n")
    where = f"user file, {agls.config_file}:8"
    row = {
        "key": "budget.max_turns",
        "value": 1,
        "source": "user file",
        "where": where,
    }
    assert row in agls.run("config", "list", "--json").whole
    assert agls.run("config", "unset", "budget.max_turns").code == 0
    assert agls.run("config", "get", "budget.max_turns", "--json").whole[0]["source"] == "default"


def test_settings_that_were_set_are_honoured_by_the_next_run(agls: Agls) -> None:
    """The model, the permissions and a budget."""
    call = {"name": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}}
    agls.script({"text": "Writing.", "calls": [call]}, {"text": "Done."})
    set_to_none = agls.run("config", "set", "model", "gone")
    assert (set_to_none.code, "There is no model called 'gone'" in set_to_none.err) == (0, True)
    tier = agls.run("run", "/config set tiers.strong gone")
    assert (tier.code, "no model called 'gone'. Known names: " in tier.out) == (0, True), tier.out
    assert agls.run("config", "unset", "tiers.strong").code == 0
    assert agls.run("run", "go").code == 2
    set_to_one = agls.run("config", "set", "model", "scripted")
    assert (set_to_one.code, "There is no model" in set_to_one.err) == (0, False)
    assert agls.run("run", "go").code != 2
    assert not (agls.workspace / "new.txt").exists()
    assert agls.run("config", "set", "permissions.mode", "acceptEdits").code == 0
    agls.run("trust")
    assert agls.run("run", "go").code == 0
    assert (agls.workspace / "new.txt").exists()
    assert agls.run("config", "set", "budget.max_turns", "1").code == 0
    assert agls.run("run", "--output", "json", "go").whole["stopReason"] == "maxTurns"


def test_setting_and_value_may_be_one_word(agls: Agls) -> None:
    assert agls.run("config", "set", "budget.max_turns=7").code == 0
    assert agls.run("config", "get", "budget.max_turns").out == "7\n"
    without = agls.run("config", "set", "budget.max_turns")
    assert (without.code, "agls config set budget.max_turns VALUE" in without.err) == (2, True)


@pytest.mark.parametrize("name", ["gpt-4.1", "qwen2.5-coder:7b", "mine"])
def test_name_of_a_model_with_dots_needs_no_quotation_marks(agls: Agls, name: str) -> None:
    for key, value in (("base_url", "http://127.0.0.1:9/v1"), ("context_window", "9000")):
        assert agls.run("config", "set", f"models.{name}.{key}", value).code == 0
    assert agls.run("config", "set", f'models."{name}".extra_body.top_k', "4").code == 0
    assert agls.run("config", "get", f"models.{name}.context_window").out == "9000\n"
    assert agls.run("config", "get", f"models.{name}.extra_body").out in {'{"top_k": 4}\n', "4\n"}
    held = tomllib.loads(agls.config_file.read_text())["models"]
    assert held[name] == {
        "base_url": "http://127.0.0.1:9/v1",
        "context_window": 9000,
        "extra_body": {"top_k": 4},
    }
    assert agls.run("config", "unset", f"models.{name}.context_window").code == 0
    assert "context_window" not in tomllib.loads(agls.config_file.read_text())["models"][name]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("set", "budget.max_turn", "3"), "unknown key; did you mean 'max_turns'?"),
        (("set", "budget.max_turns", "many"), "this must be a whole number"),
        (("set", "permissions.mode", "all"), "there is no mode 'all'"),
        (("set", "models.scripted.api_key", "abc"), "Keep it: agls key set HOST"),
        (("set", "model.name", "x"), "it cannot be written below something that is no table"),
        (("set", "not a name", "3"), "this is not the name of a setting"),
        (("unset", "budget.max_cost"), "budget.max_cost is not set in"),
        (("get", "budget.max_turn"), "there is no such setting; did you mean 'budget.max_turns'?"),
        (("set", "--project", "budget.max_turns", "3"), "is not trusted, so its settings are not read"),
    ],
)
def test_wrong_setting_is_refused_and_the_file_stays(agls: Agls, words: tuple[str, ...], told: str) -> None:
    done = agls.run("config", *words)
    assert done.code != 0
    assert told in done.err
    assert agls.config_file.read_text() == COMMENTED


def test_project_layer_can_only_be_made_stricter(agls: Agls) -> None:
    assert agls.run("trust").code == 0
    for key, value in (("permissions.mode", "allowAll"), ("model", "other"), ("budget.max_turns", "99")):
        refused = agls.run("config", "set", "--project", key, value)
        assert refused.code != 0
        assert "a project file may only make things stricter" in refused.err
    file = agls.workspace / ".agls" / "config.toml"
    assert not file.exists()
    assert agls.run("config", "set", "--project", "budget.max_turns", "3").code == 0
    assert file.read_text() == "[budget]\nmax_turns = 3\n"
    got = agls.run("config", "get", "budget.max_turns")
    assert (got.out, got.err) == ("3\n", f"project file, {file}:2\n")
    weaker = agls.run("config", "set", "budget.max_turns", "8")
    assert "budget.max_turns was written, but project file overrides it" in weaker.err


def test_config_command_works_as_an_action_and_leaves_what_only_a_person_sets(agls: Agls) -> None:
    assert "| `budget.max_turns` | `9` | user file" in agls.run("run", "/config get budget.max_turns").out
    assert "budget.max_turns is 4." in agls.run("run", "/settings set budget.max_turns 4").out
    assert "max_turns = 4 # enough" in agls.config_file.read_text()
    for words in (
        "permissions.mode allowAll",
        "base_url https://other.example",
        'permissions.allow ["shell"]',
    ):
        refused = agls.run("run", f"/config set {words}")
        assert refused.code == 1
        assert "it is set at a terminal" in refused.err
    assert "`model`" in agls.run("run", "/config").out
    assert "budget.max_turns is 3." in agls.run("run", "/config set budget.max_turns=3").out
    assert agls.run("run", "/config set").err == "agls: Write what to set: /config set budget.max_turns\n"


def test_each_layer_is_stronger_than_the_one_below_and_honoured(agls: Agls) -> None:
    """User, project, environment and arguments: the model, the permissions and a budget of the same run."""
    write = {"name": "write_file", "arguments": {"path": "kept.txt", "content": "x\n"}}
    agls.script(
        {"text": "Writing.", "calls": [write]}, {"text": "Again.", "calls": [write]}, {"text": "Done."}
    )
    assert agls.run("config", "set", "permissions.mode", "acceptEdits").code == 0
    assert agls.run("trust").code == 0
    assert agls.run("config", "set", "--project", "budget.max_turns", "2").code == 0
    assert agls.run("config", "set", "--project", "permissions.deny", '["edit(kept.txt)"]').code == 0
    agls.environment["AGLS_MODEL"] = "gone"
    assert agls.run("run", "go").code == 2, "the environment is stronger than the user's file"
    view = {row["key"]: row for row in json.loads(agls.run("config", "explain", "--json").out)}
    assert (view["model"]["value"], view["budget.max_turns"]["value"]) == ("gone", 2)
    assert view["permissions.deny"]["value"] == ["edit(kept.txt)"]
    done = agls.run("run", "--output", "json", "--model", "scripted", "go").whole
    assert (done["model"], done["stopReason"]) == ("scripted", "maxTurns"), (
        "arguments, and the project's limit"
    )
    assert not (agls.workspace / "kept.txt").exists(), "the project forbids what the user allows"
    less = agls.run("run", "--output", "json", "--model", "scripted", "--max-turns", "1", "go").whole
    assert (less["stopReason"], len(less["steps"])) == ("maxTurns", 1)
