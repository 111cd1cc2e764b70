"""The families of models: one row for each, the first whose names fit counts."""

import re
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache

from agls.frozen import frozen


@frozen
class Family:
    """Models that work alike.

    `names` is a regular expression for a part of the model's name, in small letters. A tool of `replaced` is
    not offered where the tool that stands in its place is; `prompt` follows the system prompt.
    """

    name: str
    names: str
    replaced: Mapping[str, str] = field(default_factory=dict[str, str])
    prompt: str = ""


NEUTRAL = Family("neutral", "")
FAMILIES: tuple[Family, ...] = (
    Family(
        "patch",  # trained with the envelope of apply_patch
        r"gpt-?(4\.1|5|6|oss)|codex|\bo[34]\b",
        {"edit_file": "apply_patch"},
        "# Changing files\n- Change files with apply_patch; never write a patch into a shell command. Give "
        "three lines around each change, and a line above it after @@ where these occur more than once.",
    ),
    Family(
        "replace",  # trained with a text and its replacement
        r"claude|gemini|deepseek|qwen3|glm|kimi|grok|devstral|codestral|mistral-(large|medium)|minimax",
        {},
        "# Changing files\n- Change text with edit_file. Use apply_patch to move or delete files, and to "
        "change several files that must change together.",
    ),
    Family(
        "simple",  # makes mistakes in the form of a patch
        r"gemma|llama|phi-?\d|qwen2|mistral|starcoder|granite|smollm|\byi-",
        {"apply_patch": "edit_file"},
    ),
    NEUTRAL,
)


@lru_cache(maxsize=64)  # every run asks
def family_of(model: str) -> Family:
    """Return the family of a model by its name; what is not known is neutral."""
    return next(family for family in FAMILIES if re.search(family.names, model.casefold()))
