"""Logins at addresses: by a page, kept, renewed once by however many processes, and forgotten."""

import asyncio
import json
import urllib.request
from pathlib import Path

import pytest

from agls.engine.vocabulary import Answer, Question
from agls.features.mcp.questions import UserQuestions
from agls.mcp_servers import Logins
from agls.room.mcp_ports import NOBODY, ServerDefinition, ServerProblem
from mcp_servers.test_shared_servers import Opened, opened
from support.mcp_login_server import LoginServer, login_server

__all__ = ["opened"]


class Browser:
    """Implements `Forms`: opens what it is asked to open, or refuses."""

    available = takes_forms = True

    def __init__(self, *, refuses: bool = False) -> None:
        self.asked: list[Question] = []
        self._refuses = refuses

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        if self._refuses:
            return Answer("declined")
        await asyncio.to_thread(self._open, str(question.subject["url"]))
        return Answer("accepted")

    def _open(self, url: str) -> None:
        with urllib.request.urlopen(url, timeout=10) as page:
            assert "You can close this page" in page.read().decode()


def guarded(server: LoginServer) -> ServerDefinition:
    return ServerDefinition(name="web", transport="http", url=f"{server.url}/mcp", startup=20)


@pytest.mark.row(61)
async def test_login_is_kept_privately_and_used_by_the_next_process(opened: Opened, tmp_path: Path) -> None:
    browser = Browser()
    with login_server() as server:
        first = opened().get(guarded(server))
        with pytest.raises(ServerProblem, match=r"wants a login: /mcp\.login web"):
            await first.discover()
        assert (first.needs_login, server.registered) == (True, [])
        found = await first.log_in(UserQuestions(browser).caller())
        assert ([tool.name for tool in found.tools], first.needs_login) == (["whoami"], False)
        assert server.url in browser.asked[0].title
        assert (await first.call("whoami", {}, NOBODY)).parts == ("you",)
        second = opened().get(guarded(server))
        assert (await second.call("whoami", {}, NOBODY)).parts == ("you",)
        assert (server.logins, len(server.registered), len(browser.asked)) == (1, 1, 1)
        (kept,) = (path for path in tmp_path.rglob("*") if path.is_file() and b"token-1" in path.read_bytes())
        assert (kept.name, kept.stat().st_mode & 0o777) == ("keys.json", 0o600)
        assert await second.log_out()
        assert b"token-1" not in kept.read_bytes()
        with pytest.raises(ServerProblem, match="wants a login"):
            await second.call("whoami", {}, NOBODY)


async def test_login_that_ended_is_renewed_without_a_person(opened: Opened) -> None:
    with login_server(ends=1) as server:
        first = opened().get(guarded(server))
        await first.log_in(UserQuestions(Browser()).caller())
        renewals = server.renewals
        await asyncio.sleep(0.6)
        assert (await first.call("whoami", {}, NOBODY)).parts == ("you",)
        assert server.renewals > renewals
        server.ends = 3600
        server.revoke(renewable=True)
        assert (await opened().get(guarded(server)).call("whoami", {}, NOBODY)).parts == ("you",)
        assert server.logins == 1


async def test_renewal_that_is_raced_happens_once(opened: Opened) -> None:
    with login_server(ends=3600) as server:
        await opened().get(guarded(server)).log_in(UserQuestions(Browser()).caller())
        server.revoke(renewable=True)
        racers = [opened().get(guarded(server)) for _ in range(4)]  # each with a lock and a memory of its own
        answers = await asyncio.gather(*(one.call("whoami", {}, NOBODY) for one in racers))
        assert [each.parts for each in answers] == [("you",)] * 4
        assert (server.renewals, server.logins) == (1, 1)


async def test_login_that_is_void_is_forgotten_and_asked_for_again(opened: Opened, tmp_path: Path) -> None:
    with login_server() as server:
        first = opened().get(guarded(server))
        await first.log_in(UserQuestions(Browser()).caller())
        server.revoke()
        with pytest.raises(ServerProblem, match="wants a login") as problem:
            await first.call("whoami", {}, NOBODY)
        assert not problem.value.may_have_run
        assert "token" not in json.dumps(
            Logins(tmp_path / "state").read(f"{server.url}/mcp").get("tokens", {})
        )
        browser = Browser()
        answer = await first.call("whoami", {}, UserQuestions(browser).caller())
        assert (answer.parts, server.logins, len(browser.asked)) == (("you",), 2, 1)


async def test_login_that_is_refused_is_said_and_nothing_is_kept(opened: Opened, tmp_path: Path) -> None:
    with login_server() as server:
        first = opened().get(guarded(server))
        with pytest.raises(ServerProblem, match="wants a login"):
            await first.log_in(UserQuestions(Browser(refuses=True)).caller())
        assert (server.logins, Logins(tmp_path / "state").read(f"{server.url}/mcp").get("tokens")) == (
            0,
            None,
        )
