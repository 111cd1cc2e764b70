// An MCP server that starts slowly and fails is shown above the prompt, and is used once it was restarted.
// One that lacks what its file asks of the user is shown with a button that takes it.
//   node mcp_status.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { enter } from "./scene.mjs";
import { makeStage } from "./stage.mjs";

const stage = makeStage();
const mended = path.join(stage.folder, "mended");
const program = path.resolve(import.meta.dirname, "../../support/mcp_program.py");
const command = `sleep 3; test -e ${mended} && exec ${path.resolve(process.env.AGLS, "../python")} ${program} ${stage.folder}`;
fs.appendFileSync(stage.env.AGLS_CONFIG, `[mcp.servers.notes]\ncommand = "sh"\nargs = ["-c", ${JSON.stringify(command)}]\n`);

const SECRET = "open sesame";
const got = path.join(stage.folder, "got");
const line = `printf '%s %s' "$TOKEN" "$1" > ${got}; exec ${path.resolve(process.env.AGLS, "../python")} ${program} ${stage.folder}`;
const shop = { command: "sh", args: ["-c", line, "sh", "${input:place}"], env: { TOKEN: "${input:token}" } };
const inputs = [
  { id: "token", type: "promptString", description: "Token of the shop", password: true },
  { id: "place", type: "pickString", description: "Where it is", options: ["east", "west"] },
];

const { bench, shot, say, play } = await enter({ stage, settings: { "agls.server.command": [process.env.AGLS] } });
const rows = bench.chat.getByRole("list", { name: "MCP servers that cannot be used" });
const above = bench.chat.locator(".servers");

async function serverFails() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.showChat();
  await bench.prompt("What do you see");
  await above.getByText("Starting MCP servers: notes").waitFor();
  await shot("starting");
  await bench.chat.getByText("I have looked.").waitFor();
  await above.getByText("MCP server unavailable: notes").click();
  await rows.getByText("notes:").waitFor();
  await shot("failed-server");
  say("it is shown while it starts, and why it cannot be used");
}

async function serverIsRestarted() {
  fs.writeFileSync(mended, "");
  await rows.getByRole("button", { name: "Restart" }).click();
  await above.waitFor({ state: "detached" });
  say("once it runs nothing is said of it");
}

/** The input that is asked for, in a card with this title. */
const form = (title) => bench.chat.locator("form.card").filter({ hasText: title });

async function inputIsGivenLater() {
  fs.writeFileSync(path.join(stage.workspace, ".vscode", "mcp.json"), JSON.stringify({ inputs, servers: { shop } }));
  await bench.command("agls: New Session");
  await bench.prompt("What do you see");
  await bench.allow(bench.chat.locator(".card").filter({ hasText: "Use the server shop" }));
  await form("Token of the shop").getByRole("button", { name: "Decline" }).click();
  await bench.chat.getByText("I have looked.").waitFor();
  await above.getByText("MCP server unavailable: shop").click();
  await rows.getByText("nobody gave the input token").waitFor();
  await shot("lacks-input");
  await rows.getByRole("button", { name: "Give input…" }).click();
  const token = form("Token of the shop").locator("input[type=password]");
  await bench.fill(token, SECRET);
  await token.press("Enter");
  await rows.getByText("nobody gave the input token").waitFor({ state: "detached" });
  await rows.getByRole("button", { name: "Give input…" }).click();
  await form("Where it is").getByLabel("west").check();
  await form("Where it is").getByRole("button", { name: "Answer" }).click();
  await above.waitFor({ state: "detached" });
  assert.equal(fs.existsSync(got), false, "it begins with the next run only");
  await bench.prompt("Explain this code");
  await bench.allow(bench.chat.locator(".card").filter({ hasText: "Use the server shop" }));
  await bench.until("it has what was given", () => fs.existsSync(got) && fs.readFileSync(got, "utf8") === `${SECRET} west`);
  say("what a server lacks is given by the button beside it, and handed over");
}

await play(serverFails, serverIsRestarted, inputIsGivenLater);
