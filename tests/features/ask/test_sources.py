"""Where answers come from, through the product: prepared, a person, the time limit, or nobody."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agls.room.prepared_answers import PreparedAnswer, complaint, prepared_answer
from doors.headless.conftest import SCRIPTED, Agls
from doors.headless.test_control import start

pytestmark = [pytest.mark.row(39), pytest.mark.timeout(150)]


@pytest.fixture
def agls(tmp_path: Path) -> Iterator[Agls]:
    program = Agls(tmp_path)
    yield program
    program.end()


def asking(*questions: dict[str, Any]) -> dict[str, Any]:
    """A turn that asks all of these at once."""
    return {"calls": [{"name": "ask_user", "arguments": question} for question in questions]}


def outputs(events: list[dict[str, Any]]) -> list[str]:
    """What the model was told, in the order of its calls."""
    items = [event["data"]["item"] for event in events if event.get("type") == "itemCompleted"]
    calls = {item["itemId"]: item["output"] for item in items if item["kind"] == "toolCall"}
    begun = [event["data"]["item"]["itemId"] for event in events if event.get("type") == "itemStarted"]
    return [calls[item] for item in begun if item in calls]


def history(agls: Agls) -> list[tuple[str, str, str]]:
    """What was asked, answered, and by whom: asked of a resumed session in a process of its own."""
    done = agls.run("resume", "--output", "json", "/ask.history").whole
    return [(row["question"], row["answer"], row["source"]) for row in done["action"]["data"]["questions"]]


def test_prepared_answers_match_exactly_or_in_part_and_are_marked_as_prepared(agls: Agls) -> None:
    answers = [
        {"question": "which", "match": "contains", "answer": "the blue one"},
        {"question": "Which  colour?", "answer": "red"},
        {"question": "Go on?", "answer": "yes", "once": True},
    ]
    (agls.home / "answers.json").write_text(json.dumps(answers))
    agls.script(
        asking({"question": "which colour?", "choices": ["red", "blue"]}, {"question": "And which size?"}),
        asking({"question": "Go on?"}),
        asking({"question": "Go on?"}),
        {"text": "Done."},
    )
    done = agls.run("run", "go", "--answers", str(agls.home / "answers.json"), "--output", "jsonl")
    assert outputs(done.events) == [
        "The user answered: red",
        "The user answered: the blue one",
        "The user answered: yes",
        "Nobody was there to answer. Decide yourself, and say what you assumed.",
    ]
    asked = history(agls)
    assert {*asked[:2]} == {  # at once
        ("which colour?", "red", "queued"),
        ("And which size?", "the blue one", "queued"),
    }
    assert asked[2:] == [("Go on?", "yes", "queued"), ("Go on?", "", "nobody")]
    page = agls.run("resume", "/ask.history").out
    assert "- which colour?\n  red (prepared)\n" in page
    assert "- Go on?\n  no answer (nobody answered)" in page


def test_answers_of_the_configuration_hold_where_the_run_has_none(agls: Agls) -> None:
    agls.configure(
        SCRIPTED + '[ask]\nanswers = [{ question = "Sure?", answer = "no" }, { answer = "whatever" }]\n'
    )
    agls.script(asking({"question": "Sure?"}), asking({"question": "Name?"}), {"text": "Done."})
    assert outputs(agls.run("run", "go", "--output", "jsonl").events) == [
        "The user answered: no",
        "The user answered: whatever",
    ]


def test_prepared_answer_that_is_no_choice_is_not_given(agls: Agls) -> None:
    agls.configure(SCRIPTED + '[ask]\nanswers = [{ answer = "green" }]\n')
    question = {"question": "Which?", "choices": ["red"], "free_text": False}
    agls.script(asking(question, {**question, "choices": ["Green", "GREEN"]}), {"text": "Done."})
    told, spelled = outputs(agls.run("run", "go", "--output", "jsonl").events)
    assert spelled == "The user answered: GREEN", "case does not matter"
    assert told == "The prepared answer 'green' is none of the choices (red). Decide yourself."


def test_several_choices_are_prepared_with_commas_between_them(agls: Agls) -> None:
    """Each is one of the choices, or the whole is; else it is an answer in words, where those are allowed."""
    prepared = (("Toppings?", "Ham, olives"), ("Crust?", "thin, crisp"), ("Drink?", "water, then tea"))
    answers = "".join(f'{{ question = "{question}", answer = "{answer}" }},' for question, answer in prepared)
    agls.configure(f"{SCRIPTED}[ask]\nanswers = [{answers}]\n")
    several = {"several": True, "free_text": False}
    agls.script(
        asking(
            {"question": "Toppings?", "choices": ["ham", "cheese", "olives"], **several},
            {"question": "Crust?", "choices": ["thin, crisp", "thick"], **several},
            {"question": "Drink?", "choices": ["water", "tea"], "several": True},
        ),
        {"text": "Done."},
    )
    assert outputs(agls.run("run", "go", "--output", "jsonl").events) == [
        "The user answered: ham, olives",
        "The user answered: thin, crisp",
        "The user answered: water, then tea",
    ]
    assert {*history(agls)} == {(question, answer, "queued") for question, answer in prepared}


SEVERAL = {
    "questions": [
        {"question": "Which colour?", "header": "Colour", "options": [{"label": "red"}, {"label": "blue"}]},
        {"question": "Which size?", "options": ["small", "large (XL)"]},
        {"question": "Go on?"},
    ]
}


def test_several_questions_of_one_call_have_their_own_prepared_answers(agls: Agls) -> None:
    prepared = (("Which colour?", "blue"), ("which  size?", "small"), ("Go on?", "yes"))
    rows = "".join(f'{{ question = "{question}", answer = "{answer}" }},' for question, answer in prepared)
    agls.configure(f'{SCRIPTED}[ask]\nanswers = [{rows} {{ answer = "whatever" }}]\n')
    agls.script(asking(SEVERAL), asking({"question": "1. Which colour?\n2. Else?"}), {"text": "Done."})
    assert outputs(agls.run("run", "go", "--output", "jsonl").events) == [
        "The user answered:\n1. blue\n2. small\n3. yes",
        "The user answered:\n1. blue\n2. whatever",
    ]
    asked = [("Which colour?", "blue", "queued"), ("Which size?", "small", "queued")]
    assert history(agls)[:3] == [*asked, ("Go on?", "yes", "queued")]


def test_questions_of_one_call_are_asked_where_one_of_them_has_no_prepared_answer(agls: Agls) -> None:
    agls.configure(SCRIPTED + '[ask]\nanswers = [{ question = "Go on?", answer = "yes", once = true }]\n')
    twice = {"questions": [{"question": "Go on?"}, {"question": "Go on?"}]}
    agls.script(asking(SEVERAL), asking(twice), asking({"question": "Go on?"}), {"text": "Done."})
    told = outputs(agls.run("run", "go", "--output", "jsonl").events)
    assert told[2] == "The user answered: yes", "it was not used up by the lists"
    assert all(each.startswith("Nobody was there to answer.") for each in told[:2])


def test_person_answers_several_questions_at_once_in_any_order(agls: Agls) -> None:
    agls.script(asking({"question": "First?"}, {"question": "Second?"}), {"text": "Done."})
    program = start(agls)
    opened = [program.event("requestOpened")["data"]]
    program.until(
        lambda line: line.get("type") == "requestOpened" and line["data"]["title"] != opened[0]["title"]
    )
    opened = [line["data"] for line in program.lines if line.get("type") == "requestOpened"]
    for question in reversed(opened):
        content = {"answer": f"{question['title']} Yes."}
        response = {"outcome": "accept", "content": content}
        program.ask(
            question["requestId"], "agent/respond", requestId=question["requestId"], response=response
        )
    code, lines = program.end()
    assert code == 0
    assert outputs(lines) == ["The user answered: First? Yes.", "The user answered: Second? Yes."]
    assert sorted(history(agls)) == [
        ("First?", "First? Yes.", "interactive"),
        ("Second?", "Second? Yes.", "interactive"),
    ]


@pytest.mark.parametrize(
    ("settings", "question", "told", "answer"),
    [
        (
            "timeout_s = 0.2",
            {"default": "blue"},
            "Nobody answered within 0.2 seconds. Go on with: blue",
            "blue",
        ),
        (
            "",
            {"timeout_s": 0.2},
            "Nobody answered within 0.2 seconds. Decide yourself, and say what you assumed.",
            "",
        ),
        (
            "timeout_s = 500",
            {"timeout_s": 0.2, "default": "x"},
            "Nobody answered within 0.2 seconds. Go on with: x",
            "x",
        ),
    ],
)
def test_unanswered_question_is_withdrawn_after_its_time(
    agls: Agls, settings: str, question: dict[str, Any], told: str, answer: str
) -> None:
    agls.configure(f"{SCRIPTED}[ask]\n{settings}\n")
    agls.script(asking({"question": "Which?", **question}), {"text": "Done."})
    program = start(agls)
    program.event("requestResolved")
    code, lines = program.end()
    assert (code, outputs(lines)) == (0, [told])
    assert history(agls) == [("Which?", answer, "timeout")]


def test_session_without_questions_says_so(agls: Agls) -> None:
    agls.script({"text": "Done."})
    agls.run("run", "go")
    assert agls.run("resume", "/ask.history").out == "The model has asked nothing in this session.\n"


@pytest.mark.parametrize(
    "text", ["{", '{"answer": "x"}', '[{"question": "x"}]', '[{"answer": "x", "match": "like"}]']
)
def test_answers_that_cannot_be_read_are_refused_before_the_run(agls: Agls, text: str) -> None:
    (agls.home / "answers.json").write_text(text)
    agls.script({"text": "Done."})
    done = agls.run("run", "go", "--answers", str(agls.home / "answers.json"))
    assert done.code == 2
    assert "answers" in done.err
    assert agls.sessions() == []


def test_exact_answer_counts_before_one_in_part_and_that_before_one_for_any_question() -> None:
    anything = PreparedAnswer(answer="1")
    part = PreparedAnswer(question="b", match="contains", answer="2")
    exact = PreparedAnswer(question="a b", answer="3")
    answers = (anything, part, exact)
    chosen = [prepared_answer(answers, question, frozenset()) for question in ("A  B", "a b c", "x")]
    assert chosen == [exact, part, anything]
    once = PreparedAnswer(answer="1", once=True)
    assert prepared_answer((once,), "x", frozenset({once.key})) is None
    assert complaint([]) == ""
