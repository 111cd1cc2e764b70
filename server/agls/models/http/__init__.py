"""HTTP: one pool of connections, and answers as they come."""
