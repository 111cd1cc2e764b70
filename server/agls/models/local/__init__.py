"""Model servers on this machine, and their own APIs."""
