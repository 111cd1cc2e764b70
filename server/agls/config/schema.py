"""All settings: the sum of the rooms' own sections, and the models."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, SecretStr

from agls.config.agents import Agents, known
from agls.config.model_settings import BaseUrl, ModelSettings
from agls.features.ask.settings import Settings as Ask
from agls.features.attachments.settings import Settings as Attachments
from agls.features.audit.settings import Settings as Audit
from agls.features.budget.settings import Settings as Budget
from agls.features.checkpoints.settings import Settings as Checkpoints
from agls.features.client_tools.settings import Settings as ClientTools
from agls.features.compaction.settings import Settings as Compaction
from agls.features.continuation.settings import Settings as Continuation
from agls.features.critic.settings import Settings as Critic
from agls.features.deadline.settings import Settings as Deadline
from agls.features.delivery.settings import Settings as Delivery
from agls.features.doctor.settings import Settings as Doctor
from agls.features.files.settings import Settings as Files
from agls.features.follow_along.settings import Settings as FollowAlong
from agls.features.guards.settings import Settings as Guards
from agls.features.history.settings import Settings as History
from agls.features.instructions.settings import Settings as Instructions
from agls.features.lean.settings import Settings as Lean
from agls.features.output_schema.settings import Settings as OutputSchema
from agls.features.permissions.settings import Settings as Permissions
from agls.features.recovery.settings import Settings as Recovery
from agls.features.scratchpad.settings import Settings as Scratchpad
from agls.features.search.settings import Settings as Search
from agls.features.shell.settings import Settings as Shell
from agls.features.subagents.settings import Settings as Subagents
from agls.features.usage.settings import Settings as Usage


class Config(BaseModel):
    """Everything that can be set. It is frozen: a change makes a new one, for the next run.

    `model` is the name of a configured model or tier, or a model's name at `base_url`. `api_key_env` and
    `api_key` belong to `base_url`. `tiers` gives `fast`, `default`, `strong` or your own names a model.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = ""
    base_url: BaseUrl | None = None
    api_key_env: str = ""
    api_key: SecretStr = SecretStr("")
    models: dict[str, ModelSettings] = {}
    tiers: dict[str, str] = {}
    agents: Annotated[Agents, AfterValidator(known)] = {}

    delivery: Delivery = Delivery()
    deadline: Deadline = Deadline()
    critic: Critic = Critic()
    follow_along: FollowAlong = FollowAlong()
    guards: Guards = Guards()
    budget: Budget = Budget()
    history: History = History()
    instructions: Instructions = Instructions()
    lean: Lean = Lean()
    continuation: Continuation = Continuation()
    compaction: Compaction = Compaction()
    output_schema: OutputSchema = OutputSchema()
    permissions: Permissions = Permissions()
    recovery: Recovery = Recovery()
    checkpoints: Checkpoints = Checkpoints()
    usage: Usage = Usage()
    audit: Audit = Audit()
    doctor: Doctor = Doctor()
    attachments: Attachments = Attachments()
    scratchpad: Scratchpad = Scratchpad()
    files: Files = Files()
    search: Search = Search()
    shell: Shell = Shell()
    ask: Ask = Ask()
    subagents: Subagents = Subagents()
    client_tools: ClientTools = ClientTools()

    def for_window(self, window: int | None) -> "Config":
        """The same for a model that holds so many tokens: with short instructions where they are few."""
        if window is None or not self.lean.applies(window):
            return self
        return self.model_copy(update={"instructions": self.instructions.short(window)})
