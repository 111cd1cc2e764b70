"""What a real Neovim draws, kept as a user sees it."""

from typing import Any

Look = tuple[int, int, bool, bool, bool]  # front, back, bold, slanted, under


class Screen:
    """What Neovim tells its screens to draw (`:help ui-linegrid`), floats included."""

    def __init__(self) -> None:
        self.rows: list[list[tuple[str, int]]] = []
        self.back = 0
        self._front = 0xFFFFFF
        self._looks: dict[int, dict[str, Any]] = {0: {}}

    def take(self, events: list[Any]) -> None:
        """Follow one batch of events."""
        for name, *calls in events:
            follow = getattr(self, f"_{name}", None)
            for arguments in calls if follow else ():
                follow(*arguments)

    def text(self) -> str:
        """What is on it, also while Neovim waits for a key and answers nothing."""
        return "\n".join("".join(cell for cell, _ in row).rstrip() for row in self.rows)

    def look(self, number: int) -> Look:
        """The colours and the face of a highlight."""
        given = self._looks.get(number, {})
        front, back = given.get("foreground", self._front), given.get("background", self.back)
        if given.get("reverse"):
            front, back = back, front
        return front, back, "bold" in given, "italic" in given, "underline" in given

    def _default_colors_set(self, front: int, back: int, *rest: Any) -> None:
        self._front, self.back = front, back

    def _hl_attr_define(self, number: int, rgb: dict[str, Any], *rest: Any) -> None:
        self._looks[number] = rgb

    def _grid_resize(self, grid: int, width: int, height: int) -> None:
        self.rows = [[(" ", 0)] * width for _ in range(height)]

    def _grid_clear(self, grid: int) -> None:
        self.rows = [[(" ", 0)] * len(row) for row in self.rows]

    def _grid_line(self, grid: int, row: int, column: int, cells: list[list[Any]], *rest: Any) -> None:
        look = 0
        for text, *more in cells:
            look = more[0] if more else look
            for _ in range(more[1] if len(more) > 1 else 1):
                self.rows[row][column] = (text, look)
                column += 1

    def _grid_scroll(
        self, grid: int, top: int, bottom: int, left: int, right: int, by: int, *rest: Any
    ) -> None:
        rows = range(top, bottom - by) if by > 0 else range(bottom - 1, top - by - 1, -1)
        for row in rows:
            self.rows[row][left:right] = self.rows[row + by][left:right]
