// Names the Lua files that StyLua would write otherwise: `node format.mjs MODULE [--write] FILES`.

import fs from "node:fs";
import { createRequire } from "node:module";

const [module, ...given] = process.argv.slice(2);
const stylua = createRequire(import.meta.url)(module);
const write = given[0] === "--write";
for (const file of write ? given.slice(1) : given) {
  const config = stylua.Config.new(); // formatCode takes it away
  config.column_width = 120;
  config.indent_type = stylua.IndentType.Spaces;
  config.indent_width = 2;
  const text = fs.readFileSync(file, "utf8");
  const formatted = stylua.formatCode(text, config, undefined, stylua.OutputVerification.None);
  if (formatted === text) continue;
  console.log(file);
  if (write) fs.writeFileSync(file, formatted);
}
