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
  codeQuery: {},
  notebooks: {},
  languageModels: {},
};

export class Abilities implements StaticFeature {
  /** `completes`: the user wants suggestions while they type. */
  constructor(private readonly completes: boolean) {}

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), agent: OURS };
  }

  /** What the server has for clients without our views: here its commands and code actions would stand twice. */
  preInitialize(capabilities: ServerCapabilities): void {
    delete capabilities.executeCommandProvider;
    delete capabilities.codeActionProvider;
    if (!this.completes) delete capabilities.inlineCompletionProvider; // else each key would be a request
  }

  initialize(): void {}

  getState(): FeatureState {
    return { kind: "static" };
  }

  clear(): void {}
}
