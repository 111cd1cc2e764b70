/** Where a path leads that a model wrote. */

import * as vscode from "vscode";

/**
 * A path is below the folder that its session works in, which may be a worktree, else below one of the opened
 * folders; there it may begin with the folder's name where there are several.
 */
export async function placeOf(path: string, worksIn?: vscode.Uri): Promise<vscode.Uri | undefined> {
  if (path.startsWith("/")) return vscode.Uri.file(path);
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [first, ...rest] = path.replace(/^\.\//, "").split("/");
  const named = folders.filter(({ name }) => rest.length > 0 && name === first);
  const places = [
    ...(worksIn ? [vscode.Uri.joinPath(worksIn, path)] : []),
    ...named.map(({ uri }) => vscode.Uri.joinPath(uri, ...rest)),
    ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, path)),
  ];
  for (const place of places) if (await isThere(place)) return place;
  return folders[0] && vscode.Uri.joinPath(folders[0].uri, path); // the editor says that there is no such file
}

function isThere(uri: vscode.Uri): Promise<boolean> {
  return Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );
}

/** Whether it is below this folder: a path that leads out of it again is not. */
export function isBelow(uri: vscode.Uri, folder: vscode.Uri | undefined): boolean {
  if (folder?.scheme !== uri.scheme) return false;
  return uri.path.startsWith(`${folder.path.replace(/\/$/, "")}/`) && !uri.path.split("/").includes("..");
}
