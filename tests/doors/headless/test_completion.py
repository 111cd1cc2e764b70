"""`agls completion`: real shells complete commands, options and values."""

import re
import shutil
import subprocess

import pytest

from doors.headless.conftest import Agls
from support.patience import PATIENCE

ASK = """
source {file}
COMP_WORDS=(agls {words}); COMP_CWORD={at}; _agls; echo "${{COMPREPLY[@]}}"
"""


LINES = {
    "res": "resume",
    "run --mo": "--model --mode",
    "run --mode a": "ask acceptEdits allowAll",
    "run go --output js": "json jsonl",
    "sessions ex": "export",
    "sessions export --for": "--format",
    "sessions export --format m": "md",
    "run --cwd d": "docs/",
    "run --attach n": "notes.rst",
    "sessions export s --out n": "notes.rst",
}


@pytest.fixture
def folder(agls: Agls) -> Agls:
    """A workspace with a folder and a file, and beside it the script of each shell."""
    for shell in ("bash", "zsh", "fish"):
        if shutil.which(shell):
            (agls.home / shell).write_text(agls.run("completion", shell).out)
    (agls.workspace / "docs").mkdir()
    (agls.workspace / "notes.rst").write_text("")
    return agls


def completed(agls: Agls, shell: list[str], script: str) -> str:
    """What the shell prints; skips where there is no such shell."""
    if not shutil.which(shell[0]):
        pytest.skip(f"{shell[0]} is not installed")
    done = subprocess.run(
        [*shell, script],
        cwd=agls.workspace,
        env=agls.variables,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("line", LINES)
def test_bash_completes_commands_options_and_values(folder: Agls, line: str) -> None:
    script = ASK.format(file=folder.home / "bash", words=line, at=len(line.split()))
    found = completed(folder, ["bash", "-c"], script).split()
    assert found == LINES[line].replace("/", "").split()  # bash itself puts the stroke


@pytest.mark.parametrize("line", LINES)
def test_fish_completes_commands_options_and_values(folder: Agls, line: str) -> None:
    script = f"source {folder.home / 'fish'}; complete -C 'agls {line}'"
    found = completed(folder, ["fish", "--no-config", "-c"], script).splitlines()
    assert sorted(one.split("\t")[0] for one in found) == sorted(LINES[line].split())


# A second zsh on a terminal of its own, whose completions are printed instead of shown.
ZSH = r"""
zmodload zsh/zpty
zpty sub zsh -f -i
zpty -w sub 'autoload -U compinit; compinit -D -u; source {file}; PS1=; PS2='
zpty -w sub 'compadd() {{ local -a found; builtin compadd -O found "$@"'
zpty -w sub '(( $#found )) && print -lr -- FOUND_$^found; builtin compadd "$@" }}'
zpty -w sub 'ask() {{ zle complete-word; print "END""ED" }}; zle -N ask; bindkey "^I" ask; print "REA""DY"'
while zpty -r sub answer; do [[ $answer == *READY* ]] && break; done
zpty -w -n sub $'agls {line}\t'
while zpty -r sub answer; do print -r -- $answer; [[ $answer == *ENDED* ]] && break; done
"""


@pytest.mark.parametrize("line", LINES)
def test_zsh_completes_commands_options_and_values(folder: Agls, line: str) -> None:
    script = ZSH.format(file=folder.home / "zsh", line=line)
    found = re.findall(r"FOUND_([\w.-]+)", completed(folder, ["zsh", "-f", "-c"], script))
    assert set(found) == set(LINES[line].replace("/", "").split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_is_understood_by_its_shell(agls: Agls, shell: str) -> None:
    script = agls.run("completion", shell).out
    assert "agls" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_all_mistakes_of_a_config_file_are_reported_together(agls: Agls) -> None:
    agls.configure('modle = "x"\n[budget]\nmax_turns = "x"\n[permissions]\nmode = "sometimes"\n')
    err = agls.run("run", "go").err
    assert f"{agls.config_file}:1: modle: unknown key; did you mean 'model'?" in err
    assert f"{agls.config_file}:3: budget.max_turns: " in err
    assert f"{agls.config_file}:5: permissions.mode: " in err
