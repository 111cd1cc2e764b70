"""What a crash left behind is removed beside the first run after it; when it cannot be, nobody is harmed."""

from pathlib import Path

import pytest

from agls.config import ConfigError, ConfigInputs, read
from agls.engine.facts import Admitted
from agls.engine.ports import WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import Stop, StopReason
from agls.features.recovery.feature import build
from agls.features.recovery.settings import Settings
from agls.room.process_ports import Leftovers
from agls.room.run_ports import RunInfo
from support.scenario import check, say

CUT_OFF = RunInfo(state=State(admitted=Admitted("run_0", "item_0", ()), stop=Stop(StopReason.INTERRUPTED)))


async def test_leftovers_are_removed_beside_the_run() -> None:
    cleaned: list[str] = []

    async def clean() -> None:
        cleaned.append("clean")

    state = await check(say(), facts=None, features=[build(Settings(), CUT_OFF, Leftovers((clean,)))])
    assert (cleaned, state.stop) == (["clean"], Stop(StopReason.END_TURN))


@pytest.mark.parametrize("problem", [OSError("full"), WorkspaceError("gone")])
async def test_leftover_that_cannot_be_removed_is_logged(
    problem: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async def clean() -> None:
        raise problem

    state = await check(say(), facts=None, features=[build(Settings(), CUT_OFF, Leftovers((clean,)))])
    assert state.stop == Stop(StopReason.END_TURN)
    assert "could not be removed" in caplog.text


def test_the_setting_is_one_word_or_a_table(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    for folder in (tmp_path / "home", workspace):
        folder.mkdir()
    file = tmp_path / "home/config.toml"

    def mode(text: str) -> str:
        file.write_text(text)
        told = ConfigInputs(config_file=str(file), state_dir=str(tmp_path / "home/state"))
        loaded = read(told, str(workspace), lambda _: False, {}).load(str(workspace))
        (origin,) = [origin for origin in loaded.explain() if origin.key == "recovery.start"]
        assert str(file) in origin.where or not text
        return loaded.config.recovery.start

    assert mode("") == Settings().start == "ask"
    assert mode('recovery = "auto"') == "auto"
    assert mode('[recovery]\nstart = "never"') == "never"
    with pytest.raises(ConfigError, match="recovery"):
        mode('recovery = "perhaps"')
