"""The aglet protocol: what an editor or a script and the server say to each other, as types."""

PROTOCOL_VERSION = 1
