"""Which variables commands get, and keeping our memory to ourselves."""

import subprocess
import sys

import pytest

from agls.redaction import is_secret
from agls.workspace.environment import allowed
from agls.workspace.redact import harden

pytestmark = pytest.mark.promise("P10")


@pytest.mark.parametrize(
    "name",
    [
        "API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "PGPASSWORD",
        "SSH_AUTH_SOCK",
        "SENTRY_DSN",
        "Cookie",
    ],
)
def test_a_secret_is_known_by_its_name(name: str) -> None:
    assert is_secret(name)
    assert name not in allowed({name: "x", "PATH": "/bin"})
    assert f"LC_{name}" not in allowed({f"LC_{name}": "x"})


def test_toolchains_and_the_locale_are_let_through() -> None:
    given = {
        "PATH": "/bin",
        "LANG": "de_DE.UTF-8",
        "VIRTUAL_ENV": "/v",
        "CARGO_HOME": "/c",
        "JAVA_HOME": "/j",
    }
    assert allowed(given) == {**given, "TERM": "dumb", "GIT_OPTIONAL_LOCKS": "0"}


def test_programs_that_hijack_others_are_not() -> None:
    given = dict.fromkeys(
        ("LD_PRELOAD", "BASH_ENV", "ENV", "PAGER", "GIT_SSH_COMMAND", "PYTHONSTARTUP"), "/evil"
    )
    assert allowed(given).keys() == {"PATH", "LANG", "TERM", "GIT_OPTIONAL_LOCKS"}


def test_a_proxy_is_let_through_unless_it_holds_a_password() -> None:
    assert allowed({"https_proxy": "http://proxy:8080"})["https_proxy"] == "http://proxy:8080"
    assert "https_proxy" not in allowed({"https_proxy": "http://me:secret@proxy:8080"})


@pytest.mark.skipif(sys.platform != "linux", reason="there is nothing to call elsewhere")
def test_a_hardened_process_is_not_dumpable() -> None:
    script = (
        "import ctypes; from agls.workspace.redact import harden; "
        "print(harden(), ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"  # PR_GET_DUMPABLE
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout == "True 0\n"


def test_hardening_on_other_systems_reports_that_it_did_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "elsewhere")
    assert harden() is False
