"""The names of files that usually hold secrets, for tools, commands, searches and copies."""

import pytest

from agls.secret_names import LEFT_OUT, may_hold_secrets
from agls.workspace.globs import names_matcher

SECRET = [
    ".env",
    ".ENV",
    ".env.local",
    "a/.env.production",
    ".envrc",
    "id_rsa",
    "keys/id_ed25519",
    "id_ecdsa_sk",
    "server.pem",
    "key.pem",
    "SERVER.KEY",
    "tls/private.key",
    "a.p12",
    "a.pfx",
    "a.jks",
    "x.keystore",
    "passwords.kdbx",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".htpasswd",
    "credentials",
    "a/credentials.json",
    "client_secret_1.json",
    "service-account-x.json",
    "secrets.yml",
    "secrets.yaml",
    "config/secrets.json",
    "prod.tfstate",
    ".aws/config",
    ".ssh/known_hosts",
    ".ssh/",
    ".kube/config",
    "kubeconfig",
    "a.ppk",
]
OPEN = [
    ".env.example",
    ".env.sample",
    ".env.local.template",
    ".env.example.local",
    "id_rsa.pub",
    ".ssh/id_ed25519.pub",
    "cert.pem",
    "tests/fixtures/server-cert.pem",
    "cacert.pem",
    "fullchain.pem",
    "public.pem",
    "public.key",
    "credentials.py",
    "credentials/a.py",
    "credentials.json.example",
    "secrets.py",
    "keys.py",
    "environment.py",
    "env.ts",
    "a.key.md",
    "README.md",
    "monkey.txt",
    "keystore.py",
]


@pytest.mark.parametrize("path", SECRET)
def test_file_that_usually_holds_secrets_is_known_by_its_name(path: str) -> None:
    assert may_hold_secrets(path)


@pytest.mark.parametrize("path", OPEN)
def test_example_public_key_or_ordinary_source_holds_none(path: str) -> None:
    assert not may_hold_secrets(path)


def test_folder_above_the_root_says_nothing_about_what_is_in_it() -> None:
    assert not may_hold_secrets("/home/me/.aws/app/a.py", ["/home/me/.aws/app"])
    assert may_hold_secrets("/home/me/.aws/app/a.py", ["/home/me/.aws"]) is False
    assert may_hold_secrets("/home/me/app/.aws/a.py", ["/home/me/app/"])


def test_search_leaves_out_every_file_with_such_a_name() -> None:
    names = {path.rpartition("/")[2] for path in SECRET if not path.startswith((".aws/", ".ssh/", ".kube/"))}
    assert names - names_matcher(LEFT_OUT)(names) == set()
    assert names_matcher(LEFT_OUT)({"a.py", "credentials.py", "README.md"}) == set()
