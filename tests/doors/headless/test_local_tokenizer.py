"""A tokenizer on this machine decides before a request whether it fits, and when room is made."""

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply
from support.word_tokenizer import word_tokenizer

WINDOW = 20_000  # tokens: room is made from 14,000; no request has more than 18,750
MANY = "a " * 20_000  # tokens of the tokenizer; an estimate from its bytes says 11,111
FEW = "a" * 120_000  # one token; an estimate from its bytes says 33,333


def configured(agls: Agls, server: ModelServer, tokenizer: str) -> None:
    line = f'tokenizer = "{tokenizer}"\n' if tokenizer else ""
    agls.configure(f'[models.m]\nbase_url = "{server.url}"\ncontext_window = {WINDOW}\n{line}')


@pytest.mark.row(23)
@pytest.mark.parametrize(("prompt", "fits"), [(MANY, False), (FEW, True)])
def test_prompt_is_sent_only_when_the_tokenizer_says_that_it_fits(
    agls: Agls, prompt: str, *, fits: bool
) -> None:
    """An estimate would have said the opposite of both."""
    file = word_tokenizer(agls.home / "tokenizer.json")
    with ModelServer([Reply("Done.")]) as server:
        configured(agls, server, file)
        done = agls.run("run", "--output", "json", "-", stdin=prompt)
        asked = len(server.posts)
    if fits:
        assert (done.whole["stopReason"], asked) == ("endTurn", 1)
    else:
        assert (done.whole["stopReason"], asked) == ("contextFull", 0)
        assert "takes 18,750. Nothing was sent or cut." in done.out


@pytest.mark.parametrize("tokenizer", ["", "absent.json"])
def test_without_a_usable_tokenizer_the_estimate_decides(agls: Agls, tokenizer: str) -> None:
    with ModelServer([Reply("Done.")]) as server:
        configured(agls, server, tokenizer)
        sent = agls.run("run", "--output", "json", "-", stdin=MANY)
        refused = agls.run("run", "--output", "json", "-", stdin=FEW)
        assert (sent.whole["stopReason"], refused.whole["stopReason"]) == ("endTurn", "contextFull")
        assert len(server.posts) == 1


def test_room_is_made_when_the_tokenizer_says_that_the_context_is_full(agls: Agls) -> None:
    """The conversation is short in bytes and long in tokens: an estimate would leave it as it is."""
    file = word_tokenizer(agls.home / "tokenizer.json")
    texts = ("Begun. " * 3_000, "They said hello.", "Done.", "Done.")
    with ModelServer([Reply(text, usage=None, fragment=2_000) for text in texts]) as server:
        configured(agls, server, file)
        begun = agls.run("run", "--output", "json", "-", stdin="b " * 6_000)
        assert begun.whole["stopReason"] == "endTurn"
        done = agls.run("resume", begun.whole["sessionId"], "--output", "jsonl", "-", stdin="c " * 4_000)
    items = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    (summary,) = [item for item in items if item["kind"] == "compaction"]
    assert summary["tokensBefore"] > 14_000 > summary["tokensAfter"]
    assert done.events[-1]["data"]["stopReason"] == "endTurn"
