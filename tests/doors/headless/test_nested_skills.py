"""Skills in folders below the one that is worked in, from the command line."""

import json

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply
from support.skill_folders import results_read, write_skill

pytestmark = [pytest.mark.row(55), pytest.mark.timeout(300)]
DEPLOY = "---\nname: deploy\ndescription: Ship this package.\n---\nShip {}.\n"


def _write(agls: Agls) -> None:
    """Write a repository with packages, each of which has a skill of the same name."""
    for folder in ("packages/a", "packages/b", "node_modules/c"):
        write_skill(agls.workspace / folder / ".claude/skills", "deploy", DEPLOY.replace("{}", folder))
        (agls.workspace / folder / "src").mkdir()
        (agls.workspace / folder / "src/main.txt").write_text("main\n")


def _read(folder: str) -> tuple[str, dict[str, str]]:
    return "read_file", {"path": f"{folder}/src/main.txt"}


def _told(server: ModelServer, request: int) -> list[str]:
    said = json.dumps(server.posts[request].body["messages"])
    return [name for name in ("- deploy: Ship", "- packages/b:deploy: Ship") if name in said]


def test_skill_of_a_package_is_there_once_the_agent_works_on_its_files(agls: Agls) -> None:
    _write(agls)
    load = [("skill", {"name": name}) for name in ("deploy", "packages/b:deploy")]
    replies = [
        Reply(calls=[load[0], _read("node_modules/c")]),
        Reply(calls=[_read("packages/a")]),
        Reply(calls=[_read("packages/b"), load[0]]),
        Reply(calls=[load[1]]),
        Reply("Done."),
    ]
    with ModelServer(replies) as server:
        model = ("--trust", "--base-url", server.url, "--model", "m")
        done = agls.run("run", "go", *model)
        assert done.code == 0, done.err
        assert "There is no skill 'deploy'" in results_read(server, 1)[0]
        assert [_told(server, number) for number in range(4)] == [
            [],
            [],
            ["- deploy: Ship"],
            ["- deploy: Ship", "- packages/b:deploy: Ship"],
        ]
        assert "Ship packages/a." in results_read(server, 3)[-1]
        assert "Ship packages/b." in results_read(server, 4)[-1]


def test_skill_of_a_package_is_a_command_of_a_later_run_of_the_session(agls: Agls) -> None:
    _write(agls)
    with ModelServer([Reply(calls=[_read("packages/a")]), Reply("Done."), Reply("Shipped.")]) as server:
        model = ("--trust", "--base-url", server.url, "--model", "m")
        assert agls.run("run", "go", *model).code == 0
        assert agls.run("resume", "/deploy now", *model).code == 0
        assert "Ship packages/a." in json.dumps(server.posts[2].body["messages"][-1])


def test_skills_of_a_package_in_an_untrusted_folder_are_not_read(agls: Agls) -> None:
    _write(agls)
    with ModelServer([Reply(calls=[_read("packages/a")]), Reply("Done.")]) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert len(server.posts) == 2
        assert "Ship this package" not in json.dumps(server.posts[1].body)
