"""The workspace of a run with commands in the sandbox: its bounds, as the configuration has them."""

from collections.abc import Sequence
from dataclasses import replace
from os.path import realpath
from pathlib import Path

from agls.assembly.services import RunServices
from agls.engine.ports import Workspace
from agls.frozen import frozen
from agls.room.exposed import PermissionRules, SandboxUse
from agls.workspace.hidden_files import Hiding
from agls.workspace.sandbox.denied import DenyRules
from agls.workspace.sandbox.entrances import Entrance
from agls.workspace.sandbox.gateway import ReachableHosts
from agls.workspace.sandbox.launcher import Backend, SandboxedProcesses
from agls.workspace.sandbox.mounts import Bounds, View, views

SKILLS = (".claude/skills", ".codex/skills", ".cursor/skills", ".gemini/skills")  # in folders that are hidden


@frozen
class ConfinedWorkspace:
    """Implements `Confined`."""

    workspace: Workspace
    runner: SandboxedProcesses

    @property
    def stopped(self) -> Sequence[str]:
        """What the sandbox kept the last command from."""
        return self.runner.stopped


def confined(run: RunServices, way: Backend, roots: tuple[str, ...]) -> ConfinedWorkspace:
    """Return the workspace with commands that run in the sandbox; these folders may be changed there."""
    bounds = _bounds(run, roots)
    baseline = run.process.sandboxes.get().baseline(roots)
    runner = SandboxedProcesses(run.process.processes, way, bounds, baseline, _hosts(run))
    return ConfinedWorkspace(run.workspace.run_by(runner), runner)


def read_only(run: RunServices, way: Backend, roots: tuple[str, ...]) -> Entrance:
    """Open the way to a sandbox in which these folders can only be read. **Raises** `WorkspaceError`."""
    bounds = replace(_bounds(run, roots), scratch="")
    seen: list[tuple[str, View]] = [
        (path, "readable" if view == "writable" else view)
        for path, view in views(bounds, {}, bounds.denied.below(roots))
    ]
    return way.enter(seen, "", roots[0], bounds.sockets)


def _hosts(run: RunServices) -> ReachableHosts | None:
    said, denied = run.config.exposed(SandboxUse), run.config.exposed(PermissionRules)
    if not (said.hosts or said.private_hosts):
        return None
    from agls.web.host_proxy import HostProxy  # noqa: PLC0415 - few users have hosts, and it loads HTTP
    from agls.web.host_rules import HostRules  # noqa: PLC0415 - with the proxy

    rules = HostRules(said.hosts, said.private_hosts, denied.closed_hosts())
    return ReachableHosts(rules.names, lambda: HostProxy(rules)) if rules.names else None


def _rules(run: RunServices) -> DenyRules:
    said = run.config.exposed(PermissionRules)
    roots = tuple((realpath(root), root) for root in run.workspace.roots)
    return DenyRules(Hiding(said.hidden(), roots), Hiding(said.locked(), roots), said.outside())


def _bounds(run: RunServices, roots: tuple[str, ...]) -> Bounds:
    scratch = run.scratch if run.scratch and Path(run.scratch).is_dir() else ""
    in_tmp = any(folder.startswith("/tmp/") for folder in (*roots, scratch))
    return Bounds(
        roots=roots,
        scratch=scratch,
        hidden=tuple(map(realpath, run.setup.own_places)),
        shown=_scripts(run),
        temporary="" if in_tmp else scratch,
        denied=run.process.sandboxes.get().denied(_rules(run)),
        environment=run.setup.environment,
        sockets=run.config.exposed(SandboxUse).unix_sockets,
    )


def _scripts(run: RunServices) -> tuple[str, ...]:
    """Return the folders with scripts of plugins and of the user's skills: their texts say to run these."""
    home = run.setup.environment.get("HOME")
    own = [f"{home}/{name}" for name in SKILLS if home]
    plugins = [plugin.root for plugin in run.setup.plugins.active()]
    return tuple(map(realpath, (*plugins, str(run.setup.config_file.with_name("skills")), *own)))
