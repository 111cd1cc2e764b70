"""A picture of the session in the terminal for the documentation: what a real tmux shows, as SVG.

`scripts/editors/pictures-terminal` runs it; the picture goes to docs/pictures.
"""

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

from editors.neovim.pictures import FOLDER, draw, home
from editors.neovim.scene import call
from editors.neovim.screen import Screen
from support.machine import NO_LOCAL_SERVERS
from support.patience import PATIENCE
from support.wire import script, turns

COLUMNS, ROWS = 96, 40
FRONT, BACK = 0xD4D4D4, 0x1E1E1E
COLOURS = (0x000000, 0xF14C4C, 0x23D18B, 0xE5E510, 0x3B8EEA, 0xD670D6, 0x29B8DB, 0xE5E5E5)
PLACES = {3: "foreground", 4: "background", 9: "foreground", 10: "background"}  # by the tens of a code
FACES: dict[int, dict[str, object]] = {
    1: {"bold": True},
    2: {"foreground": 0x8A8A8A},
    3: {"italic": True},
    4: {"underline": True},
    7: {"reverse": True},
}
PART = re.compile(r"\x1b\[([0-9;]*)m|(.)", re.DOTALL)

PRICES = '''"""Prices of a basket."""


def total(prices, discount=0):
    """The sum of the prices, less a discount in percent."""
    return round(sum(prices) - discount, 2)
'''
TESTS = """import time  # so that the command still works when the picture is taken

time.sleep(60)
"""
STORY = turns(
    {
        "text": "I look at the function and its test.",
        "calls": [call("read_file", path="prices.py"), call("read_file", path="test_prices.py")],
    },
    {
        "text": "The discount is taken off as an **amount**, but it is a percentage. I repair that line.",
        "calls": [
            call(
                "edit_file",
                path="prices.py",
                old_text="sum(prices) - discount",
                new_text="sum(prices) * (100 - discount) / 100",
            )
        ],
    },
    {"text": "Now the tests.", "calls": [call("shell", command="python3 -m unittest -q")]},
)


class Terminal:
    """A tmux of its own, in which a user of agls sits."""

    def __init__(self, folder: Path) -> None:
        self._tmux = ("tmux", "-S", str(folder / "socket"), "-f", "/dev/null")
        self._folder, self.workspace = folder, folder / "shop"
        self.workspace.mkdir()

    def begin(self, *arguments: str) -> None:
        """Begin agls there."""
        home, kept = (
            str(self._folder),
            {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        )
        ours = {
            "HOME": home,
            "AGLS_STATE_DIR": f"{home}/state",
            "AGLS_CONFIG": f"{home}/config.toml",
            **NO_LOCAL_SERVERS,
            **kept,
        }
        variables = [f"{name}={value}" for name, value in ours.items()]
        command = ["env", "-i", *variables, "TERM=tmux-256color", "LC_ALL=C.UTF-8"]
        command += [sys.executable, "-m", "agls", *arguments]
        size = ("-x", str(COLUMNS), "-y", str(ROWS))
        self._do("new-session", "-d", *size, "-c", str(self.workspace), shlex.join(command))
        self._do("set-option", "status", "off")

    def type(self, text: str, *keys: str) -> None:
        """Type this, and then these keys."""
        self._do("send-keys", "-l", text)
        for key in keys:
            self._do("send-keys", key)

    def wait_for(self, text: str) -> None:
        """Wait until this is on the screen."""
        end = time.monotonic() + PATIENCE
        while text not in self._do("capture-pane", "-p"):
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} never came:\n{self._do('capture-pane', '-p')}")
            time.sleep(0.05)

    def screen(self) -> Screen:
        """What stands there now, with its colours."""
        return shown(self._do("capture-pane", "-p", "-e", "-N"))

    def end(self) -> None:
        """End everything in it."""
        self._do("kill-server")

    def _do(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], check=True, capture_output=True, text=True).stdout


def shown(captured: str) -> Screen:
    """The cells of a screen that was captured with its colours."""
    screen = Screen()
    screen.take([["default_colors_set", [FRONT, BACK]]])
    rows = captured.split("\n")[:ROWS]
    screen.take([["grid_resize", [1, COLUMNS, ROWS]]])
    looks: dict[str, int] = {"": 0}
    codes: list[int] = []  # they hold beyond the end of a row
    for row, text in enumerate(rows):
        cells: list[list[object]] = []
        for found in PART.finditer(text):
            numbers, char = found.groups()
            if char is None:
                codes = [*codes, *(int(number or 0) for number in numbers.split(";"))]
                codes = codes[len(codes) - codes[::-1].index(0) :] if 0 in codes else codes
                continue
            number = looks.setdefault(",".join(map(str, codes)), len(looks))
            screen.take([["hl_attr_define", [number, look_of(codes)]]])
            cells.append([char, number])
        screen.take([["grid_line", [1, row, 0, cells[:COLUMNS]]]])
    return screen


def look_of(codes: list[int]) -> dict[str, object]:
    """The attributes of a highlight, as Neovim names them, that these codes of a terminal mean."""
    look: dict[str, object] = {}
    for code in codes:
        tens, colour = divmod(code, 10)
        if code in FACES:
            look |= FACES[code]
        elif tens in PLACES and colour < len(COLOURS):
            look[PLACES[tens]] = COLOURS[colour]
        elif tens in PLACES:  # 39 and 49: as usual
            look.pop(PLACES[tens], None)
    return look


def main() -> None:
    """Tell the story once: the picture is taken while the agent works."""
    with home() as folder:
        script(folder, STORY)
        terminal = Terminal(folder)
        (terminal.workspace / "prices.py").write_text(PRICES)
        (terminal.workspace / "test_prices.py").write_text(TESTS)
        terminal.begin("chat", "--mode", "acceptEdits")
        try:
            tell(terminal)
            (FOLDER / "terminal.svg").write_text(draw(terminal.screen()), encoding="utf-8")
        finally:
            terminal.end()


def tell(terminal: Terminal) -> None:
    """The story."""
    terminal.wait_for("(Shift-Tab)")
    terminal.type("A test fails. Find out why and repair it.", "Enter")
    terminal.wait_for("Your answer (")
    terminal.type("y", "Enter")
    terminal.wait_for("… shell python3")
    terminal.type("now an entry in the changelog", "Enter")
    terminal.wait_for("queued: now an entry")
    terminal.type("and remove the ")
    terminal.wait_for("> and remove the")


if __name__ == "__main__":
    main()
