"""`agls models`: what is configured, what answers, what is known, and who said it."""

from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_replies import page
from support.model_server import ModelServer

pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine
KEY = "sk-canary-models-4711"
CONFIG = """
model = "work"
[models.work]
base_url = "{url}"
model = "large"
api_key = "{key}"
output_limit = 8000
input_price = 0
reasoning_price = 3
[models.gone]
base_url = "http://127.0.0.1:1/v1"
[tiers]
fast = "work/small"
"""


def of(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(row for row in rows if row["name"] == name)


def test_every_model_with_its_server_its_names_and_who_said_what(agls: Agls) -> None:
    listing = {"data": [{"id": "large", "context_length": 131072}, {"id": "medium"}]}
    with ModelServer(pages={"/v1/models": page(listing)}) as server:
        agls.configure(CONFIG.format(url=server.url, key=KEY))
        done = agls.run("models", "--json")
        shown = agls.run("models")
    assert done.code == 0
    rows = done.whole["models"]
    work = of(rows, "work")
    assert (work["reached"], work["listed"], work["names"]) == (True, True, ["default", "strong"])
    assert work["figures"]["contextWindow"] == {"value": 131072, "source": "server"}
    assert work["figures"]["outputLimit"] == {"value": 8000, "source": "settings"}
    assert work["figures"]["inputPrice"] == {"value": 0.0, "source": "settings"}
    assert work["figures"]["outputPrice"] == {"value": None, "source": "unknown"}
    small = of(rows, "work/small")
    assert (small["listed"], small["names"]) == (False, ["fast"])
    gone = of(rows, "gone")
    assert (gone["reached"], gone["listed"]) == (False, None)
    assert "Start it" in gone["problem"]
    assert [r.headers["authorization"] for r in server.requests] == [f"Bearer {KEY}"] * 2, "once for each run"
    assert "prices    in $0, cached in unknown" in shown.out
    assert "out unknown, reasoning $3 per million tokens" in shown.out
    assert "context   131,072 tokens [the server]" in shown.out
    assert "(the server does not list it)" in shown.out
    assert KEY not in done.out + done.err + shown.out + shown.err


def test_offline_nobody_is_asked(agls: Agls) -> None:
    claude = '[models.claude]\ndialect = "anthropic"\nmodel = "claude-haiku-4-5"\n'
    with ModelServer() as server:
        agls.configure(CONFIG.format(url=server.url, key=KEY) + claude)
        done = agls.run("models", "--offline", "--json")
        assert server.connections == 0
    rows = done.whole["models"]
    assert {row["reached"] for row in rows} == {None}
    assert of(rows, "claude")["figures"]["inputPrice"] == {"value": 1.0, "source": "list"}
    assert "not asked" in agls.run("models", "--offline").out


def test_a_model_that_could_not_be_used_is_listed_with_the_reason(agls: Agls) -> None:
    agls.configure('model = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "NOT_SET"\n')
    done = agls.run("models", "--offline", "--json")
    assert (done.code, len(done.whole["models"])) == (0, 1)
    assert "NOT_SET is not set" in done.whole["problem"]
    assert "NOT_SET is not set" in agls.run("models", "--offline").err


@pytest.mark.parametrize("text", ["model = ", 'modell = "m"\n'])
def test_a_broken_configuration_is_told(agls: Agls, text: str) -> None:
    agls.configure(text)
    done = agls.run("models")
    assert (done.code, done.out) == (2, "")
    assert f"{agls.config_file}:1" in done.err


def test_without_any_model_it_says_where_to_look(agls: Agls) -> None:
    agls.configure("")
    done = agls.run("models", "--offline")
    assert (done.code, done.out) == (0, "")
    assert "agls doctor" in done.err


def test_a_scripted_model_has_a_script_and_no_server(agls: Agls) -> None:
    assert f"script    {agls.home / 'script.json'}" in agls.run("models", "--offline").out
