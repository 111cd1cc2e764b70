"""Requests to Bedrock, signed with the AWS credentials of this machine (Signature Version 4), by botocore."""

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from agls.models.credential import Credential
from agls.models.errors import CallFailed, Failure

NEEDS = Failure(
    "auth",
    "Signing requests to Bedrock needs the library botocore.",
    "Install it: pip install 'agls[bedrock]'",
)
NO_CREDENTIALS = Failure(
    "auth",
    "No AWS credentials were found.",
    "Log in (aws sso login), or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or profile of this model.",
)
SIGNED = "content-type"  # the header that is part of the signature, besides those that signing adds


class AwsSignature(Credential):
    """Signs for one region, with a profile's credentials or the default ones."""

    hint = "Check the AWS credentials and the region, and that the account has access to this model."

    def __init__(self, region: str, profile: str) -> None:
        self._region, self._profile = region, profile
        self._found: Any = None  # botocore's credentials, which renew themselves where they can
        self._used: Any = None  # as they were for the last request

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secrets that the last request was signed with."""
        held = (self._used.secret_key, self._used.token) if self._used else ()
        return tuple(secret for secret in held if secret)

    async def sign(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes
    ) -> Mapping[str, str]:
        """Return the headers with the signature of this request. Raises `CallFailed` (`auth`)."""
        if not find_spec("botocore"):
            raise CallFailed(NEEDS)
        return await asyncio.to_thread(self._signed, method, url, headers, content)

    def renew(self) -> bool:
        """Look for credentials again before the next request. Returns True."""
        self._found = self._used = None
        return True

    def _signed(self, method: str, url: str, headers: Mapping[str, str], content: bytes) -> Mapping[str, str]:
        auth, requests = import_module("botocore.auth"), import_module("botocore.awsrequest")
        service = "bedrock-mantle" if "//bedrock-mantle." in url else "bedrock"
        request = requests.AWSRequest(
            method=method, url=url, data=content, headers={SIGNED: "application/json"}
        )
        auth.SigV4Auth(self._credentials(), service, self._region).add_auth(request)
        return {**headers, **{name: str(value) for name, value in request.headers.items() if name != SIGNED}}

    def _credentials(self) -> Any:
        problems = import_module("botocore.exceptions")
        try:
            if self._found is None:
                session = import_module("botocore.session")
                self._found = session.Session(profile=self._profile or None).get_credentials()
            self._used = self._found and self._found.get_frozen_credentials()
        except problems.BotoCoreError as error:
            raise CallFailed(
                Failure("auth", f"AWS credentials cannot be obtained: {error}", NO_CREDENTIALS.hint)
            ) from None
        if not self._used or not self._used.access_key:
            raise CallFailed(NO_CREDENTIALS)
        return self._used


@lru_cache(maxsize=16)  # the same settings share what was found
def aws_signature(region: str, profile: str) -> AwsSignature:
    """Return the credential for these settings."""
    return AwsSignature(region, profile)
