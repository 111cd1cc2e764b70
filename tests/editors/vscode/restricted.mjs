// A folder in Restricted Mode that wants to choose what the agent may do: it has no say, and nothing of it is run.
//   node restricted.mjs [FOLDER FOR SCREENSHOTS]
// Environment: CODE_SERVER, CHROMIUM, VSIX, AGLS (the program).

import { enter } from "./scene.mjs";

const settings = { "agls.server.command": [process.env.AGLS] };
const { bench, shot, say, play } = await enter({ settings, trusted: false });

async function folderIsRestricted() {
  await bench.page.locator('.statusbar-item[aria-label*="Restricted Mode"]').waitFor();
  await bench.page.locator('.statusbar-item[aria-label*="agls: ready"]').waitFor();
  say("the folder is in Restricted Mode, and the server runs");
}

async function modeIsTheUsers() {
  await bench.showChat();
  await bench.chat.getByRole("button", { name: "Mode: Ask first" }).waitFor();
  await bench.chat.getByRole("button", { name: "Model: play", exact: true }).waitFor();
  await bench.prompt("Run two lines");
  await bench.chat.getByRole("group", { name: /^Permission: Run/ }).waitFor();
  await bench.chat.getByRole("button", { name: "Mode: Ask first" }).waitFor();
  await shot("asked");
  await bench.chat.getByRole("button", { name: "Reject" }).click();
  await bench.chat.getByText("It ran.").waitFor();
  await bench.chat.locator(".tool.rejected").waitFor();
  say("a new session asks, whatever the folder's settings say");
}

await play(folderIsRestricted, modeIsTheUsers);
