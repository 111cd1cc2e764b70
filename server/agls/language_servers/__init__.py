"""Language servers of this process: started on need, one for a folder and a program, ended when idle."""

from agls.language_servers.folder import FolderServers
from agls.language_servers.registry import LanguageServers

__all__ = ["FolderServers", "LanguageServers"]
