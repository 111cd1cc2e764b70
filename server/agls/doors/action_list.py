"""The list of actions of a session, as `agent/action/list` and the event `commands` send it."""

from agls.commands import slash
from agls.engine.run_action import actions
from agls.engine.session import Session
from agls.engine.vocabulary import JsonObject


def action_list(session: Session) -> list[JsonObject]:
    """List the actions that the session's features offer now, in their order; each is a slash command, too.

    **Raises** `ConfigError` when the configuration of the session's folder cannot be read.
    """
    return [
        {
            "name": spec.name,
            "title": spec.title,
            "description": spec.description,
            "inputSchema": spec.schema,
            "slash": slash(spec),
            "when": spec.when,
            "group": spec.group,
        }
        for spec in actions(session)
    ]
