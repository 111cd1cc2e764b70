/** The capabilities that the client declares in `initialize`, and those of the server that it does not use. */

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
  diagnostics: {},
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
