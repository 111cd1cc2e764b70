// @vitest-environment jsdom
/** The output of a command in the page: its colours, and nothing else of what a terminal would do. */

import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, expect, test } from "vitest";
import { runsOf, shownOutput } from "../../src/store/colours";
import { OutputText } from "../../src/webview/output_text";

const root = () => document.getElementById("root") as HTMLElement;
beforeEach(() => {
  document.body.innerHTML = "<div id='root'></div>";
});

function shown(text: string): HTMLElement {
  void act(() => render(<OutputText text={text} />, root()));
  return root();
}

test("colours are those of the theme's terminal, or the program's own", () => {
  expect(shown("\x1b[1;32mgreen\x1b[0m <b>").innerHTML).toBe(
    '<span class="bold front" style="--front: var(--vscode-terminal-ansiGreen);">green</span> &lt;b&gt;',
  );
  const styles = runsOf(
    "\x1b[91ma\x1b[38;5;9mb\x1b[38;5;208mc\x1b[48;2;1;2;300md\x1b[39me\x1b[38;5;255mf\x1b[0mg",
  );
  expect(styles.map(({ style }) => [style.fg, style.bg])).toEqual([
    [9, undefined],
    [9, undefined],
    ["rgb(255, 135, 0)", undefined],
    ["rgb(255, 135, 0)", "rgb(1, 2, 255)"],
    [undefined, "rgb(1, 2, 255)"],
    ["rgb(238, 238, 238)", "rgb(1, 2, 255)"],
    [undefined, undefined],
  ]);
  const [inverse] = shown("\x1b[7;31mx\x1b[0m").querySelectorAll("span");
  expect(inverse?.className).toBe("back");
  expect(runsOf("\x1b[1;2;3;4;31;41mx\x1b[22;23;24;39;49my").at(-1)).toEqual({ text: "y", style: {} });
});

test("nothing else of a terminal happens", () => {
  const page = shown(
    "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\ \x1b[2J<img src=x>├──\u00a0a\u202eb\u0007",
  );
  expect(page.querySelector("a, img, script")).toBeNull();
  expect(page.textContent).toContain("├──\u00a0a⟨U+202E⟩b⟨U+0007⟩");
  expect(shown("10 %\r50 %\r100 %\ndone\r\n").textContent).toBe("100 %\ndone\n");
  expect(shown("x".repeat(100_000)).textContent.length).toBeLessThan(70_000);
  const lines = "\x1b[31mred\x1b[0m\n".repeat(10_000);
  expect(shown(lines).textContent).toMatch(/^… \d+ characters above …\nred\nred/);
});

test("colours are shown of the same output only", () => {
  expect(shownOutput("a b", "\x1b[31ma\x1b[0m b")).toBe("\x1b[31ma\x1b[0m b");
  expect(shownOutput("a b", "\x1b[31ma\x1b[0m")).toBe("a b");
  expect(shownOutput("a b", "\x1b[31ma b\x1b[3")).toBe("a b");
  expect(shownOutput("a b", undefined)).toBe("a b");
});
