"""Configuration: what may be set, who may set it, and where each value came from."""

from aglet.config.bounds import asked, bounds
from aglet.config.choice import Choice
from aglet.config.endpoints import Offered, offered_models
from aglet.config.errors import ConfigError
from aglet.config.folders import check_folder
from aglet.config.grants import FolderGrants
from aglet.config.load import Loaded, Origin, load
from aglet.config.schema import Config
from aglet.config.setup import Setup, Told, read
from aglet.config.sources import Rank, Source
from aglet.config.trust import Trust

__all__ = [
    "Choice",
    "Config",
    "ConfigError",
    "FolderGrants",
    "Loaded",
    "Offered",
    "Origin",
    "Rank",
    "Setup",
    "Source",
    "Told",
    "Trust",
    "asked",
    "bounds",
    "check_folder",
    "load",
    "offered_models",
    "read",
]
