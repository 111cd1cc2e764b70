"""What the doctor finds in the files of a folder that name servers."""

from collections.abc import Sequence

from agls.features.mcp.folder_servers import folder_servers
from agls.features.mcp.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.findings import Finding

TOPIC = "MCP servers"
FIX = "Correct the file. /mcp lists all servers."


def check_files(settings: Settings, texts: FolderTexts) -> Sequence[Finding]:
    """Return each file or server that cannot be used, with its reason; how many can be when all can."""
    found = folder_servers(settings, texts)
    if found.broken:
        lines = (f"{each.place} cannot be used: {each.problem}." for each in found.broken)
        return [Finding(TOPIC, "warn", line, FIX) for line in lines]
    count = len(found.offered)
    return (
        [Finding(TOPIC, "pass", f"All servers that the folder offers can be read ({count}).")]
        if count
        else ()
    )
