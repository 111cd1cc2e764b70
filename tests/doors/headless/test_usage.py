"""`agls usage`: what each day cost, by who asked; from what all the runs of a state folder wrote down."""

import shutil

import pytest

from doors.headless.conftest import SCRIPTED, Agls

pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine
PRICED = SCRIPTED + "input_price = 1000\noutput_price = 1000\n"


def test_usage_before_the_first_run_is_zero(agls: Agls) -> None:
    """Also as JSON, and without a state folder."""
    done = agls.run("usage")
    assert (done.code, done.out) == (0, "Nothing was spent yet.\n")
    assert agls.run("usage", "--json").out == "[]\n"


def test_usage_lists_the_spending_of_a_day_by_caller(agls: Agls) -> None:
    """The runs of several processes are added up."""
    agls.configure(PRICED)
    agls.script({"text": "Reading.", "calls": [{"name": "list_dir", "arguments": {}}]}, {"text": "Done."})
    runs = [
        agls.run("run", "--output", "json", *who, "go")
        for who in ((), ("--caller", "ci"), ("--caller", "ci"))
    ]
    assert [done.code for done in runs] == [0, 0, 0]
    rows = {row["caller"]: row for row in agls.run("usage", "--json").whole}
    spent = [done.whole["usage"] for done in runs]
    assert {who: (row["runs"], row["modelCalls"], row["toolCalls"]) for who, row in rows.items()} == {
        "": (1, 2, 1),
        "ci": (2, 4, 2),
    }
    assert rows[""]["inputTokens"] == spent[0]["inputTokens"] > 0
    assert rows["ci"]["outputTokens"] == spent[1]["outputTokens"] + spent[2]["outputTokens"] > 0
    assert rows["ci"]["costUsd"] > 0
    head, *lines = agls.run("usage").out.splitlines()
    assert head.split()[:4] == ["day", "caller", "runs", "calls"]
    assert [line.split()[1:5] for line in lines] == [["-", "1", "2", "1"], ["ci", "2", "4", "2"]]


def test_a_caller_with_nothing_left_today_asks_no_model(agls: Agls) -> None:
    """A limit of a caller holds over processes; others go on."""
    agls.configure(SCRIPTED + "[budget.callers.ci]\nmax_model_calls = 1\n")
    agls.script({"text": "Done."})
    codes = [agls.run("run", "--output", "json", "--caller", who, "go") for who in ("ci", "ci", "me")]
    assert [done.whole["stopReason"] for done in codes] == ["endTurn", "budget", "endTurn"]
    assert "max_model_calls in [budget.callers]" in codes[1].out + codes[1].err


def test_unreadable_ledger_is_reported(agls: Agls) -> None:
    agls.script({"text": "Done."})
    assert agls.run("run", "go").code == 0
    (day,) = (agls.state / "usage").iterdir()
    shutil.rmtree(day)
    day.touch()
    done = agls.run("usage")
    assert done.code != 0
    assert "Past spending cannot be read in" in done.err
