"""A tokenizer on this machine counts the texts of a request exactly, and learns what the server adds."""

import sys
from pathlib import Path
from typing import Any

import pytest

from agls.engine.ports import ModelRequest, ToolSpec
from agls.engine.vocabulary import AssistantMessage, Image, Text, ToolCall, ToolResult, UserMessage
from agls.models.dialects.counting import IMAGE
from agls.models.local.tokenizer import AROUND, LocalTokenizer
from support.model_asking import Asking, hear, prompt
from support.model_server import Failure, ModelServer, Raw, Reply
from support.word_tokenizer import word_tokenizer

TALK = ModelRequest(
    "r",
    "Be brief",
    (
        UserMessage("1", (Text("one two three"), Image("aGk=", "image/png"))),
        AssistantMessage("2", "four five", "six", (ToolCall("c", "look", {}),)),
        ToolResult("c", "look", "seven"),
    ),
    (ToolSpec("look", "Look here", {}, frozenset()),),
)
WORDS = 2 + 3 + 2 + 1 + 2 + 1 + 4  # `look {}` and `look Look here {}` are 2 and 4


def test_each_text_is_counted_as_the_tokenizer_says(tmp_path: Path) -> None:
    file = word_tokenizer(tmp_path / "tokenizer.json")
    count = LocalTokenizer(file).count(TALK)
    assert (count.tokens, count.sure, count.note) == (WORDS + IMAGE + 5 * AROUND, "tokenizer", file)


def test_answer_of_the_server_teaches_what_stands_around_the_texts(tmp_path: Path) -> None:
    tokenizer = LocalTokenizer(word_tokenizer(tmp_path / "tokenizer.json"))
    long = prompt("word " * 1_000)
    first = tokenizer.count(long).tokens
    tokenizer.learn(long, 2 * first)
    assert tokenizer.count(long).tokens == 2 * first
    tokenizer.learn(prompt("x"), 3)  # too little to learn from
    tokenizer.learn(long, None)
    assert tokenizer.count(long).tokens == 2 * first


@pytest.mark.row(24)
async def test_count_says_which_tokenizer_it_comes_from_or_why_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that counts comes first; a file that cannot be used leaves the estimate, with the reason."""
    file = word_tokenizer(tmp_path / "tokenizer.json")
    (tmp_path / "broken.json").write_text("{}")
    async with ModelServer([Failure(404)] * 8) as server, Asking() as asking:

        async def count(path: str) -> Any:
            return await asking.model(server.url, tokenizer=path).count(prompt("hello world"))

        assert (await count(file)).note == file
        for path, reason in (
            (str(tmp_path / "absent.json"), "No such file"),
            (str(tmp_path / "broken.json"), ""),
        ):
            found = await count(path)
            assert found.sure == "guess"
            assert found.note.startswith(f"{path} is not used: ")
            assert reason in found.note
        monkeypatch.setitem(sys.modules, "tokenizers", None)
        assert "pip install 'agls[tokenizer]'" in (await count(file)).note
    async with ModelServer([Raw([b'{"count":42,"tokens":[]}'])]) as server, Asking() as asking:
        assert (await count(file)).sure == "told"


async def test_model_learns_from_its_answers(tmp_path: Path) -> None:
    file = word_tokenizer(tmp_path / "tokenizer.json")
    replies = [Reply("Fine.", usage=(4_000, 1)), Failure(404), Failure(404)]
    async with ModelServer(replies) as server, Asking() as asking:
        model, asked = asking.model(server.url, tokenizer=file), prompt("word " * 1_000)
        await hear(model, asked)
        assert (await model.count(asked)).tokens == 4_000
