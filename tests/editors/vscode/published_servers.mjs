// A published MCP server and one of the newest revision are called from the chat; the question of a server is a card.
//   node published_servers.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program), SERVERS (the words that start each server, as JSON).

import fs from "node:fs";
import { enter } from "./scene.mjs";
import { makeStage } from "./stage.mjs";

const calls = [
  { name: "mcp__every__get-sum", arguments: { a: 2, b: 3 } },
  { name: "mcp__shop__send", arguments: { thing: "apple" } },
];
const stage = makeStage([{ match: "Send it", turns: [{ calls }, { text: "It is sent." }] }]);
for (const [name, [command, ...words]] of Object.entries(JSON.parse(process.env.SERVERS))) {
  fs.appendFileSync(stage.env.AGLS_CONFIG, `[mcp.servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(words)}\n`);
}
const { bench, shot, say, play } = await enter({ stage, settings: { "agls.server.command": [process.env.AGLS] } });

async function serversAreCalled() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.showChat();
  await bench.prompt("Send it");
  await bench.allow(bench.chat.locator(".card").filter({ hasText: "get-sum" }));
  await bench.allow(bench.chat.locator(".card").filter({ hasText: "mcp__shop__send" }));
  const form = bench.chat.locator("form.card").filter({ hasText: "Send the apple?" });
  await form.waitFor();
  await shot("asked");
  await form.getByRole("checkbox").check();
  await form.getByRole("button", { name: "Answer" }).click();
  await bench.chat.getByText("It is sent.").waitFor();
  say("both were called");
}

async function resultsAreShown() {
  for (const [row, output] of [["get-sum", "The sum of 2 and 3 is 5."], ["send", "apple was sent"]]) {
    await bench.chat.locator(".tool").filter({ hasText: row }).first().click();
    await bench.chat.getByText(output).first().waitFor();
  }
  await shot("sent");
  say("what they answered can be opened");
}

await play(serversAreCalled, resultsAreShown);
