"""A session that another process writes: it is read along, and taken over when it is free."""

import pytest

from support.wire import AGENT, Wire, turns

from .driver import Editor
from .scene import HANGING, opened, prompt, said

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]


def test_a_session_of_another_process_is_read_along_and_taken_over(editor: Editor) -> None:
    opened(editor, turns("Hello from there."), turns(HANGING), turns("Hello from here."))
    with Wire(editor.folder, editor.folder / "config.toml") as other:
        other.initialize(AGENT)
        session = other.session()
        other.run(session, "over there")
        editor.command(f"Agls resume {session}")
        said(editor, "Hello from there.")
        editor.until("vim.fn.execute('messages'):find('you read along')")
        assert editor.lua("return require('agls').status().state") == "reading"
        screen = "\n".join(editor.screen())
        assert "◌ reading along" in screen
        assert "written elsewhere · :Agls takeover" in screen
        prompt(editor, "precious words")
        editor.until("vim.fn.execute('messages'):find('Agls takeover')")
        editor.until("vim.fn.getline(1) == 'precious words'")
        editor.command("Agls takeover")
        editor.until("select(2, vim.fn.execute('messages'):gsub('Agls takeover', '')) >= 2")
        assert editor.lua("return require('agls').status().state") == "reading", "it is not free yet"
        number = other.post(
            "agent/run", {"sessionId": session, "input": "more", "clientKey": other.key, "wait": True}
        )
        said(editor, "more")  # what happens there is seen here
        other.call("agent/cancel", {"sessionId": session})
        other.answer_of(number)
        assert other.leave() == 0
    editor.until("vim.fn.execute('messages'):find('No other process writes this session')")
    editor.command("Agls takeover")
    editor.until("vim.fn.execute('messages'):find('goes on here')")
    editor.until("require('agls').status().state == 'idle'")
    editor.keys("<Esc><CR>")
    said(editor, "Hello from here.")
