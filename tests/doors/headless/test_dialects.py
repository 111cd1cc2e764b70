"""The real program with a model behind each dialect: a prompt, a tool, its result, an answer."""

import pytest

from agls.models.endpoint import DialectName
from doors.headless.conftest import Agls
from support.model_dialects import DIALECTS, Said
from support.model_recordings import own
from support.model_server import Failure, ModelServer, Raw, Reply

READING = Said("Reading.", [("c1", "read_file", '{"path":"note.txt"}')], usage=(2000, 5))
ANSWER = Said("It says Grüße.", usage=(2100, 5))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_tool_is_called_and_its_result_goes_back(agls: Agls, dialect: DialectName) -> None:
    (agls.workspace / "note.txt").write_text("Grüße")
    with ModelServer([Raw(said.events(dialect)) for said in (READING, ANSWER)]) as server:
        agls.configure(
            f'model = "m"\n[models.m]\ndialect = "{dialect}"\nbase_url = "{server.url}"\n'
            'model = "model-1"\napi_key = "sk-canary-123"\n'
        )
        done = agls.run("run", "What does note.txt say?")
        assert (done.code, done.out) == (0, "It says Grüße.\n"), done.err
        first, second = server.posts
    assert "What does note.txt say?" in first.content.decode()
    sent = second.content.decode()
    assert "Reading." in sent and sent.count("Grüße") == 1
    assert "sk-canary-123" not in done.err


def test_model_and_effort_of_a_run_can_be_changed_when_it_is_continued(agls: Agls) -> None:
    with ModelServer([Reply("One."), Reply("Two."), Reply("Three.")]) as server:
        agls.configure(
            f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n[models.big]\nbase_url = "{server.url}"\n'
            '[tiers]\nstrong = "big"\nmine = "m/other"\n'
        )
        asked = [("run", "mine", "low"), ("resume", "strong", "high")]
        for number, (command, model, effort) in enumerate(asked):
            done = agls.run(command, f"prompt {number}", "--model", model, "--effort", effort)
            assert done.code == 0, done.err
        assert agls.run("resume", "prompt 2").out == "Three.\n"
        sent = [(post.body["model"], post.body.get("reasoning_effort")) for post in server.posts]
    assert sent == [("other", "low"), ("big", "high"), ("m", None)], "each for its own run"


def test_switch_to_a_fallback_model_is_reported(agls: Agls) -> None:
    with ModelServer([Failure(402, "nothing left")]) as spent, ModelServer([Reply("Hello.")]) as other:
        agls.configure(
            f'model = "work"\n[models.work]\nbase_url = "{spent.url}"\nfallback = "spare"\n'
            f'[models.spare]\nbase_url = "{other.url}"\n'
        )
        done = agls.run("run", "hi")
    assert (done.code, done.out) == (0, "Hello.\n")
    assert "nothing left" in done.err and "spare is asked in its place" in done.err


SENT_BACK = [  # what a server sent, the model's name, and what of it comes back with the next request
    ("kimi-reasoning-then-text", "kimi", '"reasoning_content":"hm"'),
    ("vllm-reasoning-in-its-own-field", "qwen", '"reasoning":"hm"'),
    ("minimax-thinks-in-its-text", "MiniMax-M2", '"content":"<think>\\nhm\\n'),
    (
        "openrouter-comments-two-finishes-two-reasonings",
        "any",
        '"reasoning_details":[{"type":"reasoning.text"',
    ),
    ("vllm-reasoning-in-plain-words", "gpt-oss", '"content":[{"type":"reasoning_text","text":"hm"}]'),
    ("openai-phases-without-reasoning", "gpt-6", '"phase":"commentary"'),
]


@pytest.mark.parametrize(("name", "model", "wanted"), SENT_BACK)
def test_reasoning_goes_back_to_the_server_that_sent_it(
    agls: Agls, name: str, model: str, wanted: str
) -> None:
    exchange = next(each for each in own() if each.id == name)
    hello = Raw(Said("Hello.").events(exchange.dialect))
    with ModelServer([exchange.raw(3), hello, hello, hello]) as server:
        agls.configure(
            f'model = "m"\n[models.m]\ndialect = "{exchange.dialect}"\nbase_url = "{server.url}"\n'
            f'model = "{model}"\ncontext_window = 100000\n'
        )
        assert agls.run("run", "hi").code == 0
        assert agls.run("resume", "and now?").out == "Hello.\n"
        assert wanted in server.posts[-1].content.decode()
        assert agls.run("resume", "and now?", "--model", "m/other").out == "Hello.\n"
        assert wanted not in server.posts[-1].content.decode()
