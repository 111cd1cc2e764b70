"""Who is there decides the limits of a run; at its last turn the model gives its answer; a resume goes on."""

import json

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from doors.headless.test_terminal import FakeTerminal, terminal
from support.model_server import ModelServer, Reply
from support.patience import PATIENCE

__all__ = ["terminal"]

LIST = {"calls": [{"name": "list_dir", "arguments": {}}]}
LOOK = {"calls": [{"name": "glob", "arguments": {"pattern": "*.py"}}]}
WORKING = [LIST, LOOK] * 60


def test_unattended_run_ends_after_50_turns_with_an_answer_and_the_flag(agls: Agls) -> None:
    agls.script(*WORKING[:49], {"text": "Two of three are done."})
    done = agls.run("run", "go")
    assert (done.code, done.out) == (4, "Two of three are done.\n")
    assert "50 of 50" in done.err
    assert "--max-turns" in done.err
    assert "Go on with: agls resume ses_" in done.err


def test_limits_of_the_next_runs_hold_from_the_sessions_next_run_on(agls: Agls) -> None:
    agls.prompts([{"text": "Done."}], [LIST, {"text": "Half."}])
    assert agls.run("run", "go").code == 0
    refused = agls.run("resume", "/limits max_turns=2 max_cost_usd=null")
    next_runs = "For the next runs of this session: /limits max_turns=2 max_cost_usd=null next=true."
    assert f"No run is active. {next_runs}" in refused.err
    assert "For every session: agls config set budget.max_turns 2" in refused.err
    idle = agls.run("resume", "/limits max_turns=2 max_cost_usd=2 next=true")
    assert "From the next run of this session on: maxTurns 2, maxCostUsd 2." in idle.out
    assert "For every session: agls config set budget.max_turns 2" in idle.out
    assert "| next run | turns | 0 | 2 | 2 |" in idle.out
    lifted = agls.run("resume", "/limits next=true max_cost_usd=null")
    assert "maxCostUsd none. For every session: agls config unset budget.max_cost_usd" in lifted.out
    assert "$" not in lifted.out.partition("|")[2]
    assert "2 of 2" in agls.run("resume", "and more").err


def test_limit_that_does_not_exist_is_refused_with_those_that_do(agls: Agls) -> None:
    agls.script({"text": "Done."})
    assert agls.run("run", "go").code == 0
    unknown = agls.run("resume", "/limits set=max_fun=5")
    assert "There is no limit 'maxFun'. There are: maxTurns," in unknown.err
    assert "maxTurns must be a whole number" in agls.run("resume", "/limits max_turns=1.5 next=true").err


def test_last_turn_has_no_tools_and_a_message_that_says_why(agls: Agls) -> None:
    with ModelServer([Reply("", calls=(("list_dir", {}),)), Reply("That is all.")]) as server:
        done = agls.run(
            "run", "go", "--base-url", server.url, "--model", "m", "--max-turns", "2", "--output", "json"
        )
    first, last = (post.body for post in server.posts)
    assert done.whole["result"] == "That is all."
    assert done.whole["stopReason"] == "maxTurns"
    assert "tools" in first
    assert "tools" not in last
    assert "This is the last turn" in json.dumps(last["messages"][-1])


def test_a_run_of_one_turn_is_complete_with_its_answer(agls: Agls) -> None:
    agls.script({"text": "Yes."})
    assert agls.run("run", "is it?", "--max-turns", "1").code == 0


def test_resume_without_a_prompt_goes_on_from_a_limit(agls: Agls) -> None:
    agls.prompts([LIST, {"text": "Half."}], [{"text": "The other half."}])
    assert agls.run("run", "go", "--max-turns", "2").code == 4
    done = agls.run("resume")
    assert (done.code, done.out) == (0, "The other half.\n")


def test_run_at_a_terminal_has_no_limit(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script(*WORKING[:60], {"text": "Done."})
    ends = {"stdin": terminal.theirs, "stdout": terminal.theirs, "stderr": terminal.theirs}
    assert agls.start("run", "go", **ends).wait(PATIENCE) == 0
    assert "Done." in terminal.rest()


def test_explain_shows_the_limits_without_a_terminal(agls: Agls) -> None:
    rows = {row["key"]: row for row in json.loads(agls.run("config", "explain", "--json").out)}
    assert rows["budget.max_turns"]["unattended"] == 50
    assert rows["budget.max_seconds"]["unattended"] == 1800
    assert "no limit at a terminal, 50 where nobody is there" in agls.run("config", "explain").out
    agls.configure(agls.config_file.read_text() + "[budget]\nmax_turns = 7\n")
    rows = {row["key"]: row for row in json.loads(agls.run("config", "explain", "--json").out)}
    assert rows["budget.max_turns"]["value"] == 7
    assert "unattended" not in rows["budget.max_turns"]


@pytest.mark.parametrize("scope", ["day", "session", "callers.'*'"])
def test_answer_of_a_model_beyond_the_seconds_of_a_scope_is_ended_and_counted(agls: Agls, scope: str) -> None:
    """The clock runs while a model writes: the run ends amid its answer, and the day has its seconds."""
    agls.configure(f"[budget.{scope}]\nmax_seconds = 1.5\n")
    slow = Reply("x" * 12 * 600, delay=0.1)
    with ModelServer([slow, slow]) as server:
        at = ("--base-url", server.url, "--model", "m", "--output", "json")
        first = agls.run("run", "go", *at).whole
        spent = agls.run("usage", "--json").whole
        again = agls.run("resume", "more", *at).whole
    assert (first["stopReason"], again["stopReason"]) == ("budget", "budget")
    assert "of 1.5" in first["detail"]
    assert 1.4 < spent[0]["seconds"] < 20
    assert len(server.posts) == 1


def test_time_of_an_answer_counts_for_the_day(agls: Agls) -> None:
    with ModelServer([Reply("x" * 120, delay=0.1)]) as server:
        assert agls.run("run", "go", "--base-url", server.url, "--model", "m").code == 0
    assert agls.run("usage", "--json").whole[0]["seconds"] >= 1.0


@pytest.mark.parametrize(
    ("options", "table"), [(("--max-cost-usd", "1"), ""), ((), "[budget]\nmax_cost_usd = 1\n")]
)
def test_cost_limit_of_a_model_without_prices_is_warned_of_before_it_is_asked(
    agls: Agls, options: tuple[str, ...], table: str
) -> None:
    agls.configure(table)
    with ModelServer([Reply("Yes.")] * 2) as server:
        at = ("--base-url", server.url, "--model", "m", *options)
        shown, whole = agls.run("run", "go", *at), agls.run("run", "go", "--output", "json", *at).whole
        doctor = agls.run("doctor", "--json", *at[:4]) if table else None
    warning = "The cost limit does not cover this model"
    assert shown.err.count(warning) == 1
    assert [text.partition(":")[0] for text in whole["warnings"]] == [warning]
    if doctor:
        assert "prices" in doctor.out


def test_cost_limit_of_a_model_with_prices_is_not_warned_of(agls: Agls) -> None:
    agls.configure(SCRIPTED + "input_price = 1\noutput_price = 1\n[budget]\nmax_cost_usd = 1\n")
    agls.script({"text": "Yes."})
    assert agls.run("run", "go", "--output", "json").whole["warnings"] == []
