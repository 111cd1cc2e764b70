"""Models in clouds: their addresses and their credentials."""
