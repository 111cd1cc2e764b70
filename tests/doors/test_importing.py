"""What comes in from files: all that was said, nothing that would be allowed by it, and no half sessions."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.doors.session_export import exported
from agls.doors.session_import import NoSession, imported
from agls.engine.facts import (
    Admitted,
    Fact,
    Noted,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    TakenIn,
    ToolStarted,
)
from agls.engine.vocabulary import (
    AssistantMessage,
    FileChange,
    FileVersion,
    Image,
    Stop,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agls.features.review.notes import edit
from agls.room.agent_changes import verdict
from agls.room.session_metadata import tags_of
from agls.stores.rows import summarise
from support.scenario import paired
from support.store_samples import SAMPLES, conversation, entries_of


def reference(**changed: Any) -> dict[str, Any]:
    """A document with every field of the reference's sessions."""
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path": "a.py"}'},
    }
    return {
        "session_id": "0" * 32,
        "model_config": {"model": "m", "base_url": "http://host/v1", "api_key": "sk-canary", "timeout": 30},
        "runtime_config": {"cwd": "/project", "max_turns": 12, "permissions": {"shell": True}},
        "system_prompt_parts": ["You are an agent."],
        "user_context": {"user": "somebody"},
        "system_context": {"git": "branch main"},
        "messages": [
            {"role": "system", "content": "You are an agent."},
            {"role": "user", "content": "What is in a.py?", "message_id": "m1", "state": "final"},
            {"role": "assistant", "content": "I look.", "tool_calls": [call], "stop_reason": "tool_calls"},
            {
                "role": "tool",
                "name": "read_file",
                "tool_call_id": "c1",
                "content": "x = 1",
                "metadata": {"ok": True},
            },
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "It sets x."}],
                "usage": {"input_tokens": 5},
            },
        ],
        "turns": 2,
        "tool_calls": 1,
        "usage": {
            "input_tokens": 100,
            "output_tokens": 20,
            "cache_read_input_tokens": 3,
            "reasoning_tokens": 2,
        },
        "total_cost_usd": 0.25,
        "file_history": [{"turn_index": 1, "tool_name": "read_file", "changed_paths": []}],
        "budget_state": {"model_calls": 2, "session_turns": 2, "tool_calls": 1, "delegated_tasks": 0},
        "plugin_state": {"counter": {"beforePrompt": 2}},
        "scratchpad_directory": ".port_sessions/scratchpad/0",
        **changed,
    }


def converted(document: Any) -> Any:
    return imported(json.dumps(document).encode(), 1_795_250_000.0)[1]


@pytest.mark.row(75)
def test_session_of_the_reference_is_imported_whole() -> None:
    """A file with all its fields loads, and the transcript is the same."""
    state = converted(reference())
    said = [
        (type(m).__name__, m.text if not isinstance(m, UserMessage) else m.content[0])
        for m in state.transcript
    ]
    assert said == [
        ("UserMessage", Text("What is in a.py?")),
        ("AssistantMessage", "I look."),
        ("ToolResult", "x = 1"),
        ("AssistantMessage", "It sets x."),
    ]
    reply = state.transcript[1]
    assert isinstance(reply, AssistantMessage)
    assert (reply.tool_calls[0].name, reply.tool_calls[0].arguments) == ("read_file", {"path": "a.py"})
    assert (state.total.turns, state.total.tool_calls, state.total.input_tokens) == (2, 1, 100)
    assert (state.total.cost, state.total.unpriced, state.cwd) == (0.25, 0, "/project")
    assert (state.stop.reason, state.running) == (StopReason.END_TURN, False)
    (note,) = state.notes["history"]
    kept = {"file_history", "plugin_state", "budget_state", "system_prompt_parts", "runtime_config"}
    assert kept <= set(note.data)
    assert "sk-canary" not in json.dumps(note.data)


@pytest.mark.row(75)
def test_calls_and_results_out_of_order_are_imported_in_pairs() -> None:
    """The reference writes results without calls and calls without results."""
    calls = [
        {"id": "c", "function": {"name": "shell", "arguments": "{broken"}},
        {"name": "odd", "arguments": {"a": 1}},
    ]
    messages: list[Any] = [
        {"role": "tool", "tool_call_id": "gone", "name": "grep", "content": "found it"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {
            "role": "user",
            "content": [{"type": "image", "source": {"data": "aGk=", "media_type": "image/png"}}, 7],
        },
        {
            "role": "assistant",
            "content": None,
            "blocks": [{"type": "tool_use"}, {"type": "text", "text": "ok"}],
        },
        {"role": "assistant", "content": "again", "tool_calls": calls[:1]},
        {"role": "tool", "tool_call_id": "c", "content": "bad", "metadata": {"ok": False}},
    ]
    state = converted(reference(messages=messages, usage=None, total_cost_usd="much"))
    assert paired(state.transcript)
    first = state.transcript[0]
    assert isinstance(first, UserMessage)
    assert "found it" in str(first.content)
    asked = state.transcript[1]
    assert isinstance(asked, AssistantMessage)
    assert [call.malformed for call in asked.tool_calls] == ["{broken", ""]
    assert [m.status for m in state.transcript if isinstance(m, ToolResult)] == [
        "cancelled",
        "cancelled",
        "failed",
    ]
    assert any(
        isinstance(m, UserMessage) and Image("aGk=", "image/png") in m.content for m in state.transcript
    )


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "neither"),
        (b"hello", "neither"),
        (b"\xff\xfe", "UTF-8"),
        (b"[]", "no session"),
        (b'{"messages": 3}', "no session"),
        (b'{"messages": []}', "no messages"),
        (b'{"messages": [{"role": "wizard"}]}', "messages[0]"),
        (b'{"messages": [3]}', "messages[0]"),
        (b'["00000000",{"journal":1}]\n', "damaged"),
        (b"[" * 100_000, "neither"),
    ],
)
def test_import_of_a_file_that_is_no_session_is_refused_with_a_reason(data: bytes, why: str) -> None:
    with pytest.raises(NoSession, match=why.replace("[", r"\[")):
        imported(data, 0.0)


def test_an_export_cut_or_flipped_anywhere_is_never_taken_for_whole() -> None:
    whole = exported("ses_1", conversation("go"), "jsonl")
    ends = {len(whole) - len(rest) for rest in [b"".join(whole.splitlines(True)[n:]) for n in range(9)]}
    for cut in range(1, len(whole)):
        if cut in ends:
            continue
        with pytest.raises(NoSession):
            imported(whole[:cut], 0.0)
    for place in range(len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 0x20
        with pytest.raises(NoSession):
            imported(bytes(flipped), 0.0)


def test_an_imported_session_may_do_nothing_that_its_file_says() -> None:
    facts = [
        SessionChanged(
            "/project",
            roots=("/etc",),
            options={"mode": "allowAll"},
            parent="ses_0",
            parent_item="c1",
            depth=9,
        ),
        Admitted("run_1", "item_1", (Text("go"),), "key", {"mode": "allowAll"}),
        RunStarted("run_1"),
        Noted("permissions", "granted", {"rules": ["shell(*)"]}),
        Noted("history", "tags", {"tags": ["a"]}),
    ]
    entries, state = imported(exported("ses_1", entries_of(facts), "jsonl"), 0.0)
    assert (state.options, state.settings, state.roots, state.parent, state.keys) == ({}, {}, (), "", {})
    assert list(state.notes) == ["history"]
    assert (state.parent_item, state.depth) == ("", 0)
    assert (state.running, state.stop and state.stop.reason) == (False, StopReason.CANCELLED)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


@pytest.mark.parametrize("cut_off", [(), (RunEnded("run_1", Stop(StopReason.INTERRUPTED)),)])
def test_interrupted_run_of_an_imported_session_is_not_continued_by_itself(cut_off: tuple[Fact, ...]) -> None:
    facts = [SessionChanged("/project"), Admitted("run_1", "item_1", (Text("go"),)), RunStarted("run_1")]
    entries, _ = imported(exported("ses_1", entries_of([*facts, *cut_off]), "jsonl"), 0.0)
    assert not summarise("ses_2", entries)[0].interrupted


@pytest.mark.parametrize("at", [float("inf"), float("nan"), -1e9, 1e12])
def test_session_file_with_an_impossible_time_is_not_listed(at: float) -> None:
    """One such file made `agls sessions` fail for every session."""
    with pytest.raises(NoSession, match="entry 1 has an impossible time"):
        imported(exported("ses_1", entries_of([SessionChanged("/project")], at=at), "jsonl"), 0.0)


@pytest.mark.parametrize("cwd", ["../etc", "/a\0b", "/a\ud800b", "C:"])
def test_a_folder_that_cannot_be_one_is_left_out(cwd: str) -> None:
    facts = [SessionChanged(cwd), *(entry.fact for entry in conversation("go")[1:])]
    assert imported(exported("ses_1", entries_of(facts), "jsonl"), 0.0)[1].cwd == ""
    assert converted(reference(runtime_config={"cwd": cwd})).cwd == ""


def test_imported_title_and_tags_are_cleaned_like_those_of_a_user() -> None:
    facts = [
        SessionChanged("/project", "\x1b]0;x\x07" + "x" * 1000),
        Noted("history", "tags", {"tags": 5}),
        Noted("history", "tags", {"tags": ["y" * 50]}),
        Noted("history", "archived", {"archived": "yes"}),
        Noted("history", "archived", {"archived": True}),
        Noted("history", "whatever", {}),
    ]
    _, state = imported(exported("ses_1", entries_of(facts), "jsonl"), 0.0)
    assert state.title.startswith("]0;x xxx")
    assert len(state.title) == 200
    assert tags_of(state) == ()
    assert [note.data for note in state.notes["history"]] == [{"archived": True}]


def test_every_fact_there_is_can_be_exported_in_every_format() -> None:
    entries = entries_of([SessionChanged("/project", "<b>A & title</b>"), *SAMPLES[1:]])
    for form in ("jsonl", "md", "html"):
        assert exported("ses_1", entries, form)


@pytest.mark.parametrize("form", ["md", "html"])
def test_a_session_that_works_is_exported_with_what_it_is_doing(form: str) -> None:
    call = ToolCall("c1", "shell", {"command": "make all"})
    facts = [
        *(entry.fact for entry in conversation("go")[:5]),
        Replied("item_2", "", tool_calls=(call,)),
        ToolStarted("c1", "shell", call.arguments),
    ]
    page = exported("ses_1", entries_of(facts), form).decode()
    assert "make all" in page
    assert ": running" in page


@pytest.mark.parametrize(
    ("form", "line"), [("md", "-<b>\n+c"), ("html", "-&lt;b&gt;\n+c")], ids=["md", "html"]
)
def test_page_has_a_change_that_was_made_outside_of_a_call(form: str, line: str) -> None:
    change = FileChange(
        "file:///src/a.py", "modified", FileVersion("1"), FileVersion("2"), "-<b>\n+c\n", "disk"
    )
    noted = Noted("review", "judged", verdict("h1", "reverted") | edit(change))
    page = exported("ses_1", entries_of([SessionChanged("/project"), noted]), form).decode()
    assert "A change of the agent was undone" in page
    assert "file:///src/a.py" in page
    assert line in page


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&\x1b[31m"
    entries = conversation(attack, reply=attack, title=attack)
    page = exported("ses_1", entries, "html").decode()
    assert "<script" not in page
    assert "<img" not in page
    assert "\x1b" not in page
    assert page.count("&lt;script&gt;") == 4, "the title twice, and both messages"
    assert "default-src 'none'" in page
    image = (
        Image('x" onload="alert(1)', "image/png"),
        Image("aGk=", "image/svg+xml"),
        Image("aGk=", "image/png"),
    )
    facts = [SessionChanged("/project"), Admitted("run_1", "item_1", image), RunStarted("run_1")]
    page = exported("s", entries_of([*facts, TakenIn(("item_1",))]), "html").decode()
    assert page.count("<img") == 1
    assert "onload" not in page


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"])},
    optional={
        "content": JSON,
        "tool_calls": st.lists(
            st.fixed_dictionaries({}, optional={"id": st.sampled_from("ab"), "name": JSON})
        )
        | JSON,
        "tool_call_id": st.sampled_from("ab") | JSON,
        "metadata": JSON,
        "blocks": JSON,
    },
)


@settings(max_examples=60, deadline=None)
@given(st.lists(MESSAGE, max_size=8), JSON, JSON)
def test_any_document_is_taken_in_whole_or_refused(messages: list[Any], usage: Any, cost: Any) -> None:
    document = reference(messages=messages, usage=usage, total_cost_usd=cost)
    try:
        entries, state = imported(json.dumps(document).encode(), 0.0)
    except NoSession:
        assert not messages
        return
    assert paired(state.transcript)
    assert not state.running
    assert imported(exported("ses_1", entries, "jsonl"), 0.0)[1].transcript == state.transcript


def test_a_large_file_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from agls.doors.headless import sessions_command  # noqa: PLC0415 - it is changed here

    monkeypatch.setattr(sessions_command, "LARGEST", 10)
    (tmp_path / "large").write_bytes(b"x" * 11)
    with pytest.raises(NoSession, match="larger"):
        sessions_command._read(tmp_path / "large")
