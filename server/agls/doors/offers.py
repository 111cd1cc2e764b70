"""What the features of a session offer to the user, as `agent/action/list` and `commands` tell it."""

from agls.engine.invoking import actions
from agls.engine.session import Session
from agls.engine.vocabulary import JsonObject


def offered(session: Session) -> list[JsonObject]:
    """The actions there are now, in their order; each is a slash command too. Raises `ConfigError`."""
    return [
        {
            "name": spec.name,
            "title": spec.title,
            "description": spec.description,
            "inputSchema": spec.schema,
            "slash": f"/{spec.name}",
            "when": spec.when,
        }
        for spec in actions(session)
    ]
