// An MCP server that starts slowly and fails is shown above the prompt, and is used once it was restarted.
//   node mcp_status.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import fs from "node:fs";
import path from "node:path";
import { enter } from "./scene.mjs";
import { makeStage } from "./stage.mjs";

const stage = makeStage();
const mended = path.join(stage.folder, "mended");
const program = path.resolve(import.meta.dirname, "../../support/mcp_program.py");
const command = `sleep 3; test -e ${mended} && exec ${path.resolve(process.env.AGLS, "../python")} ${program} ${stage.folder}`;
fs.appendFileSync(stage.env.AGLS_CONFIG, `[mcp.servers.notes]\ncommand = "sh"\nargs = ["-c", ${JSON.stringify(command)}]\n`);

const { bench, shot, say, play } = await enter({ stage, settings: { "agls.server.command": [process.env.AGLS] } });
const rows = bench.chat.getByRole("list", { name: "MCP servers that cannot be used" });
const line = bench.chat.locator(".servers");

async function serverFails() {
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  await bench.showChat();
  await bench.prompt("What do you see");
  await line.getByText("Starting MCP servers: notes").waitFor();
  await shot("starting");
  await bench.chat.getByText("I have looked.").waitFor();
  await line.getByText("MCP server unavailable: notes").click();
  await rows.getByText("notes:").waitFor();
  await shot("failed-server");
  say("it is shown while it starts, and why it cannot be used");
}

async function serverIsRestarted() {
  fs.writeFileSync(mended, "");
  await rows.getByRole("button", { name: "Restart" }).click();
  await line.waitFor({ state: "detached" });
  say("once it runs nothing is said of it");
}

await play(serverFails, serverIsRestarted);
