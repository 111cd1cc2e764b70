"""Configuration: what may be set, who may set it, and where each value came from."""

from aglet.config.agents import AgentDefinition, agent_of
from aglet.config.bounds import Bounds, bounds_of
from aglet.config.choice import Choice
from aglet.config.endpoints import Offered, look_for_keys, offered_models
from aglet.config.errors import ConfigError, KeyMissing
from aglet.config.folders import check_folder
from aglet.config.grants import FolderGrants
from aglet.config.kept import KeyFile, Keyring, Place
from aglet.config.load import Loaded, Origin, load
from aglet.config.schema import Config
from aglet.config.setup import Setup, Told, read
from aglet.config.sources import Rank, Source
from aglet.config.trust import Trust

__all__ = [
    "AgentDefinition",
    "Bounds",
    "Choice",
    "Config",
    "ConfigError",
    "FolderGrants",
    "KeyFile",
    "KeyMissing",
    "Keyring",
    "Loaded",
    "Offered",
    "Origin",
    "Place",
    "Rank",
    "Setup",
    "Source",
    "Told",
    "Trust",
    "agent_of",
    "bounds_of",
    "check_folder",
    "load",
    "look_for_keys",
    "offered_models",
    "read",
]
