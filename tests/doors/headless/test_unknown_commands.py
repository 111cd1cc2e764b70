"""A command that nobody knows fails alike, however it is asked for: a message that helps, and exit code 2."""

import pytest

from doors.headless.conftest import SCRIPTED, Agls

pytestmark = [pytest.mark.row(82), pytest.mark.row(84)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/nope", "There is no command /nope. /help lists them."),
        ("/help nope", "There is no command /nope. /help lists them."),
        ("/redo", "There is no command /redo. Did you mean /changes.redo?"),
        ("/help redo", "There is no command /redo. Did you mean /changes.redo?"),
        ("/Explain", "There is no command /Explain. Did you mean /explain or "),
        ("/hlep", "There is no command /hlep. Did you mean /help?"),
    ],
)
def test_unknown_command_is_a_mistake_of_usage(agls: Agls, text: str, said: str) -> None:
    agls.configure(SCRIPTED)
    done = agls.run("run", text)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"agls: {said}")
    whole = agls.run("run", "--output", "json", text)
    assert (whole.code, whole.whole["exitCode"], whole.whole["error"]["kind"]) == (2, 2, "usage")
    assert whole.whole["error"]["message"].startswith(said)
    lines = agls.run("run", "--output", "jsonl", text)
    assert (lines.code, lines.events[-1]["type"], lines.events[-1]["error"]["kind"]) == (2, "fatal", "usage")


def test_unknown_model_is_answered_with_the_names_there_are(agls: Agls) -> None:
    agls.configure(SCRIPTED)
    done = agls.run("run", "/model absent")
    assert (done.code, done.out) == (1, "")
    assert "There is no model called 'absent'. Known names: " in done.err


FILES = (".agls/commands/mend.md", ".claude/skills/mend/SKILL.md", ".gemini/commands/mend.toml")


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("text", ["/mend 12", "/mend"])
def test_command_of_an_untrusted_folder_is_refused_and_no_prompt(agls: Agls, file: str, text: str) -> None:
    agls.script({"text": "Sent as it is."})
    place = agls.workspace / file
    place.parent.mkdir(parents=True)
    place.write_text("Fix $1")
    done = agls.run("run", text)
    assert (done.code, done.out, agls.sessions()) == (2, "", [])
    assert f"/mend is made by {place}, but the folder is not trusted" in done.err
    assert "agls trust" in done.err
    assert agls.run("run", "--no-expand", text).code == 0, "a script says that it is a prompt"
