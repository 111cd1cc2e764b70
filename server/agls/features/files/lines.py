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
    return [f"{number}\t{_cut(line, limit)}" for number, line in enumerate(lines, first)]


def _cut(line: str, limit: int) -> str:
    return line if len(line) <= limit else f"{line[:limit]}[… {len(line) - limit} more characters]"


def cut_around(line: str, other: str, limit: int) -> str:
    """The line; of a longer one than `limit` characters, what is around the first difference to another."""
    if len(line) <= limit:
        return line
    head = next((at for at, (one, two) in enumerate(zip(line, other, strict=False)) if one != two), 0)
    start = min(max(0, head - limit // 2), len(line) - limit)
    more = len(line) - start - limit
    before, behind = f"[{start} characters …] " * bool(start), f" [… {more} characters]" * bool(more)
    return f"{before}{line[start : start + limit]}{behind}"
