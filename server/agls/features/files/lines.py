"""What a line is: it ends with CR LF, LF or CR, as in LSP 3.17 (text documents)."""


def split_lines(text: str) -> list[str]:
    """The lines without their ends; a final line end begins no further line."""
    lines = flatten(text).split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def flatten(text: str) -> str:
    """The text with LF at the end of each line."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def numbered(lines: list[str], first: int, limit: int) -> list[str]:
    """Lines as the model sees them: number, tab, text; a line longer than `limit` characters is cut."""
    return [
        f"{number}\t{line if len(line) <= limit else _cut(line, limit)}"
        for number, line in enumerate(lines, first)
    ]


def _cut(line: str, limit: int) -> str:
    return f"{line[:limit]}[… {len(line) - limit} more characters]"
