"""The capabilities in `initialize`: read leniently, refused only where they make no sense."""

from collections.abc import Mapping
from typing import Any, cast

from agls.doors.agent.client import ClientCapabilities
from agls.doors.agent.stream.framing import BODY_LIMIT
from agls.doors.messages import INVALID_PARAMS, Bad, JsonObject
from agls.json_values import list_in, object_in

PROTOCOL_VERSIONS = (1,)
LONGEST_INTERVAL = 10_000  # milliseconds between two deltas, however slowly a client draws
ENCODINGS = ("utf-8", "utf-16", "utf-32")


def read_client(params: Any) -> ClientCapabilities:
    """The client of these `initialize` params. **Raises** `Bad` (invalid params)."""
    if not isinstance(params, dict):
        raise Bad(INVALID_PARAMS, "The params of initialize are an object.")
    given = cast(JsonObject, params)
    process_id = given.get("processId")
    if process_id is not None and (isinstance(process_id, bool) or not isinstance(process_id, int)):
        raise Bad(INVALID_PARAMS, "processId is a whole number or null.")
    if not isinstance(given.get("capabilities", {}), dict):
        raise Bad(INVALID_PARAMS, "capabilities is an object.")
    capabilities = object_in(given, "capabilities")
    agent = object_in(capabilities, "experimental", "agent")
    version = chosen_version(agent)
    spoken = agent if version else {}
    window, workspace = object_in(capabilities, "window"), object_in(capabilities, "workspace")
    actions = object_in(capabilities, "textDocument", "codeAction")
    options = object_in(given, "initializationOptions")
    return ClientCapabilities(
        name=str(object_in(given, "clientInfo").get("name", "")),
        process_id=process_id,
        encoding=chosen_encoding(object_in(capabilities, "general").get("positionEncodings")),
        version=version,
        events=spoken.get("events") is not None,
        excluded=frozenset(map(str, list_in(object_in(spoken, "events").get("exclude")))),
        interval=amount(object_in(spoken, "events").get("coalesceMs"), LONGEST_INTERVAL) / 1000,
        largest=int(amount(object_in(spoken, "events").get("maxBytes"), BODY_LIMIT)),
        permission=spoken.get("permission") is not None,
        remembers=object_in(spoken, "permission").get("remember") is not None,
        edits_input=object_in(spoken, "permission").get("editInput") is not None,
        forms=object_in(spoken, "askUser").get("form") is not None,
        urls=object_in(spoken, "askUser").get("url") is not None,
        message_requests=window.get("showMessage") is not None,
        progress=window.get("workDoneProgress") is True,
        show_document=object_in(window, "showDocument").get("support") is True,
        virtual_documents=workspace.get("textDocumentContent") is not None,
        action_literals=actions.get("codeActionLiteralSupport") is not None,
        disabled_actions=actions.get("disabledSupport") is True,
        tools=list_in(spoken.get("tools")),
        document_changes=takes_edits(workspace) or options.get("appliesEdits") is True,
        confirms=object_in(spoken, "edits").get("confirm") is not None,
        saves=object_in(spoken, "edits").get("save") is not None,
        file_events=object_in(spoken, "edits").get("fileEvents") is not None,
        followed=spoken.get("followAlong") is not None,
        secrets=spoken.get("secrets") is not None,
        diagnostics=spoken.get("diagnostics") is not None,
        code_query=spoken.get("codeQuery") is not None,
        language_models=spoken.get("languageModels") is not None,
        notebooks=spoken.get("notebooks") is not None,
    )


def takes_edits(workspace: JsonObject) -> bool:
    """Whether the client applies edits as `documentChanges`, the form that carries versions.

    Neovim says so only by naming resource operations, which exist in no other form.
    """
    edit = object_in(workspace, "workspaceEdit")
    return workspace.get("applyEdit") is True and (
        edit.get("documentChanges") is True or bool(edit.get("resourceOperations"))
    )


def amount(value: Any, most: int) -> float:
    """A number from 0 to `most`; 0 where there is none."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(max(0, min(value, most))) if number else 0.0


def chosen_version(agent: Mapping[str, Any]) -> int | None:
    """The first version the client offers that this server speaks; without a list it is version 1."""
    if not agent:
        return None
    offered = list_in(agent.get("protocolVersions", [1]))
    return next((version for version in offered if version in PROTOCOL_VERSIONS), None)


def chosen_encoding(offered: Any) -> str:
    """The first position encoding of the client's that LSP knows; UTF-16 where it names none."""
    return next((encoding for encoding in list_in(offered) if encoding in ENCODINGS), "utf-16")
