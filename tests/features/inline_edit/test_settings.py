"""The settings of edits at the cursor: nothing is sent while somebody types unless the user says so."""

import pytest

from agls.features.inline_edit.settings import Settings
from agls.order import exposing
from agls.room.exposed import InlineModels


@pytest.mark.parametrize(
    ("settings", "edits", "completes"),
    [
        (Settings(), "fast", "fast"),
        (Settings(model="strong"), "strong", "strong"),
        (Settings(completion_model="tiny"), "fast", "tiny"),
    ],
)
def test_completion_is_off_and_has_the_model_of_edits_where_no_other_is_named(
    settings: Settings, edits: str, completes: str
) -> None:
    assert (settings.model, settings.completes, settings.completion) == (edits, completes, False)


def test_folder_cannot_set_which_model_gets_its_texts() -> None:
    assert exposing(InlineModels).user_only
