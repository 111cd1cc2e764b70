"""Files that people write as prompts: commands, and the placeholders in such texts."""
