"""How much a model may think: the names that are usual, though a server may know others."""

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def unusual(effort: str) -> str:
    """**Returns** the remark on an effort that is none of the usual ones, "" for one of them or none."""
    if not effort or effort in EFFORTS:
        return ""
    return f"The effort {effort!r} is not one of {', '.join(EFFORTS)}: it is sent as it is."
