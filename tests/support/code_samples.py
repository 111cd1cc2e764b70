"""A small shop in three languages, and where real language servers for them are."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = (ROOT / ".venv/bin", ROOT / "clients/vscode/node_modules/.bin")
PYTHON = {
    "shop.py": '''\
class Priced:
    def price(self) -> int:
        raise NotImplementedError


class Shop(Priced):
    def price(self) -> int:
        return total([1, 2])


def total(items: list[int]) -> int:
    """Add them up."""
    return sum(items)
''',
    "main.py": """\
from shop import Shop, total

print(total([3]), Shop().price())
wrong: int = "no"
""",
}
TYPESCRIPT = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "types": []}, "include": ["*.ts"]}\n',
    "shop.ts": """\
export interface Priced {
  price(): number;
}
export class Shop implements Priced {
  price(): number {
    return total([1, 2]);
  }
}
/** Add them up. */
export function total(items: number[]): number {
  return items.reduce((sum, item) => sum + item, 0);
}
""",
    "main.ts": """\
import { Shop, total } from "./shop";

export const all: number = total([3]) + new Shop().price();
export const wrong: number = "no";
""",
}
C = {
    "compile_flags.txt": "-std=c11\n",
    "shop.c": """\
/** Add them up. */
int total(int count, const int *items) {
  int sum = 0;
  while (count > 0) sum += items[--count];
  return sum;
}

int price(void) {
  const int items[] = {1, 2};
  return total(2, items);
}

int *wrong = "no";
""",
}
LANGUAGES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "python": ("pyright-langserver", PYTHON),
    "typescript": ("typescript-language-server", TYPESCRIPT),
    "c": ("clangd", C),
}


def server_of(language: str) -> str:
    """Return the path of a real language server; a test without it is skipped, and says why."""
    program, _ = LANGUAGES[language]
    found = [folder / program for folder in TOOLS if os.access(folder / program, os.X_OK)]
    if not found:
        pytest.skip(f"{program} is not installed: scripts/setup dev installs it")
    return str(found[0])


def plant(root: Path, language: str) -> None:
    """Write the files of a language."""
    for name, text in LANGUAGES[language][1].items():
        (root / name).write_text(text)
