"""Where settings, keys and trust are kept, and what may not move them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agls.config import (
    Config,
    ConfigError,
    ConfigInputs,
    FolderGrants,
    GuardedFiles,
    Seal,
    Trust,
    check_folder,
)
from agls.config.folders import check_outside, home_folder, managed_file, state_folder, user_file
from support.config import home, setup_of, workspace, write
from support.ordinary_user import ordinary_user

pytestmark = pytest.mark.promise("P1")

__all__ = ["home", "workspace"]  # fixtures


def test_the_user_file_is_read_from_the_platform_folder(home: Path, workspace: Path) -> None:
    write(home / "XDG_CONFIG_HOME/agls/config.toml", 'model = "mine"\n')
    write(home / "XDG_CONFIG_HOME/agls/AGENTS.md", "Be brief.")
    setup = setup_of(workspace, {})
    assert setup.load(str(workspace)).config.model == "mine"
    assert setup.state_folder == (home / "XDG_STATE_HOME/agls").resolve()


def test_managed_file_is_weaker_than_that_of_the_user(
    home: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    managed = write(home / "etc/config.toml", 'model = "managed"\n[budget]\nmax_turns = 3\n')
    monkeypatch.setattr("agls.config.setup.managed_file", lambda: managed)
    write(home / "XDG_CONFIG_HOME/agls/config.toml", 'model = "mine"\n')
    config = setup_of(workspace, {}).load(str(workspace)).config
    assert (config.model, config.budget.max_turns) == ("mine", 3)


def test_managed_file_lies_where_only_an_administrator_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(home_folder()))
    assert managed_file().name == "config.toml"
    assert not managed_file().is_relative_to(home_folder())


def test_a_project_file_counts_only_when_its_folder_is_trusted(home: Path, workspace: Path) -> None:
    write(workspace / ".agls/config.toml", "[budget]\nmax_turns = 3\n")
    assert setup_of(workspace, {}).load(str(workspace)).config.budget.max_turns is None
    assert setup_of(workspace, {}, trusted=True).load(str(workspace)).config.budget.max_turns == 3


def without_agents(config: Config) -> Config:
    """Return the settings without the agents that are part of agls."""
    return config.model_copy(update={"agents": {}})


def test_an_untrusted_project_file_is_not_even_looked_at(home: Path, workspace: Path) -> None:
    write(workspace / ".agls/config.toml", "this is [not TOML")
    assert without_agents(setup_of(workspace, {}).load(str(workspace)).config) == Config()
    with pytest.raises(ConfigError, match="not valid TOML"):
        setup_of(workspace, {}, trusted=True).load(str(workspace))


def test_mistakes_of_the_config_file_and_of_agent_files_are_named_together(
    home: Path, workspace: Path, tmp_path: Path
) -> None:
    file = write(tmp_path / "config.toml", "model = large\n")
    write(tmp_path / "agents/one.toml", "description = [\n")
    write(tmp_path / "agents/two.toml", 'description = "Looks."\n')
    write(tmp_path / "agents/three.toml", "description\n")
    with pytest.raises(ConfigError) as caught:
        setup_of(workspace, {"AGLS_CONFIG": str(file)})
    named = [line.partition(":")[0] for line in str(caught.value).splitlines()]
    assert named == [str(tmp_path / name) for name in ("config.toml", "agents/one.toml", "agents/three.toml")]


def test_a_pipe_in_place_of_a_project_file_does_not_make_us_wait(home: Path, workspace: Path) -> None:
    os.mkfifo(workspace / ".agls/config.toml")
    assert without_agents(setup_of(workspace, {}, trusted=True).load(str(workspace)).config) == Config()


def test_a_dotenv_file_is_never_read(home: Path, workspace: Path) -> None:
    write(workspace / ".env", "AGLS_MODEL=theirs\nAGLS_STATE_DIR=/tmp\n")
    assert without_agents(setup_of(workspace, {}, trusted=True).load(str(workspace)).config) == Config()


def test_a_config_file_that_is_named_must_exist(home: Path, workspace: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such config file"):
        setup_of(workspace, {"AGLS_CONFIG": str(tmp_path / "absent.toml")})


def test_the_editor_may_name_the_config_file_and_the_state_folder(
    home: Path, workspace: Path, tmp_path: Path
) -> None:
    file = write(tmp_path / "mine.toml", 'model = "named"\n')
    told = ConfigInputs(
        editor={"budget": {"max_turns": 4}}, config_file=str(file), state_dir=str(tmp_path / "state")
    )
    setup = setup_of(workspace, {"AGLS_CONFIG": "/nowhere"}, told=told)
    config = setup.load(str(workspace)).config
    assert (config.model, config.budget.max_turns) == ("named", 4)
    assert setup.state_folder == (tmp_path / "state").resolve()


@pytest.mark.parametrize(
    ("content", "problem"), [(b"\xff\xfe", "not UTF-8"), (b"# long\n" * 200_000, "larger than")]
)
def test_file_that_is_no_config_file_is_refused(
    home: Path, workspace: Path, tmp_path: Path, content: bytes, problem: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=problem):
        setup_of(workspace, {"AGLS_CONFIG": str(file)})


OPENED = """
import os, sys
from agls.config import ConfigError, ConfigInputs, check_folder, read
config, folder = sys.argv[1:]
def try_it(work):
    try:
        work()
    except ConfigError as problem:
        print(problem)
try_it(lambda: read(ConfigInputs(), os.getcwd(), lambda folder: False, {"AGLS_CONFIG": config}))
try_it(lambda: check_folder(folder))
"""


def test_what_is_closed_to_the_user_is_refused(home: Path, workspace: Path, tmp_path: Path) -> None:
    """As an ordinary user: root may open everything."""
    file, folder = write(tmp_path / "config.toml", ""), tmp_path / "closed"
    folder.mkdir()
    for each in (file, folder):
        each.chmod(0)
    command = [*ordinary_user(), sys.executable, "-c", OPENED, str(file), str(folder)]
    refused = subprocess.run(command, capture_output=True, check=True, text=True, cwd=workspace).stdout
    of_file, of_folder = refused.splitlines()
    assert "cannot be read" in of_file
    assert "may not be opened: permission denied" in of_folder


# --- our own places are never in a workspace -------------------------------------------------------


@pytest.mark.parametrize("variable", ["AGLS_STATE_DIR", "AGLS_CONFIG"])
def test_a_variable_may_not_move_our_own_files_into_the_workspace(
    home: Path, workspace: Path, variable: str
) -> None:
    with pytest.raises(ConfigError, match=rf"{variable}: .* inside the workspace"):
        setup_of(workspace, {variable: str(workspace / "theirs/config.toml")})


def test_variable_may_not_move_our_own_files_into_the_workspace_through_a_link(
    home: Path, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(workspace)
    with pytest.raises(ConfigError, match="inside the workspace"):
        setup_of(workspace, {"AGLS_STATE_DIR": str(tmp_path / "link/state")})


def test_working_in_the_home_folder_is_allowed(tmp_path: Path) -> None:
    check_outside(
        tmp_path / "me/.local/state", tmp_path / "me", tmp_path / "me", "AGLS_STATE_DIR", named=True
    )
    check_outside(tmp_path / "me/.local/state", tmp_path, tmp_path / "me", "AGLS_STATE_DIR", named=True)


def test_the_places_are_those_of_the_variables() -> None:
    variables = {"AGLS_STATE_DIR": "~/state", "AGLS_CONFIG": "~/config.toml"}
    assert state_folder(variables) == Path("~/state").expanduser()
    assert user_file(variables) == Path("~/config.toml").expanduser()


# --- trust and grants ----------------------------------------------------------------------------


def trust_in(state: Path) -> Trust:
    files = GuardedFiles(state, state / "config.toml")
    return Trust(files, Seal(files))


def grants_in(state: Path, folder: Path, session: str = "") -> FolderGrants:
    files = GuardedFiles(state, state / "config.toml")
    return FolderGrants(files, Seal(files), folder, session)


def test_trust_is_kept_and_can_be_taken_back(tmp_path: Path, workspace: Path) -> None:
    assert not trust_in(tmp_path / "state").trusts(workspace)
    trust_in(tmp_path / "state").remember(workspace)
    assert trust_in(tmp_path / "state").trusts(workspace)
    trust_in(tmp_path / "state").forget(workspace)
    assert not trust_in(tmp_path / "state").trusts(workspace)


def test_trust_is_private(tmp_path: Path, workspace: Path) -> None:
    trust_in(tmp_path / "state").remember(workspace)
    assert (tmp_path / "state").stat().st_mode & 0o077 == 0
    assert (tmp_path / "state/trust.json").stat().st_mode & 0o077 == 0


def test_trust_is_in_the_very_folder_and_in_no_other(tmp_path: Path, workspace: Path) -> None:
    trust = trust_in(tmp_path / "state")
    trust.remember(workspace)
    (workspace / "child").mkdir()
    (tmp_path / "link").symlink_to(workspace)
    assert not trust.trusts(workspace / "child")
    assert not trust.trusts(tmp_path)
    assert not trust.trusts(tmp_path / "absent")
    assert trust.trusts(tmp_path / "link")
    workspace.rename(tmp_path / "moved")
    workspace.mkdir()
    assert not trust.trusts(workspace)
    assert not trust.trusts(tmp_path / "moved")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"folders": 3}'])
def test_a_damaged_trust_file_trusts_nothing(tmp_path: Path, workspace: Path, content: str) -> None:
    write(tmp_path / "state/trust.json", content)
    assert not trust_in(tmp_path / "state").trusts(workspace)


def test_grants_are_kept_for_the_folder_and_outside_of_it(tmp_path: Path, workspace: Path) -> None:
    grants = grants_in(tmp_path / "state", workspace)
    assert grants.load() == []
    grants.save(["shell(make)"])
    grants.save(["shell(make)", "shell(ls)"])
    assert grants_in(tmp_path / "state", workspace).load() == ["shell(make)", "shell(ls)"]
    assert grants_in(tmp_path / "state", tmp_path).load() == []
    assert list(workspace.rglob("*")) == [workspace / ".agls"]
    workspace.rename(tmp_path / "moved")
    workspace.mkdir()
    assert grants.load() == []


def test_file_without_the_mark_of_agls_grants_and_trusts_nothing_and_says_so(
    tmp_path: Path, workspace: Path
) -> None:
    state = tmp_path / "state"
    trust_in(state).remember(workspace)
    grants_in(state, workspace).save(["shell(make)"])
    (granted,) = (state / "grants").iterdir()
    for file, old, new in (
        (granted, "make", "rm -r x"),
        (state / "trust.json", str(workspace), str(tmp_path)),
    ):
        file.write_text(file.read_text().replace(old, new))
    grants, trust = grants_in(state, workspace), trust_in(state)
    assert grants.load() == []
    assert str(granted) in grants.ignored
    assert not trust.trusts(tmp_path)
    assert "agls trust" in trust.ignored
    grants.save(["shell(ls)"])
    assert (grants.load(), grants.ignored) == (["shell(ls)"], "")


def test_mark_of_one_session_is_none_of_another(tmp_path: Path, workspace: Path) -> None:
    mark = grants_in(tmp_path / "state", workspace, "ses_1").mark(["shell(ls)"])
    assert grants_in(tmp_path / "state", workspace, "ses_1").vouch(["shell(ls)"], mark)
    assert not grants_in(tmp_path / "state", workspace, "ses_2").vouch(["shell(ls)"], mark)
    assert not grants_in(tmp_path / "state", workspace, "ses_1").vouch(["shell"], mark)


@pytest.mark.parametrize("harm", ["open", "short", "gone"])
def test_key_that_is_not_the_users_alone_is_replaced_and_old_marks_are_void(
    tmp_path: Path, workspace: Path, harm: str
) -> None:
    state = tmp_path / "state"
    grants_in(state, workspace).save(["shell(ls)"])
    key = state / "seal.key"
    assert key.stat().st_mode & 0o077 == 0
    {"open": lambda: key.chmod(0o644), "short": lambda: key.write_bytes(b"x"), "gone": key.unlink}[harm]()
    assert grants_in(state, workspace).load() == []
    assert key.stat().st_mode & 0o077 == 0


def test_key_that_cannot_be_kept_is_good_for_one_process(tmp_path: Path, workspace: Path) -> None:
    state = tmp_path / "state"
    state.write_text("no folder")
    grants = grants_in(state, workspace, "ses_1")
    assert grants.vouch(["shell(ls)"], grants.mark(["shell(ls)"]))


def test_a_byte_order_mark_is_no_mistake(home: Path, workspace: Path) -> None:
    write(home / "XDG_CONFIG_HOME/agls/config.toml", '\ufeffmodel = "mine"\n')
    assert setup_of(workspace, {}).load(str(workspace)).config.model == "mine"


def test_no_config_file_can_be_asked_for(home: Path, workspace: Path) -> None:
    write(home / "XDG_CONFIG_HOME/agls/config.toml", 'model = "mine"\n')
    assert (
        without_agents(setup_of(workspace, {"AGLS_CONFIG": os.devnull}).load(str(workspace)).config)
        == Config()
    )


def test_a_folder_to_work_in_must_be_one(tmp_path: Path) -> None:
    check_folder(str(tmp_path))
    (tmp_path / "file").touch()
    for name, said in (
        ("file", "is not a folder"),
        ("absent", "there is no folder"),
        ("x" * 999, "be reached"),
    ):
        with pytest.raises(ConfigError, match=f"{said}.*Name one to work in"):
            check_folder(str(tmp_path / name))


def test_folders_of_agents_that_are_not_there_are_looked_for_once(
    home: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every run loads the settings: with each it would try to open some twenty folders."""
    monkeypatch.setattr("agls.workspace.path_stamps.TICK", 0)  # nothing here changed just now
    setup, listed = setup_of(workspace, {}, trusted=True), list[str]()
    setup.load(str(workspace))
    monkeypatch.setattr("os.listdir", lambda path: listed.append(str(path)) or [])
    setup.load(str(workspace))
    assert listed == []

    write(workspace / ".agls/agents/scout.toml", 'description = "Looks."\n')
    setup.load(str(workspace))
    assert str(workspace / ".agls/agents") in listed
