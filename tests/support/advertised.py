"""Nothing that a client did not advertise is ever called on it (protocol#plain-mode)."""

from collections.abc import Mapping, Sequence
from typing import Any

from agls.json_values import is_list, is_object

Message = dict[str, Any]

# What every client takes (LSP 3.17: no capability exists for it, and unknown notifications are ignored).
# `agent/editDelta` comes only to a client that named its edit.
ALWAYS = {
    "window/showMessage",
    "window/logMessage",
    "$/cancelRequest",
    "textDocument/publishDiagnostics",
    "agent/editDelta",
}
AGENT = ("experimental", "agent")
NEEDS: Mapping[str, tuple[str, ...]] = {
    "window/showMessageRequest": ("window", "showMessage"),
    "window/showDocument": ("window", "showDocument", "support"),
    "window/workDoneProgress/create": ("window", "workDoneProgress"),
    "workspace/applyEdit": ("workspace", "applyEdit"),
    "workspace/configuration": ("workspace", "configuration"),
    "workspace/textDocumentContent/refresh": ("workspace", "textDocumentContent"),
    "agent/event": (*AGENT, "events"),
    "agent/requestPermission": (*AGENT, "permission"),
    "agent/askUser": (*AGENT, "askUser"),
    "agent/callTool": (*AGENT, "tools"),
    "agent/languageModel/ask": (*AGENT, "languageModels"),
    "agent/saveDocuments": (*AGENT, "edits", "save"),
    "agent/secret": (*AGENT, "secrets"),
    "agent/diagnostics": (*AGENT, "diagnostics"),
    "agent/codeQuery": (*AGENT, "codeQuery"),
    "agent/notebook": (*AGENT, "notebooks"),
    "agent/editNotebook": (*AGENT, "notebooks"),
    "workspace/didChangeWatchedFiles": (*AGENT, "edits", "fileEvents"),
}
EDITS_BY_RESOURCE = "resourceOperations"  # how Neovim says that it applies `documentChanges`


def check_advertised(messages: Sequence[Message], asked: Mapping[Any, tuple[str, Message]]) -> None:
    """Everything a server said, given all that the client asked for, its `initialize` among it."""
    hellos = [params for method, params in asked.values() if method == "initialize"]
    given = hellos[0].get("capabilities") if hellos and is_object(hellos[0]) else None
    capabilities = given if is_object(given) else {}
    if hellos and _has(hellos[0], "initializationOptions", "appliesEdits"):
        edits = {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}
        capabilities = {**capabilities, "workspace": {**capabilities.get("workspace", {}), **edits}}
    tokens = [params.get("workDoneToken") for _, params in asked.values() if is_object(params)]
    for message in messages:
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            _check_answer(message, asked, capabilities)
        elif method == "$/progress":
            assert params["token"] in tokens, "progress is reported under a token that the client knows"
        else:
            _check_call(method, params, capabilities)
        if method == "window/workDoneProgress/create":
            tokens.append(params["token"])


def _check_call(method: str, params: Message, capabilities: Message) -> None:
    if method in ALWAYS:
        return
    assert method in NEEDS, f"{method} is nothing that a client could advertise"
    assert _has(capabilities, *NEEDS[method]), f"the client did not advertise {method}"
    if method.startswith("agent/"):
        versions = capabilities["experimental"]["agent"].get("protocolVersions", [1])
        assert 1 in versions, f"{method}: the client speaks another version"
    if method == "agent/askUser":
        assert _has(capabilities, *AGENT, "askUser", params["mode"]), f"it has nothing for a {params['mode']}"
    if method == "agent/requestPermission":
        _check_question(params, capabilities)
    if method == "workspace/applyEdit":
        _check_edit(params["edit"], capabilities)


def _check_question(params: Message, capabilities: Message) -> None:
    """It has the answers and changes that this client's dialog shows, and no others."""
    lasting = [option for option in params["options"] if option["scope"] != "once"]
    assert not lasting or _has(capabilities, *AGENT, "permission", "remember"), "its dialog knows only once"
    assert "hunks" not in params or _has(capabilities, *AGENT, "edits", "confirm"), "it shows no review"


def _check_edit(edit: Message, capabilities: Message) -> None:
    resources: list[Any] = _member(capabilities, "workspace", "workspaceEdit", EDITS_BY_RESOURCE) or []
    if "documentChanges" in edit:
        known = _has(capabilities, "workspace", "workspaceEdit", "documentChanges")
        assert known or resources, "the client did not advertise documentChanges"
    for change in edit.get("documentChanges", []):
        assert "kind" not in change or change["kind"] in resources, "a resource operation"
        assert isinstance(change["textDocument"]["version"], int), "an edit names the version it is for"
    annotated = _has(capabilities, "workspace", "workspaceEdit", "changeAnnotationSupport")
    assert annotated or "changeAnnotations" not in edit, "change annotations"


def _check_answer(answer: Message, asked: Mapping[Any, tuple[str, Message]], capabilities: Message) -> None:
    """Code actions have the form that the client knows."""
    method, _ = asked.get(answer.get("id"), ("", {}))
    actions = answer.get("result")
    if method != "textDocument/codeAction" or not is_list(actions):
        return
    known = _has(capabilities, "textDocument", "codeAction", "codeActionLiteralSupport")
    disabled = _has(capabilities, "textDocument", "codeAction", "disabledSupport")
    for action in actions:
        assert known or isinstance(action["command"], str), "the client knows only commands"
        assert disabled or "disabled" not in action, "the client does not know disabled actions"


def _has(value: Message, *names: str) -> bool:
    return _member(value, *names) not in (None, False)


def _member(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if is_object(value) else None
    return value
