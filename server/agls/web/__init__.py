"""The web, as rooms ask for it: pages as text, and services that answer with JSON."""
