"""What lets requests in: signatures and tokens of the clouds' own libraries, and keys of a program."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agls.config import ConfigInputs, read
from agls.config.key_command import key_command, told_keys
from agls.models.clouds.aws import AwsSignature
from agls.models.clouds.google import GoogleToken
from agls.models.credential import FIXED_KEY
from agls.models.errors import CallFailed
from support.amazon import SECRET, SIGNING, TOKEN, check_signature, framed
from support.model_asking import ONCE, Asking, hear
from support.model_faults import HELLO, check_hello
from support.model_server import Failure, ModelServer, Raw, Reply, Request

ALONE = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials but those that a test gives."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "GOOGLE_", "CLOUDSDK_"))]:
        monkeypatch.delenv(name)
    for name, value in {**ALONE, "AWS_EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(name, value)


async def test_each_request_is_signed_over_its_own_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SIGNING.items():
        monkeypatch.setenv(name, value)
    signature = AwsSignature("us-west-2", "")
    more: dict[str, Any] = {"dialect": "anthropic", "service": "bedrock", "credential": signature}
    async with ModelServer([framed(HELLO.events("anthropic"))] * 2) as server, Asking() as asking:
        model = asking.model(server.url, ONCE, model="a.b:0", **more)
        for _ in range(2):
            check_hello(await hear(model))
        for post in server.posts:
            https = {**post.headers, "host": post.headers["host"]}
            check_signature(Request(post.method, post.path, https, post.content), "us-west-2")
        changed = Request("POST", server.posts[0].path, server.posts[0].headers, b"{}")
        with pytest.raises(AssertionError):
            check_signature(changed, "us-west-2")
    assert set(signature.secrets) == {SECRET, TOKEN}
    assert signature.renew() and signature.secrets == ()


@pytest.mark.parametrize(("profile", "said"), [("", "No AWS credentials"), ("nobody", r"profile \(nobody\)")])
async def test_missing_credentials_are_reported(profile: str, said: str) -> None:
    with pytest.raises(CallFailed, match=said) as failed:
        await AwsSignature("r", profile).sign("POST", "https://h/x", {}, b"")
    assert failed.value.kind == "auth" and "aws sso login" in failed.value.hint


async def test_mantle_is_a_service_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SIGNING.items():
        monkeypatch.setenv(name, value)
    url = "https://bedrock-mantle.us-west-2.api.aws/v1/responses"
    headers = await AwsSignature("us-west-2", "").sign("POST", url, {"X-Mine": "1"}, b"{}")
    assert "/us-west-2/bedrock-mantle/aws4_request" in headers["Authorization"]
    assert headers["X-Mine"] == "1"


async def test_token_is_made_once_and_again_when_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    def token(request: Request) -> Raw:
        given.append(f"ya29.{len(given)}")
        told = {"access_token": given[-1], "expires_in": 3600, "token_type": "Bearer"}
        return Raw([json.dumps(told).encode()], headers={"Content-Type": "application/json"})

    with ModelServer(token) as tokens:
        account = {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}
        file = tmp_path / "user.json"
        file.write_text(json.dumps({**account, "token_uri": tokens.url}))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
        monkeypatch.setattr("google.oauth2.credentials._GOOGLE_OAUTH2_TOKEN_ENDPOINT", tokens.url)
        credential = GoogleToken()
        sent = [await credential.sign("POST", "https://h/x", {}, b"") for _ in range(2)]
        assert credential.secrets == ("ya29.0",)
        assert credential.renew() and credential.secrets == ()
        sent.append(await credential.sign("POST", "https://h/x", {}, b""))
    assert [headers["Authorization"] for headers in sent] == ["Bearer ya29.0"] * 2 + ["Bearer ya29.1"]
    assert await credential.key() == ""


async def test_missing_google_credentials_fail_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere.json")
    with pytest.raises(CallFailed, match="Google credentials cannot be obtained") as failed:
        await GoogleToken().sign("POST", "https://h/x", {}, b"")
    assert failed.value.kind == "auth" and "gcloud auth" in failed.value.hint


async def test_key_of_a_program_is_held_renewed_and_known_to_the_redactor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agls.config.key_command._made", [])  # other tests of this process held no key
    log = tmp_path / "asked"
    program = ("sh", "-c", f"echo x >> {log}; echo key-$(wc -l < {log} | tr -d ' ')")
    credential = key_command(f"m {tmp_path}", program, 60.0)
    assert key_command(f"m {tmp_path}", program, 60.0) is credential
    refused = Failure(401, "expired key-1")
    async with (
        ModelServer([Reply("Hi."), refused, Reply("Hi."), refused, refused]) as server,
        Asking() as asking,
    ):
        model = asking.model(server.url, ONCE, credential=credential, context_window=9)
        assert (await hear(model)).text == "Hi."
        again = await hear(model)
        assert again.text == "Hi." and "[key]" in again.waits[0].cause
        last = await hear(model)
    keys = [post.headers["authorization"].removeprefix("Bearer ") for post in server.posts]
    assert keys == ["key-1", "key-1", "key-2", "key-2", "key-3"]
    assert last.error and last.error.kind == "auth" and "key_command" in last.error.hint
    assert "key-3" in told_keys()
    assert await credential.sign("POST", "https://h", {"A": "b"}, b"") == {"A": "b"}
    (tmp_path / "config.toml").touch()
    told = ConfigInputs(config_file=str(tmp_path / "config.toml"), state_dir=str(tmp_path / "state"))
    setup = read(told, str(tmp_path / "work"), lambda folder: False, {})
    assert "key-3" in setup.secrets


@pytest.mark.parametrize("program", ["true", "echo a b", "printf 'ü\\n'", "false", "/nowhere"])
async def test_program_without_a_key_in_its_output_is_reported(program: str) -> None:
    with pytest.raises(CallFailed, match="The key_command of m printed no key") as failed:
        await key_command("m", ("sh", "-c", program), 60.0).key()
    assert failed.value.kind == "auth" and "by hand" in failed.value.hint


async def test_fixed_key_adds_nothing_and_has_no_other() -> None:
    assert (FIXED_KEY.secrets, await FIXED_KEY.key(), FIXED_KEY.renew()) == ((), "", False)
    assert await FIXED_KEY.sign("GET", "https://h", {"A": "b"}, b"") == {"A": "b"}
