"""The agls protocol: what an editor or a script and the server say to each other, as types."""

PROTOCOL_VERSION = 1
SCHEMA_REVISION = "2026-11-29"
