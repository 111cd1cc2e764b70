// The frame of every session in a real VS Code: the editor is entered, the steps are gone, and all of it is left again.
// A step that fails tells what was on the screen.
// Environment: CODE_SERVER, CHROMIUM, VSIX. The first argument of the driver is a folder for screenshots.

import fs from "node:fs";
import path from "node:path";
import { startCodeServer } from "./code_server.mjs";
import { makeStage } from "./stage.mjs";
import { Workbench } from "./workbench.mjs";

const LAST = 4000; // characters of the server's log

/** What the extension and its server wrote into their output channel, in all windows. */
function extensionLog(home) {
  const folder = path.join(home, "data", "logs");
  const names = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true }) : [];
  const files = names.filter((name) => name.endsWith("agls.log")).map((name) => path.join(folder, name));
  return files.map((file) => fs.readFileSync(file, "utf8")).join("\n");
}

/**
 * Enters an editor in which the package was installed, with the folder of `stage` open. `options` go to the
 * editor. Gives the workbench; `shot` makes a picture, `say` tells how far it is, `play` goes the steps and leaves,
 * `configure` changes settings.
 */
export async function enter({ stage = makeStage(), viewport, ...options }) {
  const [folder] = process.argv.slice(2);
  const begun = Date.now();
  const seconds = () => (Date.now() - begun) / 1000;
  const say = (what) => console.log(`${seconds().toFixed(1).padStart(6)} s  ${what}`);
  let server;
  let bench;

  async function leave() {
    await bench?.close();
    await server?.stop();
    stage.remove();
  }
  async function shot(name) {
    if (!folder) return;
    fs.mkdirSync(folder, { recursive: true });
    await bench.page.mouse.move(5, 5);
    await bench.page.screenshot({ path: path.join(folder, `${name}.png`) });
  }
  async function play(...steps) {
    try {
      for (const step of steps) await step();
    } catch (problem) {
      console.error(`on the screen:\n${await bench.seen().catch(String)}\n\nthe editor's log:\n${server.log().slice(-LAST)}\n\nthe extension's:\n${extensionLog(server.home).slice(-LAST)}`);
      await shot("failed").catch(() => undefined);
      throw problem;
    } finally {
      await leave();
    }
    say("passed");
  }

  try {
    const install = `code --install-extension '${process.env.VSIX}'`;
    server = await startCodeServer({ workspace: stage.workspace, install, env: stage.env, ...options });
    bench = await Workbench.open(server, viewport);
  } catch (problem) {
    if (server) console.error(server.log().slice(-LAST));
    await leave();
    throw problem;
  }
  say("the folder is open");
  return { bench, stage, shot, say, seconds, play, configure: server.configure };
}
