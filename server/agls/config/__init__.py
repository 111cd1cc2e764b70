"""Configuration: what may be set, who may set it, and where each value came from."""

from agls.config.agent_files import agents_in
from agls.config.agents import AgentDefinition, AllowedTools, agent_of, allowed_tools, tier_of
from agls.config.bounds import EDITOR, PROGRAM, TERMINAL, UNATTENDED, RunBounds, Usual, bounds_of
from agls.config.choice import Choice
from agls.config.consents import ConsentRecord, ConsentStore
from agls.config.editing import SettingsEditor, found, row_of
from agls.config.endpoints import ModelCatalog, key_of_host, look_for_keys, offered_models
from agls.config.errors import ConfigError, KeyMissing
from agls.config.folders import check_folder, home_folder
from agls.config.grants import FolderGrants
from agls.config.key_store import KeyFile, KeyPlace, Keyring, given_secrets
from agls.config.load import Loaded, Origin, load
from agls.config.memory_files import agent_memory, project_memory, user_memory
from agls.config.own_files import GuardedFiles
from agls.config.plugins import InstalledPlugins, PluginRecord
from agls.config.reload import Reload
from agls.config.schema import Config
from agls.config.seal import Seal
from agls.config.setup import ConfigInputs, Setup, read, take_over
from agls.config.sources import Rank, Source
from agls.config.stored_keys import StoredKeys
from agls.config.trust import Trust

__all__ = [
    "EDITOR",
    "PROGRAM",
    "TERMINAL",
    "UNATTENDED",
    "AgentDefinition",
    "AllowedTools",
    "Choice",
    "Config",
    "ConfigError",
    "ConfigInputs",
    "ConsentRecord",
    "ConsentStore",
    "FolderGrants",
    "GuardedFiles",
    "InstalledPlugins",
    "KeyFile",
    "KeyMissing",
    "KeyPlace",
    "Keyring",
    "Loaded",
    "ModelCatalog",
    "Origin",
    "PluginRecord",
    "Rank",
    "Reload",
    "RunBounds",
    "Seal",
    "SettingsEditor",
    "Setup",
    "Source",
    "StoredKeys",
    "Trust",
    "Usual",
    "agent_memory",
    "agent_of",
    "agents_in",
    "allowed_tools",
    "bounds_of",
    "check_folder",
    "found",
    "given_secrets",
    "home_folder",
    "key_of_host",
    "load",
    "look_for_keys",
    "offered_models",
    "project_memory",
    "read",
    "row_of",
    "take_over",
    "tier_of",
    "user_memory",
]
