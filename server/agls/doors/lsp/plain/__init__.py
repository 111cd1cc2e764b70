"""Plain mode: what a client that knows only LSP gets of agls."""
