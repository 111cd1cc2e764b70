"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.accounts.keys import key_actions
from agls.features.accounts.trust import trust_action
from agls.room import NoSettings
from agls.room.offers import Consents
from agls.room.process_ports import KeptKeys, TrustedFolders


def build(settings: NoSettings, keys: KeptKeys, folders: TrustedFolders, consents: Consents) -> Feature:
    """Build the feature: nothing of it takes part in a run."""
    return Feature(name="accounts", actions=(*key_actions(keys), trust_action(folders, consents)))
