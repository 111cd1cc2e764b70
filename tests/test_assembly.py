"""The composition root: which features a run has, in which order, and with which model it works."""

import json
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from inline_snapshot import snapshot

from agls.assembly.listed_actions import ListedAction
from agls.config import ConfigError, ConfigInputs, Setup, read
from agls.engine.actions import ActionContext
from agls.engine.admission import ClientRequest
from agls.engine.facts import Admitted, SessionChanged
from agls.engine.feature import Feature
from agls.engine.ports import ModelError
from agls.engine.run_action import NO_PROMPT, ONLY_ACTIONS, actions
from agls.engine.vocabulary import StopReason, Text
from agls.features import budget
from agls.models.local import discovery
from agls.order import ROOMS
from agls.workspace.clock import SystemClock
from agls.workspace.editor import NoEditor
from agls.world import World, open_world
from support.model_server import ModelServer, Reply

SCRIPTED = 'model = "scripted"\n[models.scripted]\ndialect = "scripted"\nscript = "script.json"\n'


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def setup_of(workspace: Path, text: str = "", *, trusted: bool = False, **arguments: Any) -> Setup:
    home = workspace.parent / "home"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(text)
    told = ConfigInputs(
        arguments=arguments, config_file=str(home / "config.toml"), state_dir=str(home / "state")
    )
    return read(told, str(workspace), lambda folder: trusted, {})


def script(workspace: Path, *turns: dict[str, Any]) -> None:
    content = {"prompts": [{"turns": turns}] * 2}
    (workspace.parent / "home/script.json").write_text(json.dumps(content))


async def run(world: World, workspace: Path, **options: Any):
    session = await world.sessions.create(str(workspace))
    admission = await session.prompt((Text("go"),), options=options)
    return await session.finished(admission.run_id)


OTHERWISE = """\
[memory]
enabled = false
[plan]
enabled = false
[commands]
enabled = false
[ask]
enabled = false
[web]
fetch = false
[compaction]
at = 0.5
[scratchpad]
enabled = false
"""


@pytest.mark.parametrize("headless", [False, True])
@pytest.mark.parametrize("settings", ["", OTHERWISE])
async def test_actions_are_listed_as_the_rooms_offer_them(
    workspace: Path, settings: str, headless: bool
) -> None:
    """The list is made without most rooms; those that they are built of say the same, word for word."""
    setup = setup_of(workspace, SCRIPTED + settings)
    async with open_world(setup, editor=NoEditor(), headless=headless) as world:
        session = await world.sessions.create(str(workspace))
        built = session.run_setup(NO_PROMPT).features
        offering = {feature.name for feature in built if feature.actions}
        assert offering <= {room.name for room in ROOMS if room.has_actions}
        assert offering >= {room.name for room in ROOMS if room.has_actions and not room.actions_vary}
        assert list(actions(session)) == [action.spec for feature in built for action in feature.actions]


async def test_a_child_session_lists_what_it_offers(workspace: Path) -> None:
    async with open_world(setup_of(workspace, SCRIPTED), editor=NoEditor(), headless=False) as world:
        parent = await world.sessions.create(str(workspace))
        about = SessionChanged(str(workspace), parent=parent.session_id, parent_item="item_1", depth=1)
        child = await world.sessions.make(about, ClientRequest())
        built = child.run_setup(NO_PROMPT).features
        assert list(actions(child)) == [action.spec for feature in built for action in feature.actions]


async def test_a_listed_action_does_nothing(workspace: Path) -> None:
    """To do an action the rooms are built."""
    async with open_world(setup_of(workspace, SCRIPTED), editor=NoEditor(), headless=False) as world:
        session = await world.sessions.create(str(workspace))
        (first, *_) = [
            action for feature in session.run_setup(ONLY_ACTIONS).features for action in feature.actions
        ]
        assert isinstance(first, ListedAction)
        context = cast("ActionContext", None)
        with pytest.raises(NotImplementedError):
            await first({}, context)
        with pytest.raises(NotImplementedError):
            await first.values("name", context)


async def test_rooms_without_a_part_in_runs_are_built_for_their_actions_only(workspace: Path) -> None:
    async with open_world(setup_of(workspace, SCRIPTED), editor=NoEditor(), headless=False) as world:
        session = await world.sessions.create(str(workspace))
        built = session.run_setup(NO_PROMPT).features
        of_a_run = session.run_setup(Admitted("run_1", "item_1", (), "", {})).features
    idle = {each.name for each in built if replace(each, actions=()) == Feature(name=each.name)}
    left_out = {each.name for each in built} - {each.name for each in of_a_run}
    assert left_out == {room.name for room in ROOMS if not room.in_runs} - {"mentions", "inline_edit"} <= idle


async def test_the_order_of_the_features(workspace: Path) -> None:
    setup = setup_of(workspace, SCRIPTED + "context_window = 8192\n")
    async with open_world(setup, editor=NoEditor(), headless=False) as world:
        session = await world.sessions.create(str(workspace))
        options = {"outputSchema": {"type": "object"}, "maxSeconds": 60}
        all_of_them = session.run_setup(Admitted("run_1", "item_1", (), "", options)).features
    assert [feature.name for feature in all_of_them] == snapshot(
        [
            "outputs",
            "redaction",
            "deadline",
            "guards",
            "plugins",
            "policy",
            "budget",
            "instructions",
            "environment",
            "continuation",
            "compaction",
            "hooks",
            "permissions",
            "sandbox",
            "checkpoints",
            "usage",
            "audit",
            "scratchpad",
            "files",
            "search",
            "code_intelligence",
            "shell",
            "repository",
            "web",
            "ask",
            "plan",
            "memory",
            "subagents",
            "agents",
            "mcp",
            "output_schema",
            "history",
            "client_tools",
            "families",
            "lean",
            "skills",
            "commands",
        ]
    )
    assert [tool.spec.name for feature in all_of_them for tool in feature.tools] == snapshot(
        [
            "read_file",
            "list_dir",
            "edit_file",
            "multi_edit",
            "write_file",
            "edit_notebook",
            "apply_patch",
            "move_file",
            "delete_file",
            "glob",
            "grep",
            "code_intelligence",
            "rename_symbol",
            "shell",
            "shell_task",
            "git_commit",
            "web_fetch",
            "plan",
            "delegate",
            "helper_task",
            "skill",
        ]
    )


def test_the_clock_is_the_machines() -> None:
    assert abs(SystemClock().now() - time.time()) < 5
    assert SystemClock().monotonic() <= SystemClock().monotonic()


async def test_a_run_ends_with_its_model_and_its_limits(workspace: Path) -> None:
    async with open_world(setup_of(workspace, SCRIPTED), editor=NoEditor(), headless=False) as world:
        script(workspace, {"text": "Done."})
        result = await run(world, workspace)
        assert (result.stop.reason, result.state.limits.max_turns) == (StopReason.END_TURN, 100)
        result = await run(world, workspace, maxTurns=7)
        assert result.state.limits.max_turns == 7


async def test_a_headless_run_has_fewer_turns(workspace: Path) -> None:
    async with open_world(setup_of(workspace, SCRIPTED), editor=NoEditor(), headless=True) as world:
        script(workspace, {"text": "Done."})
        assert (await run(world, workspace)).state.limits.max_turns == 12


@pytest.mark.parametrize(("headless", "seconds"), [(True, 60.0), (False, None)])
async def test_only_a_headless_run_has_a_time_limit_of_its_own(
    workspace: Path, headless: bool, seconds: float | None
) -> None:
    async with open_world(setup_of(workspace, SCRIPTED), editor=NoEditor(), headless=headless) as world:
        session = await world.sessions.create(str(workspace))
        run_setup = session.run_setup(Admitted("run_1", "item_1", ()))
        assert run_setup.limits.max_seconds == seconds


@pytest.mark.parametrize(("text", "options"), [("", {"maxSeconds": 0}), ("[budget]\nmax_seconds = 0\n", {})])
async def test_a_run_without_time_asks_no_model(workspace: Path, text: str, options: dict[str, Any]) -> None:
    async with open_world(setup_of(workspace, SCRIPTED + text), editor=NoEditor(), headless=False) as world:
        script(workspace, {"text": "Done."})
        result = await run(world, workspace, **options)
        assert (result.stop.reason, result.state.run.turns) == (StopReason.TIMEOUT, 0)


ANYBODY = 'callers = { "*" = { max_model_calls = 0 } }'


@pytest.mark.row(19)
@pytest.mark.parametrize(
    ("managed", "user", "options", "calls"),
    [
        ("max_model_calls = 0", "", {}, 0),
        ("max_model_calls = 0", "[budget]\nmax_model_calls = 5\n", {"maxModelCalls": 9}, 0),
        ("max_model_calls = 3", "[budget]\nmax_model_calls = 0\n", {}, 0),
        ("day = { max_model_calls = 0 }", "[budget.day]\nmax_model_calls = 5\n", {}, 0),
        (ANYBODY, "[budget.callers.me]\nmax_turns = 9\n", {"caller": "me"}, 0),
        ("max_model_calls = 3", "", {}, 1),
    ],
)
async def test_policy_sets_missing_limits_and_tightens_given_ones(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    managed: str,
    user: str,
    options: dict[str, Any],
    calls: int,
) -> None:
    """The managed file's budget holds for a run that set none, and above everything that did."""
    file = workspace.parent / "managed.toml"
    file.write_text(f"[budget]\n{managed}\n")
    monkeypatch.setattr("agls.config.setup.managed_file", lambda: file)
    async with open_world(setup_of(workspace, SCRIPTED + user), editor=NoEditor(), headless=True) as world:
        script(workspace, {"text": "Done."})
        result = await run(world, workspace, **options)
    assert result.state.run.model_calls == calls
    assert result.stop.reason is (StopReason.END_TURN if calls else StopReason.BUDGET)


@pytest.mark.row(19)
def test_setting_above_a_policy_is_ignored_with_a_warning(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks for more is told why it is not followed; a project may only lower."""
    file = workspace.parent / "managed.toml"
    file.write_text("[budget]\nmax_turns = 5\nsession = { max_cost_usd = 2.0 }\n")
    monkeypatch.setattr("agls.config.setup.managed_file", lambda: file)
    (workspace / ".agls").mkdir()
    project = "[budget]\nmax_turns = 3\n[budget.session]\nmax_cost_usd = 9.0\nmax_turns = 40\n"
    (workspace / ".agls/config.toml").write_text(project)
    text = "[budget]\nmax_turns = 50\nsession = { max_cost_usd = 1.0 }\n"
    loaded = setup_of(workspace, text, trusted=True).load(str(workspace))
    spending: Any = loaded.config.section(budget.ROOM)
    assert spending.max_turns == 3
    assert (spending.session.max_cost_usd, spending.session.max_turns) == (1.0, 40)
    told = [warning.partition(": ")[2] for warning in loaded.warnings]
    assert told == [
        "budget.max_turns was ignored: the managed file allows no more.",
        "budget.session.max_cost_usd was ignored: a project file may only make things stricter. Put it into "
        "your own config file.",
    ]


async def test_a_new_setup_counts_from_the_next_run_on(workspace: Path) -> None:
    async with open_world(setup_of(workspace, SCRIPTED), editor=NoEditor(), headless=True) as world:
        script(workspace, {"text": "Done."})
        assert (await run(world, workspace)).state.limits.max_turns == 12
        world.setup = setup_of(workspace, SCRIPTED + "[budget]\nmax_turns = 3\n")
        assert (await run(world, workspace)).state.limits.max_turns == 3


async def test_instructions_of_a_folder_count_only_when_it_is_trusted(workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("CANARY")
    for trusted in (False, True):
        setup = setup_of(workspace, SCRIPTED, trusted=trusted)
        async with open_world(setup, editor=NoEditor(), headless=True) as world:
            script(workspace, {"text": "Done."})
            result = await run(world, workspace)
            assert ("CANARY" in result.state.context.system) == trusted


async def test_our_own_files_are_protected_even_in_a_workspace_that_holds_them(workspace: Path) -> None:
    setup = setup_of(workspace, SCRIPTED + '[permissions]\nmode = "acceptEdits"\n')
    target = str(setup.config_file)
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        read_it = {"name": "read_file", "arguments": {"path": target}}
        write_it = {"name": "write_file", "arguments": {"path": target, "content": "model = 'evil'"}}
        script(workspace, {"calls": [read_it]}, {"calls": [write_it]}, {"text": "Done."})
        await run(world, workspace.parent)
    assert "evil" not in Path(target).read_text()


# --- models ----------------------------------------------------------------------------------------


async def test_a_model_keeps_its_connections_from_run_to_run(workspace: Path) -> None:
    with ModelServer([Reply("One."), Reply("Two.")]) as server:
        setup = setup_of(workspace, base_url=server.url, model="m")
        async with open_world(setup, editor=NoEditor(), headless=True) as world:
            for _ in range(2):
                assert (await run(world, workspace)).stop.reason is StopReason.END_TURN
            assert await world.model(str(workspace)) is await world.model(str(workspace))
        assert server.connections == 1


async def test_an_unknown_model_is_refused_before_a_run(workspace: Path) -> None:
    async with open_world(setup_of(workspace, SCRIPTED), editor=NoEditor(), headless=True) as world:
        with pytest.raises(ModelError, match="no model called 'absent'"):
            await world.model(str(workspace), "absent")


async def test_missing_model_is_an_error_that_says_what_to_do(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "find_local_servers", partial(discovery.find_local_servers, ports=()))
    async with open_world(setup_of(workspace), editor=NoEditor(), headless=True) as world:
        with pytest.raises(ConfigError, match="--base-url") as caught:
            await world.model(str(workspace))
        assert str(caught.value).count("\n") == 2
        assert (await run(world, workspace)).stop.reason is StopReason.MODEL_ERROR


async def test_server_on_this_machine_is_found_and_reported(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer([Reply("Hello."), Reply("Again.")], models=("qwen", "llama")) as server:
        monkeypatch.setattr(
            discovery,
            "find_local_servers",
            partial(discovery.find_local_servers, ports=[("ollama", server.port)]),
        )
        async with open_world(setup_of(workspace), editor=NoEditor(), headless=True) as world:
            assert (await world.model(str(workspace))).info.name == "ollama/qwen"
            assert (await world.model(str(workspace), "llama")).info.name == "ollama/llama"
            assert world.notes(str(workspace)) == (
                f"Found ollama/qwen at http://127.0.0.1:{server.port}/v1.",
            )
            assert (await run(world, workspace)).stop.reason is StopReason.END_TURN
        async with open_world(setup_of(workspace, model="llama"), editor=NoEditor(), headless=True) as world:
            assert (await world.model(str(workspace))).info.name == "ollama/llama"
            assert world.notes(str(workspace))[0].startswith("Found ollama/llama at ")
            assert (await run(world, workspace)).stop.reason is StopReason.END_TURN
        assert [post.body["model"] for post in server.posts] == ["qwen", "llama"]


# --- before a run is admitted ----------------------------------------------------------------------


async def test_wrong_options_are_refused_before_a_run(workspace: Path) -> None:
    setup = setup_of(workspace, SCRIPTED)
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        world.check_options(str(workspace), {"maxTurns": 3, "mode": "ask"})
        with pytest.raises(ConfigError, match="maxTurns must be a whole number"):
            world.check_options(str(workspace), {"maxTurns": "three"})
        with pytest.raises(ConfigError, match="maxSeconds must be a number of seconds"):
            world.check_options(str(workspace), {"maxSeconds": "long"})
        with pytest.raises(ConfigError, match="there is no folder"):
            world.check_options(str(workspace / "gone"), {})
        setup.config_file.write_text("modle = 1\n")
        world.check_options(str(workspace), {})  # what was read when the process began still holds


async def test_a_project_file_that_breaks_is_refused_before(workspace: Path) -> None:
    async with open_world(setup_of(workspace, trusted=True), editor=NoEditor(), headless=True) as world:
        (workspace / ".agls").mkdir()
        (workspace / ".agls/config.toml").write_text("[[[")
        with pytest.raises(ConfigError, match="not valid TOML"):
            world.check_options(str(workspace), {})


# --- prices ----------------------------------------------------------------------------------------


@pytest.mark.row(17)
async def test_another_model_in_a_session_does_not_price_again_what_was_paid(workspace: Path) -> None:
    """Every call has the price of the model that answered it."""
    with ModelServer([Reply("one"), Reply("two")]) as server:
        text = "".join(
            f'[models.{name}]\nbase_url = "{server.url}"\ninput_price = {price}\noutput_price = {2 * price}\n'
            for name, price in (("cheap", 1), ("dear", 100))
        )
        async with open_world(setup_of(workspace, text), editor=NoEditor(), headless=True) as world:
            session = await world.sessions.create(str(workspace))
            costs: list[float] = []
            for name in ("cheap", "dear"):
                admission = await session.prompt((Text("go"),), options={"model": name})
                costs.append((await session.finished(admission.run_id)).state.total.cost)
    assert costs == pytest.approx([(10 + 2 * 5) / 1e6, (10 + 2 * 5) * 101 / 1e6])
