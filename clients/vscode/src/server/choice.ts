/** Which program is the server: pure, so that what a folder must not decide can be tested. */

export interface Choice {
  command: string;
  args: readonly string[];
  from: "setting" | "managed" | "path";
}

export interface Candidates {
  /** The user's own setting: a program and its arguments. */
  setting: readonly string[];
  /** The program in the environment that the extension made, "" when there is none. */
  managed: string;
  /** The program on the `PATH`, "" when there is none. */
  onPath: string;
}

const SERVE = ["serve", "--stdio"];

export function choose({ setting, managed, onPath }: Candidates): Choice | undefined {
  const [program, ...args] = setting;
  if (program) return { command: program, args: [...args, ...SERVE], from: "setting" };
  if (managed) return { command: managed, args: SERVE, from: "managed" };
  if (onPath) return { command: onPath, args: SERVE, from: "path" };
  return undefined;
}

/** The folders of a `PATH` that no opened folder has a say in: absolute ones outside of all of them. */
export function trustworthy(
  path: string,
  opened: readonly string[],
  delimiter: string,
  absolute: (folder: string) => boolean,
): string[] {
  const plain = (folder: string) => folder.replaceAll("\\", "/").replace(/\/$/, "");
  const roots = opened.map(plain);
  const within = (folder: string) => roots.some((root) => folder === root || folder.startsWith(`${root}/`));
  return path.split(delimiter).filter((folder) => absolute(folder) && !within(plain(folder)));
}
