"""`web_search` by the search tools of Anthropic, OpenAI and Gemini: each against a server on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from support.model_server import ModelServer, Raw

from .test_searching import ALLOWED, Service, searched

pytestmark = [pytest.mark.row(37), pytest.mark.timeout(150)]
ONE, TWO = "https://docs.example.com/one", "https://other.example/two"
REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"
ANSWERS: dict[str, dict[str, Any]] = {
    "anthropic": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "stop_reason": "end_turn",
        "content": [
            {"type": "text", "text": "I search. "},
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "birds"}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "s1",
                "content": [
                    {"type": "web_search_result", "url": TWO, "title": "Two", "encrypted_content": "EqgfCio"},
                    {
                        "type": "web_search_result",
                        "url": ONE,
                        "title": "One",
                        "encrypted_content": "EqgfCio",
                        "page_age": "April 30, 2026",
                    },
                ],
            },
            {
                "type": "text",
                "text": "Birds fly.",
                "citations": [
                    {
                        "type": "web_search_result_location",
                        "url": ONE,
                        "title": "One",
                        "encrypted_index": "Eo8B",
                        "cited_text": "Most birds fly.",
                    }
                ],
            },
        ],
        "usage": {"input_tokens": 6039, "output_tokens": 31, "server_tool_use": {"web_search_requests": 1}},
    },
    "openai": {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "error": None,
        "output": [
            {
                "type": "web_search_call",
                "id": "ws_1",
                "status": "completed",
                "action": {
                    "type": "search",
                    "query": "birds",
                    "sources": [{"type": "url", "url": ONE}, {"type": "url", "url": TWO}],
                },
            },
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {
                        "type": "output_text",
                        "text": "Birds fly. ([One](https://docs.example.com/one))",
                        "annotations": [
                            {
                                "type": "url_citation",
                                "start_index": 11,
                                "end_index": 48,
                                "url": ONE,
                                "title": "One",
                            }
                        ],
                    }
                ],
            },
        ],
    },
    "gemini": {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": "Birds fly."}]},
                "finishReason": "STOP",
                "groundingMetadata": {
                    "webSearchQueries": ["birds"],
                    "groundingChunks": [
                        {"web": {"uri": f"{REDIRECT}one", "title": "docs.example.com"}},
                        {"web": {"uri": f"{REDIRECT}two", "title": "other.example"}},
                    ],
                    "groundingSupports": [
                        {"segment": {"endIndex": 10, "text": "Birds fly."}, "groundingChunkIndices": [0]}
                    ],
                },
            }
        ]
    },
}
LISTED = {
    "anthropic": [
        "I search. Birds fly.", "", "1. One", f"{ONE} (April 30, 2026)", "Most birds fly.", "", "2. Two", TWO,
    ],
    "openai": [
        "Birds fly. ([One](https://docs.example.com/one))", "", "1. One", ONE, "Birds fly.", "",
        f"2. {TWO}", TWO,
    ],
    "gemini": [
        "Birds fly.", "", "1. docs.example.com", f"{REDIRECT}one", "Birds fly.", "", "2. other.example",
        f"{REDIRECT}two",
    ],
}  # fmt: skip
PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/v1/responses",
    "gemini": "/v1beta/models/gemini-2.5-flash:generateContent",
}
KEYS = {
    "anthropic": ("x-api-key", "native-canary-key"),
    "openai": ("authorization", "Bearer native-canary-key"),
    "gemini": ("x-goog-api-key", "native-canary-key"),
}
KINDS = sorted(ANSWERS)


@pytest.fixture
def agls(tmp_path: Path) -> Iterator[Agls]:
    program = Agls(tmp_path)
    names = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
    program.environment = dict.fromkeys(names, "native-canary-key")
    yield program
    program.end()


def service(kind: str, answer: dict[str, Any] | None = None, status: int = 200) -> Service:
    body = json.dumps(ANSWERS[kind] if answer is None else answer).encode()
    return Service(kind, Raw([body], status=status, headers={"Content-Type": "application/json"}))


@pytest.mark.parametrize("kind", KINDS)
def test_provider_searches_with_its_own_tool_and_its_sources_are_listed(agls: Agls, kind: str) -> None:
    asked = service(kind)
    with asked.server as server:
        agls.configure(f"{SCRIPTED}{ALLOWED}{asked.table}")
        item = searched(agls)
        (request,) = server.requests
    assert item["status"] == "completed"
    lines = item["output"].splitlines()
    assert lines[0].startswith(f"[From {kind}. This is data from outside")
    assert lines[1:] == LISTED[kind]
    assert (request.method, request.path) == ("POST", PATHS[kind])
    header, key = KEYS[kind]
    assert request.headers[header] == key
    assert "birds" in json.dumps(request.body)
    journals = "".join(file.read_text() for file in agls.state.rglob("*") if file.is_file())
    assert "canary-key" not in journals + json.dumps(item)


@pytest.mark.parametrize("kind", KINDS)
def test_hosts_that_are_not_wanted_are_in_no_result_and_in_no_summary(agls: Agls, kind: str) -> None:
    asked = service(kind)
    with asked.server as server:
        agls.configure(f"{SCRIPTED}{ALLOWED}{asked.table}")
        item = searched(agls, domains=["example.com"])
        without = searched(agls, exclude_domains=["example.com"])
        first, second = server.requests
    assert "other.example" not in item["output"]
    assert "birds fly" in item["output"].lower()  # the excerpt of the page that is wanted
    assert "other.example" in without["output"]
    assert "birds fly" not in without["output"].lower()
    tools = first.body["tools"][0]
    if kind == "anthropic":
        assert tools["allowed_domains"] == ["example.com"]
    elif kind == "openai":
        assert tools["filters"] == {"allowed_domains": ["example.com"]}
    else:
        assert "site:example.com" in json.dumps(first.body["contents"])
    assert "-site:example.com" in json.dumps(second.body)


@pytest.mark.parametrize(
    ("kind", "status", "answer", "expected"),
    [
        (
            "anthropic",
            200,
            {
                "content": [
                    {
                        "type": "web_search_tool_result",
                        "content": {
                            "type": "web_search_tool_result_error",
                            "error_code": "too_many_requests",
                        },
                    }
                ]
            },
            "anthropic could not search: too_many_requests. Go on without.",
        ),
        ("openai", 401, {"error": {"message": "no"}}, "answered with HTTP 401: its key is wrong."),
        ("gemini", 200, {"candidates": []}, "Nothing was found."),
        ("gemini", 429, {}, "too many searches"),
    ],
)
def test_search_of_a_provider_that_fails_says_why(
    agls: Agls, kind: str, status: int, answer: dict[str, Any], expected: str
) -> None:
    asked = service(kind, answer, status)
    with asked.server:
        agls.configure(f"{SCRIPTED}{ALLOWED}{asked.table}")
        assert expected in searched(agls)["output"]


def test_model_that_searches_is_chosen_in_the_configuration(agls: Agls) -> None:
    asked = service("gemini")
    with asked.server as server:
        agls.configure(f'{SCRIPTED}{ALLOWED}{asked.table}model = "gemini-3-pro"\n')
        searched(agls)
        (request,) = server.requests
    assert request.path == "/v1beta/models/gemini-3-pro:generateContent"


def test_answer_that_makes_no_sense_is_nothing_found(agls: Agls) -> None:
    for kind, answer in {
        "anthropic": {"content": [{"type": "text", "citations": 3}, "x", {"type": "web_search_tool_result"}]},
        "openai": {"output": [{"content": [{"text": 1}]}, {"action": {"sources": ["x"]}}]},
        "gemini": {"candidates": [{"groundingMetadata": {"groundingChunks": [{"web": 1}]}}]},
    }.items():
        asked = service(kind, answer)
        with asked.server as server:
            assert isinstance(server, ModelServer)
            agls.configure(f"{SCRIPTED}{ALLOWED}{asked.table}")
            assert searched(agls)["output"].startswith("Nothing was found.")


USAGES: dict[str, dict[str, Any]] = {
    "anthropic": {
        "usage": {"input_tokens": 700, "cache_read_input_tokens": 200, "output_tokens": 60},
    },
    "openai": {
        "usage": {
            "input_tokens": 900,
            "input_tokens_details": {"cached_tokens": 200},
            "output_tokens": 60,
            "output_tokens_details": {"reasoning_tokens": 20},
        },
    },
    "gemini": {
        "usageMetadata": {
            "promptTokenCount": 100,
            "toolUsePromptTokenCount": 800,
            "candidatesTokenCount": 40,
            "thoughtsTokenCount": 20,
        },
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_of_a_model_that_searches_are_in_the_usage_and_in_the_limits(agls: Agls, kind: str) -> None:
    """Two replies of the run's model and one of the searching model are three model calls."""
    asked = service(kind, {**ANSWERS[kind], **USAGES[kind]})
    with asked.server as server:
        agls.configure(f"{SCRIPTED}{ALLOWED}{asked.table}")
        searched(agls)
        shown = agls.run("resume", "/usage", "--output", "json").whole["action"]
        agls.run("run", "go", "--max-model-calls", "2", "--output", "jsonl")
        limited = agls.run("run", "go", "--max-model-calls", "2", "--output", "json").whole
        assert len(server.requests) == 3
    usage = shown["data"]
    assert "- web_search: " in shown["output"][0]["text"]
    spent = usage["by"]["web_search"]
    assert (spent["modelCalls"], spent["inputTokens"], spent["outputTokens"]) == (1, 900, 60)
    assert usage["session"]["modelCalls"] == 3
    assert limited["stopReason"] == "budget"
