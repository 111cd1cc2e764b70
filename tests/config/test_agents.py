"""Agents in the configuration: where they are defined, who may say what, and how a mistake is told."""

import json
from pathlib import Path

import pytest

from agls.config import EDITOR, ConfigError, ConfigInputs, Rank, Setup, agent_of, bounds_of, read
from agls.engine.facts import Admitted
from agls.engine.vocabulary import Text
from agls.features import critic
from agls.workspace.editor import NoEditor
from agls.world import open_world
from support.config import home, setup_of, workspace, write

__all__ = ["home", "workspace"]
BUILT_IN = ("explore", "general", "help", "plan", "review", "verify")
REVIEWER = 'description = "Reads a change and says what is wrong with it."\n'


def user_file(home: Path, name: str, text: str) -> Path:
    return write(home / "XDG_CONFIG_HOME/agls" / name, text)


def failure(setup: Setup, folder: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        setup.load(str(folder))
    return caught.value


def test_an_agent_in_the_config_file_and_one_in_a_file_of_its_own(home: Path, workspace: Path) -> None:
    user_file(
        home, "config.toml", f"[agents.reviewer]\n{REVIEWER}tools = ['read_file']\nagents = ['writer']\n"
    )
    file = user_file(
        home, "agents/writer.toml", "description = 'Writes.'\ntier = 'fast'\n[limits]\nmax_turns = 4\n"
    )
    loaded = setup_of(workspace, {}).load(str(workspace))
    agents = loaded.config.agents
    assert agents["reviewer"].tools == ("read_file",)
    assert (agents["writer"].tier, agents["writer"].limits.max_turns) == ("fast", 4)
    assert agents["writer"].tools is None, "all of them"
    where = {origin.key: origin.where for origin in loaded.explain()}
    assert where["agents.writer.limits.max_turns"] == f"{Rank.USER}, {file}:4"


def test_unnamed_agent_is_the_users_own_and_may_delegate_to_all(home: Path, workspace: Path) -> None:
    user_file(home, "agents/reviewer.toml", REVIEWER)
    agents = setup_of(workspace, {}).load(str(workspace)).config.agents
    assert agent_of(agents, {}).agents == (*BUILT_IN, "reviewer")
    assert agent_of(agents, {"agent": "reviewer"}).agents == ()
    with pytest.raises(ValueError, match=r"no agent 'nobody'; there are explore, .*reviewer"):
        agent_of(agents, {"agent": "nobody"})
    with pytest.raises(ValueError, match="none is configured"):
        agent_of({}, {"agent": "nobody"})


def test_agents_of_a_project_count_only_when_its_folder_is_trusted(home: Path, workspace: Path) -> None:
    write(workspace / ".agls/agents/theirs.toml", REVIEWER)
    assert setup_of(workspace, {}).load(str(workspace)).config.agents.keys() == {*BUILT_IN}
    assert list(setup_of(workspace, {}, trusted=True).load(str(workspace)).config.agents) == [
        *BUILT_IN,
        "theirs",
    ]
    (workspace / ".agls/agents/theirs.toml").write_text("this is [not TOML")
    assert setup_of(workspace, {}).load(str(workspace)).config.agents.keys() == {*BUILT_IN}


@pytest.mark.parametrize("place", ["config.toml", "agents/reviewer.toml"])
def test_a_project_cannot_change_an_agent_that_the_user_has(home: Path, workspace: Path, place: str) -> None:
    user_file(home, "agents/reviewer.toml", REVIEWER + "tools = ['read_file']\n")
    table = "[agents.reviewer]\n" if place == "config.toml" else ""
    write(workspace / ".agls" / place, f"{table}description = 'Mine now.'\ntools = ['shell']\n")
    loaded = setup_of(workspace, {}, trusted=True).load(str(workspace))
    assert loaded.config.agents["reviewer"].tools == ("read_file",)
    assert "agents.reviewer was ignored" in loaded.warnings[0]


@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("a.toml", "prompt = 'Read.'\n", 1, "description: this is required"),
        ("a.toml", f"{REVIEWER}color = 'red'\n", 2, "unknown key"),
        ("a.toml", f"{REVIEWER}[limits]\nmax_turn = 3\n", 3, "did you mean 'max_turns'"),
        (
            "a.toml",
            f"{REVIEWER}tools = 'shell'\n",
            2,
            "agents.a.tools: this must be a list: write [ … ] around it",
        ),
        (
            "a.toml",
            f"{REVIEWER}agents = ['b']\n",
            0,
            "a may delegate to 'b', which does not exist; there are explore",
        ),
        ("not a name.toml", REVIEWER, 1, "up to 50 letters"),
    ],
)
def test_mistake_in_an_agent_names_its_file(
    home: Path, workspace: Path, name: str, text: str, line: int, said: str
) -> None:
    file = write(workspace / ".agls/agents" / name, text)
    problem = failure(setup_of(workspace, {}, trusted=True), workspace)
    assert problem.file == str(file)
    assert not line or problem.line == line
    assert said in str(problem)


@pytest.mark.parametrize(("ours", "agents", "holds"), [(None, 4, 4), (9, 4, 4), (4, 9, 4), (4, None, 4)])
def test_the_limits_of_an_agent_hold_where_they_are_lower(
    home: Path, workspace: Path, ours: int | None, agents: int | None, holds: int
) -> None:
    limits = "" if agents is None else f"[limits]\nmax_tool_calls = {agents}\nmax_seconds = {agents}\n"
    user_file(home, "agents/reviewer.toml", REVIEWER + limits)
    mine = "" if ours is None else f"[budget]\nmax_tool_calls = {ours}\nmax_seconds = {ours}\n"
    user_file(home, "config.toml", mine)
    loaded = setup_of(workspace, {}).load(str(workspace))
    limits_now = bounds_of(loaded, {"agent": "reviewer"}, {}, usual=EDITOR).limits
    assert (limits_now.max_tool_calls, limits_now.max_seconds) == (holds, holds)


def test_critic_settings_of_an_agent_override_the_others(home: Path, workspace: Path) -> None:
    user_file(home, "config.toml", "[critic]\nwake_after = 7\npatience = 5\n")
    user_file(home, "agents/reviewer.toml", REVIEWER + "[critic]\nenabled = true\npatience = 2\n")
    config = setup_of(workspace, {}).load(str(workspace)).config
    own = config.agents["reviewer"].over(critic.ROOM, config.critic)
    assert (own.enabled, own.wake_after, own.patience) == (True, 7, 2)
    assert agent_of(config.agents, {}).over(critic.ROOM, config.critic) == config.critic


async def test_a_run_of_an_agent_has_its_words_its_tools_and_its_model(home: Path, workspace: Path) -> None:
    script = home / "XDG_CONFIG_HOME/agls/script.json"
    write(script, json.dumps({"prompts": [{"turns": [{"text": "Done."}]}]}))
    scripted = '[models.{}]\ndialect = "scripted"\nscript = "script.json"\n'
    user_file(home, "config.toml", 'model = "big"\n' + scripted.format("big") + scripted.format("small"))
    own = f"{REVIEWER}prompt = 'You review.'\ntier = 'small'\ntools = ['read_file', 'grep']\n"
    user_file(home, "agents/reviewer.toml", own)
    setup = read(ConfigInputs(state_dir=str(home / "state")), str(workspace), lambda folder: False, {})
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        with pytest.raises(ConfigError, match=r"no agent 'nobody'; there are explore, .*reviewer"):
            world.check_options(str(workspace), {"agent": "nobody"})
        session = await world.sessions.create(str(workspace), options={"agent": "reviewer"})
        run_setup = session.run_setup(Admitted("run_1", "item_1", ()))
        assert [tool.spec.name for tool in run_setup.tools] == ["read_file", "grep"]
        assert (run_setup.models.resolve("").info.name, run_setup.models.resolve("big").info.name) == (
            "small",
            "big",
        )
        run = await session.prompt((Text("go"),))
        state = (await session.finished(run.run_id)).state
    assert state.context.system.startswith("You review.")
