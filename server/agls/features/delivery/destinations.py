"""What is delivered, and how it gets there."""

import json

from agls.engine.facts import Notice
from agls.engine.feature import RunView
from agls.engine.ports import Workspace, WorkspaceError
from agls.engine.vocabulary import Command, FileVersion, JsonObject, Stop, StopReason
from agls.features.delivery.settings import DeliveryTarget, host_of
from agls.frozen import frozen
from agls.room.process_ports import Post

TITLES = {StopReason.END_TURN: "The run is done"}
SHOWN = 2_000  # characters of an output that a notification has


class NotDelivered(Exception):
    """The message says why, without the address."""


@frozen
class Parcel:
    """What came of a run."""

    session_id: str
    run_id: str
    stop: Stop
    output: str
    used: JsonObject

    def as_json(self) -> bytes:
        """For programs."""
        body: JsonObject = {
            "v": 1,
            "sessionId": self.session_id,
            "runId": self.run_id,
            "status": str(self.stop.reason),
            "detail": self.stop.detail,
            "error": self.stop.kind or None,
            "output": self.output,
            "used": self.used,
        }
        return json.dumps(body).encode() + b"\n"

    def as_text(self) -> str:
        """For people."""
        if self.stop.reason is StopReason.END_TURN:
            return self.output + "\n"
        why = f"The run ended ({self.stop.reason}). {self.stop.detail}".strip()
        return f"{why}\n\n{self.output}".strip() + "\n"


@frozen
class Courier:
    """The ways out of a run."""

    workspace: Workspace
    post: Post
    seconds: float

    async def deliver(self, parcel: Parcel, target: DeliveryTarget, view: RunView) -> None:
        """Deliver the result. **Raises** `NotDelivered`, `WorkspaceError` and `OSError`."""
        address = target.webhook.get_secret_value()
        if target.file:
            await self._write(parcel, target.file)
        elif address:
            status = await self.post(address, parcel.as_json())
            if not 200 <= status < 300:
                raise NotDelivered(f"{host_of(address)} answered with HTTP {status}")
        elif target.command:
            await self._run(parcel, target.command)
        else:
            well = parcel.stop.reason is StopReason.END_TURN
            title = TITLES.get(parcel.stop.reason, f"The run ended ({parcel.stop.reason})")
            view.show(Notice("info" if well else "warning", title, parcel.as_text().strip()[:SHOWN]))

    async def _write(self, parcel: Parcel, file: str) -> None:
        path = file.replace("{run}", parcel.run_id).replace("{session}", parcel.session_id)
        place = self.workspace.place(path)
        if not place.inside or place.protected:
            raise NotDelivered(f"{path} is {place.protected or 'outside the workspace'}")
        await self.workspace.write(path, parcel.as_text(), expected=await self._now(path), label="Result")

    async def _now(self, path: str) -> FileVersion | None:
        """Return the file as it is, `None` when there is none."""
        try:
            return (await self.workspace.read(path)).version
        except WorkspaceError:
            return None

    async def _run(self, parcel: Parcel, argv: tuple[str, ...]) -> None:
        program = self.workspace.which(argv[0])
        if not program:
            raise NotDelivered(f"there is no program {argv[0]!r} outside the workspace")
        stdin = parcel.as_json().decode()
        command = Command((program, *argv[1:]), timeout=self.seconds, keep=2_000, stdin=stdin)
        ended = await self.workspace.run(command, _nobody_looks)
        if ended.exit_code != 0:
            raise NotDelivered(
                f"{argv[0]} ended with {ended.exit_code or ended.signal}: {ended.output[-500:]}"
            )


def _nobody_looks(text: str) -> None:
    return None
