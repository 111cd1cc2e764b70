"""The manifest in the text of a file: also what can be understood of one that is wrong."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError

from agls.features.policy.settings import Manifest
from agls.frozen import frozen

UNKNOWN = "there is no key {}"
NO_OBJECT = "it is no JSON object"
STRICT = ("deny", "budget")  # what forbids and limits: a key that begins so has to be understood


@frozen
class ReadManifest:
    """What a file says. `problems` name the keys that were left out.

    `unclear` is those of them that may forbid or limit something, "" for none.
    """

    manifest: Manifest
    problems: Sequence[str] = ()
    unclear: str = ""


def read_manifest(text: str) -> ReadManifest:
    """**Returns** what can be understood of a manifest. **Raises** `ValueError` for no JSON."""
    said = json.loads(text)
    if not isinstance(said, dict):
        return ReadManifest(Manifest(), (NO_OBJECT,), NO_OBJECT)
    table = cast("dict[str, Any]", said)
    try:
        return ReadManifest(Manifest.model_validate(table))
    except ValidationError as error:
        wrong = error.errors(include_url=False)
    problems = {".".join(map(str, each["loc"])): _in_words(each) for each in wrong}
    unclear = [problem for key, problem in problems.items() if key.lower().startswith(STRICT)]
    for each in wrong:
        _leave_out(table, each["loc"])
    return ReadManifest(Manifest.model_validate(table), tuple(problems.values()), "; ".join(unclear))


def _in_words(problem: Mapping[str, Any]) -> str:
    key = ".".join(map(str, problem["loc"]))
    return UNKNOWN.format(key) if problem["type"] == "extra_forbidden" else f"{key}: {problem['msg']}"


def _leave_out(table: dict[str, Any], place: Sequence[int | str]) -> None:
    """Remove the innermost named value at a place."""
    names = [each for each in place if isinstance(each, str)]
    for name in names[:-1]:
        inner = table.get(name)
        if not isinstance(inner, dict):
            table.pop(name, None)
            return
        table = cast("dict[str, Any]", inner)
    table.pop(names[-1], None)
