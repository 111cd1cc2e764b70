"""Models in clouds: the real command, and servers that check it with the clouds' own libraries."""

import datetime
import json
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from doors.headless.conftest import Agls
from support.amazon import SECRET, SIGNING, TOKEN, check_signature, exception, framed
from support.model_dialects import Said
from support.model_server import Failure, ModelServer, Raw, Reply
from support.stand_in import stand_in

REGION = "eu-central-1"
BEDROCK = f"bedrock-runtime.{REGION}.amazonaws.com"
MODEL = "eu.anthropic.claude-sonnet-4-6-v1:0"
READ = Said("Reading.", [("toolu_1", "read_file", '{"path":"a.txt"}')], usage=(200, 5))
ANSWER = Said("It says 42.", usage=(210, 5))
CLAUDE = f'model = "m"\n[models.m]\nservice = "bedrock"\nregion = "{REGION}"\nmodel = "{MODEL}"\n'


@pytest.fixture
def aws(agls: Agls) -> Agls:
    """With credentials of AWS, and nothing else of it."""
    (agls.workspace / "a.txt").write_text("42")
    nowhere = {
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }
    agls.environment |= {**nowhere, **SIGNING}
    return agls


def test_claude_at_bedrock_is_asked_with_signed_requests_and_answers_in_frames(aws: Agls) -> None:
    aws.configure(CLAUDE)
    replies = [framed(READ.events("anthropic")), framed(ANSWER.events("anthropic"))]
    with stand_in(BEDROCK, replies, aws.environment, aws.home) as server:
        done = aws.run("run", "read a.txt")
    assert (done.code, done.out) == (0, "It says 42.\n"), done.err
    assert [post.path for post in server.posts] == [
        "/model/eu.anthropic.claude-sonnet-4-6-v1%3A0/invoke-with-response-stream"
    ] * 2
    for post in server.posts:
        check_signature(post, REGION)
        assert post.body["anthropic_version"] == "bedrock-2023-05-31"
        assert not {"model", "stream"} & post.body.keys()
    kept = [file.read_text() for file in aws.state.rglob("*.jsonl")]
    assert kept and not any(secret in text for text in kept for secret in (SECRET, TOKEN))


def test_other_models_of_bedrock_are_asked_in_the_chat_dialect(aws: Agls) -> None:
    aws.configure(CLAUDE.replace(MODEL, "openai.gpt-oss-120b-1:0"))
    with stand_in(BEDROCK, [Reply("Hello.")], aws.environment, aws.home) as server:
        assert aws.run("run", "hi").out == "Hello.\n"
    (post,) = server.posts
    assert (post.path, post.body["model"]) == ("/openai/v1/chat/completions", "openai.gpt-oss-120b-1:0")
    check_signature(post, REGION)


def test_bedrock_that_throttles_in_the_middle_is_asked_once_more(aws: Agls) -> None:
    del aws.environment["AWS_SESSION_TOKEN"]
    aws.configure(CLAUDE.replace(f'region = "{REGION}"\n', ""))
    aws.environment |= {"AWS_REGION": REGION, "AWS_SESSION_TOKEN": TOKEN}
    torn = framed(ANSWER.events("anthropic")[:2], exception("throttlingException", "Too many tokens"))
    replies = [torn, framed(ANSWER.events("anthropic"))]
    with stand_in(BEDROCK, replies, aws.environment, aws.home) as server:
        done = aws.run("run", "hi")
    assert (done.code, done.out, len(server.posts)) == (0, "It says 42.\n", 2), done.err
    assert "Too many tokens" in done.err


def test_bedrock_that_refuses_credentials_is_asked_once_more_and_says_what_to_check(aws: Agls) -> None:
    aws.configure(CLAUDE)
    body = json.dumps({"message": "The security token included in the request is expired"}).encode()
    refused = Raw(
        [body], 403, {"x-amzn-ErrorType": "ExpiredTokenException", "Content-Type": "application/json"}
    )
    with stand_in(BEDROCK, [refused, refused], aws.environment, aws.home) as server:
        done = aws.run("run", "hi")
    assert (done.code, len(server.posts)) == (1, 2)
    assert "is expired" in done.err and "Check the AWS credentials and the region" in done.err


@pytest.mark.parametrize("named", [True, False])
def test_key_of_bedrock_is_sent_and_nothing_signed(aws: Agls, named: bool) -> None:
    aws.environment["MINE" if named else "AWS_BEARER_TOKEN_BEDROCK"] = "canary-key"
    aws.environment["ANTHROPIC_API_KEY"] = "not-for-aws"
    aws.configure(CLAUDE + ('api_key_env = "MINE"\n' if named else ""))
    with stand_in(BEDROCK, [framed(ANSWER.events("anthropic"))], aws.environment, aws.home) as server:
        assert aws.run("run", "hi").out == "It says 42.\n"
    (post,) = server.posts
    assert post.headers["authorization"] == "Bearer canary-key"
    assert "x-api-key" not in post.headers and "x-amz-date" not in post.headers


def test_bedrock_without_credentials_or_region_says_what_to_do(aws: Agls) -> None:
    for name in SIGNING:
        del aws.environment[name]
    aws.configure(CLAUDE)
    done = aws.run("run", "hi")
    assert done.code == 1 and "No AWS credentials were found." in done.err and "aws sso login" in done.err
    aws.configure(CLAUDE.replace(f'region = "{REGION}"\n', ""))
    done = aws.run("run", "hi")
    assert done.code == 2 and "region is missing" in done.err
    aws.configure(CLAUDE + 'profile = "nobody"\n')
    done = aws.run("run", "hi")
    assert done.code == 1 and "profile (nobody) could not be found" in done.err


def test_signature_is_for_no_other_host(aws: Agls) -> None:
    aws.configure(CLAUDE)
    with ModelServer([Failure(400, "no")]) as server:
        aws.run("run", "hi", "--base-url", server.url)
    assert server.posts and "authorization" not in server.posts[0].headers
    assert "x-amz-security-token" not in server.posts[0].headers


# --- Vertex --------------------------------------------------------------------------------------

HOST = "europe-west1-aiplatform.googleapis.com"
VERTEX = (
    'model = "m"\n[models.m]\nservice = "vertex"\nregion = "europe-west1"\nproject = "mine-1"\nmodel = "{}"\n'
)


AUDIENCE = "https://oauth2.googleapis.com/token"  # whatever the address of the server


class TokenServer:
    """Gives a token for an assertion that the service account signed, checked with Google's own library."""

    def __init__(self, agls: Agls) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        name = x509.Name([])
        now = datetime.datetime.now(datetime.UTC)
        builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(1))
        self._certificate = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        plain = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        self._file = agls.home / "account.json"
        self._account = {
            "type": "service_account",
            "client_email": "me@mine-1.iam.gserviceaccount.com",
            "private_key_id": "k1",
            "private_key": key.private_bytes(*plain).decode(),
            "project_id": "mine-1",
        }
        agls.environment["GOOGLE_APPLICATION_CREDENTIALS"] = str(self._file)
        self.server = ModelServer(self._answer)
        self.given = 0

    def __enter__(self) -> "TokenServer":
        self.server.start()
        uri = self.server.url.replace("/v1", "/token")
        self._file.write_text(json.dumps({**self._account, "token_uri": uri}))
        return self

    def __exit__(self, *error: object) -> None:
        self.server.stop()

    def _answer(self, request: Any) -> Raw:
        (assertion,) = parse_qs(request.content.decode())["assertion"]
        jwt: Any = import_module("google.auth.jwt")
        said = jwt.decode(assertion, certs={"k1": self._certificate}, audience=AUDIENCE)
        assert said["scope"] == "https://www.googleapis.com/auth/cloud-platform"
        self.given += 1
        told = {"access_token": f"ya29.canary-{self.given}", "expires_in": 3600, "token_type": "Bearer"}
        return Raw([json.dumps(told).encode()], headers={"Content-Type": "application/json"})


def test_claude_at_vertex_is_asked_with_a_token_of_the_service_account(agls: Agls) -> None:
    (agls.workspace / "a.txt").write_text("42")
    agls.configure(VERTEX.format("claude-sonnet-4-6@20260101"))
    replies = [Raw(READ.events("anthropic")), Failure(401, "expired"), Raw(ANSWER.events("anthropic"))]
    with TokenServer(agls), stand_in(HOST, replies, agls.environment, agls.home) as server:
        done = agls.run("run", "read a.txt")
    assert (done.code, done.out) == (0, "It says 42.\n"), done.err
    path = "/v1/projects/mine-1/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-6@20260101"
    assert {post.path for post in server.posts} == {f"{path}:streamRawPredict"}
    tokens = [post.headers["authorization"] for post in server.posts]
    assert tokens == ["Bearer ya29.canary-1"] * 2 + ["Bearer ya29.canary-2"], (
        "one token for many, a new one once refused"
    )
    assert server.posts[0].body["anthropic_version"] == "vertex-2023-10-16"
    assert "model" not in server.posts[0].body and server.posts[0].body["stream"] is True


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gemini-3-pro", "publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse"),
        ("zai-org/glm-5", "endpoints/openapi/chat/completions"),
    ],
)
def test_other_models_of_vertex_are_asked_in_their_dialects(agls: Agls, model: str, path: str) -> None:
    agls.configure(VERTEX.format(model).replace('project = "mine-1"\n', ""))
    agls.environment["GOOGLE_CLOUD_PROJECT"] = "mine-2"
    said = Raw(ANSWER.events("gemini" if "gemini" in model else "chat"))
    with TokenServer(agls), stand_in(HOST, [said], agls.environment, agls.home) as server:
        done = agls.run("run", "hi")
    assert (done.code, done.out) == (0, "It says 42.\n"), done.err
    (post,) = server.posts
    assert post.path == f"/v1/projects/mine-2/locations/europe-west1/{path}"
    assert post.headers["authorization"] == "Bearer ya29.canary-1"
    assert "x-goog-api-key" not in post.headers


def test_vertex_without_credentials_or_project_says_what_to_do(agls: Agls) -> None:
    agls.environment["GOOGLE_APPLICATION_CREDENTIALS"] = "/nowhere.json"
    agls.configure(VERTEX.format("gemini-3-pro"))
    done = agls.run("run", "hi")
    assert (
        done.code == 1 and "Google credentials cannot be obtained" in done.err and "gcloud auth" in done.err
    )
    agls.configure(VERTEX.format("gemini-3-pro").replace('project = "mine-1"\n', ""))
    done = agls.run("run", "hi")
    assert done.code == 2 and "project is missing" in done.err


def test_doctor_finds_nothing_wrong_with_a_model_in_a_cloud(aws: Agls) -> None:
    aws.configure(CLAUDE + "context_window = 200000\n")
    called = Said("", [("toolu_1", "report", '{"word":"ready"}')], usage=(200, 5))
    with stand_in(BEDROCK, [framed(called.events("anthropic"))], aws.environment, aws.home) as server:
        done = aws.run("doctor")
    assert done.code == 0, done.out
    assert "The server accepts the key." in done.out and "The model calls tools." in done.out
    (post,) = server.posts
    check_signature(post, REGION)
