"""The table of model servers in `docs/models.md`, made from the exchanges that the tests read.

`scripts/models-table` writes it; `tests/models/test_table.py` says when that was forgotten.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from support.model_overflows import OVERFLOWS
from support.model_recordings import Exchange, own, recorded

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
BEGIN, END = "<!-- made by scripts/models-table -->\n", "<!-- end of what is made -->\n"
COLUMNS = ("text", "reasoning", "tools", "parallel tools", "usage", "overflow", "errors")
Rows = dict[tuple[str, str], set[str]]
RECORDED, OWN, NOTHING = "●", "○", "·"
NAMES = {
    "azure": "Azure OpenAI",
    "openai": "OpenAI",
    "xai": "xAI",
    "zai": "Z.ai",
    "moonshot": "Kimi",
    "minimax": "MiniMax",
    "deepseek": "DeepSeek",
    "openrouter": "OpenRouter",
    "huggingface": "Hugging Face",
    "vllm": "vLLM",
    "lmstudio": "LM Studio",
    "llama.cpp": "llama.cpp",
    "gpustack": "GPUStack",
    "gemini-openai": "Gemini, OpenAI-compatible",
    "openai-compatible": "other proxies",
    "vercel-gateway": "Vercel AI Gateway",
    "watsonx": "watsonx",
}


def shows(expected: dict[str, Any]) -> set[str]:
    """The columns that an exchange is an example of."""
    error: Any = expected["error"]
    usage: dict[str, Any] = expected["usage"] or {}
    calls = [call for call in expected["tool_calls"] if call["name"]]
    has = {
        "text": expected["text"] or expected["refusal"],
        "reasoning": expected["reasoning"] or "think_split" in expected,
        "tools": calls,
        "parallel tools": len(calls) > 1,
        "usage": any(count is not None for count in usage.values()),
        "overflow": error and error["kind"] == "context_overflow",
        "errors": error and error["kind"] != "context_overflow",
    }
    return {column for column in COLUMNS if has[column]}


def rows(exchanges: Iterable[Exchange]) -> Rows:
    """What is shown by server: its name and its dialect."""
    found: Rows = {}
    for exchange in exchanges:
        name = NAMES.get(exchange.provider, exchange.provider.capitalize())
        found.setdefault((name, exchange.dialect), set()).update(shows(exchange.expected))
    return found


def with_overflows(made: Rows, seen: Rows) -> Rows:
    """These, and the words that are known of each provider for an overflow (tried in each dialect)."""
    for name in OVERFLOWS:
        for key in [key for key in {*made, *seen} if key[0] == name] or [(name, "chat")]:
            made.setdefault(key, set()).add("overflow")
    return made


def table() -> str:
    """The table as Markdown. Without the recordings, what they show is taken from the page."""
    seen = rows(recorded()) or seen_in_page()
    made = with_overflows(rows(own()), seen)
    lines = [f"| server | dialect | {' | '.join(COLUMNS)} |", f"|---|---|{':-:|' * len(COLUMNS)}"]
    for key in sorted({*seen, *made}, key=lambda key: (key[0].lower(), key[1])):
        marks = (
            RECORDED if column in seen.get(key, ()) else OWN if column in made.get(key, ()) else NOTHING
            for column in COLUMNS
        )
        lines.append(f"| {key[0]} | {key[1]} | {' | '.join(marks)} |")
    return "\n".join(lines) + "\n"


def in_page() -> str:
    """The table as it stands in the page."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def seen_in_page() -> Rows:
    """What the recordings show, as the page has it."""
    found: Rows = {}
    for line in in_page().splitlines()[2:]:
        name, dialect, *marks = line.strip("| ").split(" | ")
        if seen := {column for column, mark in zip(COLUMNS, marks, strict=True) if mark == RECORDED}:
            found[name, dialect] = seen
    return found


def write() -> None:
    """Put the table into the page and print it."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + rest.partition(END)[2], encoding="utf-8")
    sys.stdout.write(in_page())


if __name__ == "__main__":
    write()
