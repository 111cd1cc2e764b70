"""One client on standard input and output, from the first message to the end of the process."""

import asyncio
import logging
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mcp.server.stdio import stdio_server

from agls.config import UNATTENDED, ConfigInputs, Reload, Setup, read
from agls.doors.force_exit import force_exit_after
from agls.doors.logs import begin_log
from agls.doors.mcp.cancel_notices import CancelNotices
from agls.doors.mcp.server import AgentTools
from agls.doors.session_file import export
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.workspace.editor import NoEditor
from agls.workspace.redact import harden
from agls.world import World, open_world

STOPPING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
LAST_WORDS = 1.0  # seconds for what still waits to be written; a thread may wait for input for ever
_log = logging.getLogger(__name__)


@frozen
class ServeOptions:
    """The folder (`path`) that is served, and what its user chose: `settings`, and `options` of every run."""

    path: str
    trust: bool
    settings: Mapping[str, str]
    options: JsonObject


def serve(folder: ServeOptions) -> int:
    """Serve until standard input ends, or a signal comes.

    **Returns** the exit code. **Raises** `ConfigError` before anything is served.
    """
    harden()

    def trusts(root: Path) -> bool:
        return folder.trust and str(root) == folder.path

    inputs = ConfigInputs(arguments=dict(folder.settings), remembered=True)
    setup = read(inputs, folder.path, trusts)
    begin_log(setup.state_folder, lambda: setup.secrets, setup.log_level)
    reload = Reload(inputs, folder.path, trusts, setup)
    with asyncio.Runner() as runner:
        runner.run(_serve(setup, reload, folder))
        force_exit_after(LAST_WORDS, 0)  # also from the wait of the interpreter for its threads
    return 0


async def _serve(setup: Setup, reload: Reload, folder: ServeOptions) -> None:
    """Serve; at the end every run that still works is interrupted, and can be gone on with."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows
        for number in STOPPING:
            loop.add_signal_handler(number, stopped.set)
    async with open_world(setup, editor=NoEditor(), headless=True, usual=UNATTENDED) as world:
        world.check_options(folder.path, folder.options)
        world.export = export
        world.reread, world.reload = reload, reload.whole
        stopping = loop.create_task(stopped.wait())
        serving = loop.create_task(_answer(world, folder))
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()


async def _answer(world: World, folder: ServeOptions) -> None:
    """Answer what comes in, until nothing does any more."""
    try:
        async with stdio_server() as (received, output):
            notices = CancelNotices(received)
            server = AgentTools(world, folder.path, folder.options, notices).server()
            await server.run(notices, output, server.create_initialization_options())
    except* OSError:  # nobody reads the answers any more
        _log.warning("the client of this MCP server is gone")
