"""The real program reads an image: the model sees it, or reads what it is."""

import json
from base64 import b64encode
from typing import Any

import pytest

from agls.models.endpoint import DialectName
from agls.pictures import LARGEST
from doors.headless.conftest import Agls, Done
from support.images import png
from support.model_dialects import DIALECTS, IMAGE_HOLDERS, Said, image_part
from support.model_server import Failure, ModelServer, Raw

READING = Said("Looking.", [("c1", "read_file", '{"path":"shot.png"}')], usage=(2000, 5))
ANSWER = Said("It is grey.", usage=(2100, 5))
WORDS = "[shot.png: image/png, 3×2 pixels, "


DATA = b64encode(png()).decode()


def settings(dialect: DialectName, url: str) -> str:
    return f'model = "m"\n[models.m]\ndialect = "{dialect}"\nbase_url = "{url}"\nmodel = "model-1"\n'


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (png()[:-20], "its end is missing"),
        (png()[:45] + b"?" + png()[46:], "its part IDAT is damaged"),
        (b"\xff\xd8\xff\xe0\x00\x04JF\xff\xff\xc2\x00\x11\x08\x00\x05\x00\x07\x03more", "its end is missing"),
    ],
)
def test_image_that_is_cut_off_or_damaged_is_described_and_not_sent(
    agls: Agls, data: bytes, wrong: str
) -> None:
    (agls.workspace / "shot.png").write_bytes(data)
    agls.script({"calls": [{"name": "read_file", "arguments": {"path": "shot.png"}}]}, {"text": "Broken."})
    done = agls.run("run", "look", "--output", "jsonl")
    items = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    (call,) = (item for item in items if item["kind"] == "toolCall")
    assert "shot.png: image/" in call["output"] and wrong in call["output"]
    assert call["status"] == "failed" and not call.get("images")


def test_damaged_image_that_is_attached_is_refused_before_a_model_is_asked(agls: Agls) -> None:
    (agls.workspace / "shot.png").write_bytes(png()[:-20])
    agls.script({"text": "Never."})
    done = agls.run("run", "look", "--attach", "shot.png")
    assert (done.code, done.out) == (2, "")
    assert "shot.png cannot be attached: it is an image (image/png, " in done.err
    assert "its end is missing" in done.err


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_image_that_is_read_is_seen_and_stays_when_the_session_goes_on(
    agls: Agls, dialect: DialectName
) -> None:
    (agls.workspace / "shot.png").write_bytes(png())
    with ModelServer([Raw(said.events(dialect)) for said in (READING, ANSWER, ANSWER)]) as server:
        agls.configure(settings(dialect, server.url))
        done = agls.run("run", "What does shot.png show?")
        assert (done.code, done.out) == (0, "It is grey.\n"), done.err
        assert agls.run("resume", "Sure?").code == 0
        asked = [json.dumps(post.body, ensure_ascii=False) for post in server.posts]
    assert DATA not in asked[0]
    for body in asked[1:]:
        assert body.count(DATA) == 1 and WORDS in body
        before, _, _ = body.partition(json.dumps(image_part(dialect, DATA)))
        assert before != body
        last = max(before.rfind(one) for one in IMAGE_HOLDERS.values())
        assert before[last:].startswith(IMAGE_HOLDERS[dialect])


REFUSALS = [
    (400, "Failed to deserialize the JSON body: messages[3]: unknown variant `image_url`, expected `text`"),
    (400, "messages[3].content must be a string"),
    (500, "image input is not supported - hint: you may need to provide the mmproj"),
]


@pytest.mark.parametrize(("status", "words"), REFUSALS)
def test_a_model_that_takes_no_images_reads_what_it_is(agls: Agls, status: int, words: str) -> None:
    (agls.workspace / "shot.png").write_bytes(png())
    answers = [Raw(READING.events("chat")), Failure(status, words), Raw(ANSWER.events("chat"))]
    with ModelServer(answers) as server:
        agls.configure(settings("chat", server.url))
        done = agls.run("run", "What does shot.png show?")
        assert (done.code, done.out) == (0, "It is grey.\n"), done.err
        *_, refused, taken = (json.dumps(post.body, ensure_ascii=False) for post in server.posts)
    assert DATA in refused and DATA not in taken
    assert WORDS in taken and "this model takes no images" in taken


def call_in(done: Done) -> Any:
    """The item of the one call, as it ended."""
    ended = (event["data"]["item"] for event in done.events if event["type"] == "itemCompleted")
    (item,) = (item for item in ended if item["kind"] == "toolCall")
    return item


@pytest.mark.parametrize("data", [png(9000, 1), png() + b"\0" * LARGEST], ids=["pixels", "bytes"])
def test_an_image_that_is_too_large_is_a_failure_that_says_what_to_do(agls: Agls, data: bytes) -> None:
    (agls.workspace / "shot.png").write_bytes(data)
    with ModelServer([Raw(said.events("chat")) for said in (READING, ANSWER)]) as server:
        agls.configure(settings("chat", server.url))
        done = agls.run("run", "--output", "jsonl", "What does shot.png show?")
        (result,) = (m for m in server.posts[-1].body["messages"] if m["role"] == "tool")
    assert "too large to be looked at" in result["content"] and "smaller copy" in result["content"]
    item = call_in(done)
    assert item["status"] == "failed" and "images" not in item


def test_an_image_stands_in_the_item_of_its_call(agls: Agls) -> None:
    (agls.workspace / "shot.png").write_bytes(png())
    with ModelServer([Raw(said.events("chat")) for said in (READING, ANSWER)]) as server:
        agls.configure(settings("chat", server.url))
        done = agls.run("run", "--output", "jsonl", "What does shot.png show?")
    item = call_in(done)
    assert item["images"] == [{"type": "image", "data": DATA, "mimeType": "image/png"}]
    assert item["output"].startswith(WORDS)


def test_an_image_outside_of_the_folder_is_not_shown_unasked(agls: Agls) -> None:
    (agls.workspace / "shot.png").symlink_to(agls.home / "elsewhere.png")
    (agls.home / "elsewhere.png").write_bytes(png())
    with ModelServer([Raw(said.events("chat")) for said in (READING, ANSWER)]) as server:
        agls.configure(settings("chat", server.url))
        agls.run("run", "What does shot.png show?")
        bodies = [post.content.decode() for post in server.posts]
    assert len(bodies) == 2 and not any(DATA in body for body in bodies)


def test_old_images_are_taken_out_to_make_room(agls: Agls) -> None:
    times = 24
    for number in range(times):
        (agls.workspace / f"{number}.png").write_bytes(png(number + 1))
    reads = [Said("", [(f"c{n}", "read_file", json.dumps({"path": f"{n}.png"}))]) for n in range(times)]
    with ModelServer([Raw(said.events("chat")) for said in (*reads, ANSWER)]) as server:
        agls.configure(settings("chat", server.url) + "context_window = 30000\n")
        assert agls.run("run", "Look at all of them.", "--max-turns", "50").code == 0
        last = server.posts[-1].content.decode()
    kept = [n for n in range(times) if b64encode(png(n + 1)).decode() in last]
    assert 0 < len(kept) < times and kept[-1] == times - 1
    assert last.count("taken out to make room") == times - len(kept) == kept[0]
