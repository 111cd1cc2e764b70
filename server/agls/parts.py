"""What the features of one run are made of."""

from agls.config import AgentDefinition, Bounds, Config, FolderGrants, OwnFiles, Setup
from agls.engine.ports import Clock, ModelResolver
from agls.engine.session import Session
from agls.engine.spawning import Spawner
from agls.engine.state import State
from agls.engine.vocabulary import Limits
from agls.features.audit.feature import Write
from agls.features.budget.books import Books
from agls.features.client_tools.calling import Client
from agls.features.critic.settings import Settings as Critic
from agls.features.critic.watch import Means
from agls.features.permissions.choices import SessionChoices
from agls.features.recovery.feature import Clean
from agls.features.scratchpad.feature import Make
from agls.features.subagents.palette import Entry
from agls.frozen import frozen
from agls.stores.storage import Contents
from agls.workspace.workspace import OpenWorkspace


@frozen(kw_only=True)
class Parts:
    """What the features of one run are made of.

    `spawner` has the children of the session, `above` those of the one that it works for, if any.
    `bounds` are what the run may spend, what its answer must follow and where that goes, `window` the tokens
    that its model can see (`None`: not known). `tidy` clears what a crash left in the store, `record` writes
    a line of the audit. `scratch` is the session's folder for temporary files ("": none), which
    `make_scratch` makes. `lasting` is whether the process outlives the run. `choices` are the
    permission modes that somebody chose for the session, `grants` what was allowed before, `own_files` the
    files that say what runs unasked.
    """

    config: Config
    agent: AgentDefinition
    setup: Setup
    session: Session
    run_id: str
    spawner: Spawner
    above: tuple[Spawner, ...]
    workspace: OpenWorkspace
    models: ModelResolver
    clock: Clock
    client: Client
    scratch: str
    make_scratch: Make
    tidy: Clean
    record: Write
    blobs: Contents
    bounds: Bounds
    books: Books
    window: int | None
    lasting: bool
    choices: SessionChoices
    grants: FolderGrants
    own_files: OwnFiles

    def mode_of(self, state: State) -> str:
        """The permission mode that holds."""
        return self.choices.mode_of(state, self.config.permissions.mode)

    @property
    def works_for(self) -> str:
        """The session for whose call this one works, "" for none."""
        return self.session.state.parent if self.session.state.parent_item else ""

    def held_keys(self) -> tuple[str, ...]:
        """The user's keys, as far as they are known now."""
        return self.setup.held_keys

    def rest(self) -> Limits:
        """What is left of all that the running run may spend."""
        return self.books.left(self.session.session_id)

    @property
    def is_lean(self) -> bool:
        """Whether the model has a small context."""
        return self.config.lean.applies(self.window)

    @property
    def critic(self) -> Critic:
        """The settings of the critic of this run."""
        return self.agent.critic_over(self.config.critic)

    @property
    def means(self) -> Means:
        """What a critic works with."""
        return Means(
            settings=self.critic,
            models=self.models,
            subscribe=self.session.log.subscribe,
            most=self.bounds.allowance.most,
            ceiling=self.config.deadline.ceiling,
        )

    @property
    def palette(self) -> tuple[Entry, ...]:
        """Whom the run may hand work to."""
        known = ((name, self.config.agents[name]) for name in self.agent.agents)
        return tuple(
            Entry("agent", name, agent.description, {"agent": name, **({"model": ""} if agent.tier else {})})
            for name, agent in known
        )
