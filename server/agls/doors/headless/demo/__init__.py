"""The demo: a whole session of the real server with a scripted model, in a repository made for it."""
