// Builds the programs of the extension: those in the extension host and the one in the chat's webview.
import { statSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";

const MOST = 400_000; // bytes of the chat's program: it is read each time the chat is opened

const production = process.argv.includes("--production");
const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "inline",
  logLevel: "warning",
};

// What is imported on demand is a program of its own: the editor reads it only then.
const onDemand = {
  name: "on demand",
  setup: (made) =>
    made.onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${basename(path)}`, external: true } : undefined,
    ),
};

await build({
  ...common,
  entryPoints: { main: "src/main.ts", extension: "src/extension.ts", client: "src/server/client.ts" },
  outdir: "dist",
  platform: "node",
  target: "node18",
  format: "cjs",
  supported: { "dynamic-import": false }, // `require`, as in all else there
  external: ["vscode"],
  plugins: [onDemand],
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
