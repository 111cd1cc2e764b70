"""The rows of docs/parity.md about the context, each whole, in `agls run` and `agls resume`."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_server import Answer, Failure, ModelServer, Raw, Reply, Request
from support.wire import Wire

pytestmark = pytest.mark.timeout(300)  # several processes, on a slow machine
MODEL = """\
model = "served"
[models.served]
dialect = "{}"
model = "test-model"
base_url = "{}"
context_window = {}
api_key = "k"
"""
WRITER = """\
[tiers]
fast = "writer"
[models.writer]
dialect = "chat"
model = "writer"
base_url = "{}"
"""
TAKEN_OUT = "This result was taken out to make room"


def report(agls: Agls, command: str) -> tuple[str, dict[str, Any]]:
    """What a command answers to people, and to programs."""
    text = agls.run("resume", command)
    assert text.code == 0, text.err
    return text.out, agls.run("resume", command, "--output", "json").whole["action"]["data"]


def counting_nothing(request: Request) -> Answer:
    """A server that answers, and does not count."""
    return Reply("Hello.", usage=(4_321, 5)) if "completions" in request.path else Failure(404)


def context(wire: Wire, session: str) -> dict[str, Any]:
    """What the report on the context says to programs."""
    return wire.call("agent/action/invoke", {"sessionId": session, "name": "context"})["data"]


@pytest.mark.row(24)
def test_context_report_names_the_counter_and_how_sure_it_is(agls: Agls, tmp_path: Path) -> None:
    """A guess where nobody counts, better by what an answer used, exact where the server counts."""
    with ModelServer(counting_nothing) as server:
        agls.configure(MODEL.format("chat", server.url, 60_000))
        agls.run("run", "hello")
        text, data = report(agls, "/context")
        assert data["sure"] == "guess"
        assert "a guess, a third more or less" in text
        with Wire(tmp_path, agls.config_file) as wire:
            wire.initialize()
            session = wire.session()
            assert context(wire, session)["sure"] == "guess"
            assert wire.run(session)["stopReason"] == "endTurn"
            assert context(wire, session)["sure"] == "calibrated"
    counting = Raw([json.dumps({"input_tokens": 4_242}).encode()])
    with ModelServer([counting, counting]) as server:
        agls.configure(MODEL.format("anthropic", server.url, 60_000))
        text, data = report(agls, "/context")
        assert (data["sure"], data["tokens"]) == ("told", 4_242)
        assert "4,242 tokens of 60,000" in text
        assert "counted by the server" in text
        assert all("count_tokens" in post.path for post in server.posts)


@pytest.mark.row(25)
@pytest.mark.parametrize("window", [8_000, 60_000, 200_000])
def test_token_budget_follows_the_formula_for_the_window(agls: Agls, window: int) -> None:
    """The reserve for the answer, the hard and the soft limit, and from where on room is made."""
    reserve = min(max(window // 16, 1_024), 4_096)
    hard = window - reserve
    soft = hard - min(max(window // 10, 1_024), 13_000)
    with ModelServer([Reply("Hello.")]) as server:
        agls.configure(MODEL.format("chat", server.url, window))
        assert agls.run("run", "hello").code == 0
        text, data = report(agls, "/token-budget")
    expected = {"window": window, "reserve": reserve, "hard": hard, "soft": soft}
    assert {name: data[name] for name in expected} == expected
    assert data["threshold"] == min(int(window * 0.7), soft)
    assert 0 < data["tokens"] < window
    for size in (*expected.values(), data["threshold"], data["tokens"]):
        assert f"{size:,}" in text


@pytest.mark.row(25)
def test_schema_of_the_answer_takes_its_share_of_the_window(agls: Agls) -> None:
    (agls.home / "schema.json").write_text('{"type": "object"}')
    with ModelServer([Failure(404)] * 2) as server:
        agls.configure(MODEL.format("chat", server.url, 60_000))
        asked = ("run", "/token-budget", "--output", "json")
        plain = agls.run(*asked).whole["action"]["data"]
        shaped = agls.run(*asked, "--output-schema", str(agls.home / "schema.json")).whole["action"]["data"]
    assert {name: shaped[name] - plain[name] for name in ("reserve", "hard", "soft", "window")} == {
        "reserve": 256,
        "hard": -256,
        "soft": -256,
        "window": 0,
    }
    assert shaped["tokens"] > plain["tokens"], "the schema is sent"


@pytest.mark.row(26)
@pytest.mark.parametrize(("idle_minutes", "taken_out"), [(0.001, 2), (60, 0)])
def test_old_results_go_after_a_pause_and_the_newest_three_stay(
    agls: Agls, idle_minutes: float, taken_out: int
) -> None:
    for number in range(5):
        (agls.workspace / f"{number}.txt").write_text(f"file {number}\n" + "words " * 1_500)
    used = (25_000, 5)
    reads = [Reply(calls=[("read_file", {"path": f"{number}.txt"})], usage=used) for number in range(5)]
    with ModelServer([*reads, Reply("Read.", usage=used), Reply("Later.")]) as server:
        pause = f"[compaction]\nidle_minutes = {idle_minutes}\n"
        agls.configure(MODEL.format("chat", server.url, 200_000) + pause)
        assert agls.run("run", "read them").code == 0
        done = agls.run("resume", "go on", "--output", "jsonl")
        assert done.code == 0
        results = [m["content"] for m in server.posts[-1].body["messages"] if m["role"] == "tool"]
    assert [TAKEN_OUT in text for text in results] == [True] * taken_out + [False] * (5 - taken_out)
    assert all(f"file {number}" in results[number] for number in range(taken_out, 5))
    notices = [e["data"]["item"] for e in done.events if e["type"] == "itemCompleted"]
    told = [item["text"] for item in notices if item.get("title") == "Room in the conversation"]
    assert len(told) == bool(taken_out)
    assert all("the results of 2 earlier calls" in text for text in told)


@pytest.mark.row(27)
def test_oldest_results_go_over_the_threshold_and_the_end_stays_as_it_was(agls: Agls) -> None:
    """No model is asked for a summary; whoever follows the run hears what went, with both sizes."""
    for number in range(12):
        (agls.workspace / f"{number}.txt").write_text(f"file {number}\n" + "many words here\n" * 200)
    reads = [Reply(calls=[("read_file", {"path": f"{number}.txt"})]) for number in range(12)]

    def answer(request: Request) -> Answer:
        used = (len(request.content) // 4, 5)
        return replace(reads.pop(0) if reads else Reply("Read."), usage=used)

    with ModelServer(answer) as server:
        agls.configure(MODEL.format("chat", server.url, 20_000) + "[history]\ntitles = false\n")
        done = agls.run("run", "read them", "--output", "jsonl")
        assert done.code == 0, done.err
        assert len(server.posts) == 13, "nobody was asked for a summary"
        before, after = (post.body["messages"] for post in server.posts[-2:])
    results = [message["content"] for message in after if message["role"] == "tool"]
    gone = [TAKEN_OUT in text for text in results]
    assert gone == sorted(gone, reverse=True), "the oldest go first"
    assert gone[0] and not any(gone[-3:])
    assert [f"file {number}" in text for number, text in enumerate(results)] == [not each for each in gone]
    assert [m for m in after if m["role"] != "tool"][: len(before)] == [
        m for m in before if m["role"] != "tool"
    ] + [after[-2]], "nothing else changed"
    items = [e["data"]["item"] for e in done.events if e["type"] == "itemCompleted"]
    told = [item["text"] for item in items if item.get("title") == "Room in the conversation"]
    assert told
    assert re.search(r"[\d,]+ tokens before, [\d,]+ now", told[0]), told


@pytest.mark.row(29)
def test_soft_limit_warns_and_hard_limit_ends_the_run_before_the_model_is_asked(agls: Agls) -> None:
    with ModelServer([Reply("Short.", usage=(17_000, 5))]) as server:
        agls.configure(MODEL.format("chat", server.url, 20_000))
        done = agls.run("run", "word " * 12_300, "--output", "jsonl")
        assert done.code == 0, done.err
        shown = [event["data"]["title"] for event in done.events if event["type"] == "notice"]
        assert shown.count("The conversation is nearly too long") == 1
        done = agls.run("run", "word " * 22_000, "--output", "jsonl")
        end = done.events[-1]["data"]
        assert end["stopReason"] == "contextFull"
        assert re.search(r"takes 18,750", end["detail"]), end
        assert len(server.posts) == 1, "nothing was asked, and nothing paid"


@pytest.mark.row(29)
def test_three_failed_summaries_are_enough_for_a_run(agls: Agls) -> None:
    replies = [
        Reply("w" * 4_000, calls=[("glob", {"pattern": f"*{number}"})], usage=(15_000, 5))
        for number in range(12)
    ]
    with ModelServer([*replies, Reply("Done.")]) as server, ModelServer([Failure(401)] * 8) as writer:
        agls.configure(WRITER.format(writer.url) + "[compaction]\nkeep_results = 1\n")
        config = MODEL.format("chat", server.url, 20_000) + agls.config_file.read_text()
        agls.configure(config)
        done = agls.run("run", "go", "--output", "jsonl")
        assert done.code == 0, done.err
        asked = [post for post in writer.posts if "You keep the memory of a coding agent" in str(post.body)]
        assert len(asked) == 3, "the others are for the title"
        shown = [event["data"]["title"] for event in done.events if event["type"] == "notice"]
        assert shown.count("The conversation could not be summarised") == 3


@pytest.mark.row(28)
def test_words_behind_compact_reach_the_model_that_writes_the_summary(agls: Agls) -> None:
    talk = Reply("word " * 2_000)
    with ModelServer([talk, talk, talk, Reply("They talked."), Reply("On.")]) as server:
        agls.configure(MODEL.format("chat", server.url, 60_000))
        for command, prompt in (
            ("run", "first words"),
            ("resume", "second words"),
            ("resume", "third words"),
        ):
            assert agls.run(command, prompt).code == 0
        assert agls.run("resume", "/compact keep the blue names").code == 0
        asked = str(server.posts[-1].body["messages"])
        assert "You keep the memory of a coding agent" in asked
        assert "keep the blue names" in asked
        assert agls.run("resume", "go on").code == 0
        sent = str(server.posts[-1].body["messages"])
        assert "They talked." in sent
        assert "keep the blue names" not in sent


@pytest.mark.row(28)
def test_files_that_helpers_commands_and_people_touched_stay_named_behind_a_summary(agls: Agls) -> None:
    """However the paths are spelled, and although no call of the session itself names them."""
    for name in ("read", "named", "other"):
        (agls.workspace / f"{name}.py").write_text("x = 1\n")
    talk = Reply("word " * 2_000)
    of_parent = [
        Reply(calls=[("read_file", {"filePath": "./sub/../read.py"})]),
        Reply(calls=[("read_file", {"path": "other.py"})]),
        Reply(calls=[("shell", {"command": "echo y > other.py"})]),
        Reply(calls=[("delegate", {"tasks": [{"prompt": "write it"}]})]),
    ]
    of_helper = [Reply(calls=[("write_file", {"path": "made.py", "content": "y"})]), Reply("Written.")]
    with ModelServer(
        [*of_parent, *of_helper, talk, talk, talk, Reply("They talked."), Reply("On.")]
    ) as server:
        agls.configure(
            MODEL.format("chat", server.url, 60_000)
            + '[permissions]\nmode = "allowAll"\n[history]\ntitles = false\n'
        )
        assert agls.run("run", "look at @named.py").code == 0
        for prompt in ("second words", "third words", "/compact", "go on"):
            assert agls.run("resume", prompt).code == 0
        sent = str(server.posts[-1].body["messages"][1]["content"])
    changed, _, read = sent.partition("Changed:\n")[2].partition("Read or named:\n")
    assert sorted(changed.split()) == ["-", "-", "made.py", "other.py"]
    assert set(read.split()) >= {"read.py", "named.py"}


def test_summary_is_inspected_and_undone(agls: Agls) -> None:
    talk = Reply("word " * 2_000)
    with ModelServer([talk, talk, talk, Reply("They talked."), Reply("On."), Reply("And on.")]) as server:
        agls.configure(MODEL.format("chat", server.url, 60_000))
        assert agls.run("run", "first words").code == 0
        for prompt in ("second words", "third words", "/compact"):
            assert agls.run("resume", prompt).code == 0
        assert "They talked." in agls.run("resume", "/compaction.show").out
        assert agls.run("resume", "what came since").code == 0
        assert "They talked." in str(server.posts[-1].body["messages"])
        undone = agls.run("resume", "/compact undo")
        assert undone.code == 0, undone.err
        assert undone.out.startswith("The summary is undone: about ")
        assert agls.run("resume", "go on").code == 0
        sent = [str(message["content"]) for message in server.posts[-1].body["messages"][1:]]
        assert "They talked." not in str(sent)
        assert sum("word word" in text for text in sent) == 3
        spoken = ("first words", "second words", "third words", "what came since", "go on")
        places = [next(n for n, text in enumerate(sent) if words in text) for words in spoken]
        assert places == sorted(places)
        text, data = report(agls, "/compaction.show")
        assert data["undone"]
        assert "The model does not see it any more" in text
        assert agls.run("resume", "/compaction.undo").err.count("There is no summary to undo") == 1


def test_summary_is_not_undone_when_no_request_would_fit(agls: Agls) -> None:
    talk = Reply("word " * 4_000)
    with ModelServer([talk, talk, talk, Reply("They talked.")]) as server:
        agls.configure(MODEL.format("chat", server.url, 60_000))
        assert agls.run("run", "first words").code == 0
        for prompt in ("second words", "third words", "/compact"):
            assert agls.run("resume", prompt).code == 0
        agls.configure(MODEL.format("chat", server.url, 12_000))
        refused = agls.run("resume", "/compaction.undo")
        assert refused.code == 1
        assert "served takes 10,976 at most" in refused.err
        assert not report(agls, "/compaction.show")[1]["undone"]


@pytest.mark.parametrize(
    ("budget", "first", "second", "told"),
    [
        ("[budget.session]", ("run", "hello"), ("resume",), "of this session is used up: 700 of 500"),
        ("[budget.day]", ("run", "/btw hello"), ("run",), "of the day is used up: 700 of 500"),
        ("[budget]", ("run", "hello"), ("run", "--max-input-tokens", "0"), "of a run is used up: 0 of 0"),
    ],
)
def test_side_question_is_not_asked_when_no_budget_pays_for_it(
    agls: Agls, budget: str, first: tuple[str, ...], second: tuple[str, ...], told: str
) -> None:
    """What questions between runs cost counts in the sums of the day, and every limit holds for them."""
    with ModelServer([Reply("Hello.", usage=(700, 5))]) as server:
        config = MODEL.format("chat", server.url, 60_000) + "[history]\ntitles = false\n"
        agls.configure(f"{config}{budget}\nmax_input_tokens = 500\n")
        assert agls.run(*first).code in {0, 4}
        refused = agls.run(*second, "/btw why?")
        assert (refused.code, len(server.posts)) == (1, 1)
        assert f"The budget of input tokens {told}." in refused.err


def test_side_question_leaves_no_trace_in_the_conversation(agls: Agls) -> None:
    replies = [Reply("Hello."), Reply("It is a tuple.", usage=(700, 7)), Reply("On.")]
    with ModelServer(replies) as server:
        agls.configure(MODEL.format("chat", server.url, 60_000))
        assert agls.run("run", "say hello").code == 0
        done = agls.run("resume", "/btw why is that after=all a list?")
        assert (done.code, done.out) == (0, "It is a tuple.\n"), done.err
        assert agls.run("resume", "go on").code == 0
        first, aside, last = (post.body["messages"] for post in server.posts)
        assert aside[1 : len(first)] == first[1:]
        assert aside[-1]["content"].endswith("why is that after=all a list?")
        assert "It is a tuple." not in str(last)
        assert "after=all" not in str(last)
        assert "side_question" in str(report(agls, "/usage"))
        page = agls.run("sessions", "export", agls.sessions()[0]["sessionId"], "--format", "md").out
        assert "It is a tuple." in page
