"""Model servers on this machine are found quickly, and nobody else is mistaken for one."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import pytest

from agls.models.endpoint import Endpoint
from agls.models.local.discovery import LocalServer, find_local_servers
from support.model_replies import Raw, Request, page
from support.model_server import ModelServer
from support.patience import PATIENCE


def listing(*models: object) -> dict[str, Raw]:
    return {"/v1/models": page({"data": models})}


async def test_every_server_that_answers_is_found_with_its_models() -> None:
    vllm = listing({"id": "qwen", "owned_by": "vllm", "max_model_len": 4096})
    async with ModelServer(models=["llama3", "nomic-embed-text"]) as one, ModelServer(pages=vllm) as two:
        found = await find_local_servers([("ollama", one.port), ("llamacpp", two.port)])
    assert found == [
        LocalServer("ollama", one.url, ("llama3",), (None,)),
        LocalServer("vllm", two.url, ("qwen",), (4096,)),
    ]
    assert found[1].endpoints() == (
        Endpoint(name="vllm/qwen", model="qwen", base_url=two.url, address_place="", context_window=4096),
    )


async def test_ollama_is_spoken_to_in_its_own_way_with_room_for_tools() -> None:
    most = {"small": 4096, "large": 131072, "loaded": 65536}

    def show(request: Request) -> Raw:
        model = request.body["model"]
        facts = {"general.architecture": "arch", "arch.context_length": most.get(model)}
        return page({"model_info": facts}) if model != "odd" else page([1])

    running = {"models": [{"name": "loaded", "context_length": 32768}, {"name": "small"}]}
    pages = {**listing(*({"id": name} for name in (*most, "odd", "dumb"))), "/api/ps": page(running)}
    async with ModelServer(show, pages=pages) as server:
        (found,) = await find_local_servers([("ollama", server.port)], time_limit=20.0)
    assert found.windows == (4096, 16384, 32768, None, None)
    first = found.endpoints()[0]
    assert (first.dialect, first.context_window, first.base_url) == ("ollama", 4096, server.url)


async def test_ollama_that_is_slow_to_tell_its_sizes_is_found_without_them() -> None:
    pages = {**listing({"id": "m"}), "/api/ps": Raw(begin="hang")}
    async with ModelServer(pages=pages) as server:
        (found,) = await find_local_servers([("ollama", server.port)], time_limit=0.5)
    assert (found.dialect, found.windows) == ("chat", (None,))


async def test_lm_studio_and_llamacpp_say_how_much_context_a_loaded_model_has() -> None:
    loaded = {
        "data": [{"id": "on", "loaded_context_length": 4096, "max_context_length": 9000}, {"id": "off"}]
    }
    studio = {**listing({"id": "on"}, {"id": "off"}), "/api/v0/models": page(loaded)}
    props = page({"default_generation_settings": {"n_ctx": 8192}, "total_slots": 1})
    llama = {**listing({"id": "m", "owned_by": "llamacpp"}), "/props": props}
    async with ModelServer(pages=studio) as one, ModelServer(pages=llama) as two:
        found = await find_local_servers([("lmstudio", one.port), ("vllm", two.port)], time_limit=20.0)
    assert [(server.kind, server.windows) for server in found] == [
        ("lmstudio", (4096, None)),
        ("llamacpp", (8192,)),
    ]


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (["/home/me/models/Qwen3-4B.gguf"], ["Qwen3-4B"]),
        (["models/a.gguf", "C:\\models\\b.gguf", "/models/c"], ["a", "b", "c"]),
        (["qwen/qwen3-4b", "llama3:8b"], ["qwen/qwen3-4b", "llama3:8b"]),
        (["/a/x.gguf", "/b/x.gguf"], ["/a/x.gguf", "/b/x.gguf"]),
    ],
)
def test_a_model_that_is_named_by_its_file_is_called_by_the_files_name(
    models: list[str], names: list[str]
) -> None:
    server = LocalServer("llamacpp", "http://127.0.0.1:8080/v1", tuple(models), (None,) * len(models))
    endpoints = server.endpoints()
    assert [endpoint.model for endpoint in endpoints] == models
    assert [endpoint.name for endpoint in endpoints] == [f"llamacpp/{name}" for name in names]


async def test_no_key_is_sent_and_no_redirect_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with ModelServer() as elsewhere:
        there = Raw(status=302, headers={"Location": f"{elsewhere.url}/models"})
        async with ModelServer(pages={"/v1/models": there}) as one, ModelServer() as two:
            found = await find_local_servers([("ollama", one.port), ("vllm", two.port)], time_limit=20.0)
    assert [server.kind for server in found] == ["vllm"]
    assert elsewhere.connections == 0
    assert not [r for r in two.requests if "authorization" in r.headers or "canary" in str(r.headers)]


async def test_services_that_are_no_model_servers_are_left_out() -> None:
    pages = [
        page({"data": [{"id": "x"}]}, status=500),
        page({"data": []}),
        page([1]),
        Raw([b"<html>"]),
        Raw(begin="reset"),
    ]
    servers = [ModelServer(pages={"/v1/models": answer}).start() for answer in pages]
    free = ModelServer().start()
    free.stop()
    try:
        ports = [("x", server.port) for server in (*servers, free)]
        assert await find_local_servers(ports) == []
    finally:
        for server in servers:
            await asyncio.to_thread(server.stop)


async def test_a_silent_server_does_not_hold_up_the_others() -> None:
    async with ModelServer(pages={"/v1/models": Raw(begin="hang")}) as silent, ModelServer() as other:
        for limit in (0.2, 2.0, 20.0):  # a busy machine may need more for the one that answers
            found = await find_local_servers([("a", silent.port), ("b", other.port)], time_limit=limit)
            if found:
                break
    assert [server.kind for server in found] == ["b"]


async def test_a_server_that_never_ends_does_not_keep_the_process() -> None:
    dripping = Raw([b" "] * 1_000, delay=0.05)
    async with ModelServer(pages={"/v1/models": dripping}) as server:
        imports = "import asyncio; from agls.models.local.discovery import find_local_servers"
        ask = f"{imports}; print(asyncio.run(find_local_servers([('x', {server.port})])))"
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", ask, stdout=PIPE)
        async with asyncio.timeout(PATIENCE):
            out, _ = await process.communicate()
    assert out == b"[]\n"


async def test_search_without_addresses_finds_no_server() -> None:
    assert await find_local_servers(()) == []
