"""Rules about the network, held against commands: the sandbox keeps them, or nothing runs."""

import pytest

from agls.features.permissions.settings import Settings
from support.rooms import do, use

from .scene import Scene, pick, result, run

pytestmark = pytest.mark.promise("P2")


@pytest.mark.parametrize("rule", ["network", "network(example.com)"])
async def test_without_a_sandbox_a_denied_network_refuses_every_command_that_may_connect(
    scene: Scene, rule: str
) -> None:
    scene.settings = Settings(mode="allowAll", deny=[rule])
    state = await scene.run(run("make"), use(do("c2", "write", "a.py")), reply=pick("once"))
    assert result(state).text.startswith(f"Not run: The rule deny {rule} forbids it: a command can reach the")
    assert scene.asked == []
    assert scene.shell.done == []
    assert scene.write.done, "files are no network"


async def test_denied_network_confines_a_command_also_when_the_user_allowed_it(scene: Scene) -> None:
    scene.settings, scene.sandbox.works = Settings(deny=["network"]), True
    await scene.run(run("make"), reply=pick("once"))
    assert len(scene.asked) == 1
    assert [(permit.asked, permit.confined) for permit in scene.permits] == [(True, True)]
    scene.settings = Settings()
    await scene.run(run("make"), reply=pick("once"))
    assert not scene.permits[-1].confined


async def test_without_a_sandbox_a_network_that_is_asked_about_asks_for_allowed_commands(
    scene: Scene,
) -> None:
    scene.settings = Settings(allow=["shell(make)"], ask=["network"])
    await scene.run(run("make"), reply=pick("reject"))
    assert "a command can reach the network" in scene.asked[0].reason
    scene.sandbox.works = True
    await scene.run(run("make"), reply=pick("reject"))
    assert scene.asked == [], "the sandbox has no network"
