"""The one list of checks, and the way through it."""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping

from agls.checkup.case import Case
from agls.checkup.machine import config_files, editors, state_folder, versions
from agls.checkup.model_names import model_names
from agls.checkup.models import local_servers, model
from agls.checkup.network import certificates, proxy
from agls.checkup.plugins import plugins
from agls.checkup.report import Report
from agls.checkup.room_files import room_files
from agls.checkup.sandbox import sandbox
from agls.checkup.servers import own_servers
from agls.checkup.worktrees import worktrees
from agls.room.findings import Finding

Check = Callable[[Case], AsyncGenerator[Finding, None]]
OFTEN = ("endpoint", "key", "model", "streaming", "tools", "context")  # what is known of every model
OFFLINE = frozenset({"local", "endpoint", "key", "streaming", "tools"})
BROKEN = "Please report it, with the log in the state folder (agls.log)."


CHECKS: Mapping[str, Check] = {
    "versions": versions,
    "config": config_files,
    "state": state_folder,
    "files": room_files,
    "worktrees": worktrees,
    "plugins": plugins,
    "servers": own_servers,
    "sandbox": sandbox,
    "editors": editors,
    "proxy": proxy,
    "certificates": certificates,
    "local": local_servers,
    "model names": model_names,
    "model": model,
}


async def examine(case: Case) -> Report:
    """Make every check. One that breaks is a finding, and the others are made all the same."""
    found: list[Finding] = []
    for name, check in CHECKS.items():
        case.begins(name)
        try:
            found += [finding async for finding in check(case)]
        except Exception:  # whoever looks for faults must not be stopped by one of his own
            logging.getLogger(__name__).exception("the check %s broke", name)
            found.append(Finding(name, "fail", "This check itself failed: a bug in agls.", BROKEN))
    return Report(tuple(found), _unchecked(case, found)).without(case.secrets)


def _unchecked(case: Case, found: list[Finding]) -> tuple[tuple[str, str], ...]:
    """What was not looked at, and why."""
    seen = {finding.topic for finding in found}
    missing = [topic for topic in ("local", *OFTEN) if topic not in seen]
    failed = next((f.topic for f in found if f.status == "fail" and f.topic in {"config", *OFTEN}), "")

    def reason(topic: str) -> str:
        if case.offline and topic in OFFLINE:
            return "no server is asked with --offline"
        if topic == "local":
            return "local_servers = false"
        return f"{failed} comes first" if failed else "this model needs none"

    return tuple((topic, reason(topic)) for topic in missing)
