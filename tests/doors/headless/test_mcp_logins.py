"""`agls mcp` at a terminal: servers listed, switched, logged in at and out of, by the real program."""

import re
import urllib.request

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from support.mcp_login_server import login_server


@pytest.mark.row(61)
def test_login_at_the_command_line_is_used_by_runs_until_logout(agls: Agls) -> None:
    with login_server() as server:
        agls.configure(f'{SCRIPTED}[mcp.servers.web]\nurl = "{server.url}/mcp"\n')
        agls.prompts([{"text": "done"}])
        assert "web could not be started: it wants a login" in agls.run("run", "go").err
        process = agls.start("mcp", "login", "web")
        assert process.stderr
        line = ""
        while not (found := re.search(r"http://127\.0\.0\.1:\d+/authorize\S+", line)):
            line = process.stderr.readline()
            assert line, "it ended without a page"
        with urllib.request.urlopen(found[0], timeout=20) as page:
            assert b"You can close this page" in page.read()
        out, _ = process.communicate(timeout=60)
        assert (process.returncode, out) == (0, "You are logged in at web, which offers 1 tools.\n")
        assert "whoami" in agls.run("mcp", "tools", "web").out
        assert agls.run("mcp", "restart", "web").code == 0
        assert "token-" not in agls.run("key", "list").out
        assert agls.run("mcp", "logout", "web").out == "The login at web is forgotten.\n"
        assert "wants a login" in agls.run("mcp", "restart", "web").err
        assert server.logins == 1


def test_server_that_is_switched_off_is_neither_started_nor_offered(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[mcp.servers.small]\ncommand = "/no/such/program"\n')
    assert "small: configured" in agls.run("mcp", "list").out
    assert agls.run("mcp", "disable", "small").out == "small is switched off.\n"
    assert "you switched it off" in agls.run("mcp", "list").out
    agls.prompts([{"text": "done"}])
    assert "small" not in agls.run("run", "go").err
    assert agls.run("mcp", "enable", "small").out == "small is used from the next run on.\n"
    agls.prompts([{"text": "done"}])
    assert "small could not be started" in agls.run("run", "go").err
    assert agls.run("mcp", "enable", "other").code == 2
