"""Ports to MCP servers. The assembly implements them."""

import weakref
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping, Sequence
from dataclasses import field
from typing import Any, Literal, Protocol

from agls.engine.facts import Used
from agls.engine.ports import ModelResolver, WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.run_ports import HookPoints
from agls.room.session_ports import Forms
from agls.terminal_codes import enclosed

ServerState = Literal["configured", "known", "connecting", "connected", "failed", "stopped"]
CLIENT = "client"
Transport = Literal["stdio", "http", "sse"]


class ServerProblem(WorkspaceError):
    """An MCP server cannot be used, or refused; the message is for the model and for people.

    The call `may_have_run` when it was sent and no answer came. `said` is the reason in words of the server.
    """

    def __init__(self, message: str, *, said: str = "", may_have_run: bool = False) -> None:
        super().__init__(f"{message}: {said}" if said else message)
        self.for_model = f"{message}:\n{enclosed(said)}" if said else message
        self.may_have_run = may_have_run


@frozen(kw_only=True)
class LoginSettings:
    """How agls logs in at an address, as far as the server does not say that itself.

    `client_id` and `client_secret` are of a client that was registered by hand, `client_document` is the
    address of one that is described on a page. Logins come back to `port` (0: any that is free).
    """

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    client_document: str = ""
    scope: str = ""
    port: int = 0


@frozen(kw_only=True)
class ServerDefinition:
    """An MCP server that may be used: a program (`argv`, started in `folder`), or an address (`url`).

    `scope` is the folder that offers it, `CLIENT` when a client brought it, "" for one of the user's own.
    `environment` and `headers` are in the order of their names; they may hold keys. It gets `startup`
    seconds to begin. A call ends after `idle` seconds without a sign of it, and after `longest` seconds.
    `roots` are the folders that it is told of when it asks for them. One that `samples` may ask for answers
    of the user's model, each of which the user allows.
    """

    name: str
    scope: str = ""
    transport: Transport = "stdio"
    argv: tuple[str, ...] = ()
    folder: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    startup: float = 30.0
    idle: float = 300.0
    longest: float = 3_600.0
    login: LoginSettings = LoginSettings()
    roots: tuple[str, ...] = ()
    samples: bool = False
    holder: str = ""


@frozen
class ServerConsent:
    """The user's consent to a server that a folder offers. Both look at the disk.

    `holds` **returns** whether the server is still what they consented to: it may start. `stands` **returns**
    whether they withdrew nothing: one that runs may go on.
    """

    holds: Callable[[], bool]
    stands: Callable[[], bool]


@frozen
class GivenServer:
    """A server that a client brought with a session: its settings, or what is wrong with it.

    It is kept in memory alone, as it may hold keys.
    """

    name: str
    settings: JsonObject
    problem: str = ""


@frozen
class AgentServers:
    """The servers that the definition of an agent brings, as they are written, for the session `holder`."""

    agent: str = ""
    holder: str = ""
    entries: Mapping[str, JsonObject] = field(default_factory=dict[str, Any])


@frozen
class McpTool:
    """A tool as its server describes it; `schema` is a JSON Schema of its arguments.

    With `asks_always` the server wants a person to allow each call.
    """

    name: str
    title: str = ""
    description: str = ""
    schema: JsonObject = field(default_factory=dict[str, Any])
    output_schema: JsonObject | None = None
    asks_always: bool = False


@frozen
class McpResource:
    """Something that can be read from a server; the address of a template has parts to fill in (`{name}`)."""

    uri: str
    name: str = ""
    description: str = ""
    is_template: bool = False


@frozen
class McpArgument:
    """An argument of a prompt, which is text."""

    name: str
    description: str = ""
    required: bool = False


@frozen
class McpPrompt:
    """A prompt that a server has for users."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[McpArgument, ...] = ()


@frozen(kw_only=True)
class Discovery:
    """What a server offers, as it said itself; `changed` are its tools that are not as they were accepted.

    `era` is the revision of the protocol that it speaks. `dropped` says why tools are left out. A server that
    `has_resources` may have others than those that were listed.
    """

    tools: tuple[McpTool, ...] = ()
    changed: tuple[McpTool, ...] = ()
    resources: tuple[McpResource, ...] = ()
    has_resources: bool = False
    prompts: tuple[McpPrompt, ...] = ()
    dropped: tuple[str, ...] = ()
    instructions: str = ""
    era: str = ""


@frozen
class McpImage:
    """An image of an answer: its bytes."""

    data: bytes


@frozen
class McpAnswer:
    """The answer of a tool: its texts and images in their order, and its structured content as JSON.

    `remark` says what is wrong with it.
    """

    parts: tuple[str | McpImage, ...]
    structured: str = ""
    is_error: bool = False
    remark: str = ""


@frozen
class McpMessage:
    """A message of a prompt: whether it is the user's, and its texts and images in their order."""

    by_user: bool
    parts: tuple[str | McpImage, ...]


Progress = Callable[[str], None]


@frozen
class McpQuestion:
    """What a server asks the user: a flat form (`schema`, a JSON Schema), or to open a page (`url`).

    One that is `elicited` comes from the server itself, for a page with an `elicitation_id`; others are about
    a login.
    """

    server: str
    message: str
    schema: JsonObject = field(default_factory=dict[str, Any])
    url: str = ""
    elicited: bool = False
    elicitation_id: str = ""


@frozen
class McpReply:
    """What the user answered."""

    action: Literal["accept", "decline", "cancel"]
    content: JsonObject = field(default_factory=dict[str, Any])


@frozen
class McpSampling:
    """What a server asks the user's model: a conversation of its own, with `max_tokens` for the answer.

    With `is_hurried` speed or price matter more to it than how good the answer is.
    """

    server: str
    messages: tuple[McpMessage, ...]
    system: str = ""
    max_tokens: int = 1_024
    temperature: float | None = None
    is_hurried: bool = False


@frozen
class McpSampled:
    """The answer of the model with this name; `is_cut` is whether `max_tokens` ended it."""

    text: str
    model: str
    is_cut: bool = False


class SamplingRefused(Exception):
    """A server gets no answer of the user's model; the message is for the server."""


def show_nothing(line: str) -> None:
    """Drop a report of progress."""


def forget(task_id: str) -> None:
    """Drop the id of a task."""


@frozen(eq=False)
class Caller:
    """Who a request is made for: sees its progress, and answers what the server asks meanwhile.

    Without `ask` nobody can: what is asked is cancelled. Where it is not `attended` no person answers.
    `sample` lets the user's model answer, if the user allows it, and raises `SamplingRefused`. `keep` gets
    the id of the task that the call became, before the server is asked for it.
    """

    show: Progress = show_nothing
    ask: Callable[[McpQuestion], Awaitable[McpReply]] | None = None
    sample: Callable[[McpSampling], Awaitable[McpSampled]] | None = None
    keep: Callable[[str], None] = forget
    attended: bool = True


NOBODY = Caller()


class McpServer(Protocol):
    """An MCP server of this process: started when it is first needed, and shared by all sessions.

    `known` is what it offers, as far as that is known without starting it; once it `is_outdated`, it is to be
    asked again. `trouble` says why it failed last
    ("": it did not), `noise` what it wrote that is no message, `needs_login` whether it wants one.
    """

    @property
    def definition(self) -> ServerDefinition: ...
    @property
    def state(self) -> ServerState: ...
    @property
    def trouble(self) -> str: ...
    @property
    def noise(self) -> str: ...
    @property
    def needs_login(self) -> bool: ...
    @property
    def known(self) -> Discovery | None: ...
    @property
    def is_outdated(self) -> bool: ...

    async def discover(self) -> Discovery:
        """Start it where it does not run, and **return** what it offers. **Raises** `ServerProblem`."""
        ...

    async def log_in(self, caller: Caller) -> Discovery:
        """Log in anew at its address, and **return** what it offers. **Raises** `ServerProblem`."""
        ...

    async def log_out(self) -> bool:
        """Forget the login and end the connection. **Returns** whether there was one."""
        ...

    async def call(self, tool: str, arguments: JsonObject, caller: Caller) -> McpAnswer:
        """Call a tool; cancelling tells the server. **Raises** `ServerProblem`."""
        ...

    async def take_up(self, task_id: str, caller: Caller) -> McpAnswer:
        """Wait for a task that a call became in an earlier process. **Raises** `ServerProblem`."""
        ...

    async def resources(self) -> Sequence[McpResource]:
        """**Returns** what can be read, as the server lists it now. **Raises** `ServerProblem`."""
        ...

    async def read(self, uri: str, caller: Caller = NOBODY) -> McpAnswer:
        """Read a resource. **Raises** `ServerProblem`."""
        ...

    def changes_of(self, uri: str) -> int:
        """**Returns** how often the server told in this process that a resource changed."""
        ...

    async def prompt(
        self, name: str, arguments: Mapping[str, str], caller: Caller = NOBODY
    ) -> Sequence[McpMessage]:
        """**Returns** the messages of a prompt. **Raises** `ServerProblem`."""
        ...

    async def complete(self, prompt: str, argument: str, typed: str) -> Sequence[str]:
        """**Returns** what the server suggests for an argument of a prompt. **Raises** `ServerProblem`."""
        ...

    async def restart(self) -> Discovery:
        """End it where it runs, and start it. **Raises** `ServerProblem`."""
        ...

    async def stop(self) -> None:
        """End it where it runs."""
        ...

    def accept(self) -> Sequence[str]:
        """Accept its changed tools as they are now. **Returns** their names. **Raises** `OSError`."""
        ...

    def accepted(self, tool: str) -> McpTool | None:
        """**Returns** a tool as it was accepted."""
        ...


class InputNotKept(Exception):
    """What the user gave cannot be kept, or not be forgotten; the message says why."""


class GivenInputs(Protocol):
    """What the user gave for the inputs of a folder's files: kept in their state, secrets with their keys.

    `read` **returns** the values by the names of the inputs. `forget` **returns** whether there was one; it
    and `keep` raise `InputNotKept`. These three wait for the disk. What the user declined to give is not
    asked for again in the session.
    """

    def read(self, folder: str) -> Mapping[str, str]: ...
    def keep(self, folder: str, name: str, value: str, *, secret: bool) -> None: ...
    def forget(self, folder: str, name: str) -> bool: ...
    def decline(self, folder: str, name: str) -> None: ...
    def is_declined(self, folder: str, name: str) -> bool: ...


class ServingRoom(Protocol):
    """The room that has the servers of a run. A call **raises** `ServerProblem`."""

    async def call(self, server: str, tool: str, arguments: JsonObject) -> McpAnswer: ...


class ServerCalls:
    """How another room calls a tool of the run's servers; it does not keep the room with them alive."""

    def __init__(self) -> None:
        self._room: weakref.ref[ServingRoom] | None = None

    def serve(self, room: ServingRoom) -> None:
        """Let this room have the calls from now on."""
        self._room = weakref.ref(room)

    async def call(self, server: str, tool: str, arguments: JsonObject) -> McpAnswer:
        """Call a tool, as far as no rule and no policy forbids it. **Raises** `ServerProblem`."""
        room = self._room() if self._room else None
        if room is None:
            raise ServerProblem("there are no MCP servers here")
        return await room.call(server, tool, arguments)


@frozen(eq=False)
class ModelUse:
    """How rooms ask a model beside the run: `state` **returns** that of the session, with what is left."""

    models: ModelResolver
    spend: Callable[[Used], None]
    state: Callable[[], State]


class McpServers(Protocol):
    """The MCP servers of this process. `get` **returns** the one with this definition, which may not run;
    one that a folder offers ends, and starts no more, when its `consent` is taken back.

    `environment` are the variables that definitions may name, `keys` those of models, which no server gets;
    `given` are the servers that the client brought with the session of the run, `of_agent` those of its
    agent, `forms` puts questions to its user, `model_use` asks its model, `inputs` are what the user gave
    for files. `off` are the names of those that the user switched off; `switch` **returns** whether that
    changed anything, and raises `OSError`. `release` ends the one with this definition, where it runs.
    `read` are the resources that the session read, by server and address, with how often they had changed.
    """

    @property
    def forms(self) -> Forms: ...
    @property
    def model_use(self) -> ModelUse: ...
    @property
    def points(self) -> HookPoints: ...

    @property
    def keys(self) -> Collection[str]: ...

    @property
    def given(self) -> Sequence[GivenServer]: ...
    @property
    def of_agent(self) -> AgentServers: ...

    @property
    def calls(self) -> ServerCalls: ...
    @property
    def environment(self) -> Mapping[str, str]: ...
    @property
    def inputs(self) -> GivenInputs: ...
    @property
    def read(self) -> MutableMapping[tuple[str, str], int]: ...
    @property
    def off(self) -> Collection[str]: ...
    def switch(self, name: str, *, on: bool) -> bool: ...
    def get(self, definition: ServerDefinition, consent: ServerConsent | None = None) -> McpServer: ...
    def forbids(self, tool: str) -> str: ...
    def release(self, definition: ServerDefinition) -> None: ...
