/** The page of the chat: nothing of it comes from elsewhere, and nothing in it runs but our own script. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

export function pageOf(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(24).toString("base64url");
  const local = (name: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(extension, "dist", name)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
    "img-src data:",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${local("chat.css")}">
<title>agls</title>
</head>
<body>
<main id="chat"></main>
<script nonce="${nonce}" src="${local("chat.js")}"></script>
</body>
</html>`;
}
