"""Every method of the protocol: who sends it, with what, and what comes back."""

from typing import Any, Literal

from agls_protocol import (
    completion,
    documents,
    editing,
    language_models,
    providers,
    resuming,
    sessions,
    types,
)
from agls_protocol.events import EventParams
from agls_protocol.record import record


@record
class Method:
    """`result` is `None` for notifications."""

    params: Any
    result: Any
    direction: Literal["toServer", "toClient"] = "toServer"


METHODS: dict[str, Method] = {
    "agent/session/new": Method(types.SessionNewParams, types.SessionNewResult),
    "agent/session/list": Method(types.SessionListParams, types.SessionListResult),
    "agent/session/close": Method(types.SessionCloseParams, types.Empty),
    "agent/session/fork": Method(sessions.SessionForkParams, sessions.SessionForkResult),
    "agent/session/rewind": Method(sessions.SessionRewindParams, sessions.SessionRewindResult),
    "agent/session/rename": Method(sessions.SessionRenameParams, types.Empty),
    "agent/session/delete": Method(sessions.SessionIdParams, types.Empty),
    "agent/detach": Method(sessions.SessionIdParams, types.Empty),
    "agent/events": Method(sessions.EventsParams, sessions.EventsResult),
    "agent/item": Method(sessions.ItemParams, sessions.ItemResult),
    "agent/resume": Method(resuming.ResumeParams, resuming.ResumeResult),
    "agent/run": Method(types.RunParams, types.RunAnswer),
    "agent/steer": Method(types.SteerParams, types.SteerResult),
    "agent/cancel": Method(types.CancelParams, types.CancelResult),
    "agent/respond": Method(types.RespondParams, types.RespondResult),
    "agent/queue": Method(sessions.QueueParams, sessions.QueueResult),
    "agent/setOption": Method(sessions.SetOptionParams, sessions.OptionsResult),
    "agent/action/list": Method(sessions.ActionListParams, sessions.ActionListResult),
    "agent/action/invoke": Method(sessions.ActionInvokeParams, sessions.ActionInvokeResult),
    "agent/complete": Method(completion.CompleteParams, completion.CompleteResult),
    "agent/edit": Method(editing.EditParams, editing.EditResult),
    "agent/focus": Method(sessions.FocusParams, None),
    "agent/languageModel/list": Method(language_models.LanguageModelsParams, None),
    "agent/languageModel/delta": Method(language_models.LanguageModelDeltaParams, None),
    "agent/status": Method(types.Empty, types.StatusResult),
    "agent/provider/list": Method(types.Empty, providers.ProviderListResult),
    "agent/provider/models": Method(providers.ProviderModelsParams, providers.ProviderModelsResult),
    "agent/provider/use": Method(providers.ProviderUseParams, providers.ProviderUseResult),
    "agent/ack": Method(types.AckParams, None),
    "agent/event": Method(EventParams, None, "toClient"),
    "agent/editDelta": Method(editing.EditDeltaParams, None, "toClient"),
    "agent/requestPermission": Method(types.PermissionParams, types.PermissionAnswer, "toClient"),
    "agent/askUser": Method(types.AskUserParams, types.AskUserAnswer, "toClient"),
    "agent/saveDocuments": Method(documents.SaveDocumentsParams, documents.SaveDocumentsAnswer, "toClient"),
    "agent/diagnostics": Method(documents.DiagnosticsParams, documents.DiagnosticsAnswer, "toClient"),
    "agent/codeQuery": Method(documents.CodeQueryParams, documents.CodeQueryAnswer, "toClient"),
    "agent/notebook": Method(documents.NotebookParams, documents.NotebookAnswer, "toClient"),
    "agent/editNotebook": Method(documents.EditNotebookParams, documents.EditNotebookAnswer, "toClient"),
    "agent/secret": Method(types.SecretParams, types.SecretAnswer, "toClient"),
    "agent/languageModel/ask": Method(
        language_models.AskLanguageModelParams, language_models.AskLanguageModelAnswer, "toClient"
    ),
    "agent/callTool": Method(sessions.CallToolParams, sessions.CallToolAnswer, "toClient"),
}

RESERVED: frozenset[str] = frozenset()
"""Methods that no server follows yet."""
