"""What fills the context, before anything was asked, through the whole program."""

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply
from support.word_tokenizer import word_tokenizer


@pytest.mark.row(23)
@pytest.mark.row(24)
def test_context_before_the_first_run_says_who_counted(agls: Agls) -> None:
    """With a tokenizer and without; the kinds are together the whole; the options of the run count."""
    (agls.workspace / "AGENTS.md").write_text("Use tabs. " * 40)
    agls.run("memory", "add", "Run the tests with make.")
    file = word_tokenizer(agls.home / "tokenizer.json")
    with ModelServer([Reply("Done.")]) as server:
        model = f'[models.m]\nbase_url = "{server.url}"\ncontext_window = 50000\n'
        agls.configure(f'{model}tokenizer = "tokenizer.json"\n')
        counted = agls.run("run", "/context", "--trust", "--output", "json").whole["action"]
        agls.configure(model)
        guessed = agls.run("run", "/context", "--trust", "--output", "json").whole["action"]
        options = ("--mode", "allowAll", "--trust", "--output", "json")
        allowed = agls.run("run", "/context", *options).whole["action"]
        assert [post.path for post in server.posts if "tokenize" not in post.path] == []
    assert f"counted with the tokenizer {file}" in counted["output"][0]["text"]
    assert "a guess, a third more or less" in guessed["output"][0]["text"]
    assert (counted["data"]["sure"], guessed["data"]["sure"]) == ("tokenizer", "guess")
    tools = [data["data"]["tokensByKind"]["tools"] for data in (guessed, allowed)]
    assert tools[1] > tools[0] + 500, "with those that this mode allows"
    for data in (counted["data"], guessed["data"], allowed["data"]):
        kinds = data["tokensByKind"]
        assert sum(kinds.values()) == data["tokens"] == data["window"] - data["free"]
        assert min(kinds[kind] for kind in ("system", "memory", "tools", "environment")) > 0
