"""`agls permissions`: the saved permissions of a folder, listed, explained and revoked."""

import argparse
import json
from pathlib import Path

from agls.config import ConfigInputs, FolderGrants, GuardedFiles, Seal, Setup, read
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.listing import table
from agls.doors.headless.open_session import folder
from agls.doors.headless.streams import tell, write
from agls.engine.ports import Effect
from agls.features.permissions import ROOM
from agls.features.permissions.decision import Allow, Ask, Deny, Policy, decide
from agls.features.permissions.grants import readable
from agls.features.permissions.resolved_targets import resolve_command
from agls.features.permissions.rules import ResolvedTarget, denied, parse_rule
from agls.modes import Mode
from agls.views.escape import escape_controls
from agls.workspace.editor import NoEditor
from agls.workspace.paths import Own
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace


def permissions(arguments: argparse.Namespace) -> int:
    """Follow `agls permissions list`, `revoke`, `explain` and `accept`."""
    here = folder(arguments.cwd or ".")
    try:
        setup = read(ConfigInputs(remembered=True), here, lambda root: arguments.trust and root == Path(here))
        return PermissionsCommand(setup, here).do(arguments)
    except OSError as problem:
        raise CannotBegin(f"That cannot be kept: {problem}", "configInvalid", Exit.FAILED) from problem


PERMISSIONS = dict.fromkeys(
    (f"permissions {name}" for name in ("list", "revoke", "explain", "accept")), permissions
)


class PermissionsCommand:
    """The command on the permissions that hold in one folder."""

    def __init__(self, setup: Setup, here: str) -> None:
        self._here, self._loaded = here, setup.load(here)
        self._settings = self._loaded.config.section(ROOM)
        self._files = GuardedFiles(setup.state_folder, setup.config_file)
        self._grants = FolderGrants(self._files, Seal(self._files), Path(here))
        self._own = Own(tuple(map(str, setup.own_places)))

    def do(self, arguments: argparse.Namespace) -> int:
        """Follow the arguments. **Returns** the exit code. **Raises** `CannotBegin` and `OSError`."""
        match arguments.command:
            case "permissions list":
                self._list(as_json=arguments.json)
            case "permissions revoke":
                self._revoke(arguments.rule)
            case "permissions explain":
                self._explain(arguments.target, arguments.kind, arguments.mode)
            case _:
                self._accept()
        return Exit.DONE

    def _list(self, *, as_json: bool) -> None:
        rules = [
            (kind, rule, self._origin(kind))
            for kind in ("deny", "ask", "allow")
            for rule in getattr(self._settings, kind)
        ]
        rules += [("allow", rule, "saved for this folder") for rule in self._grants.load()]
        mode = self._settings.mode
        if as_json:
            rows = [{"kind": kind, "rule": rule, "where": where} for kind, rule, where in rules]
            write(
                json.dumps({"mode": mode, "rules": rows, "changed": list(self._files.changed)}, indent=2)
                + "\n"
            )
        else:
            write(f"mode {mode}{self._from('mode')}\n")
            write(
                table([("KIND", "RULE", "FROM"), *rules])
                if rules
                else "There are no rules, and nothing is saved.\n"
            )
        for told in (
            self._grants.ignored,
            *(f"{file} changed while a command ran." for file in self._files.changed),
        ):
            if told:
                tell(f"{escape_controls(told)}\n")

    def _revoke(self, rule: str) -> None:
        if rule not in self._grants.load():
            raise CannotBegin(
                f"{rule!r} is not saved for {self._here}. See: agls permissions list", "usage", Exit.FAILED
            )
        self._grants.remove([rule])
        tell(f"{escape_controls(rule)} is asked for again.\n")

    def _explain(self, target: str, kind: str, mode: Mode | None) -> None:
        roots = (self._here,)
        policy = Policy(
            mode=mode or self._settings.mode,
            roots=roots,
            deny=tuple(map(parse_rule, self._settings.deny)),
            ask=tuple(map(parse_rule, self._settings.ask)),
            allow=readable(self._settings.allow),
            granted=readable(self._grants.load()),
        )
        verdict = decide(self._targets(target, kind), policy)
        match verdict:
            case Allow(by):
                write(f"It runs unasked: {escape_controls(by)}.\n")
            case Deny(reason):
                write(f"It is refused: {escape_controls(reason)}\n")
            case Ask(reasons, rules):
                write(f"It is asked about. {escape_controls(' '.join(reasons))}\n")
                if rules:
                    write(f'What "always" would save: {escape_controls(", ".join(rules))}\n')

    def _targets(self, target: str, kind: str) -> tuple[ResolvedTarget, ...]:
        hidden = denied(self._settings.deny)
        workspace = OpenWorkspace(self._here, (), NoEditor(), Processes(), self._own, hidden)
        if kind == "shell":
            return resolve_command("shell", target, ".", workspace)
        effect = Effect.WRITES if kind == "edit" else Effect.READS
        return (ResolvedTarget(kind, effect, target, workspace.place(target)),)

    def _accept(self) -> None:
        for file in self._files.changed:
            write(f"{escape_controls(file)}\n")
        self._files.accept()
        tell("These files count as looked at. What the rules and the mode allow runs unasked again.\n")

    def _origin(self, kind: str) -> str:
        return next((o.where for o in self._loaded.explain() if o.key == f"permissions.{kind}"), "")

    def _from(self, key: str) -> str:
        where = self._origin(key)
        return f" ({where})" if where else ""
