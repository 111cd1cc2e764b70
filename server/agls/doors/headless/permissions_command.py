"""`agls permissions`: the saved permissions of a folder, listed, explained and revoked."""

import argparse
import asyncio
import json
from pathlib import Path

from agls.config import ConfigInputs, FolderGrants, GuardedFiles, Seal, Setup, read
from agls.disk_space import unsaved
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.listing import table
from agls.doors.headless.open_session import folder
from agls.doors.headless.sketch_action import invoke_in_sketch
from agls.doors.headless.streams import write, write_stderr
from agls.engine.vocabulary import JsonObject
from agls.modes import Mode
from agls.room.exposed import PermissionRules
from agls.views.escape import escape_controls


def permissions(arguments: argparse.Namespace) -> int:
    """Follow `agls permissions list`, `revoke`, `explain` and `accept`."""
    here = folder(arguments.cwd or ".")
    try:
        setup = read(ConfigInputs(remembered=True), here, lambda root: arguments.trust and root == Path(here))
        return PermissionsCommand(setup, here).do(arguments)
    except OSError as problem:
        raise CannotBegin(unsaved(problem), "configInvalid", Exit.FAILED) from problem


PERMISSIONS = dict.fromkeys(
    (f"permissions {name}" for name in ("list", "revoke", "explain", "accept")), permissions
)


class PermissionsCommand:
    """The command on the permissions that hold in one folder."""

    def __init__(self, setup: Setup, here: str) -> None:
        self._setup, self._here = setup, here
        self._loaded = setup.load(here)
        self._settings = self._loaded.config.exposed(PermissionRules)
        self._files = GuardedFiles(setup.state_folder, setup.config_file)
        self._grants = FolderGrants(self._files, Seal(self._files), Path(here))

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
        for warning in (
            self._grants.ignored,
            *(f"{file} changed while a command ran." for file in self._files.changed),
        ):
            if warning:
                write_stderr(f"{escape_controls(warning)}\n")

    def _revoke(self, rule: str) -> None:
        if rule not in self._grants.load():
            self._check_not_written(rule)
            raise CannotBegin(
                f"{rule!r} is not saved for {self._here}. See: agls permissions list", "usage", Exit.FAILED
            )
        self._grants.remove([rule])
        write_stderr(f"{escape_controls(rule)} is asked for again.\n")

    def _check_not_written(self, rule: str) -> None:
        """**Raises** `CannotBegin` for a rule of a file of settings: it is taken out of that."""
        for kind in ("allow", "ask", "deny"):
            if rule in getattr(self._settings, kind):
                where = self._origin(kind)
                text = f"{rule!r} was not saved by an answer: it is in permissions.{kind} ({where})."
                raise CannotBegin(f"{text} Take it out there.", "usage", Exit.FAILED)

    def _explain(self, target: str, kind: str, mode: Mode | None) -> None:
        if not target.strip():
            raise CannotBegin("There is nothing to explain: name a command, or with --kind a path.", "usage")
        arguments: JsonObject = {"target": target, "kind": kind, "mode": mode or ""}
        outcome = asyncio.run(invoke_in_sketch(self._setup, self._here, "permission.explain", arguments))
        write("".join(f"{escape_controls(line)}\n" for line in outcome.text.splitlines()))

    def _accept(self) -> None:
        for file in self._files.changed:
            write(f"{escape_controls(file)}\n")
        self._files.accept()
        write_stderr("These files are accepted. What the rules and the mode allow is approved again.\n")

    def _origin(self, kind: str) -> str:
        return next((o.where for o in self._loaded.explain() if o.key == f"permissions.{kind}"), "")

    def _from(self, key: str) -> str:
        where = self._origin(key)
        return f" ({where})" if where else ""
