"""Servers that others published, and one made with the newest SDK, at the command line and in a terminal."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from doors.headless.test_chat import CTRL_D, ENTER, Talk, talk
from doors.headless.test_terminal import terminal
from support.published_servers import SHOP, published
from support.rich_run import call

pytestmark = pytest.mark.timeout(300)
__all__ = ["talk", "terminal"]  # fixtures
SENDS = [{"calls": [call("mcp__shop__send", thing="apple")]}, {"text": "Done."}]


def added(agls: Agls, name: str, *words: str) -> Sequence[str]:
    """Add a server as a user does. **Returns** the names of its tools."""
    agls.configure(SCRIPTED)
    made = agls.run("mcp", "add", name, "--", *words)
    assert made.code == 0, made.err
    listed = agls.run("mcp", "tools", name)
    assert listed.code == 0, listed.err
    return [line.split("`")[1] for line in listed.out.splitlines() if line.startswith("- `")]


def outputs(agls: Agls, *arguments: str) -> Sequence[str]:
    """Run a prompt. **Returns** what its calls gave."""
    done = agls.run("run", "--output", "jsonl", *arguments, "go")
    items = [each["data"]["item"] for each in done.events if each.get("type") == "itemCompleted"]
    return [item["output"] for item in items if item["kind"] == "toolCall"]


@pytest.mark.row(61)
def test_published_server_is_added_listed_read_and_called(agls: Agls) -> None:
    tools = added(agls, "every", *published("everything"), "stdio")
    assert {"mcp__every__echo", "mcp__every__get-sum"} <= set(tools)
    adds = call("mcp__every__get-sum", a=2, b=3)
    lists = call("mcp__every__resources")
    agls.prompts([{"calls": [adds, lists]}, {"text": "done"}])
    summed, resources = outputs(agls, "--mode", "allowAll")
    assert "The sum of 2 and 3 is 5." in summed
    assert "demo://resource" in resources


@pytest.mark.row(61)
def test_published_server_reads_a_file(agls: Agls) -> None:
    folder: Path = agls.workspace
    (folder / "note.txt").write_text("hello there\n")
    tools = added(agls, "files", *published("filesystem"), str(folder))
    assert "mcp__files__read_text_file" in tools
    reads = call("mcp__files__read_text_file", path=str(folder / "note.txt"))
    agls.prompts([{"calls": [reads]}, {"text": "done"}])
    (read,) = outputs(agls, "--mode", "allowAll")
    assert "hello there" in read


def test_published_server_keeps_what_it_was_told_for_the_next_session(agls: Agls) -> None:
    agls.environment["MEMORY_FILE_PATH"] = str(agls.workspace / "memory.jsonl")
    added(agls, "memory", *published("memory"))
    entity = {"name": "Ada", "entityType": "person", "observations": ["likes engines"]}
    writes = call("mcp__memory__create_entities", entities=[entity])
    agls.prompts([{"calls": [writes]}, {"text": "done"}])
    outputs(agls, "--mode", "allowAll")
    agls.prompts([{"calls": [call("mcp__memory__search_nodes", query="engines")]}, {"text": "done"}])
    (found,) = outputs(agls, "--mode", "allowAll")
    assert "Ada" in found


def test_server_of_the_newest_revision_is_listed_read_and_called(agls: Agls) -> None:
    assert added(agls, SHOP, *published(SHOP)) == [f"mcp__shop__{name}" for name in ("weigh", "send", "pack")]
    calls = [call("mcp__shop__weigh", thing="apple"), call("mcp__shop__resources", uri="shop://stock")]
    agls.prompts([{"calls": calls}, {"text": "done"}])
    weighed, stock = outputs(agls, "--mode", "allowAll")
    assert "apple weighs 5 g" in weighed
    assert "3 apples" in stock


def test_server_that_insists_on_an_answer_is_named_with_its_question_where_nobody_is_there(
    agls: Agls,
) -> None:
    added(agls, SHOP, *published(SHOP))
    agls.prompts(SENDS)
    (refused,) = outputs(agls, "--mode", "allowAll")
    assert "shop needs an answer that it did not get:\nSend the apple?" in refused


def test_question_and_prompt_of_a_server_are_answered_in_the_terminal(agls: Agls, talk: Talk) -> None:
    added(agls, SHOP, *published(SHOP))
    packs = [{"calls": [call("mcp__shop__pack")]}, {"text": "Packed."}]
    agls.prompts(SENDS, SENDS, packs, [{"text": "I order."}])
    talk.begin("chat", "--mode", "allowAll")
    talk.ready()
    for answer, outcome in {"y": "apple was sent", "n": "apple stays here"}.items():
        talk.type("go" + ENTER)
        talk.wait_for("Send the apple?")
        talk.wait_for("[y/n]")
        talk.type(answer + "\n")
        talk.wait_for("Done.")
        talk.ready()
        (journal,) = agls.state.glob("sessions/*.jsonl")
        assert outcome in journal.read_text()
    talk.type("pack" + ENTER)
    for prompt, answer in {"Number: ": "2", "copies: ": "3", "[y/n]: ": "", "note: ": "fragile"}.items():
        talk.wait_for(prompt)
        talk.type(answer + "\n")
    talk.wait_for("Packed.")
    talk.ready()
    assert "3 large, gift: true, note: fragile" in journal.read_text()
    talk.say("/mcp__shop__order thing=pear", "I order.")
    assert "Write an order for one pear." in journal.read_text()
    talk.type(CTRL_D)
    talk.leaves()
