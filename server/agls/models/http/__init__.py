"""HTTP: the pool of connections, and the events of a response."""
