"""What happened in a session, written for people: Markdown and HTML."""
