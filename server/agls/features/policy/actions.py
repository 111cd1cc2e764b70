"""The action `policy`: which manifests hold, and what is wrong with any."""

from collections.abc import Sequence
from functools import partial

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.vocabulary import JsonObject
from agls.features.policy.manifests import NamedManifest, Policies
from agls.features.policy.settings import Manifest
from agls.toolkit import Arguments, TypedAction

NONE = "No policies are in force here."


class ShowPolicy(Arguments):
    """Show the policies in force here: what each forbids, limits and tells the model, and any problems."""


def policy_action(held: Policies) -> Action:
    """Return the action."""
    return TypedAction("policy", "Show the policy", ShowPolicy, partial(_show, held), group="Settings")


async def _show(held: Policies, arguments: ShowPolicy, context: ActionContext) -> ActionOutcome:
    rows = [_row(each) for each in held.manifests if each.manifest != Manifest()]
    lines = [line for row in rows for line in _lines(row)]
    lines += [f"- Not followed: {problem}" for problem in held.problems]
    return ActionOutcome("\n".join(lines) or NONE, {"policies": rows, "problems": list(held.problems)})


def _row(each: NamedManifest) -> JsonObject:
    said = each.manifest.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {"origin": each.origin, **said}


def _lines(row: JsonObject) -> Sequence[str]:
    said = {name: value for name, value in row.items() if name != "origin"}
    return [f"- Policy of {row['origin']}:", *(f"  - {name}: {value}" for name, value in said.items())]
