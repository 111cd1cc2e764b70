"""The views: what a session looks like from outside. They turn facts into the protocol's events and items."""
