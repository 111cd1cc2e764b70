"""What this client of language servers declares of itself (LSP 3.17, ClientCapabilities)."""

from agls.engine.vocabulary import JsonObject

KINDS = [*range(1, 27)]  # every SymbolKind
CAPABILITIES: JsonObject = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": False},
        "symbol": {"symbolKind": {"valueSet": KINDS}},
        "workspaceEdit": {"documentChanges": True, "resourceOperations": []},
    },
    "textDocument": {
        "synchronization": {"didSave": True},
        "definition": {"linkSupport": False},
        "implementation": {"linkSupport": False},
        "references": {},
        "hover": {"contentFormat": ["plaintext", "markdown"]},
        "documentSymbol": {
            "hierarchicalDocumentSymbolSupport": True,
            "symbolKind": {"valueSet": KINDS},
        },
        "callHierarchy": {},
        "rename": {"prepareSupport": False},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {},
    },
}
