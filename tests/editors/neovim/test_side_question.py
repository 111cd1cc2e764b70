"""A question beside the work and an undone summary, typed into the prompt as users do."""

import pytest

from support.model_server import ModelServer, Reply

from .driver import Editor
from .scene import ended, opened, prompt, said, transcript, use_server

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
RUNNING = (
    "vim.iter(vim.tbl_values(require('agls').current().store.items)):any("
    "function(item) return item.kind == 'sideAnswer' and item.status == 'running' end)"
)
FLOATS = """vim.iter(vim.api.nvim_list_wins()):any(function(win)
    local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, true)
    return vim.api.nvim_win_get_config(win).relative ~= '' and table.concat(lines, ' '):find('one word')
end)"""


def test_side_question_streams_while_a_command_waits_and_leaves_no_trace(editor: Editor) -> None:
    call = Reply("I run it.", calls=[("shell", {"command": "touch made.txt; echo one"})])
    answer = Reply("It prints one word, and that is all it does.", fragment=9, delay=0.5)
    with ModelServer([call, answer, Reply("Done.")]) as server:
        use_server(editor, server)
        opened(editor, picks=("nothing", "Allow once"))
        prompt(editor, "go")
        editor.until("#require('agls.questions').waiting == 1")
        editor.command("Agls open")
        prompt(editor, "/btw what does it do?")
        said(editor, "It prints")
        assert editor.lua(f"return {RUNNING}"), "it is shown while it comes"
        editor.until(f"not {RUNNING}")
        said(editor, "It prints one word, and that is all it does.")
        assert "what does it do?" in transcript(editor)
        editor.shows("what does it do?")
        assert not editor.lua(f"return {FLOATS}"), "it is not shown twice"
        editor.command("Agls answer 1")
        ended(editor, "endTurn")
        said(editor, "Done.")
        assert "what does it do?" not in str(server.posts[-1].body["messages"])


def test_summary_is_undone_and_the_chat_says_so(editor: Editor) -> None:
    talk = Reply("word " * 2_000)
    with ModelServer([talk, talk, Reply("They talked.")]) as server:
        use_server(editor, server)
        opened(editor)
        for runs, words in enumerate(("one", "two"), start=1):
            prompt(editor, words)
            ended(editor, "endTurn", runs)
        prompt(editor, "/compact")
        said(editor, "They talked.")
        editor.until("vim.api.nvim_win_get_config(0).relative ~= ''")
        editor.keys("q")  # what came of it
        prompt(editor, "/compaction.undo")
        said(editor, "The summary is undone: the model sees what it replaced")
        prompt(editor, "/compaction.undo")
        editor.until("vim.fn.execute('messages'):find('There is no summary to undo', 1, true)")
