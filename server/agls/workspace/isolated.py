"""Programs of our own that read what others made, apart from the server: one question, one answer."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agls.engine.ports import Command
from agls.frozen import frozen
from agls.workspace.output import OutputBuffer
from agls.workspace.processes import Processes

_START = (
    "import sys; from importlib import import_module; module, count = sys.argv[1], int(sys.argv[2]); "
    "sys.path += sys.argv[3 : 3 + count]; import_module(module).main()"
)
_ANSWER = 64_000_000  # bytes


class ProgramFailed(Exception):
    """The program gave no answer: `timed_out`, or it ended for another reason, such as its memory."""

    def __init__(self, *, timed_out: bool) -> None:
        super().__init__("timed out" if timed_out else "failed")
        self.timed_out = timed_out


@frozen
class IsolatedProgram:
    """A module with a `main`, and the libraries that it imports. It finds no others."""

    module: str
    libraries: Sequence[str]

    async def answer(
        self, processes: Processes, question: str, seconds: float, handles: tuple[int, ...] = ()
    ) -> Any:
        """Run it with a question for its standard input. **Returns** what its last line says, as JSON.

        It gets these open files, too, by the same numbers.

        **Raises** `WorkspaceError` when it cannot be started, and `ProgramFailed`. Cancelling ends it.
        """
        command = Command(self._argv(), timeout=seconds, keep=_ANSWER, stdin=question)
        folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
        try:
            finished = await processes.run(command, folder, "/", _unheard, OutputBuffer.exact, handles)
        finally:
            os.close(folder)
        if finished.timed_out or finished.exit_code != 0:
            raise ProgramFailed(timed_out=finished.timed_out)
        return await asyncio.to_thread(_last_line, finished.output)

    def _argv(self) -> tuple[str, ...]:
        """Return the command: an interpreter that finds the module and its libraries, and nothing else."""
        folders = self._folders()
        start = ("-I", "-S", "-W", "ignore", "-c", _START, self.module)
        return (sys.executable, *start, str(len(folders)), *folders)

    def _folders(self) -> tuple[str, ...]:
        specs = [find_spec(name) for name in self.libraries]
        origins = [Path(spec.origin) for spec in specs if spec and spec.origin]
        homes = [file.parents[1] if file.name == "__init__.py" else file.parent for file in origins]
        return tuple(dict.fromkeys(map(str, (Path(__file__).parents[2], *homes))))


def _last_line(output: str) -> Any:
    return json.loads(output.rpartition("\n")[2])


def _unheard(text: str) -> None:
    """Show nobody what the program writes."""
