"""The headless door: a prompt in, text or JSON out, an exit code that says how it went."""
