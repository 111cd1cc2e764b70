"""The agent protocol over any pair of byte streams: one implementation of each method."""
