"""What the features of one run are made of."""

from dataclasses import dataclass

from aglet.config import AgentDefinition, Bounds, Config, Setup
from aglet.engine.ledger import Ledger
from aglet.engine.ports import Clock, ModelResolver
from aglet.engine.session import Session
from aglet.engine.spawning import Spawner
from aglet.features.audit.feature import Write
from aglet.features.client_tools.calling import Client
from aglet.features.critic.watch import Means
from aglet.features.recovery.feature import Clean
from aglet.features.subagents.palette import Entry
from aglet.stores.blobs import Blobs
from aglet.workspace.workspace import OpenWorkspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the features of one run are made of.

    `bounds` are what the run may spend, what its answer must follow and where that goes, `window` the tokens
    that its model can see (`None`: not known). `tidy` clears what a crash left in the store, `record` writes
    a line of the audit.
    """

    config: Config
    agent: AgentDefinition
    setup: Setup
    session: Session
    run_id: str
    spawner: Spawner
    workspace: OpenWorkspace
    models: ModelResolver
    clock: Clock
    client: Client
    tidy: Clean
    record: Write
    blobs: Blobs
    bounds: Bounds
    ledger: Ledger
    window: int | None

    @property
    def means(self) -> Means:
        """What a critic works with."""
        return Means(
            settings=self.config.critic,
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
