"""Python packages as plugins: installed beside agls, named by the user, kept apart when broken."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from support.rich_run import call

PAGE = (Path(__file__).parents[3] / "docs/plugins.md").read_text("utf-8")
ROLL = call("dice_roll")
GREETER = '''\
from agls.library import Arguments, Effect, Feature, Room, ToolOutcome, TypedTool
from agls.room import Table


class Greeting(Table):
    word: str = "Hello"


class Greet(Arguments):
    """Greet."""


def build(settings):
    async def greet(arguments, context):
        return ToolOutcome(settings.word + " there.")

    effects = frozenset({Effect.EXECUTES})
    tool = TypedTool(name="greet", arguments=Greet, work=greet, effects=effects)
    return Feature(name="greeter", tools=(tool,))


ROOM = Room("greeter", Greeting, build)
'''
pytestmark = pytest.mark.timeout(300)


def installed(agls: Agls, name: str, code: str) -> None:
    """Put a package where the Python of agls finds it, as pip would."""
    site = agls.home / "site"
    about = site / f"agls_{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (site / f"agls_{name}.py").write_text(code)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: agls-{name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[agls.features]\n{name} = agls_{name}:ROOM\n")
    agls.environment["PYTHONPATH"] = str(site)


def outputs(agls: Agls, *arguments: str) -> list[str]:
    done = agls.run("run", "--mode", "allowAll", "--output", "jsonl", *arguments, "go")
    assert done.code == 0, done.out + done.err
    items = [each["data"]["item"] for each in done.events if each.get("type") == "itemCompleted"]
    return [item["output"] for item in items if item["kind"] == "toolCall"]


def test_example_of_the_page_works_as_it_is_typed(agls: Agls) -> None:
    section = PAGE.partition("## Python packages")[2].partition("\n## ")[0]
    code, project, named = re.findall(r"```(?:python|toml)\n(.*?)```", section, re.DOTALL)
    about = tomllib.loads(project)
    assert about["tool"]["setuptools"]["py-modules"] == ["agls_dice"]
    assert about["project"]["entry-points"] == {"agls.features": {"dice": "agls_dice:ROOM"}}
    installed(agls, "dice", code)
    agls.configure(SCRIPTED + named)
    agls.script({"calls": [ROLL]}, {"text": "done"})
    (rolled,) = outputs(agls)
    assert rolled in set("123456")


def test_package_takes_part_when_the_user_names_it_and_no_sooner(agls: Agls) -> None:
    installed(agls, "greeter", f"import pathlib\npathlib.Path({str(agls.home)!r}, 'seen').touch()\n{GREETER}")
    (agls.workspace / ".agls").mkdir()
    (agls.workspace / ".agls/config.toml").write_text("[plugins.python.greeter]\n")
    agls.configure(SCRIPTED)
    agls.script({"calls": [call("greet")]}, {"text": "done"})
    (missing,) = outputs(agls, "--trust")
    assert "no tool called 'greet'" in missing
    listed = agls.run("plugin", "list").out
    assert re.search(r"greeter +1\.0 +off +Python package agls-greeter", listed)
    assert "[plugins.python.greeter] into your config file" in agls.run("run", "/plugin").out
    assert not (agls.home / "seen").exists()
    agls.configure(SCRIPTED + '[plugins.python.greeter]\nword = "Good evening"\n')
    (greeted,) = outputs(agls)
    assert greeted == "Good evening there."
    assert re.search(r"greeter +1\.0 +on +Python", agls.run("plugin", "list").out)
    assert "The Python plugin greeter can be used (agls-greeter 1.0)." in agls.run("doctor", "--offline").out


BROKEN = {
    "import oops_no_such_module": "importing agls_NAME:ROOM failed: ModuleNotFoundError",
    "raise SystemExit(3)": "importing agls_NAME:ROOM failed: SystemExit: 3",
    "ROOM = 7": "agls_NAME:ROOM is a int, and must be a Room",
    GREETER.replace(
        '"greeter", Greeting', '"shell", Greeting'
    ): "there is a room or a setting called 'shell'",
    GREETER.replace("word: str", "number: int"): "plugins.python.NAME.word: Extra inputs are not permitted",
}


def test_broken_packages_are_named_with_what_to_do_and_stop_no_session(agls: Agls) -> None:
    for number, code in enumerate(BROKEN):
        installed(agls, f"no{number}", code)
    agls.configure(SCRIPTED + "".join(f'[plugins.python.no{n}]\nword = "Hi"\n' for n in range(len(BROKEN))))
    agls.script({"text": "done"})
    done = agls.run("run", "go")
    assert (done.code, "done" in done.out) == (0, True)
    rows = json.loads(agls.run("plugin", "list", "--json").out)
    doctor, listed = agls.run("doctor", "--offline").out, agls.run("run", "/plugin").out
    for number, (row, why) in enumerate(zip(rows, BROKEN.values(), strict=True)):
        said, fix = why.replace("NAME", f"no{number}"), f"remove [plugins.python.no{number}] from your config"
        assert f"The Python plugin no{number} cannot be used: {said}" in done.err
        for shown in (row["problem"], doctor, listed):
            assert said in shown
            assert fix in shown


def test_package_that_is_missing_or_cannot_be_built_is_left_out(agls: Agls) -> None:
    installed(
        agls,
        "greeter",
        GREETER.replace("    async def greet", "    raise OSError('no dice')\n\n    async def greet"),
    )
    agls.configure(SCRIPTED + "[plugins.python.greeter]\n[plugins.python.absent]\n")
    agls.script({"text": "done"})
    done = agls.run("run", "go")
    assert done.code == 0
    assert (
        "absent cannot be used: no installed package has an entry point 'absent' in agls.features" in done.err
    )
    assert f"{sys.executable} -m pip install" in done.err
    shown = agls.run("run", "/plugin").out
    assert "`build` failed: OSError: no dice" in shown
