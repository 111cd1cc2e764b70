// A server of the revision 2026-07-28 only, made with the official TypeScript SDK: tools, a question to the user, a resource, a prompt.

import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const Thing = z.object({ thing: z.string() });
const Yes = z.object({ sure: z.boolean() });
const Parcel = z.object({
  size: z.enum(["small", "large"]).describe("How big it may be"),
  copies: z.number().int().min(1),
  gift: z.boolean().default(true),
  note: z.string().optional(),
});
const text = (words) => ({ content: [{ type: "text", text: words }] });

function shop() {
  const server = new McpServer({ name: "shop", version: "1.0.0" }, { instructions: "Weigh before you send." });
  const reads = { readOnlyHint: true };
  server.registerTool("weigh", { description: "Weighs a thing.", inputSchema: Thing, annotations: reads }, ({ thing }) => text(`${thing} weighs ${thing.length} g`));
  server.registerTool("send", { description: "Sends a thing.", inputSchema: Thing }, ({ thing }, context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "sure", Yes);
    if (given) return text(given.sure ? `${thing} was sent` : `${thing} stays here`);
    const question = inputRequired.elicit({ message: `Send the ${thing}?`, requestedSchema: Yes });
    return inputRequired({ inputRequests: { sure: question } });
  });
  server.registerTool("pack", { description: "Packs a thing." }, (context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "parcel", Parcel);
    if (given) return text(`${given.copies} ${given.size}, gift: ${given.gift}, note: ${given.note ?? "none"}`);
    const question = inputRequired.elicit({ message: "What parcel?", requestedSchema: Parcel });
    return inputRequired({ inputRequests: { parcel: question } });
  });
  server.registerResource("stock", "shop://stock", { description: "What there is." }, (uri) => ({ contents: [{ uri: uri.href, text: "3 apples" }] }));
  server.registerPrompt("order", { description: "Writes an order.", argsSchema: Thing }, ({ thing }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Write an order for one ${thing}.` } }],
  }));
  return server;
}

serveStdio(shop, { legacy: "reject" });
