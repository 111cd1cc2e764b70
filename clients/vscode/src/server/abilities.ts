/** What this client can, told to the server when both say hello; and what it does not want of the server. */

import type {
  ClientCapabilities,
  FeatureState,
  ServerCapabilities,
  StaticFeature,
} from "vscode-languageclient/node";
import type { ClientBlock } from "../protocol.gen";

const OURS: ClientBlock = {
  protocolVersions: [1],
  events: { coalesceMs: 16 }, // a frame of the screen
  permission: { remember: {}, editInput: {} },
  askUser: { form: {} },
  edits: { save: {} },
  secrets: {},
};

export class Abilities implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), agent: OURS };
  }

  /** Commands and code actions of the server are for clients without our views; here they would stand twice. */
  preInitialize(capabilities: ServerCapabilities): void {
    delete capabilities.executeCommandProvider;
    delete capabilities.codeActionProvider;
  }

  initialize(): void {}

  getState(): FeatureState {
    return { kind: "static" };
  }

  clear(): void {}
}
