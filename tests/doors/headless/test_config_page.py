"""The page about the configuration: its examples can be used, and deny rules do what it says."""

import re
from pathlib import Path

import pytest

from doors.headless.conftest import SCRIPTED, Agls

pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine
PAGE = (Path(__file__).parents[3] / "docs/config.md").read_text("utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
RULES = next(example for example in EXAMPLES if "deny = " in example)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: re.findall(r"\[+([\w.]+)", text)[0])
def test_example_of_the_page_can_be_used(agls: Agls, example: str) -> None:
    agls.configure(example)
    done = agls.run("config", "explain")
    assert (done.code, done.err) == (0, "")
    assert "user file" in done.out


@pytest.mark.parametrize("mode", ["ask", "allowAll"])
def test_deny_rule_refuses_what_it_names_and_asks_about_what_may_reach_it(agls: Agls, mode: str) -> None:
    (agls.workspace / "secrets").mkdir()
    (agls.workspace / "secrets/key").write_text("canary-4711\n")
    words = PAGE.partition("A deny rule is about every spelling:")[2].partition("\n\n")[0]
    refused, _, asked = words.partition("are refused.")
    cases = [(command, "It is refused") for command in re.findall(r"`(.*? .*?)`", refused)]
    cases += [("cat se*/key", "It is asked about"), ("grep -r x .", "It is asked about")]
    assert "`cat se*/key`" in asked
    assert len(cases) == 5
    agls.configure(f'{SCRIPTED}{RULES}mode = "{mode}"\n')
    agls.environment["AGLS_SANDBOX"] = "off"
    for command, verdict in cases:
        assert agls.run("permissions", "explain", "--trust", command).out.startswith(verdict), command
    agls.script({"calls": [{"name": "shell", "arguments": {"command": "cat se*/key"}}]}, {"text": "done"})
    done = agls.run("run", "go", "--output", "jsonl")
    assert "canary-4711" not in done.out
