/** MCP servers that start, or that cannot be used: above the prompt, as long as it is so. */

import type { McpServer } from "../protocol.gen";
import { Button } from "./button";
import { Icon } from "./icon";
import type { Model } from "./model";
import { visible } from "./visible";

export function Servers({ model }: { model: Model }) {
  const { servers } = model.transcript;
  const starting = servers.filter(({ status }) => status === "connecting");
  const away = servers.filter(isAway);
  if (starting.length + away.length === 0) return null;
  if (away.length === 0)
    return (
      <div class="docked servers" role="status">
        <Icon name="loading" spins /> Starting MCP servers: {namesOf(starting)}…
      </div>
    );
  return (
    <details class="docked servers">
      <summary>
        <Icon name="warning" />
        <span class="what">
          {away.length === 1 ? "MCP server" : "MCP servers"} unavailable: {namesOf(away)}
        </span>
      </summary>
      <ul aria-label="MCP servers that cannot be used">
        {away.map((server) => (
          <Away key={server.name} server={server} />
        ))}
      </ul>
    </details>
  );
}

function Away({ server: { name, status, message = "", needsLogin, needsInput } }: { server: McpServer }) {
  const why = needsLogin ? "you are not logged in" : message || "it does not answer";
  return (
    <li>
      <span class="what">
        {visible(name)}: <span class="faint">{visible(why)}</span>
      </span>
      {needsInput ? (
        <Button message={{ type: "mcp", action: "mcp.input", server: name, input: needsInput }}>
          Give input…
        </Button>
      ) : needsLogin ? (
        <Button message={{ type: "mcp", action: "mcp.login", server: name }}>Log in</Button>
      ) : (
        status === "failed" && (
          <Button message={{ type: "mcp", action: "mcp.restart", server: name }}>Restart</Button>
        )
      )}
      {(status !== "stopped" || needsInput) && (
        <Button message={{ type: "mcp", action: "mcp.disable", server: name }}>Switch off</Button>
      )}
    </li>
  );
}

/** Something keeps it from being used. One that is only not started needs nobody. */
function isAway({ status, message, needsLogin }: McpServer): boolean {
  return needsLogin === true || status === "failed" || (status === "stopped" && !!message);
}

function namesOf(servers: readonly McpServer[]): string {
  return visible(servers.map(({ name }) => name).join(", "));
}
