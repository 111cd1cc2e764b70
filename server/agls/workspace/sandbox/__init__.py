"""The sandbox of commands: what it lets through, how programs start in it, and what they leave behind."""
