"""What comes from a folder or a plugin and can act: an offer, which the user's consent makes active.

A consent is for exactly what was shown: the definition, and the files that its commands name, run and obey,
as far as their words say it (`room/obeyed.py`). What they find out when they run is not known.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

from agls.engine.vocabulary import JsonObject, Option, Question
from agls.frozen import frozen

OfferKind = Literal["command", "hook", "server", "program"]
ONCE = Option("once", "Allow once", "allow")
ALWAYS = Option("always", "Allow until it changes", "allow", "project")
REJECT = Option("reject", "Reject", "reject")
NEW = "It comes from {}, and nothing of it runs without your consent."
CHANGED = "It comes from {}, and it changed since you consented to it: look at what is different."


@frozen
class Offer:
    """Something that a folder or a plugin offers: its kind and name, its origin, and what it would do.

    `commands` are the lines that it runs, `files` others that it runs or obeys, absolute or as seen from
    `folder`, where the commands begin ("": the root of the workspace). A file that is not there counts as
    well, as it may come. One of a plugin names that by its folder: the user consented to all of it when they
    installed it, and it holds while no byte of it changed.
    """

    kind: OfferKind
    name: str
    origin: str
    definition: JsonObject
    commands: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    folder: str = ""
    plugin: str = ""


@frozen
class Consent:
    """What the user said of an offer as it is now: its `digest`, whether it `is_given`.

    `difference` is what changed since an earlier consent ("": there was none). With a `problem` it cannot be
    used: nobody could say whether it changed.
    """

    digest: str
    is_given: bool
    difference: str = ""
    problem: str = ""


@frozen
class ConsentRow:
    """A consent that was given: for what, in which folder, and when (Unix time in seconds)."""

    kind: str
    name: str
    folder: str
    given_at: float
    definition: JsonObject


class Consents(Protocol):
    """The consents of the user for offers of one folder, kept in their own state.

    `settle` **returns** whether an offer may be used now: the user is asked where that is needed and
    possible. What comes up by itself, such as a hook, is asked about once: a no holds in the session until it
    changes, a yes for once in the run and in those that work for it. `holds` **returns** whether an offer
    that may be used is still what the user consented to; ask right before it acts. `stands` **returns**
    whether the user took neither their consent to one that is in use back nor their trust in the folder,
    here or in another process, whatever became of its files. All but `settle` look at the disk: call them
    off the event loop. `revoke` **returns** whether there was a consent,
    and raises `OSError`. `mark` and `vouch` distinguish what agls wrote into the session's journal from what
    something else did.
    """

    async def settle(self, offer: Offer) -> bool: ...
    def holds(self, offer: Offer) -> bool: ...
    def stands(self, offer: Offer) -> bool: ...
    def look(self, offer: Offer) -> Consent: ...
    def all(self) -> Sequence[ConsentRow]: ...
    def revoke(self, kind: str, name: str) -> bool: ...
    def mark(self, content: JsonObject) -> str: ...
    def vouch(self, content: JsonObject, mark: str) -> bool: ...


def question(offer: Offer, held: Consent) -> Question:
    """Return the question: what would act, whole, and what changed of it."""
    changed = {"changed": held.difference} if held.difference else {}
    return Question(
        kind="permission",
        title=f"Use the {offer.kind} {offer.name}",
        reason=(CHANGED if held.difference else NEW).format(offer.origin),
        subject={"type": "tool", "name": offer.name, "input": {**offer.definition, **changed}},
        options=(ONCE, ALWAYS, REJECT),
    )
