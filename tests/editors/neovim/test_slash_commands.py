"""Each command answers the same in Neovim as in every other door: `tests/doors/slash_commands.toml`."""

import pytest

from doors.test_slash_commands import compare
from support.wire import turns

from .driver import Editor
from .scene import ended

pytestmark = [pytest.mark.row(82), pytest.mark.editors, pytest.mark.timeout(600)]


def test_commands_typed_in_neovim_answer_without_a_model(editor: Editor) -> None:
    editor.play(turns("Hello."))
    editor.setup()
    (editor.folder / "other").mkdir()
    editor.command("Agls run Say hello.")
    editor.until("require('agls').current()")
    ended(editor, "endTurn")
    editor.lua(
        "OF, SESSIONS = require('agls').current(), require('agls.session') local shown = SESSIONS.on_command "
        "SESSIONS.on_command = function(command) TOLD = command.output[1].text shown(command) end"
    )
    editor.lua("OF:request('agent/session/rename', { title = 'Hello there' }, function() RENAMED = true end)")
    editor.until("RENAMED")

    def answer(text: str) -> tuple[bool, str]:
        editor.lua(
            "TOLD, REFUSED = nil, nil "
            "OF:run(..., nil, function(result, problem) REFUSED = problem and problem.message end)",
            text,
        )
        editor.until("TOLD or REFUSED")
        refused = editor.lua("return REFUSED")
        return refused is not None, refused or editor.lua("return TOLD")

    compare(answer, editor.workspace)
