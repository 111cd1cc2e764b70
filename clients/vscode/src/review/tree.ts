/** The change set as a list of files. */

import * as vscode from "vscode";
import { byFile, statOf } from "./hunks";
import type { Review } from "./review";

export class Files implements vscode.TreeDataProvider<string>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly watching: vscode.Disposable;

  constructor(private readonly review: Review) {
    const view = vscode.window.createTreeView("agls.review", { treeDataProvider: this });
    this.watching = vscode.Disposable.from(
      view,
      review.onChange(() => {
        const count = review.hunks.length;
        view.badge = count > 0 ? { value: count, tooltip: `${count} changes to review` } : undefined;
        this.changed.fire();
      }),
    );
  }

  getChildren(uri?: string): string[] {
    return uri ? [] : [...byFile(this.review.hunks).keys()];
  }

  getTreeItem(uri: string): vscode.TreeItem {
    const resource = vscode.Uri.parse(uri);
    const { added, removed } = statOf(this.review.of(resource));
    const item = new vscode.TreeItem(resource);
    item.description = `+${added} −${removed}`;
    item.tooltip = vscode.workspace.asRelativePath(resource);
    item.command = { command: "agls.review.diff", title: "Compare with before", arguments: [uri] };
    return item;
  }

  dispose(): void {
    this.watching.dispose();
    this.changed.dispose();
  }
}
