"""The environment that commands get: a list of what is allowed, never a list of what is forbidden."""

import os
from collections.abc import Mapping
from pathlib import PurePath

from agls.redaction import is_secret

_NAMES = """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR CI
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
    SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
    VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT UV_CACHE_DIR PIP_CACHE_DIR POETRY_HOME
    NVM_DIR NVM_BIN VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME
    GOPATH GOROOT GOBIN GOCACHE GOMODCACHE CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN
    JAVA_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME KOTLIN_HOME
    RBENV_ROOT GEM_HOME GEM_PATH DOTNET_ROOT ERL_HOME GHCUP_INSTALL_BASE_PREFIX OPAMROOT
    SDKROOT DEVELOPER_DIR CC CXX PKG_CONFIG_PATH NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE
"""
_ALLOWED = frozenset(_NAMES.split())
PLAIN = {"PATH": f"/usr/local/bin:{os.defpath}"}  # for a process without an environment of its own


def allowed(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the part of `environment` for commands: known names, no secrets, no relative folders in PATH."""
    kept = {name: value for name, value in environment.items() if _is_allowed(name, value)}
    path = kept.get("PATH", PLAIN["PATH"]).split(os.pathsep)
    kept["PATH"] = os.pathsep.join(entry for entry in path if PurePath(entry).is_absolute())
    if not kept.keys() & {"LANG", "LC_ALL", "LC_CTYPE"}:
        kept["LANG"] = "C.UTF-8"
    return {**kept, "TERM": "dumb", "GIT_OPTIONAL_LOCKS": "0"}  # reading with git writes nothing


def allowed_names(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the variables that commands get, sorted."""
    return tuple(sorted(allowed(environment)))


def _is_allowed(name: str, value: str) -> bool:
    if name.upper().endswith("_PROXY") and "@" in value:
        return False  # a password
    return (name in _ALLOWED or name.startswith("LC_")) and not is_secret(name)
