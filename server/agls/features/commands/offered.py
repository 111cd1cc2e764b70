"""Which command has which name: what agls brings comes first, then the nearest file."""

from collections import Counter
from collections.abc import Collection, Sequence

from agls.frozen import frozen
from agls.prompt_files.command_file import CommandFile


@frozen
class OfferedCommand:
    """A command file and the name under which it can be typed ("": none is left), with the others.

    `hidden_by` says what has its own name ("": nothing has).
    """

    file: CommandFile
    name: str
    aliases: tuple[str, ...] = ()
    hidden_by: str = ""


def named_commands(files: Sequence[CommandFile], taken: Collection[str]) -> Sequence[OfferedCommand]:
    """Return the commands with their names, in the order of the files.

    One whose name is taken is reached by whose it is: `/project:NAME`, `/user:NAME`.
    """
    used = dict.fromkeys(taken, "a command of agls, or a skill")
    ends = Counter(_end(file) for file in files)
    own_names = {file.name for file in files}
    offered: list[OfferedCommand] = []
    for file in files:
        whole = () if file.folder.plugin else (f"{file.folder.origin}:{file.name}",)
        if file.folder.place.dialect == "codex":
            whole = (*whole, f"prompts:{file.name}")  # as it is typed there
        free = [name for name in (file.name, *whole) if name not in used]
        hidden_by = used.get(file.name, "")
        short = _end(file)
        is_clear = ends[short] == 1 and short not in used and short not in own_names
        aliases = (*free[1:], *((short,) if is_clear and free else ()))
        used |= dict.fromkeys((*free[:1], *aliases), file.shown)
        offered.append(OfferedCommand(file, free[0] if free else "", aliases, hidden_by))
    return offered


def _end(file: CommandFile) -> str:
    return file.name.rpartition(":")[2]
