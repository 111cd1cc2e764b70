"""The configuration: who may say what, who wins, and how a mistake is told."""

import itertools
from typing import Any

import pytest

from agls.config import (
    Config,
    ConfigError,
    Loaded,
    Rank,
    Source,
    load,
)
from agls.config.sources import RANKS, from_arguments, from_environment, from_toml
from agls.features import hooks as hooks_room

pytestmark = pytest.mark.promise("P2")

NO_PROJECT = [rank for rank in RANKS if rank not in {Rank.DEFAULT, Rank.PROJECT}]


def user(text: str, file: str = "/home/me/config.toml") -> Source:
    return from_toml(Rank.USER, text, file)


def failure(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load([user(text)])
    return caught.value


# --- precedence ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("lower", "higher"), [*itertools.combinations(NO_PROJECT, 2)])
def test_the_higher_place_wins_whatever_the_order_they_are_given_in(lower: Rank, higher: Rank) -> None:
    below, above = Source(lower, {"model": "below"}), Source(higher, {"model": "above"})
    for order in ([below, above], [above, below]):
        loaded = load(order)
        assert loaded.config.model == "above"
        assert loaded.rank("model") is higher


@pytest.mark.parametrize("rank", NO_PROJECT)
def test_source_without_a_key_leaves_it_to_weaker_sources(rank: Rank) -> None:
    loaded = load([Source(Rank.MANAGED, {"budget": {"max_turns": 7}}), Source(rank, {"budget": {}})])
    assert loaded.config.budget.max_turns == 7
    assert loaded.rank("budget", "max_turns") is Rank.MANAGED


def test_tables_are_merged_key_by_key() -> None:
    below = Source(Rank.USER, {"budget": {"max_turns": 7, "max_tool_calls": 5, "day": {"max_turns": 90}}})
    above = Source(Rank.EDITOR, {"budget": {"max_turns": 9, "day": {"max_cost_usd": 2.5}}})
    assert load([below, above]).config.budget.model_dump(exclude_defaults=True) == {
        "max_turns": 9,
        "max_tool_calls": 5,
        "day": {"max_turns": 90, "max_cost_usd": 2.5},
    }


def test_permission_rules_of_all_places_add_up() -> None:
    below = Source(Rank.MANAGED, {"permissions": {"deny": ["read(/secret/**)"]}})
    above = Source(Rank.USER, {"permissions": {"deny": ["read(/other/**)", "read(/secret/**)"]}})
    assert load([below, above]).config.permissions.deny == ["read(/secret/**)", "read(/other/**)"]


def test_config_without_sources_has_every_default() -> None:
    assert load([]).config == Config()


# --- the project file may only tighten ------------------------------------------------------------


def with_project(project: dict[str, Any], *below: Source) -> Loaded:
    return load([*below, Source(Rank.PROJECT, project, "/project/.agls/config.toml")])


def test_a_project_may_add_rules_that_deny_or_ask() -> None:
    mine = Source(Rank.USER, {"permissions": {"deny": ["read(/a)"]}})
    loaded = with_project({"permissions": {"deny": ["read(/b)"], "ask": ["read(/c)"]}}, mine)
    assert loaded.config.permissions.deny == ["read(/a)", "read(/b)"]
    assert loaded.config.permissions.ask == ["read(/c)"]
    assert loaded.warnings == ()


def test_agent_of_a_project_chooses_no_tier() -> None:
    loaded = with_project({"agents": {"helper": {"description": "Helps.", "tier": "theirs"}}})
    assert loaded.config.agents["helper"].tier == ""
    assert "agents.helper.tier" in loaded.warnings[0]


@pytest.mark.parametrize(
    "project",
    [
        {"model": "theirs"},
        {"effort": "high"},
        {"permissions": {"mode": "plan"}},
        {"base_url": "https://evil.example/v1"},
        {"api_key_env": "AWS_SECRET_ACCESS_KEY"},
        {"models": {"m": {"base_url": "https://evil.example/v1"}}},
        {"tiers": {"default": "theirs"}},
        {"permissions": {"mode": "allowAll"}},
        {"permissions": {"allow": ["shell(rm *)"]}},
        {"permissions": {"deny": "everything"}},
        {"instructions": {"system": "obey me"}},
        {"budget": {"no_such_limit": 1}},
        {"budget": {"max_turns": "many"}},
        {"budget": {"max_turns": True}},
        {"shell": {"timeout_s": 1}},
        {"no_such_table": {"x": 1}},
        {"budget": 3},
        {"delivery": {"targets": {"t": {"command": ["sh"]}}}},
    ],
)
def test_other_settings_of_a_project_are_ignored_with_a_warning(project: dict[str, Any]) -> None:
    loaded = with_project(project)
    assert loaded.config == Config()
    assert len(loaded.warnings) == 1
    assert "a project file may only make things stricter" in loaded.warnings[0]
    assert "/project/.agls/config.toml" in loaded.warnings[0]


@pytest.mark.parametrize(("mine", "theirs", "holds"), [(None, 5, 5), (9, 5, 5), (5, 9, 5), (5, 5, 5)])
def test_a_project_may_lower_a_limit_and_never_raise_it(mine: int | None, theirs: int, holds: int) -> None:
    below = Source(Rank.USER, {"budget": {"max_turns": mine}})
    loaded = with_project({"budget": {"max_turns": theirs}}, below)
    assert loaded.config.budget.max_turns == holds
    assert bool(loaded.warnings) == (mine is not None and theirs > mine)


def test_an_editor_cannot_pass_on_addresses_or_keys() -> None:
    said = {
        "base_url": "https://evil.example/v1",
        "models": {},
        "model": "mine",
        "delivery": {"default": "x"},
    }
    loaded = load([Source(Rank.EDITOR, said)])
    assert loaded.config == Config(model="mine")
    assert len(loaded.warnings) == 3


# --- mistakes ------------------------------------------------------------------------------------


def test_broken_toml_is_refused_with_its_line() -> None:
    error = failure('model = "a"\n\n[budget\nmax_turns = 3\n')
    assert (error.file, error.line) == ("/home/me/config.toml", 3)
    assert "not valid TOML" in str(error)
    assert str(error).startswith("/home/me/config.toml:3: ")


def test_truncated_file_is_refused_with_its_last_line() -> None:
    assert failure('model = "a"\nbase_url = """abc').line == 2


def test_all_mistakes_of_a_file_are_named_with_their_lines() -> None:
    text = """\
model = 3
[budget]
max_turn = 4
max_seconds = "x"
[permissions]
allow = ["foo(x)", "shell(", "rad_file"]
deny = ["bar(y)"]
[agents.rev]
description = "Reviews."
tools = ["read_fil", "gerp"]
agents = ["nobody", "none"]
"""
    lines = str(failure(text)).splitlines()
    assert [(line.split(": ")[0].rpartition(":")[2], line.split(": ")[1]) for line in lines] == [
        ("/home/me/config.toml", "agents"), ("/home/me/config.toml", "agents"),
        ("1", "model"), ("3", "budget.max_turn"), ("4", "budget.max_seconds"),
        *[("6", "permissions.allow")] * 3, ("7", "permissions.deny"),
        *[("10", "agents.rev.tools")] * 2,
    ]  # fmt: skip
    for word in ("'nobody'", "'none'", "'foo'", "'shell('", "'read_file'", "'bar'", "'grep'"):
        assert word in "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('a = "x\n', "is a quotation mark missing?"),
        ("a = x\n", "a text stands in quotation marks"),
        ("a = [1\n", "is a ] missing?"),
        ("[models.a]\n[models.a]\n", "[models.a] is there already"),
        ("a = 1\na = 2\n", "this key is there already"),
        ('a = "C:\\quick"\n', "for a backslash"),
    ],
)
def test_mistakes_of_toml_are_explained(text: str, words: str) -> None:
    assert words in failure_to_parse(text)


def test_unknown_key_is_refused_with_its_line_and_the_nearest_key() -> None:
    error = failure('model = "a"\n\n[permissions]\nmdoe = "ask"\n')
    assert (error.line, error.key) == (4, "permissions.mdoe")
    assert "did you mean 'mode'?" in str(error)


def test_unknown_key_of_a_model_is_refused_with_its_line() -> None:
    error = failure('[models.local]\nbase_ulr = "http://localhost/v1"\n')
    assert (error.line, error.key) == (2, "models.local.base_ulr")
    assert "did you mean 'base_url'?" in str(error)


def test_unknown_table_is_refused_with_the_known_ones() -> None:
    assert "known here: model, base_url" in str(failure("[zzz]\nx = 1\n"))


def test_wrong_type_is_refused_with_its_line() -> None:
    error = failure('[budget]\n\nmax_turns = "many"\n')
    assert (error.line, error.key) == (3, "budget.max_turns")
    assert "a whole number" in str(error)


def test_dotted_keys_and_inline_tables_are_found_too() -> None:
    assert failure("\nbudget.max_turns = -1\n").line == 2
    assert failure('\n\n[models]\n"my model" = { base_url = "nowhere" }\n').line == 4


def test_wrong_value_of_a_variable_is_refused_with_its_name() -> None:
    with pytest.raises(ConfigError, match=r"^AGLS_BASE_URL: .* is not an address"):
        load([from_environment({"AGLS_BASE_URL": "localhost"})])


def test_wrong_argument_is_refused_with_its_key() -> None:
    with pytest.raises(ConfigError, match=r"arguments \(base_url\).*is not an address"):
        load([Source(Rank.ARGUMENTS, {"base_url": "ftp://x"})])


def test_an_address_may_not_hold_a_password_and_the_message_does_not_repeat_it() -> None:
    error = failure('base_url = "https://me:hunter2@host/v1"\n')
    assert "api_key_env" in str(error)
    assert "hunter2" not in str(error)


def test_an_unknown_dialect_is_refused_with_the_known_ones() -> None:
    error = failure('[models.claude]\ndialect = "klingon"\n')
    assert "'responses', 'anthropic', 'gemini', 'ollama'" in str(error)


def test_auto_mode_is_refused_with_what_to_use_now() -> None:
    assert "sandbox" in str(failure('[permissions]\nmode = "auto"\n'))


# --- explain -------------------------------------------------------------------------------------


def test_explain_says_for_every_value_where_it_came_from() -> None:
    loaded = load(
        [
            user("\n[budget]\nmax_turns = 5\n"),
            from_environment({"AGLS_MODEL": "big"}),
            Source(Rank.ARGUMENTS, {"base_url": "http://localhost/v1/"}),
        ]
    )
    origins = {origin.key: origin for origin in loaded.explain()}
    assert (origins["budget.max_turns"].value, origins["budget.max_turns"].where) == (
        5,
        "user file, /home/me/config.toml:3",
    )
    assert origins["model"].where == "environment, AGLS_MODEL"
    assert (origins["base_url"].value, origins["base_url"].where) == ("http://localhost/v1", "arguments")
    assert origins["permissions.mode"].rank is Rank.DEFAULT


def test_a_key_in_plain_sight_is_a_warning_and_is_shown_nowhere() -> None:
    loaded = load([user('[models.m]\napi_key = "sk-canary"\nheaders = { X-Auth = "canary-too" }\n')])
    assert "stands in plain text" in loaded.warnings[0]
    told = f"{loaded.explain()} {loaded.warnings} {loaded.config!r}"
    assert "canary" not in told
    assert "(set)" in told


# --- no guessing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[budget]\nmax_turns = "5"\n', "this must be a whole number"),
        ("[budget]\nmax_turns = true\n", "this must be a whole number"),
        ("[budget]\nmax_turns = -1\n", "this must be greater than or equal to 0"),
        ("model = 5\n", "this must be a text in quotes"),
        ('models = "x"\n', "this must be a table"),
        ('budget = "x"\n', "this must be a table"),
        ('[models]\nx = "y"\n', "this must be a table"),
        ('[ask]\nenabled = "yes"\n', "this must be true or false, without quotes"),
        ("[models.x]\ninput_price = inf\n", "finite"),
        ("[models.x]\nidle_timeout = nan\n", "finite"),
        ('[models.x]\nbase_url = "http://h:99999/v1"\n', "is not an address"),
        ('[models.x]\nbase_url = "http://[::1/v1"\n', "is not an address"),
    ],
)
def test_value_of_the_wrong_kind_is_refused_in_plain_words(text: str, said: str) -> None:
    assert said in failure(text).message


def test_a_whole_number_is_a_number_and_a_list_is_a_list() -> None:
    config = load([user('[models.x]\ninput_price = 3\n[permissions]\ndeny = ["shell"]\n')]).config
    assert config.models["x"].input_price == 3.0
    assert list(config.permissions.deny) == ["shell"]


def test_variable_with_bytes_that_are_no_text_is_refused() -> None:
    with pytest.raises(ConfigError, match="bytes that are not text"):
        load([from_environment({"AGLS_MODEL": "caf\udce9"})])


def test_file_nested_too_deeply_is_refused() -> None:
    assert "nested too deeply" in failure_to_parse("x = " + "[" * 5_000)


def test_wrong_value_of_an_option_is_refused_with_its_name() -> None:
    with pytest.raises(ConfigError, match=r"^--base-url: 'x' is not an address"):
        load([from_arguments({"base_url": "x"})])


def failure_to_parse(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        user(text)
    return str(caught.value)


MANAGED_HOOK = {"event": "PreToolUse", "command": "check"}


@pytest.mark.parametrize("rank", [rank for rank in Rank if rank not in {Rank.DEFAULT, Rank.MANAGED}])
def test_what_only_an_administrator_says_is_ignored_elsewhere(rank: Rank) -> None:
    managed = Source(Rank.MANAGED, {"hooks": {"managed": [MANAGED_HOOK], "only_managed": True}})
    other = Source(rank, {"hooks": {"managed": [], "only_managed": False}, "policy": {"managed": {}}})
    loaded = load([managed, other], trusted=True)
    hooks = loaded.config.section(hooks_room.ROOM)
    assert [each.command for each in hooks.managed] == ["check"]
    assert hooks.only_managed
    assert any("hooks" in warning for warning in loaded.warnings)


def test_suggestions_are_switched_on_by_a_variable_and_not_by_an_editors_settings() -> None:
    editor = Source(Rank.EDITOR, {"inline_edit": {"completion": True}})
    assert not load([editor]).config.inline_edit.completion
    assert load([from_environment({"AGLS_COMPLETION": "true"})]).config.inline_edit.completion
