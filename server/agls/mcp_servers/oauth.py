"""Logins by OAuth at an address: the flow is the SDK's, the browser, the store and the patience are ours."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack
from typing import Any, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.utils import extract_field_from_www_auth, validate_authorization_response_iss
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_object, value_in
from agls.mcp_servers.callers import Callers
from agls.mcp_servers.login_page import Came, came_with, free_port, open_page, redirect_to, state_of
from agls.mcp_servers.logins import Logins
from agls.room.mcp_ports import McpQuestion, ServerDefinition
from agls.web_address import WebAddress, is_private_by_name

PATIENCE = 600.0  # seconds that a user has to log in
LOOK_AGAIN = 0.1  # seconds, while another process renews it
EARLY = 30.0  # seconds before its end at which a token counts as ended
OWN = "agls-login"  # marks requests of the flow
UNAUTHORIZED, FORBIDDEN = 401, 403
OK = 200
ASKED = "{} wants you to log in. The page comes back to agls on this machine."
PASTED = "If the page at the end cannot be shown, paste its address here"
FORM: JsonObject = {"type": "object", "properties": {"address": {"type": "string", "title": PASTED}}}
Model = TypeVar("Model", bound=BaseModel)


class LoginNeeded(Exception):
    """Only a person can log in, and none was there, or did not want to."""


class ServerLogin(OAuthClientProvider):
    """Logs in at an address, and renews what it got: one process at a time."""

    def __init__(self, definition: ServerDefinition, logins: Logins, callers: Callers) -> None:
        self._definition, self._callers = definition, callers
        self._logins = logins
        self._settings, self._address = definition.login, definition.url
        self._kept: JsonObject = {}
        self._page = ""
        metadata = OAuthClientMetadata(
            client_name="agls",
            redirect_uris=[AnyUrl(redirect_to(self._settings.port))],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            scope=self._settings.scope or None,
        )
        super().__init__(
            definition.url,
            metadata,
            self,
            self._show,
            self._come_back,
            self._settings.client_document or None,
        )

    # --- what is kept: the storage of the SDK ---

    async def get_tokens(self) -> OAuthToken | None:
        """**Returns** the tokens that are kept."""
        return _read(OAuthToken, self._kept.get("tokens"))

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep tokens, with what it takes to renew them."""
        context = self.context
        lasts = tokens.expires_in or 0
        ends = time.time() + lasts - min(EARLY, lasts / 2) if lasts else 0
        context.token_expiry_time = ends or None
        self._kept = {
            **self._kept,
            "tokens": tokens.model_dump(mode="json", exclude_none=True),
            "ends": ends,
            "server": _plain(context.oauth_metadata),
            "resource": _plain(context.protected_resource_metadata),
        }
        await asyncio.to_thread(self._logins.keep, self._address, self._kept)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """**Returns** the client as which agls is known there."""
        settings = self._settings
        if not settings.client_id:
            return _read(OAuthClientInformationFull, self._kept.get("client"))
        return OAuthClientInformationFull(
            client_id=settings.client_id,
            client_secret=settings.client_secret or None,
            redirect_uris=self.context.client_metadata.redirect_uris,
            token_endpoint_auth_method="client_secret_basic" if settings.client_secret else "none",
        )

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep the client as which agls is known there."""
        self._kept = {"client": client_info.model_dump(mode="json", exclude_none=True)}
        await asyncio.to_thread(self._logins.keep, self._address, self._kept)

    async def _load(self) -> None:
        """Take in what is kept, which another process may have renewed."""
        kept = await asyncio.to_thread(self._logins.read, self._address)
        if self._initialized and kept == self._kept and self.context.current_tokens:
            return
        self._kept = kept
        context = self.context
        await self._initialize()
        ends = kept.get("ends")
        context.token_expiry_time = ends if isinstance(ends, int | float) and ends else None
        context.oauth_metadata = _read(OAuthMetadata, kept.get("server")) or context.oauth_metadata
        resource = _read(ProtectedResourceMetadata, kept.get("resource"))
        context.protected_resource_metadata = resource or context.protected_resource_metadata
        if context.client_info and context.client_info.redirect_uris:
            context.client_metadata.redirect_uris = context.client_info.redirect_uris

    def _choose_page(self) -> None:
        """Come back to the page that agls is registered with, else to one that is free."""
        client = self.context.client_info
        known = client.redirect_uris[0].port if client and client.redirect_uris else 0
        port = self._settings.port or free_port(known or 0)
        if client and not self._settings.client_id and port != known and not self._settings.client_document:
            self.context.client_info = None  # registered for another page, which something else has now
        self.context.client_metadata.redirect_uris = [AnyUrl(redirect_to(port))]

    # --- the flow ---

    async def _auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        context = self.context
        if not (self._initialized and context.is_token_valid()):
            await self._load()
        if context.is_token_valid() or not context.can_refresh_token():
            if context.is_token_valid():
                self._add_auth_header(request)
            if not _is_refused(response := (yield request)):
                return
            await self._look_again(response)
        with ExitStack() as lock:
            if context.can_refresh_token() and not context.is_token_valid():
                await self._alone(lock)
            flow = super()._auth_flow(request)
            try:
                asked = await anext(flow)
                while True:
                    if asked is not request:
                        self._look_where(asked.url)
                    asked.extensions[OWN] = asked is not request
                    asked = await flow.asend((yield asked))
                    lock.close()  # it is renewed, if it had to be
            except StopAsyncIteration:
                return
            finally:
                await flow.aclose()

    def _look_where(self, asked: httpx2.URL) -> None:
        """Let the flow of a public server ask public ones alone, and that of HTTPS no other.

        **Raises** `OAuthFlowError`.
        """
        here = httpx2.URL(self._address)
        if asked.host != here.host and _is_private(asked) and not _is_private(here):
            raise OAuthFlowError(f"it leads to {asked.host}, which is not on the public network")
        if here.scheme == "https" and asked.scheme != "https":
            raise OAuthFlowError(f"it leads to {asked.host} without HTTPS")

    async def _look_again(self, response: httpx2.Response) -> None:
        """See what can be done about a refusal. **Raises** `LoginNeeded` where that is nothing."""
        context, used = self.context, self.context.current_tokens
        may_go_on = False
        if response.status_code == UNAUTHORIZED:
            await self._load()
            if context.current_tokens == used:
                context.token_expiry_time = 1.0  # whatever it said
            may_go_on = context.is_token_valid() or context.can_refresh_token()
        if may_go_on:
            return
        if not self._callers.can_ask:
            raise LoginNeeded
        self._choose_page()

    async def _alone(self, lock: ExitStack) -> None:
        """Renew the login alone, unless another process just did."""
        while not await asyncio.to_thread(self._take, lock):  # noqa: ASYNC110 - of another process
            await asyncio.sleep(LOOK_AGAIN)
        tokens = self.context.current_tokens
        await self._load()
        if self.context.current_tokens != tokens and self.context.is_token_valid():
            lock.close()

    def _take(self, lock: ExitStack) -> bool:
        """Take the lock, which nobody waits for in a thread: what waits there cannot be given up."""
        with ExitStack() as attempt:
            if is_taken := attempt.enter_context(self._logins.alone(self._address)):
                lock.push(attempt.pop_all())
            return is_taken

    async def _handle_refresh_response(self, response: httpx2.Response) -> bool:
        done = await super()._handle_refresh_response(response)
        if not done and await _is_void(response):
            self._kept = {"client": self._kept["client"]} if "client" in self._kept else {}
            await asyncio.to_thread(self._logins.keep, self._address, self._kept)
        return done

    async def _show(self, page: str) -> None:
        if not self._callers.can_ask:
            raise LoginNeeded
        self._page = page

    async def _come_back(self) -> AuthorizationCodeResult:
        """**Returns** what the browser brings, or the user pastes. **Raises** `OAuthFlowError`."""
        uris = self.context.client_metadata.redirect_uris or []
        try:
            async with open_page(uris[0].port or 0, state_of(self._page)) as came:
                found = await self._brought(came)
        except OSError:
            raise OAuthFlowError(
                f"the port {uris[0].port} of this machine is used by something else"
            ) from None
        # The words of an error count for nothing where the issuer is not the one that was asked.
        validate_authorization_response_iss(found.get("iss"), self.context.oauth_metadata)
        if "code" not in found:
            raise OAuthFlowError(f"the login was refused ({found.get('error', '')[:100]})")
        return AuthorizationCodeResult(code=found["code"], state=found.get("state"), iss=found.get("iss"))

    async def _brought(self, came: asyncio.Future[Came]) -> Came:
        """**Returns** what comes first: what the browser brings, or what the user says of it."""
        host = urlsplit(self._page).hostname
        message = f"{ASKED.format(self._definition.name)} You log in at {host}."
        question = McpQuestion(self._definition.name, message, FORM, self._page)
        async with anyio.create_task_group() as group:
            group.start_soon(self._ask, question, came)
            await asyncio.wait({came}, timeout=PATIENCE)
            group.cancel_scope.cancel()
        if not came.done():
            raise OAuthFlowError("nobody logged in in time")
        return came.result()

    async def _ask(self, question: McpQuestion, came: asyncio.Future[Came]) -> None:
        reply = await self._callers.ask(question)
        if came.done():
            return
        if pasted := came_with(str(reply.content.get("address") or ""), state_of(self._page)):
            came.set_result(pasted)
        elif reply.action != "accept":
            came.set_exception(LoginNeeded())


def _is_refused(response: httpx2.Response) -> bool:
    if response.status_code == UNAUTHORIZED:
        return True
    said = extract_field_from_www_auth(response, "error")
    return response.status_code == FORBIDDEN and said == "insufficient_scope"


def _is_private(url: httpx2.URL) -> bool:
    return is_private_by_name(WebAddress(url.scheme, url.host.lower().rstrip("."), url.port or 0, url.path))


async def _is_void(response: httpx2.Response) -> bool:
    """**Returns** whether a login cannot be renewed any more; other failures may pass."""
    try:
        await response.aread()
        return response.status_code != OK and value_in(response.json(), "error") == "invalid_grant"
    except (ValueError, httpx2.HTTPError):
        return False


def _read(model: type[Model], value: Any) -> Model | None:
    try:
        return model.model_validate(value) if is_object(value) else None
    except ValidationError:
        return None


def _plain(model: BaseModel | None) -> JsonObject:
    return model.model_dump(mode="json", exclude_none=True) if model else {}
