"""What is set for everybody is sent with every request; a model that refuses it is asked without."""

from pathlib import Path

import pytest

from support.family import opened, run
from support.model_server import Answer, Failure, ModelServer, Reply

Carried = tuple[object, object]  # the temperature and top_p of a request
REFUSAL = Failure(400, "temperature is not supported")


async def sent(tmp_path: Path, settings: str, *answers: Answer, prompts: int = 1) -> list[Carried]:
    """Run so many prompts. **Returns** what each request carried."""
    with ModelServer([*answers]) as server:
        async with opened(tmp_path, server, settings) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            for _ in range(prompts):
                await run(world, session, "go")
        return [(post.body.get("temperature"), post.body.get("top_p")) for post in server.posts]


@pytest.mark.parametrize(
    ("settings", "carried"),
    [
        ("", (None, None)),
        ("[sampling]\ntemperature = 0.2", (0.2, None)),
        ("[sampling]\ntop_p = 0.5\ntemperature = 0", (0, 0.5)),
    ],
)
async def test_what_is_set_for_everybody_is_sent(tmp_path: Path, settings: str, carried: Carried) -> None:
    assert await sent(tmp_path, settings, Reply("Done.")) == [carried]


async def test_model_that_refuses_it_is_asked_without_it_for_the_rest_of_the_session(tmp_path: Path) -> None:
    answers = [REFUSAL, Reply("Done."), Reply("Done again.")]
    asked = await sent(tmp_path, "[sampling]\ntemperature = 0.2", *answers, prompts=2)
    assert asked == [(0.2, None), (None, None), (None, None)]


async def test_another_refusal_is_not_taken_for_one_of_it(tmp_path: Path) -> None:
    asked = await sent(tmp_path, "[sampling]\ntemperature = 0.2", Failure(400, "this model has no tools"))
    assert asked == [(0.2, None)]
