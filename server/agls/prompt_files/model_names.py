"""The model that a file names: families of other products are tiers here. Pure."""

from collections.abc import Mapping

from agls.front_matter import names
from agls.json_values import is_list

FAMILIES: Mapping[str, str] = {
    "haiku": "fast",
    "sonnet": "default",
    "opus": "strong",
    "fable": "strong",
    "opusplan": "strong",
    "flash": "fast",
    "flash-lite": "fast",
    "pro": "strong",
}
INHERIT = "inherit"
LONG_WINDOW = "[1m]"  # which Claude Code has behind the name of a family
LONGEST = 100  # characters


def model_in(said: object) -> str:
    """Return the tier of a family of models, the name of any other, "" for that of the caller.

    Of a list, in which some products have what to take where the first is not there, the first counts.
    """
    value = next(iter(names(said)), "") if is_list(said) else said
    text = " ".join(str(value).split())[:LONGEST] if isinstance(value, str | int | float) else ""
    text = text.removesuffix(LONG_WINDOW)
    return "" if text == INHERIT else FAMILIES.get(text.lower(), text)
