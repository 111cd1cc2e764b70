"""The checkup against one fault after the other: what it says, and what to change."""

import errno
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agls.checkup import Case, Report, examine
from agls.checkup import checks as list_of_checks
from agls.checkup.report import MARKS
from agls.config import ConfigError, ConfigInputs, Setup, read
from agls.models.local import discovery
from agls.room.findings import Finding
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.model_replies import Answer, Failure, Raw, Reply, page
from support.model_server import ModelServer

KEY = "sk-canary-checkup-4711"
CALL = Reply(calls=[("report", {"word": "ready"})])
PAGES = {"/v1/models": page({"data": [{"id": "large", "context_length": 32768}]})}
ORDINARY = ("versions", "config", "state", "sandbox", "editors", "proxy", "certificates", "local")


class Patient:
    """A user with a home, a workspace and a config file, and no model server at the usual ports."""

    def __init__(self, folder: Path) -> None:
        self.home, self.workspace = folder / "home", folder / "work"
        self.home.mkdir()
        self.workspace.mkdir()
        self.file, self.state = self.home / "config.toml", self.home / "state"
        self.environment = {"PATH": os.environ["PATH"]}

    def configure(self, text: str) -> None:
        self.file.write_text(text)
        self.file.chmod(0o600)

    def use(self, server: ModelServer, more: str = "") -> None:
        self.configure(f'model = "m"\n[models.m]\nmodel = "large"\nbase_url = "{server.url}"\n{more}')
        self.environment["WORK_KEY"] = KEY

    def setup(self) -> Setup | ConfigError:
        try:
            told = ConfigInputs(config_file=str(self.file), state_dir=str(self.state))
            return read(told, str(self.workspace), lambda folder: False, dict(self.environment))
        except ConfigError as problem:
            return problem

    async def report(self, **more: Any) -> Report:
        processes = Processes(self.environment)
        workspace = OpenWorkspace(str(self.workspace), (), NoEditor(), processes)
        environment = {**self.environment, "AGLS_STATE_DIR": str(self.state)}
        try:
            return await examine(Case(str(self.workspace), self.setup(), environment, workspace, **more))
        finally:
            await processes.aclose()

    async def __call__(self, **more: Any) -> Mapping[str, Finding]:
        """The worst finding of each topic."""
        report = await self.report(**more)
        worst = sorted(report.findings, key=lambda found: list(MARKS).index(found.status))
        assert [found for found in worst if found.status != "pass" and not found.fix] == []
        assert KEY not in f"{report.text()}{report.data()}{report.markdown()}"
        return {found.topic: found for found in worst}


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    monkeypatch.setattr(discovery.find_local_servers, "__defaults__", ((), 20.0))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return Patient(tmp_path)


async def test_healthy_setup_has_no_findings(patient: Patient) -> None:
    async with ModelServer([CALL], pages=PAGES) as server:
        patient.use(server, 'api_key_env = "WORK_KEY"\n')
        report = await patient.report()
    assert report.is_well
    told = dict.fromkeys(found.topic for found in report.findings)
    assert tuple(told) == (*ORDINARY, "endpoint", "key", "model", "streaming", "tools", "context"), (
        "the check of a room has nothing to say where nobody set or wrote anything"
    )
    assert {f.status for f in report.findings if f.topic not in {"sandbox", "editors"}} == {"pass"}
    assert server.posts[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("reply", "listing", "topic", "fix"),
    [
        (Failure(401, f"wrong key {KEY}"), Failure(401, "who?").raw(), "key", "variable WORK_KEY"),
        (Failure(404, "no model large"), PAGES["/v1/models"], "model", "The server has: large"),
        (Failure(404, "Not Found"), Failure(404, "Not Found").raw(), "endpoint", "Check base_url"),
        (Failure(400, "no tools here"), PAGES["/v1/models"], "model", "Choose a model that can use tools"),
        (CALL, page({"data": [{"id": "large", "max_model_len": 4096}]}), "context", "16384"),
        (Failure(400, "stream must be false"), PAGES["/v1/models"], "streaming", "switch it on"),
    ],
    ids=["wrong key", "unknown model", "wrong path", "no tools", "small context", "no streaming"],
)
async def test_what_a_model_server_does_wrong(
    patient: Patient, reply: Answer, listing: Raw, topic: str, fix: str
) -> None:
    async with ModelServer(lambda request: reply, pages={"/v1/models": listing}) as server:
        patient.use(server, 'api_key_env = "WORK_KEY"\n')
        found = await patient()
    assert found[topic].status == "fail"
    assert fix in found[topic].fix
    assert {found[name].status for name in ORDINARY} <= {"pass", "warn"}


async def test_wrong_port_is_a_finding_about_base_url(patient: Patient) -> None:
    async with ModelServer() as server:
        patient.use(server)
    report = await patient.report()
    endpoint = report.findings[-1]
    assert (endpoint.topic, endpoint.status) == ("endpoint", "fail")
    assert "Start it, or correct base_url" in endpoint.fix
    assert report.unchecked[0] == ("key", "endpoint comes first")


@pytest.mark.row(87)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model =", ":1: not valid TOML"),
        ('modell = "m"', "did you mean 'model'?"),
        ("[models.m]\ncontext_window = -1", ":2: models.m.context_window"),
    ],
)
async def test_a_broken_configuration_is_found_and_the_rest_is_looked_at(
    patient: Patient, text: str, said: str
) -> None:
    """The wrong settings are found, and the place they stand in."""
    patient.configure(text)
    report = await patient.report()
    failed = [found for found in report.findings if found.status == "fail"]
    assert [found.topic for found in failed] == ["config"]
    assert said in failed[0].text
    assert {found.topic for found in report.findings} == set(ORDINARY)
    assert ("model", "config comes first") in report.unchecked


async def test_a_key_in_a_file_that_others_can_read(patient: Patient) -> None:
    patient.configure(f'[models.m]\nbase_url = "http://127.0.0.1:1/v1"\napi_key = "{KEY}"\n')
    patient.file.chmod(0o644)
    report = await patient.report(offline=True)
    assert f"chmod 600 {patient.file}" in [found.fix for found in report.findings]
    patient.file.chmod(0o600)
    report = await patient.report(offline=True)
    assert f"chmod 600 {patient.file}" not in [found.fix for found in report.findings]


async def test_a_state_folder_that_is_a_file(patient: Patient) -> None:
    patient.configure("")
    patient.state.write_text("")
    state = (await patient(offline=True))["state"]
    assert (state.status, "AGLS_STATE_DIR" in state.fix) == ("fail", True)


@pytest.mark.row(87)
async def test_a_state_folder_where_none_can_be_made(patient: Patient) -> None:
    """The folder that cannot be written to is found."""
    patient.configure("")
    patient.state = Path("/proc/agls-state")
    state = (await patient(offline=True))["state"]
    assert state.status == "fail"
    assert "chmod u+rwx" in state.fix


async def test_a_state_folder_on_a_full_disk(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    patient.configure("")
    state = (await patient(offline=True))["state"]
    assert (state.status, state.fix) == ("fail", "Free some space, or set AGLS_STATE_DIR to another folder.")


async def test_a_state_folder_that_others_look_into(patient: Patient) -> None:
    patient.configure("")
    patient.state.mkdir()
    patient.state.chmod(0o755)
    assert (await patient(offline=True))["state"].fix == f"chmod 700 {patient.state}"


@pytest.mark.row(87)
async def test_no_model_is_configured(patient: Patient) -> None:
    """The missing model server is found."""
    patient.configure("")
    found = await patient()
    assert (found["local"].status, found["model"].status) == ("warn", "fail")
    assert "ollama serve" in found["local"].fix
    assert str(patient.file) in found["model"].fix


async def test_servers_of_this_machine_and_the_model_that_comes_of_them(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient.configure("")
    async with ModelServer([CALL], models=["qwen"]) as server:
        monkeypatch.setattr(
            discovery.find_local_servers, "__defaults__", ((("lmstudio", server.port),), 20.0)
        )
        found = await patient()
    assert found["local"].text == f"Found: lmstudio at {server.url} with qwen."
    assert (found["model"].text, found["context"].status) == ("qwen answers.", "warn")


async def test_a_key_whose_variable_is_not_set(patient: Patient) -> None:
    async with ModelServer() as server:
        patient.use(server, 'api_key_env = "NOT_SET"\n')
        found = await patient()
    assert found["model"].status == "fail"
    assert "NOT_SET is not set" in found["model"].text
    assert server.connections == 0


@pytest.mark.parametrize(
    ("value", "status", "said"),
    [
        ("http://127.0.0.1:1", "warn", "nothing answers"),
        ("socks9://x", "fail", "not the address of a usable proxy"),
    ],
)
async def test_a_proxy_that_cannot_be_used(patient: Patient, value: str, status: str, said: str) -> None:
    patient.configure("")
    patient.environment["HTTPS_PROXY"] = value
    proxy = (await patient())["proxy"]
    assert (proxy.status, said in proxy.text) == (status, True)


async def test_a_dead_proxy_is_a_failure_when_a_model_is_elsewhere(patient: Patient) -> None:
    patient.configure('model = "m"\n[models.m]\nbase_url = "http://model.invalid/v1"\n')
    patient.environment["https_proxy"] = "http://user:secret-4711@127.0.0.1:1"
    report = await patient.report()
    proxy = next(found for found in report.findings if found.topic == "proxy")
    assert (proxy.status, proxy.text) == (
        "fail",
        "HTTPS_PROXY is http://127.0.0.1:1, but nothing answers there.",
    )
    assert "secret-4711" not in report.text()


async def test_proxy_in_use_is_a_finding_with_its_exceptions(patient: Patient) -> None:
    patient.configure("")
    async with ModelServer() as server:
        patient.environment |= {"HTTP_PROXY": f"127.0.0.1:{server.port}", "NO_PROXY": "intern.example"}
        proxy = (await patient())["proxy"]
    assert proxy.status == "pass"
    assert "not used for intern.example" in proxy.text


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
async def test_certificates_that_are_not_there(patient: Patient, name: str) -> None:
    patient.configure("")
    patient.environment[name] = "/nowhere/ca.pem"
    found = (await patient(offline=True))["certificates"]
    assert (found.status, found.fix) == ("fail", f"Correct {name}, or unset it.")


@pytest.mark.parametrize(
    ("said", "status"), [("NVIM v0.9.5", "warn"), ("NVIM v0.11.4", "pass"), ("?", "pass")]
)
async def test_an_editor_that_is_too_old(patient: Patient, said: str, status: str) -> None:
    patient.configure("")
    programs = patient.home / "bin"
    programs.mkdir()
    for name, text in {"nvim": said, "agls": "agls"}.items():
        (programs / name).write_text(f"#!/bin/sh\necho {text}\n")
        (programs / name).chmod(0o755)
    patient.environment["PATH"] = f"{programs}:/usr/bin:/bin"
    editors = (await patient(offline=True))["editors"]
    assert (editors.status, "Neovim" in editors.text) == (status, True)


async def test_offline_mode_sends_no_request(patient: Patient) -> None:
    async with ModelServer([CALL], pages=PAGES) as server:
        patient.use(server, 'api_key_env = "WORK_KEY"\ncontext_window = 4000\n')
        patient.environment["HTTPS_PROXY"] = server.url
        found = await patient(offline=True)
        assert server.connections == 0
    assert found["context"].status == "fail"
    assert "endpoint" not in found


async def test_a_scripted_model_needs_its_script(patient: Patient) -> None:
    patient.configure('model = "s"\n[models.s]\ndialect = "scripted"\nscript = "s.json"\n')
    assert (await patient())["model"].status == "fail"
    (patient.home / "s.json").write_text("{}")
    assert (await patient())["model"].status == "fail", "it has no prompts"
    (patient.home / "s.json").write_text('{"prompts": [{"turns": [{"text": "Hello."}]}]}')
    assert (await patient())["model"].status == "pass"


async def test_a_check_that_breaks_hides_no_other(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(case: Case):
        yield Finding("sandbox", "pass", "so far")
        raise RuntimeError(KEY)

    patient.configure("")
    monkeypatch.setattr(list_of_checks, "CHECKS", {**list_of_checks.CHECKS, "sandbox": broken})
    found = await patient(offline=True)
    assert (found["sandbox"].status, found["config"].status) == ("fail", "pass")


def test_the_report_hides_secrets_and_counts() -> None:
    bad: Sequence[Finding] = (Finding("a", "fail", f"<{KEY}>", KEY), Finding("b", "warn", "x", "y"))
    report = Report(tuple(bad), (("c", KEY),)).without([KEY, "canary"])
    assert KEY not in report.text() + report.markdown() + str(report.data())
    assert (report.verdict, report.is_well) == ("1 of 2 checks failed, 1 gave warnings.", False)
    assert Report(tuple(bad[1:])).verdict == "Nothing failed, 1 of 1 checks gave warnings."
    assert Report(()).verdict == "Everything works."


def test_report_as_markdown_shows_settings_to_write_as_code() -> None:
    settings = 'Write this:\n[models.work]\nmodel = "*"'
    shown = Report(
        (Finding("model", "fail", "There is none.", settings), Finding("proxy", "warn", "Odd.", "Unset it."))
    )
    assert shown.markdown().splitlines()[:8] == [
        "- **fail** model: There is none.",
        "  - Write this:",
        "",
        "        [models.work]",
        '        model = "*"',
        "",
        "- **warn** proxy: Odd.",
        "  - Unset it.",
    ]
