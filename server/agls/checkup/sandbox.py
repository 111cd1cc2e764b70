"""The check of the sandbox: whether commands have one, and why not."""

from collections.abc import AsyncGenerator

from agls.checkup.case import Case
from agls.config import ConfigError
from agls.room.exposed import SandboxUse
from agls.room.findings import Finding
from agls.workspace.sandbox.backend import BUBBLEWRAP, NOT_INSTALLED, Sandboxes

OFF = "The sandbox is switched off: a command that runs can do whatever you can."
ON = 'Set sandbox.use = "default" in your config file (docs/sandbox.md).'
NONE = (
    "There is no sandbox here: {}. A command that would run in it without a question is asked about, and "
    "refused where nobody can be asked."
)
WEAKER = (
    "The sandbox is for {}, and Landlock of the kernel makes it: {}. Then no file can be made in a folder "
    "with a protected name in it, which the root of a repository is, and modes of files are not kept."
)
INSTALL = "Install the package bubblewrap (Debian, Ubuntu: sudo apt install bubblewrap); docs/sandbox.md."
READ = "docs/sandbox.md says what the sandbox needs."
WHICH = {"default": "commands that nobody was asked about", "always": "all commands"}


async def sandbox(case: Case) -> AsyncGenerator[Finding, None]:
    """Check that commands have a sandbox, by making one."""
    use = "default"
    if not isinstance(case.setup, ConfigError):
        try:
            use = case.setup.load(case.folder).config.exposed(SandboxUse).use
        except ConfigError:
            use = "default"  # another check says what is wrong
    if use == "off":
        yield Finding("sandbox", "warn", OFF, ON)
        return
    found = await Sandboxes("").find(case.workspace.which(BUBBLEWRAP))
    fix = INSTALL if NOT_INSTALLED in found.missing else READ
    if not found.backends:
        yield Finding("sandbox", "warn", NONE.format(found.missing), fix)
    elif found.missing:
        yield Finding("sandbox", "warn", WEAKER.format(WHICH[use], found.missing), fix)
    else:
        yield Finding("sandbox", "pass", f"The sandbox is for {WHICH[use]}; {found.program} makes it.")
