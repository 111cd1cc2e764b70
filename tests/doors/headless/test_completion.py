"""`agls completion`: real shells complete commands, options and values."""

import shutil
import subprocess

import pytest

from doors.headless.conftest import Agls

ASK = """
eval "$({program} completion bash)"
COMP_WORDS=(agls {words}); COMP_CWORD={at}; _agls; echo "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "at", "replies"),
    [
        ("res", 1, "resume"),
        ("run --mo", 2, "--model --mode"),
        ("run --mode a", 3, "ask acceptEdits allowAll"),
        ("run go --output js", 4, "json jsonl"),
        ("sessions ex", 2, "export"),
        ("sessions export --for", 3, "--format"),
        ("sessions export --format m", 4, "md"),
    ],
)
def test_bash_completes_commands_options_and_values(agls: Agls, words: str, at: int, replies: str) -> None:
    script = ASK.format(program=" ".join(agls.argv(())), words=words, at=at)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=agls.workspace,
        env=agls.variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == replies.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_understood_by_their_shells(agls: Agls, shell: str) -> None:
    script = agls.run("completion", shell).out
    assert "agls" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_all_mistakes_of_a_config_file_are_told_at_once(agls: Agls) -> None:
    agls.configure('modle = "x"\n[budget]\nmax_turns = "x"\n[permissions]\nmode = "sometimes"\n')
    err = agls.run("run", "go").err
    assert f"{agls.config_file}:1: modle: unknown key; did you mean 'model'?" in err
    assert f"{agls.config_file}:3: budget.max_turns: " in err
    assert f"{agls.config_file}:5: permissions.mode: " in err
