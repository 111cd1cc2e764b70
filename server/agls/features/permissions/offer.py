"""Which tools a model is offered when nobody can allow a call: those that something else may allow."""

from collections.abc import Sequence
from dataclasses import replace

from agls.engine.ports import Effect, ModelRequest, ToolSpec
from agls.features.permissions.decision import Policy
from agls.features.permissions.rules import KIND_OF, names_all_of
from agls.features.permissions.visible import one_line

NOBODY = (
    "Nobody can be asked for permission here, so these tools are not available: {}. What needs them "
    "cannot be done in this run: say so, and what should be done instead."
)
READERS = (
    "Nobody can be asked for permission here: a command is run only when each of its programs is known to "
    "only read in the workspace (ls, cat, head, wc, find, rg, git status, git log, git diff and their like, "
    "also in pipes)"
)
ONLY = "Nobody can be asked for permission here; only what these rules allow is run: {}."
COMMANDS = KIND_OF[Effect.EXECUTES]  # the name of the tool that runs them
MOST = 40  # tools that are named
STRONGEST = (Effect.EXECUTES, Effect.WRITES, Effect.NETWORK)


def possible(request: ModelRequest, policy: Policy) -> ModelRequest:
    """Return the request without the tools whose calls would all be refused, and the reason in its prompt.

    A tool that only rules allow something says which.
    """
    judged = {tool.name: _offered(tool, policy) for tool in request.tools}
    missing = [name for name, tool in judged.items() if tool is None]
    tools = tuple(tool for tool in judged.values() if tool)
    more = [f"and {len(missing) - MOST} more"] if len(missing) > MOST else []
    reason = [NOBODY.format(", ".join([*missing[:MOST], *more]))] if missing else []
    return replace(request, tools=tools, system="\n\n".join([request.system, *reason]).strip())


def _offered(tool: ToolSpec, policy: Policy) -> ToolSpec | None:
    effect = next((each for each in STRONGEST if each in tool.effects), None)
    if effect is None or _is_free(effect, policy):
        return tool
    names = {"*", tool.name, KIND_OF[effect]}
    rules = () if policy.mode == "plan" or policy.read_only else _texts(policy, names, tool.name)
    if tool.name == COMMANDS:
        allowed = f", or is allowed by {', '.join(rules)}" if rules else ""
        note = f"{READERS}{allowed}."
    elif rules:
        note = ONLY.format(", ".join(rules))
    else:
        return None
    return replace(tool, description=f"{tool.description}\n\n{note}")


def _is_free(effect: Effect, policy: Policy) -> bool:
    """Return whether the mode alone lets some call with this effect run."""
    if policy.read_only:
        return False
    if policy.mode == "allowAll":
        return True
    return policy.mode == "acceptEdits" and effect is Effect.WRITES


def _texts(policy: Policy, names: set[str], tool: str) -> Sequence[str]:
    rules = (*policy.allow, *policy.granted)
    about = (rule for rule in rules if rule.name in names or names_all_of(rule.name, tool))
    return list(dict.fromkeys(one_line(rule.text) for rule in about))
