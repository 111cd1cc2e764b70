// Builds the two programs of the extension: the one in the extension host and the one in the chat's webview.
import { statSync } from "node:fs";
import { build } from "esbuild";

const MOST = 400_000; // bytes of the chat's program: it is read each time the chat is opened

const production = process.argv.includes("--production");
const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "inline",
  logLevel: "warning",
};

await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  target: "node18",
  format: "cjs",
  external: ["vscode"],
});
await build({
  ...common,
  entryPoints: { chat: "src/webview/main.tsx" },
  outdir: "dist",
  platform: "browser",
  target: "es2022",
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".ttf": "file" },
  assetNames: "[name]",
  alias: { entities: "entities/lib/decode.js" }, // all that markdown-it asks of it
});

const { size } = statSync("dist/chat.js");
if (production && size > MOST) throw new Error(`dist/chat.js has ${size} bytes, more than ${MOST}`);
