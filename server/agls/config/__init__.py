"""Configuration: what may be set, who may set it, and where each value came from."""

from agls.config.agents import AgentDefinition, agent_of, tier_of
from agls.config.bounds import EDITOR, PROGRAM, TERMINAL, UNATTENDED, RunBounds, Usual, bounds_of
from agls.config.choice import Choice
from agls.config.endpoints import ModelCatalog, look_for_keys, offered_models
from agls.config.errors import ConfigError, KeyMissing
from agls.config.folders import check_folder, home_folder
from agls.config.grants import FolderGrants
from agls.config.key_store import KeyFile, KeyPlace, Keyring
from agls.config.load import Loaded, Origin, load
from agls.config.own_files import GuardedFiles
from agls.config.reload import Reload
from agls.config.schema import Config
from agls.config.seal import Seal
from agls.config.setup import ConfigInputs, Setup, read, take_over
from agls.config.sources import Rank, Source
from agls.config.trust import Trust

__all__ = [
    "EDITOR",
    "PROGRAM",
    "TERMINAL",
    "UNATTENDED",
    "AgentDefinition",
    "Choice",
    "Config",
    "ConfigError",
    "ConfigInputs",
    "FolderGrants",
    "GuardedFiles",
    "KeyFile",
    "KeyMissing",
    "KeyPlace",
    "Keyring",
    "Loaded",
    "ModelCatalog",
    "Origin",
    "Rank",
    "Reload",
    "RunBounds",
    "Seal",
    "Setup",
    "Source",
    "Trust",
    "Usual",
    "agent_of",
    "bounds_of",
    "check_folder",
    "home_folder",
    "load",
    "look_for_keys",
    "offered_models",
    "read",
    "take_over",
    "tier_of",
]
