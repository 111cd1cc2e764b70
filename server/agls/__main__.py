"""The command line: which door to open, and with which options."""

import sys
from collections.abc import Sequence
from types import ModuleType


def leave_out() -> None:
    """Load libraries without what is of no use here.

    httpx's own command line needs rich and pygments where click is installed. Plugins of pydantic are looked
    for in the metadata of everything that is installed (docs/decisions/701).
    """
    sys.modules.setdefault("httpx._main", ModuleType("httpx._main"))  # it goes on when that has no content
    no_plugins = ModuleType("pydantic.plugin._loader")
    no_plugins.__dict__["get_plugins"] = tuple
    sys.modules.setdefault("pydantic.plugin._loader", no_plugins)


def main(argv: Sequence[str] | None = None) -> int:
    """Open the door that the arguments name; gives the exit code. Wrong arguments exit with 2."""
    argv = sys.argv[1:] if argv is None else argv
    leave_out()
    if list(argv) == ["serve", "--stdio"]:  # an editor waits for the first answer
        from agls.doors.lsp import main as serve  # noqa: PLC0415 - only the door that is opened is loaded

        return serve()
    try:
        from agls.doors.headless.cli import main as command  # noqa: PLC0415 - as above

        return command(argv)
    except KeyboardInterrupt:  # while it was still being loaded
        return 130


if __name__ == "__main__":
    sys.exit(main())
