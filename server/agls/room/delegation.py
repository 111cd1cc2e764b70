"""The names of the tools that hand work to helpers."""

DELEGATE = "delegate"  # the tool for several tasks at once
KINDS = ("agent", "skill")  # of helpers with a tool of their own, such as `agent__reviewer`


def hands_over(tool: str) -> bool:
    """**Returns** whether the tool of this name hands work to helpers."""
    return tool == DELEGATE or tool.startswith(tuple(f"{kind}__" for kind in KINDS))
