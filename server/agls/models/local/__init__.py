"""Model servers on this machine, and what they say of themselves."""
