"""From settings to models: addresses, and each key only for its own host."""

from pathlib import Path
from typing import Any

import pytest

from agls.config import ConfigError, ConfigInputs, offered_models
from agls.models.credential import FIXED_KEY
from support.config import home, setup_of, workspace, write

pytestmark = pytest.mark.promise("P10")

__all__ = ["home", "workspace"]  # fixtures


# --- keys ----------------------------------------------------------------------------------------


def test_keys_are_taken_out_of_the_environment(home: Path, workspace: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "c.toml", '[models.m]\nbase_url = "https://h/v1"\napi_key_env = "MY_KEY"\n')
    environment = {"AGLS_CONFIG": str(file), "AGLS_API_KEY": "k1", "OPENAI_API_KEY": "k2", "MY_KEY": "k3"}
    setup = setup_of(workspace, environment)
    assert environment == {"AGLS_CONFIG": str(file)}
    assert setup.environment == environment
    assert setup.keys == {"AGLS_API_KEY": "k1", "OPENAI_API_KEY": "k2", "MY_KEY": "k3"}
    assert "k3" not in repr(setup)


def test_cloud_credentials_stay_in_the_environment_and_are_never_shown(home: Path, workspace: Path) -> None:
    environment = {"AWS_SECRET_ACCESS_KEY": "aws-canary", "AWS_BEARER_TOKEN_BEDROCK": "key-canary"}
    setup = setup_of(workspace, environment)
    assert environment == {"AWS_SECRET_ACCESS_KEY": "aws-canary"}
    assert {"aws-canary", "key-canary"} <= set(setup.secrets)


class Endpoints:
    """The endpoints that a user file, variables and arguments come to."""

    def __init__(self, workspace: Path, tmp_path: Path) -> None:
        self._workspace, self._file = workspace, tmp_path / "config.toml"

    def __call__(self, text: str = "", environment: dict[str, str] | None = None, **arguments: Any):
        write(self._file, text)
        told = ConfigInputs(arguments=arguments, config_file=str(self._file))
        setup = setup_of(self._workspace, dict(environment or {}), told=told)
        return offered_models(setup, setup.load(str(self._workspace)))


@pytest.fixture
def endpoints(home: Path, workspace: Path, tmp_path: Path) -> Endpoints:
    return Endpoints(workspace, tmp_path)


LOCAL = '[models.local]\nbase_url = "http://localhost:1/v1"\nmodel = "qwen"\n'
PAID = '[models.paid]\nbase_url = "https://paid.example/v1"\napi_key_env = "PAID_KEY"\n'


def test_empty_configuration_has_no_model(endpoints: Endpoints) -> None:
    found = endpoints()
    assert (found.endpoints, found.default) == ((), "")


def test_named_models_are_offered_and_the_chosen_one_is_the_default(endpoints: Endpoints) -> None:
    found = endpoints(f'model = "local"\n{LOCAL}{PAID}', {"PAID_KEY": "k"})
    assert found.default == "local"
    assert [(e.name, e.model, e.base_url, e.api_key) for e in found.endpoints] == [
        ("local", "qwen", "http://localhost:1/v1", ""),
        ("paid", "paid", "https://paid.example/v1", "k"),
    ]


def test_a_model_at_a_base_url_needs_no_table(endpoints: Endpoints) -> None:
    found = endpoints('model = "qwen"\nbase_url = "http://localhost:1/v1"\napi_key_env = "K"\n', {"K": "k"})
    assert found.default == "qwen"
    assert [(e.name, e.base_url, e.api_key, e.key_variable) for e in found.endpoints] == [
        ("qwen", "http://localhost:1/v1", "k", "K")
    ]


def test_a_base_url_without_a_model_says_what_is_missing(endpoints: Endpoints) -> None:
    with pytest.raises(ConfigError, match="--model NAME"):
        endpoints(base_url="http://localhost:1/v1")


@pytest.mark.parametrize(
    "text", [f'model = "paid"\n{PAID}', 'model = "m"\nbase_url = "https://h/v1"\napi_key_env = "PAID_KEY"\n']
)
def test_a_key_variable_that_is_not_set_is_named(endpoints: Endpoints, text: str) -> None:
    with pytest.raises(ConfigError, match="api_key_env: the environment variable PAID_KEY is not set"):
        endpoints(text)


def test_a_model_that_is_not_chosen_may_lack_its_key(endpoints: Endpoints) -> None:
    assert endpoints(f'model = "local"\n{LOCAL}{PAID}').default == "local"


def test_a_tier_chooses_its_model(endpoints: Endpoints) -> None:
    found = endpoints(f'model = "fast"\n[tiers]\nfast = "paid"\n{PAID}', {"PAID_KEY": "k"})
    assert (found.default, dict(found.aliases)) == ("fast", {"fast": "paid"})


def test_variables_and_arguments_alone_are_enough(endpoints: Endpoints) -> None:
    environment = {"AGLS_BASE_URL": "https://h/v1/", "AGLS_MODEL": "m", "AGLS_API_KEY": "k"}
    (endpoint,) = endpoints("", environment).endpoints
    assert (endpoint.name, endpoint.base_url, endpoint.api_key) == ("m", "https://h/v1", "k")


def test_the_shared_openai_variables_are_used_when_nothing_else_is_configured(endpoints: Endpoints) -> None:
    (endpoint,) = endpoints("", {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "gpt"}).endpoints
    assert (endpoint.name, endpoint.base_url, endpoint.api_key) == ("gpt", "https://api.openai.com/v1", "k")
    (endpoint,) = endpoints("", {"OPENAI_BASE_URL": "http://h/v1"}, model="other").endpoints
    assert (endpoint.name, endpoint.base_url, endpoint.api_key) == ("other", "http://h/v1", "")
    found = endpoints(f'model = "local"\n{LOCAL}', {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "gpt"})
    assert [e.name for e in found.endpoints] == ["local"]
    assert endpoints("", {"OPENAI_API_KEY": "k"}).endpoints == ()


def test_an_address_for_one_process_moves_the_chosen_model_there(endpoints: Endpoints) -> None:
    (endpoint,) = endpoints(f'model = "local"\n{LOCAL}', base_url="http://localhost:2/v1").endpoints
    assert (endpoint.name, endpoint.model, endpoint.base_url) == ("local", "qwen", "http://localhost:2/v1")


@pytest.mark.parametrize("own", ["", "mine"])
def test_a_key_does_not_follow_its_model_to_another_host(endpoints: Endpoints, own: str) -> None:
    environment = {"PAID_KEY": "secret"} | ({"AGLS_API_KEY": own} if own else {})
    found = endpoints(f'model = "paid"\n{PAID}', environment, base_url="https://evil.example/v1")
    assert found.endpoints[0].api_key == own
    assert bool(found.warnings) == (not own)


def test_a_key_follows_its_model_to_another_path_of_its_host(endpoints: Endpoints) -> None:
    found = endpoints(f'model = "paid"\n{PAID}', {"PAID_KEY": "k"}, base_url="https://paid.example/v2")
    assert (found.endpoints[0].api_key, found.warnings) == ("k", ())


@pytest.mark.parametrize("given_as", ["api_key_env", "api_key"])
def test_key_for_a_base_url_is_not_sent_to_the_address_of_a_stronger_source(
    endpoints: Endpoints, given_as: str
) -> None:
    text = f'model = "m"\nbase_url = "https://paid.example/v1"\n{given_as} = "PAID_KEY"\n'
    found = endpoints(text, {"PAID_KEY": "secret"}, base_url="https://evil.example/v1")
    assert found.endpoints[0].api_key == ""
    assert "is for paid.example and is not sent to evil.example" in found.warnings[0]


def test_a_key_from_the_environment_goes_where_the_arguments_say(endpoints: Endpoints) -> None:
    (endpoint,) = endpoints("", {"AGLS_API_KEY": "k"}, base_url="https://h/v1", model="m").endpoints
    assert endpoint.api_key == "k"


def test_key_from_the_environment_goes_to_no_host_that_only_the_arguments_name(endpoints: Endpoints) -> None:
    environment = {"AGLS_API_KEY": "k", "AGLS_BASE_URL": "https://mine/v1"}
    found = endpoints("", environment, base_url="https://h/v1", model="m")
    assert found.endpoints[0].api_key == ""


def test_everything_known_of_a_model_is_passed_on(endpoints: Endpoints) -> None:
    text = """
    model = "m"
    [models.m]
    base_url = "https://h/v1"
    headers = { X-Team = "blue" }
    context_window = 1000
    output_limit = 100
    input_price = 1.5
    output_price = 3
    cache_read_price = 0.1
    cache_write_price = 2
    reasoning_price = 4
    idle_timeout = 5
    timeout = 60
    fallback = "n"
    """
    (endpoint,) = endpoints(text).endpoints
    info = endpoint.info
    assert (info.context_window, info.output_limit) == (1000, 100)
    assert (info.input_price, info.output_price) == (1.5, 3)
    assert (info.cache_read_price, info.cache_write_price, info.reasoning_price) == (0.1, 2, 4)
    assert (endpoint.headers, endpoint.idle_timeout) == ({"X-Team": "blue"}, 5)
    assert (endpoint.timeout, endpoint.fallback) == (60, "n")


def test_a_script_lies_beside_the_file_that_names_it(endpoints: Endpoints, tmp_path: Path) -> None:
    (endpoint,) = endpoints('model = "s"\n[models.s]\ndialect = "scripted"\nscript = "s.json"\n').endpoints
    assert (endpoint.dialect, endpoint.script) == ("scripted", str(tmp_path / "s.json"))


# --- what cannot be done without -------------------------------------------------------------------


def test_the_chosen_model_needs_an_address_or_a_script(endpoints: Endpoints) -> None:
    with pytest.raises(ConfigError, match=r"config.toml:2: models.m: base_url is missing"):
        endpoints('model = "m"\n[models.m]\nmodel = "qwen"\n')
    with pytest.raises(ConfigError, match=r"models.m: script is missing"):
        endpoints('model = "m"\n[models.m]\ndialect = "scripted"\n')
    assert endpoints('[models.m]\nmodel = "qwen"\n').endpoints[0].base_url == ""
    moved = endpoints('model = "m"\n[models.m]\nmodel = "qwen"\n', base_url="http://h/v1")
    assert moved.endpoints[0].base_url == "http://h/v1"


def test_missing_key_is_refused_with_its_variable_and_line(endpoints: Endpoints) -> None:
    with pytest.raises(ConfigError) as caught:
        endpoints(f'model = "paid"\n{PAID}')
    assert (caught.value.line, caught.value.key) == (4, "models.paid.api_key_env")
    assert caught.value.message == "the environment variable PAID_KEY is not set"


@pytest.mark.parametrize("url", ["h/v1", "http://[::1/v1", "http://u:p@h/v1"])
def test_the_shared_address_is_checked_as_ours_are(endpoints: Endpoints, url: str) -> None:
    with pytest.raises(ConfigError, match=r"^OPENAI_BASE_URL: "):
        endpoints("", {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": url})


def test_unconfigured_model_is_not_sent_to_another_server(endpoints: Endpoints) -> None:
    shared = {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "gpt"}
    assert [e.name for e in endpoints(LOCAL, shared, model="lokal").endpoints] == ["local"]
    assert [e.name for e in endpoints(LOCAL, shared).endpoints] == ["local"]


# --- providers that are known ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "model", "found"),
    [
        (
            {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_MODEL": "claude-x"},
            "",
            ("claude-x", "claude-x", "anthropic", "https://api.anthropic.com/v1"),
        ),
        (
            {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "other"},
            "claude-y",
            ("claude-y", "claude-y", "anthropic", "https://api.anthropic.com/v1"),
        ),
        (
            {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "https://mine.example"},
            "anthropic/x",
            ("anthropic/x", "x", "anthropic", "https://mine.example"),
        ),
        (
            {"GEMINI_API_KEY": "k", "GEMINI_MODEL": "gemini-x"},
            "",
            ("gemini-x", "gemini-x", "gemini", "https://generativelanguage.googleapis.com/v1beta"),
        ),
        (
            {"GOOGLE_API_KEY": "k"},
            "gemini/y",
            ("gemini/y", "y", "gemini", "https://generativelanguage.googleapis.com/v1beta"),
        ),
        (
            {"OPENAI_API_KEY": "k"},
            "openai/vendor/z",
            ("openai/vendor/z", "vendor/z", "responses", "https://api.openai.com/v1"),
        ),
        (
            {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://router.example/v1"},
            "deepseek/chat",
            ("deepseek/chat", "deepseek/chat", "chat", "https://router.example/v1"),
        ),
        (
            {"DEEPSEEK_API_KEY": "k", "OPENAI_BASE_URL": "https://router.example/v1"},
            "deepseek/chat",
            ("deepseek/chat", "chat", "chat", "https://api.deepseek.com/v1"),
        ),
    ],
)
def test_the_variables_that_users_already_have_are_enough(
    endpoints: Endpoints, environment: dict[str, str], model: str, found: tuple[str, ...]
) -> None:
    (endpoint,) = endpoints("", environment, **({"model": model} if model else {})).endpoints
    assert (endpoint.name, endpoint.model, endpoint.dialect, endpoint.base_url) == found
    assert endpoint.api_key == "k"


def test_a_dialect_of_one_provider_knows_its_address_and_key(endpoints: Endpoints) -> None:
    text = 'model = "c"\n[models.c]\ndialect = "anthropic"\nmodel = "claude-x"\n'
    (endpoint,) = endpoints(text, {"ANTHROPIC_API_KEY": "k"}).endpoints
    assert (endpoint.base_url, endpoint.api_key) == ("https://api.anthropic.com/v1", "k")
    with pytest.raises(ConfigError, match="the environment variable ANTHROPIC_API_KEY is not set"):
        endpoints(text)
    responses = endpoints('[models.r]\ndialect = "responses"\n', {"OPENAI_API_KEY": "k"}).endpoints[0]
    assert (responses.base_url, responses.api_key) == ("https://api.openai.com/v1", "k")


@pytest.mark.parametrize("dialect", ["anthropic", "gemini", "responses"])
def test_the_key_of_a_provider_goes_to_no_other_address(endpoints: Endpoints, dialect: str) -> None:
    keys = {"ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k", "OPENAI_API_KEY": "k"}
    text = f'[models.x]\ndialect = "{dialect}"\nbase_url = "https://proxy.example/v1"\n'
    (endpoint,) = endpoints(text, keys).endpoints
    assert (endpoint.dialect, endpoint.base_url, endpoint.api_key) == (
        dialect,
        "https://proxy.example/v1",
        "",
    )


def test_the_keys_of_all_known_providers_are_taken_out_of_the_environment(
    home: Path, workspace: Path
) -> None:
    environment = {"ANTHROPIC_API_KEY": "a", "GEMINI_API_KEY": "b", "GOOGLE_API_KEY": "c", "REST": "r"}
    setup = setup_of(workspace, environment)
    assert environment == {"REST": "r"}
    assert set(setup.secrets) == {"a", "b", "c"}


def test_an_address_of_a_provider_is_checked_and_its_variable_named(endpoints: Endpoints) -> None:
    with pytest.raises(ConfigError, match=r"^ANTHROPIC_BASE_URL: "):
        endpoints("", {"ANTHROPIC_BASE_URL": "nonsense"}, model="claude-x")


@pytest.mark.parametrize(
    ("said", "url", "dialect"),
    [
        ("", "https://api.openai.com/v1", "responses"),
        ("", "https://eu.api.openai.com/v1", "responses"),
        ("", "https://notapi.openai.com.example/v1", "chat"),
        ('dialect = "chat"\n', "https://api.openai.com/v1", "chat"),
        ("", "https://router.example/v1", "chat"),
        ('dialect = "responses"\n', "https://router.example/v1", "responses"),
    ],
)
def test_dialect_without_a_setting_follows_from_the_address(
    endpoints: Endpoints, said: str, url: str, dialect: str
) -> None:
    (endpoint,) = endpoints(f'model = "m"\n[models.m]\nbase_url = "{url}"\napi_key = "k"\n{said}').endpoints
    assert endpoint.dialect == dialect
    local = f'model = "m"\n[models.m]\nbase_url = "http://localhost:1/v1"\n{said}'
    assert endpoints(local, base_url=url).endpoints[0].dialect == dialect


def test_address_of_a_known_provider_needs_no_other_name_for_its_key(endpoints: Endpoints) -> None:
    keys = {"GROQ_API_KEY": "k"}
    text = 'model = "m"\n[models.m]\nbase_url = "https://api.groq.com/openai/v1"\n'
    assert endpoints(text, keys).endpoints[0].api_key == "k"
    found = endpoints("", keys, base_url="https://api.groq.com/openai/v1", model="m").endpoints
    assert [(e.api_key, e.key_variable) for e in found] == [("k", "GROQ_API_KEY")]
    assert endpoints("", keys, base_url="https://evil.example/v1", model="m").endpoints[0].api_key == ""
    with pytest.raises(ConfigError, match="GROQ_API_KEY is not set"):
        endpoints(text)


@pytest.mark.parametrize("table", ["key_command = 'echo key'", 'key_command = ["echo", "key"]'])
def test_program_for_a_key_may_be_named_only_in_the_users_own_file(
    home: Path, workspace: Path, tmp_path: Path, table: str
) -> None:
    model = '[models.m]\nbase_url = "https://h/v1"\n'
    own = setup_of(workspace, {"AGLS_CONFIG": str(write(tmp_path / "c.toml", f"{model}{table}\n"))})
    (endpoint,) = offered_models(own, own.load(str(workspace)), complete=False).endpoints
    assert endpoint.credential is not FIXED_KEY
    again = setup_of(workspace, {"AGLS_CONFIG": str(tmp_path / "c.toml")})
    assert offered_models(again, again.load(str(workspace)), complete=False).endpoints == (endpoint,)
    file = write(tmp_path / "d.toml", model)
    told = ConfigInputs(editor={"models": {"m": {"key_command": ["echo", "key"]}}}, config_file=str(file))
    setup = setup_of(workspace, {}, told=told)
    loaded = setup.load(str(workspace))
    (endpoint,) = offered_models(setup, loaded, complete=False).endpoints
    assert endpoint.credential is FIXED_KEY
    assert "models was ignored" in "".join(loaded.warnings)
