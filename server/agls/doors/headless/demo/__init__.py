"""The demo: a whole run of the real program with a scripted model, in a repository made for it."""
