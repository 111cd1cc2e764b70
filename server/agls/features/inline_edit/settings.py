"""The `[inline_edit]` section of the configuration."""

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """Which models change the text at the cursor, and go on with what is typed."""

    model: str = Field(
        default="fast",
        description="the tier or model that edits at the cursor; "
        "`fast` is the default model where no such tier is set",
    )
    completion: bool = Field(
        default=False, description="suggest how to go on while you type (textDocument/inlineCompletion)"
    )
    completion_model: str = Field(default="", description='the one that suggests; "": the same as `model`')

    @property
    def completes(self) -> str:
        """The model that suggests."""
        return self.completion_model or self.model
