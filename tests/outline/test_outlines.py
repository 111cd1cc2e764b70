"""The symbols that each grammar finds, and texts that no grammar likes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from agls.outline.program import KINDS, outline

NAMES = {number: name for name, number in KINDS.items()}
TEXTS: Mapping[str, tuple[str, str]] = {
    "python": (
        "LIMIT = 1\n\n@cache\nclass Shop(Priced):\n    rate: int = 3\n\n    async def price(self):\n"
        "        def inner(): ...\n\nif LIMIT:\n    def total(): ...\n",
        "variable LIMIT, class Shop, -field rate, -method price, --function inner, function total",
    ),
    "javascript": (
        "export const a = () => 1;\nclass B { #p = 1; m() {} static get x() { return 1 } }\n"
        "export default function g() {}\nconst o = { h() {}, i: function() {} };\n"
        "module.exports.z = function() {};\nlet k = class {};\n",
        "function a, class B, -property #p, -method m, -method x, function g, variable o, -method h, "
        "-method i, function z, class k",
    ),
    "typescript": (
        "export interface Priced { price(): number; rate: number }\n"
        "export abstract class Shop { constructor(private a: number) {} price() { return 1 } "
        "abstract x(): void }\n"
        "type T = string; enum E { A } namespace N { export function f() {} }\n"
        "export const total = (items: number[]) => 1; const V = 3; declare function dd(): void;\n",
        "interface Priced, -method price, -property rate, class Shop, -method constructor, -method price, "
        "-method x, type T, enum E, namespace N, -function f, function total, variable V, function dd",
    ),
    "tsx": ("export const App = () => <div>{1 as number}</div>;\n", "function App"),
    "go": (
        "package p\ntype T struct{ a int }\ntype I interface { M() }\ntype A = int\nfunc (t *T) M() {}\n"
        "func F() {}\nconst C = 1\nvar (\n\tv = 2\n)\n",
        "struct T, interface I, -method M, type A, method M, function F, constant C, variable v",
    ),
    "rust": (
        "pub struct S<T> { a: T }\nenum E { A }\ntrait Tr { fn t(&self); }\n"
        "impl<T> Tr for S<T> { fn t(&self) {} }\n"
        "mod m { fn f() {} }\nmacro_rules! mm { () => {} }\nconst C: i32 = 1;\nfn main() {}\n",
        "struct S, enum E, interface Tr, -method t, object S, -method t, module m, -function f, function mm, "
        "constant C, function main",
    ),
    "c": (
        "#define MAX(a) (a)\nstruct S { int a; };\ntypedef struct { int b; } T;\nenum E { A1 };\n"
        "int total(int count);\nstatic int *ptr(void) { return 0; }\nint glob = 3;\n"
        "typedef int (*fn)(int);\n",
        "function MAX, struct S, type T, enum E, function total, function ptr, variable glob, type fn",
    ),
    "cpp": (
        "namespace ns {\nclass K : public B {\n public:\n  K();\n  int f() { return 1; }\n  int data;\n};\n"
        "template <typename T> T tmpl(T a) { return a; }\n}\nvoid ns::K::m() const {}\nusing Al = int;\n",
        "namespace ns, -class K, --method K, --method f, --field data, -function tmpl, function ns::K::m, "
        "type Al",
    ),
    "java": (
        "package p;\npublic class Shop implements Priced {\n  int rate;\n  Shop() {}\n"
        "  public int price() { return 1; }\n"
        "  enum E { A }\n  record R(int a) {}\n}\ninterface In { void q(); }\n",
        "class Shop, -field rate, -constructor Shop, -method price, -enum E, -class R, interface In, "
        "-method q",
    ),
}


def shown(rows: Sequence[dict[str, Any]], depth: int = 0) -> Iterator[str]:
    for row in rows:
        yield f"{'-' * depth}{NAMES[row['kind']]} {row['name']}"
        yield from shown(row["children"], depth + 1)


@pytest.mark.parametrize("grammar", TEXTS)
def test_symbols_of_a_language_are_found_and_nested(grammar: str) -> None:
    text, expected = TEXTS[grammar]
    assert ", ".join(shown(outline(grammar, text))) == expected


@pytest.mark.parametrize("grammar", TEXTS)
def test_text_with_errors_keeps_the_symbols_that_are_whole(grammar: str) -> None:
    text, expected = TEXTS[grammar]
    found = ", ".join(shown(outline(grammar, f"{text}\n}} ) ( ]]\n")))
    assert expected.split(", ")[0] in found
    assert outline(grammar, "\x00\ufffd(((((") is not None
    assert outline(grammar, "") == []


def test_ranges_are_lines_of_the_editor_and_columns_in_utf_16() -> None:
    """However lines end, also where a character takes two units, and a definition ends with its line."""
    (row,) = outline("c", "int a;\r\n/* \U0001f600 */ int total(void) {\r  return 1;\n}\n")[1:]
    assert row["range"] == {"start": {"line": 1, "character": 9}, "end": {"line": 3, "character": 1}}
    assert row["selectionRange"]["start"] == {"line": 1, "character": 13}
    (macro,) = outline("c", "#define MAX(a) (a)\nint")
    assert macro["range"]["end"] == {"line": 0, "character": 18}
