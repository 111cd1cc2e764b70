/** Programs on the `PATH`, without those that an opened folder brings. */

import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { trustworthy } from "./choice";

const run = promisify(execFile);
export const WINDOWS = process.platform === "win32";
const PYTHONS = ["python3.14", "python3.13", "python3.12", "python3.11", "python3", "python"];
const FITS = "import sys, venv, ensurepip; print(sys.version_info >= (3, 11))";

/** The first program of this name, "" when there is none. */
export async function onPath(name: string): Promise<string> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  const path = process.env["PATH"] ?? "";
  for (const folder of trustworthy(path, [...folders, ...real], delimiter, isAbsolute)) {
    const program = join(folder, WINDOWS ? `${name}.exe` : name);
    if (await isProgram(program)) return program;
  }
  return "";
}

export async function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The user's Python, or the newest on the `PATH`, that can make an environment for the server; "" when none can. */
export async function python(named: string): Promise<string> {
  const found = named ? [named] : await Promise.all(PYTHONS.map((name) => onPath(name)));
  for (const program of found.filter(Boolean)) {
    const found = await run(program, ["-I", "-c", FITS]).catch(() => undefined);
    if (found?.stdout.trim() === "True") return program;
  }
  return "";
}
