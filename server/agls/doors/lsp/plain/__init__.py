"""Plain mode: commands, code actions, progress and pages for clients that know only LSP."""
