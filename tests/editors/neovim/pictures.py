"""Pictures of the client for the documentation: what is on the screen of a real Neovim, as SVG.

`scripts/editors/pictures-neovim` runs it; the pictures go to docs/pictures.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

from support.wire import Message, turns

from .driver import ROOT, Editor
from .scene import call, ended, prompt, said, waiting
from .screen import Look, Screen

FOLDER = ROOT / "docs" / "pictures"
COLUMNS, ROWS, WIDE, HIGH = 120, 34, 8.43, 16
PRICES = '''"""Prices of a basket."""


def total(prices, discount=0):
    """The sum of the prices, less a discount."""
    return round(sum(prices) - discount, 2)


def receipt(prices, discount=0):
    """What is printed for the customer."""
    lines = [f"{price:>8.2f}" for price in prices]
    lines.append(f"{total(prices, discount):>8.2f}")
    return "\\n".join(lines)
'''


FOUND = """
vim.diagnostic.set(vim.api.nvim_create_namespace("tests"), 0, {
  { lnum = 5, col = 4, severity = vim.diagnostic.severity.ERROR, message = "40 != 45" },
})
"""


def _edit(said: str, old: str, new: str) -> Message:
    return {"text": said, "calls": [call("edit_file", path="prices.py", old_text=old, new_text=new)]}


RUN = "python3 -c 'import prices; print(prices.total([20, 30], 10))'"
STORY = turns(
    {
        "thinking": "The discount is taken off as an amount.\nThe test wants a percentage.",
        "text": "I look at `prices.py` first.",
        "calls": [call("read_file", path="prices.py")],
    },
    _edit(
        "`total` takes the discount off as an **amount**, but it is a *percentage*. I repair that line.",
        "round(sum(prices) - discount, 2)",
        "round(sum(prices) * (100 - discount) / 100, 2)",
    ),
    _edit(
        "The receipt should say so, too.",
        "    lines.append(f\"{total(prices, discount):>8.2f}\")\n",
        "    if discount:\n        lines.append(f\"{-discount:>7}%\")\n"
        "    lines.append(f\"{total(prices, discount):>8.2f}\")\n",
    ),
    {"text": "Now a look at the result.", "calls": [call("shell", command=RUN)]},
    "That is the **45** that the test wants:\n\n"
    "- the discount is a percentage now\n- the receipt names it\n\n"
    "```python\nassert total([20, 30], 10) == 45\n```\n",
)  # fmt: skip


def _colour(number: int) -> str:
    return f"#{number:06x}"


def _runs(screen: Screen, cells: list[tuple[str, int]]) -> list[tuple[int, str, Look]]:
    """The cells of a row, those that look alike together: first column, text, look."""
    runs: list[tuple[int, str, Look]] = []
    for column, (text, number) in enumerate(cells):
        look = screen.look(number)
        if runs and runs[-1][2] == look:
            runs[-1] = (runs[-1][0], runs[-1][1] + text, look)
        else:
            runs.append((column, text, look))
    return runs


def _cells(text: str, column: int, row: int, look: Look) -> str:
    front, _, bold, slanted, under = look
    face = ' font-weight="bold"' if bold else ""
    face += ' font-style="italic"' if slanted else ""
    face += ' text-decoration="underline"' if under else ""
    kept = text.rstrip()
    left = column + len(kept) - len(kept.lstrip())
    kept = kept.lstrip()
    return (
        f'<text x="{left * WIDE:.1f}" y="{row * HIGH + 13}" textLength="{len(kept) * WIDE:.1f}" '
        f'fill="{_colour(front)}"{face} xml:space="preserve">{escape(kept)}</text>'
    )


def draw(screen: Screen) -> str:
    """A screen as SVG."""
    width, height = len(screen.rows[0]) * WIDE + 16, len(screen.rows) * HIGH + 16
    made = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 {width:.0f} {height:.0f}" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
        f'<rect x="-8" y="-8" width="{width:.0f}" height="{height:.0f}" fill="{_colour(screen.back)}"/>',
    ]
    for row, cells in enumerate(screen.rows):
        runs = _runs(screen, cells)
        made += [
            f'<rect x="{column * WIDE:.1f}" y="{row * HIGH}" width="{len(text) * WIDE:.1f}" height="{HIGH}" '
            f'fill="{_colour(look[1])}"/>'
            for column, text, look in runs
            if look[1] != screen.back
        ]
        made += [_cells(text, column, row, look) for column, text, look in runs if text.strip()]
    return "\n".join([*made, "</svg>\n"])


def picture(editor: Editor, screen: Screen, name: str) -> None:
    """Draw what is on the screen now, also while Neovim waits for a key."""
    if not editor.call("nvim_get_mode")["blocking"]:
        editor.command("redraw!")
    editor.call("nvim_get_mode")  # what was to be drawn has arrived
    (FOLDER / f"neovim-{name}.svg").write_text(draw(screen), encoding="utf-8")


@contextmanager
def home() -> Iterator[Path]:
    """The folder of the user, whose name is on some pictures: the same one whenever they are drawn."""
    folder = Path(tempfile.gettempdir(), "ada")
    shutil.rmtree(folder, ignore_errors=True)  # a server that ended late may have left something
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(program: str) -> None:
    """Tell the story once, with a picture at each station."""
    FOLDER.mkdir(exist_ok=True)
    with home() as folder, Editor(program, folder) as editor:
        show(editor, editor.drawn)


def show(editor: Editor, screen: Screen) -> None:
    """Set the stage and tell the story."""
    editor.call("nvim_ui_try_resize", COLUMNS, ROWS)
    (editor.workspace / "prices.py").write_text(PRICES)
    editor.play(STORY, turns({"text": "I read all of it again, line by line", "hang": True}))
    editor.setup(layout="right", width=0.5)
    editor.command("set termguicolors")
    tell(editor, screen)


def tell(editor: Editor, screen: Screen) -> None:
    """The story."""
    editor.command("edit prices.py")
    editor.command("Agls open")
    editor.until("require('agls').current()")
    editor.command("wincmd t")
    editor.lua(FOUND)
    editor.command("4,6Agls add")
    editor.command("Agls add diagnostics")
    editor.command("Agls open")
    editor.keys("<Esc>ccA test fails. Find out why and repair it.")
    editor.until("vim.fn.getline(1):find('repair it')")
    picture(editor, screen, "attached")
    editor.keys("<Esc><CR>")
    for _ in range(3):
        editor.until("require('agls.question_window').is_open()")
        asked = editor.lua("return require('agls.questions').waiting[1].params.requestId")
        picture(editor, screen, "question")  # the last one stays
        editor.command("Agls answer 1")
        editor.until("not require('agls').current().store.requests[...]", asked)
    ended(editor, "endTurn")
    said(editor, "assert total")
    waiting(editor, 2)
    editor.command("wincmd t")
    editor.keys("gg]h")
    editor.until("vim.fn.line('.') > 1")
    picture(editor, screen, "review")
    editor.command("Agls review")
    picture(editor, screen, "quickfix")
    editor.command("cclose | wincmd t | Agls review diff")
    picture(editor, screen, "diff")
    editor.command("tabclose | Agls open float")
    prompt(editor, "And the rest?")
    said(editor, "line by line")
    picture(editor, screen, "float")


if __name__ == "__main__":
    main(sys.argv[1])
