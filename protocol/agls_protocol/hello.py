"""What client and server say of themselves in `initialize`, under `capabilities.experimental.agent`.

A marker (a member that is an object without members) means supported; absent or null means not.
"""

from agls_protocol.items import JsonObject
from agls_protocol.record import record


@record
class Marker:
    """Supported."""


@record
class EventWishes:
    """Which events the client wants: not `exclude`, none above `maxBytes`, deltas every `coalesceMs`."""

    exclude: list[str] | None = None
    max_bytes: int | None = None
    coalesce_ms: int | None = None


@record
class PermissionSkills:
    """The client answers `agent/requestPermission`; what it can do besides yes and no."""

    remember: Marker | None = None
    edit_input: Marker | None = None


@record
class AskUserSkills:
    """The client answers `agent/askUser`: forms, addresses to open."""

    form: Marker | None = None
    url: Marker | None = None


@record
class EditSkills:
    """What the client does with documents.

    `confirm`: it shows a review and answers per hunk. `save`: it answers `agent/saveDocuments`.
    `fileEvents`: it wants `workspace/didChangeWatchedFiles`.
    """

    confirm: Marker | None = None
    save: Marker | None = None
    file_events: Marker | None = None


@record
class ClientTool:
    """A tool of the client, called with `agent/callTool`. `inputSchema` is a JSON Schema."""

    name: str
    description: str
    input_schema: JsonObject | None = None
    read_only: bool | None = None


@record
class ClientBlock:
    """What the client can. `protocolVersions` is best first; absent means `[1]`.

    `secrets`: it answers `agent/secret`. `diagnostics`: it answers `agent/diagnostics`.
    `codeQuery`: it answers `agent/codeQuery`. `notebooks`: it answers `agent/notebook` and
    `agent/editNotebook`. `languageModels`: it answers `agent/languageModel/ask`.
    """

    protocol_versions: list[int] | None = None
    events: EventWishes | None = None
    permission: PermissionSkills | None = None
    ask_user: AskUserSkills | None = None
    edits: EditSkills | None = None
    follow_along: Marker | None = None
    secrets: Marker | None = None
    diagnostics: Marker | None = None
    code_query: Marker | None = None
    notebooks: Marker | None = None
    language_models: Marker | None = None
    tools: list[ClientTool] | None = None


@record
class SchemaName:
    """Which schema the server speaks: the SHA-256 of its `schema.json`, the day it was changed last."""

    sha256: str
    revision: str | None = None


@record
class SessionSkills:
    """What can be done with sessions besides running them."""

    attach: Marker | None = None
    fork: JsonObject | None = None
    rewind: JsonObject | None = None
    rename: Marker | None = None
    delete: Marker | None = None


@record
class ServerLimits:
    """What a client has to keep in mind: bytes, events, milliseconds, runs."""

    max_frame_bytes: int | None = None
    max_event_bytes: int | None = None
    replay_events: int | None = None
    cancel_grace_ms: int | None = None
    max_queued: int | None = None


@record
class ServerBlock:
    """What the server can: exact lists, so that nobody has to try. With `mismatch` only the versions."""

    protocol_version: int | None = None
    schema: SchemaName | None = None
    methods: list[str] | None = None
    event_types: list[str] | None = None
    item_kinds: list[str] | None = None
    commands: list[str] | None = None
    session: SessionSkills | None = None
    input: list[str] | None = None
    steer: Marker | None = None
    queue: Marker | None = None
    tasks: Marker | None = None
    compact: Marker | None = None
    checkpoints: Marker | None = None
    limits: ServerLimits | None = None
    mismatch: bool | None = None
    supported_versions: list[int] | None = None


RESERVED: frozenset[str] = frozenset()
"""Members of the client's block that no server acts upon yet."""
