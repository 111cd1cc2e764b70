"""Bad input: a clear message that says what to do, the right exit code, never a traceback."""

import socket
import subprocess
from pathlib import Path

import pytest

from doors.headless.conftest import Agls, Done
from support.model_server import Failure, ModelServer
from support.patience import PATIENCE


def fatal(done: Done) -> dict[str, object]:
    """The error of the last line, which must be `fatal` after a `hello`."""
    first, *_, last = done.events
    assert first["type"] == "hello"
    assert last["type"] == "fatal"
    assert "Traceback" not in done.err
    return last["error"]


@pytest.mark.item(41)
@pytest.mark.parametrize(
    "wrong", [["--nonsense"], ["--mode", "auto"], ["--max-turns", "x"]], ids=["option", "mode", "number"]
)
def test_invalid_arguments_are_reported_as_an_event(agls: Agls, wrong: list[str]) -> None:
    done = agls.run("run", "go", *wrong, "--output", "jsonl")
    assert (done.code, fatal(done)["kind"]) == (2, "usage")
    assert str(fatal(done)["message"]) in done.err
    assert agls.run("run", "go", *wrong, "--output=json").whole["error"]["kind"] == "usage"
    plain = agls.run("run", "go", *wrong)
    assert (plain.code, plain.out) == (2, "")


def test_the_first_line_says_which_schema_is_spoken_also_when_no_run_begins(agls: Agls) -> None:
    agls.script({"text": "ok"})
    good, bad = (agls.run("run", "go", *more, "--output", "jsonl").events[0] for more in ([], ["--x"]))
    assert {name: good[name] for name in bad} == bad
    assert len(bad["schema"]["sha256"]) == 64


def test_unknown_model_is_reported_with_the_known_ones(agls: Agls) -> None:
    done = agls.run("run", "go", "--model", "nonsense", "--output", "jsonl")
    error = fatal(done)
    assert (done.code, error["kind"]) == (2, "configInvalid"), "as the editor's door calls it"
    assert "'nonsense'" in str(error["message"])
    assert "scripted" in str(error["message"])


def test_unreachable_endpoint_is_reported(agls: Agls) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        done = agls.run("run", "go", "--base-url", url, "--model", "m")
    assert done.code == 1
    assert f"{url} cannot be reached" in done.err
    assert "Traceback" not in done.err


def test_invalid_address_is_reported_with_the_option_that_has_it(agls: Agls) -> None:
    done = agls.run("run", "go", "--base-url", "localhost:1234", "--model", "m")
    assert done.err.startswith("agls: --base-url: 'localhost:1234' is not an address such as ")
    agls.configure("")
    agls.environment |= {"OPENAI_BASE_URL": "http://me:canary@h/v1", "OPENAI_MODEL": "m"}
    done = agls.run("run", "go")
    assert done.err.startswith("agls: OPENAI_BASE_URL: an address may not contain a password")
    assert "canary" not in done.err


def test_wrong_key_is_reported(agls: Agls) -> None:
    with ModelServer([Failure(401, "bad key")] * 3) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m", "--output", "json")
    assert done.code == 1
    assert done.whole["error"]["kind"] == "auth"


def test_missing_folder_is_reported(agls: Agls) -> None:
    done = agls.run("run", "go", "--cwd", "absent", "--output", "jsonl")
    assert (done.code, fatal(done)["kind"]) == (2, "noFolder")
    done = agls.run("run", "go", "--add-dir", "absent")
    assert (done.code, done.err) == (
        2,
        f"agls: there is no folder {agls.workspace / 'absent'}. Name one to work in.\n",
    )
    assert agls.run("config", "explain", "--cwd", "absent").code == 2
    assert agls.run("sessions", "--cwd", "absent").code == 2


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ('model = "a"\nbase_url = \n', 2, None),
        ('[permissions]\nmdoe = "ask"\n', 2, "permissions.mdoe"),
        ('\n\n[budget]\nmax_turns = "x"\n', 4, "budget.max_turns"),
    ],
)
def test_error_in_the_configuration_names_file_line_and_key(
    agls: Agls, text: str, line: int, key: str | None
) -> None:
    agls.configure(text)
    done = agls.run("run", "go", "--output", "jsonl")
    error = fatal(done)
    assert (done.code, error["kind"]) == (2, "configInvalid")
    assert (error["file"], error["line"], error.get("key")) == (str(agls.config_file), line, key)
    assert agls.run("run", "go").err.startswith(f"agls: {agls.config_file}:{line}: ")
    assert agls.run("config", "explain").code == 2


def test_file_in_the_place_of_a_folder_is_reported(agls: Agls) -> None:
    (agls.workspace / "file").touch()
    done = agls.run("run", "go", "--cwd", "file")
    assert (done.code, done.err) == (
        2,
        f"agls: {agls.workspace / 'file'} is not a folder. Name one to work in.\n",
    )


@pytest.mark.parametrize("arguments", [("run", "go"), ("resume",), ("sessions",), ("config", "explain")])
def test_an_empty_folder_name_is_not_the_current_folder(agls: Agls, arguments: tuple[str, ...]) -> None:
    done = agls.run(*arguments, "--cwd", "")
    assert done.code == 2
    assert "the name of the folder is empty" in done.err


@pytest.mark.parametrize("arguments", [("run", "go"), ("config", "explain"), ("demo", "--dir", "x"), ()])
def test_deleted_current_folder_is_reported(agls: Agls, arguments: tuple[str, ...]) -> None:
    command = f"mkdir gone; cd gone; rmdir ../gone; {' '.join(agls.argv(arguments))}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=agls.workspace, env=agls.variables, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "cannot be" in done.stderr
    assert "Traceback" not in done.stderr


def test_unknown_session_is_reported(agls: Agls) -> None:
    done = agls.run("resume", "ses_0123456789abcdef", "go", "--output", "jsonl")
    assert (done.code, fatal(done)["kind"]) == (2, "sessionNotFound")
    assert str(fatal(done)["message"]).endswith("See: agls sessions")


def test_session_with_a_deleted_folder_is_reported(agls: Agls, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    agls.script({"text": "ok"})
    session_id = agls.run("run", "go", "--cwd", "../gone", "--output", "json").whole["sessionId"]
    (tmp_path / "gone").rmdir()
    done = agls.run("resume", session_id, "go on")
    assert (done.code, done.err) == (
        2,
        f"agls: there is no folder {tmp_path / 'gone'}. Name one to work in.\n",
    )


def test_folder_without_sessions_is_reported(agls: Agls) -> None:
    done = agls.run("resume")
    assert done.code == 2
    assert "There is no session of" in done.err


def test_without_any_model_three_lines_say_what_to_do(agls: Agls) -> None:
    agls.configure("")
    done = agls.run("run", "go", "--output", "jsonl")
    error = fatal(done)
    assert (done.code, error["kind"]) == (2, "configInvalid")
    lines = str(error["message"]).splitlines()
    assert len(lines) == 3
    assert "--base-url" in lines[1]
    assert str(agls.config_file) in lines[2]


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("OPENAI_API_KEY", "OPENAI_API_KEY is set but no model is named"),
        ("OPENAI_BASE_URL", "OPENAI_BASE_URL is set but no model is named"),
        ("OPENAI_MODEL", "there is no address for the model 'set'"),
        ("AGLS_MODEL", "there is no address for the model 'set'"),
        ("AGLS_API_KEY", "no model is configured"),
    ],
)
def test_incomplete_model_settings_are_reported_with_what_is_missing(
    agls: Agls, variable: str, said: str
) -> None:
    agls.configure("")
    agls.environment[variable] = "set"
    done = agls.run("run", "go")
    assert (done.code, done.err.count("\n")) == (2, 3)
    assert done.err.startswith(f"agls: {said}, and ")
    said = said[0].upper() + said[1:]
    assert f"{said}, and none was found on this machine." in agls.run("doctor").out
    assert (
        agls.run("models").err == f"{said}, and no model server answers on this machine. See: agls doctor\n"
    )


def test_alone_it_says_how_to_begin_and_what_is_missing(agls: Agls) -> None:
    assert "model" not in agls.run().err.partition("agls --help")[2]
    agls.configure("")
    done = agls.run()
    assert (done.code, done.out) == (2, "")
    assert "agls demo " in done.err
    assert "\n\nno model is configured, and" in done.err
    agls.configure("modle = 1")
    assert "did you mean 'model'?" in agls.run().err


def test_a_json_object_is_written_even_when_no_run_could_begin(agls: Agls) -> None:
    done = agls.run("run", "go", "--cwd", "absent", "--output", "json")
    assert (done.code, done.whole["stopReason"], done.whole["error"]["kind"]) == (2, "error", "noFolder")


@pytest.mark.parametrize("option", [("--output-format", "json"), ("--output-format=json",)])
def test_output_format_of_other_agents_is_output(agls: Agls, option: tuple[str, ...]) -> None:
    agls.script({"text": "Hello."})
    assert agls.run("-p", "go", *option).whole["result"] == "Hello."
    refused = agls.run("-p", "go", *option, "--nonsense")
    assert (refused.code, refused.whole["error"]["kind"]) == (2, "usage")


def test_a_run_without_a_prompt_is_refused(agls: Agls) -> None:
    done = agls.run("run", stdin=" \n")
    assert (done.code, done.err) == (2, 'agls: There is no prompt. Give one: agls run "…"\n')


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "usage: agls"),
        (["rnu"], "agls: there is no command 'rnu'; did you mean run?\n"),
        (["chat"], "agls: agls chat needs a terminal: nobody can type here. For one prompt: agls run"),
        (["login"], "agls: there is no command 'login'; did you mean agls key?\n"),
        (["fix the bug"], 'To give a prompt: agls run "'),
        (["sessions", "lst"], "agls: there is no command 'lst'; did you mean list?\n"),
        (["run", "go", "--nonsense"], "agls: there is no option '--nonsense'\n"),
        (["run", "go", "--modle", "x"], "agls: there is no option '--modle'; did you mean --model?\n"),
        (["run", "go", "--modle=x"], "agls: there is no option '--modle'; did you mean --model?\n"),
        (["run", "go", "--out", "json"], "agls: there is no option '--out'"),
        (["run", "go", "--json"], "agls: there is no option '--json'; did you mean --output json?\n"),
        (["run", "go", "--output-format", "stream-json"], "no value 'stream-json'; choose one of text, json"),
        (["resume", "--last"], 'did you mean agls resume "…", which continues the latest session?\n'),
        (["run", "go", "--image", "a.png"], "'--image'; did you mean --attach?\n"),
        (["run", "go", "--resume", "ses_1"], "'--resume'; did you mean agls resume SESSION?\n"),
        (["run", "fix", "--trust", "it"], 'in quotes: agls run "'),
        (["doctor", "now"], "agls: 'now' is one argument too many\n"),
        (["sessions", "show", "--jsn", "x"], "agls: there is no option '--jsn'; did you mean --json?\n"),
        (["run", "go", "--mode", "auto"], "auto is not in this version"),
        (["run", "go", "--mode", "yolo"], "there is no mode 'yolo'; choose one of ask, acceptEdits"),
        (["run", "go", "--mode", "acceptedits"], "there is no mode 'acceptedits'; did you mean acceptEdits?"),
        (["run", "go", "--max-turns", "0.5"], "'0.5' is not a whole number, 0 or more"),
        (["run", "go", "--max-cost-usd", "much"], "'much' is not a number of US dollars, 0 or more"),
        (["run", "go", "--max-seconds", "inf"], "'inf' is not a number of seconds, 0 or more"),
        (["run", "go", "--output", "xml"], "there is no value 'xml'; choose one of text, json, jsonl"),
        (["run", "go", "--output", "jsn"], "there is no value 'jsn'; did you mean json?"),
        (["resume", "two", "words"], "in quotes"),
        (["serve"], "--stdio"),
        (["explain", "nothing"], "usage: agls explain"),
        (["demo", "--dir", "."], "is not empty"),
        (["demo", "--dir", "file"], "cannot be used"),
    ],
)
def test_a_command_line_that_makes_no_sense_exits_with_2(agls: Agls, arguments: list[str], said: str) -> None:
    (agls.workspace / "file").touch()
    done = agls.run(*arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_state_folder_that_is_a_file_keeps_no_run_from_its_work(agls: Agls) -> None:
    agls.state.write_text("a file")
    write = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one"}}
    agls.script({"calls": [write]}, {"text": "ok"})
    done = agls.run("run", "go", "--mode", "acceptEdits")
    assert (done.code, done.out) == (0, "ok\n")
    assert (agls.workspace / "a.txt").read_text() == "one"
    assert f"No session can be kept in {agls.state}/sessions" in done.err
    assert "it is gone when this process ends" in done.err
    assert "Traceback" not in done.err
    assert agls.run("sessions").code == 0
    assert agls.state.read_text() == "a file"


def test_full_disk_keeps_no_run_from_its_work_and_the_end_says_that_nothing_is_saved(agls: Agls) -> None:
    agls.script({"text": "ok"})
    full = ["bash", "-c", 'ulimit -f 4; exec "$@"', "bash"]  # no file becomes larger than 4 kB
    command = [*full, *agls.argv(["run", "x" * 20_000])]
    done = subprocess.run(
        command, cwd=agls.workspace, env=agls.variables, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "ok\n"), "a script must not count on the session"
    last = done.stderr.splitlines()[-1]
    assert "This session is not saved: What could not be written is lost now" in last
    assert "This session is not saved" not in agls.run("run", "x" * 20_000).err


def test_state_folder_that_cannot_be_created_is_reported_in_an_event(agls: Agls) -> None:
    agls.environment["AGLS_STATE_DIR"] = "/proc/absent"
    agls.script({"text": "ok"})
    done = agls.run("run", "go", "--output", "jsonl")
    assert done.code == 0
    notices = [event["data"]["text"] for event in done.events if event["type"] == "notice"]
    assert any("choose another state folder" in text for text in notices)


def test_a_state_folder_in_the_workspace_is_refused(agls: Agls) -> None:
    agls.environment["AGLS_STATE_DIR"] = str(agls.workspace / "state")
    done = agls.run("run", "go")
    assert done.code == 2
    assert "AGLS_STATE_DIR" in done.err
    assert list(agls.workspace.iterdir()) == []


def test_missing_script_is_reported(agls: Agls) -> None:
    done = agls.run("run", "go")
    assert done.code == 2
    assert str(Path(agls.home, "script.json")) in done.err
