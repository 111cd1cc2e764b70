"""What a prompt points at: `@path` in the text that somebody typed becomes a piece of the prompt."""

from agls.features.mentions.expansion import expand
from agls.features.mentions.feature import build
from agls.features.mentions.settings import Settings
from agls.room import Room

ROOM = Room("mentions", Settings, build, expand=expand)
