// Generated from the protocol's schema (`python protocol/generate.py`): do not edit.
// Strings that name a kind are open, and unknown members are ignored (protocol/README.md).

export const PROTOCOL_VERSION = 1;

/** The client has taken in the events of a session up to fact `seq`, and what was shown behind it. */
export interface AckParams {
  sessionId: string;
  seq: number;
}

/** Something the user can do; `slash` is how it is written in a prompt, `when` is idle, running or any. `group` is the heading under which it stands. */
export interface Action {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  slash: string;
  when: string;
  group?: string;
}

/** Does it; `input` is what its `inputSchema` describes. */
export interface ActionInvokeParams {
  sessionId: string;
  name: string;
  input?: Record<string, unknown>;
  clientKey?: string;
}

/** What came of it: `output` for people, `data` for programs, `runId` when it began a run. */
export interface ActionInvokeResult {
  output: Content[];
  data?: Record<string, unknown>;
  runId?: string;
}

/** The actions of a session; without one, those that a new session of the open folder would have. */
export interface ActionListParams {
  sessionId?: string;
}

/** The actions, in their order. */
export interface ActionListResult {
  actions: Action[];
}

/** The answer is complete, and how it ended (`finish`: stop, length or refusal); or why there is none. */
export interface AskLanguageModelAnswer {
  finish?: string;
  error?: LanguageModelFailure;
}

/** `agent/languageModel/ask`: the client asks its `model`, and sends the answer in pieces. */
export interface AskLanguageModelParams {
  requestId: string;
  model: string;
  system: string;
  messages: AskedMessage[];
  tools?: OfferedTool[];
  maxOutputTokens?: number;
}

/** `accept` with `content`, `decline`, or `cancel`. */
export interface AskUserAnswer {
  outcome: string;
  content?: Record<string, unknown>;
}

/** `agent/askUser`: `mode` form, to fill in (`schema` is a restricted JSON Schema), or url, to open. An address is opened in a browser only when the user wants that; `accept` says that they are done there. */
export interface AskUserParams {
  requestId: string;
  sessionId: string;
  runId: string;
  agentId: string;
  message: string;
  schema: Record<string, unknown>;
  mode?: string;
  itemId?: string;
  url?: string;
}

/** The client answers `agent/askUser`: forms, addresses to open. */
export interface AskUserSkills {
  form?: Marker;
  url?: Marker;
}

/** A message: its `role` is user or assistant, its `content` a list of parts by `type`. The parts are `text` (`text`), `image` (`data`, `mimeType`), `toolCall` (`callId`, `name`, `input`) and `toolResult` (`callId`, `text`). */
export interface AskedMessage {
  role: string;
  content: Record<string, unknown>[];
}

/** A call that the model wants, whole. */
export interface AskedToolCall {
  callId: string;
  name: string;
  input: Record<string, unknown>;
}

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/** `output` is content blocks or a bare string. */
export interface CallToolAnswer {
  output?: Content[] | string;
  isError?: boolean;
}

/** `agent/callTool`: a call of a tool that the client offered; `itemId` is the call. */
export interface CallToolParams {
  sessionId: string;
  itemId: string;
  name: string;
  input: Record<string, unknown>;
}

/** The words for the calls of one tool: "Read" and "Reading", before what a call is about. `kind` groups tools that look alike to people; `about` is the argument that says what a call is about. */
export interface CallWords {
  name: string;
  done: string;
  doing: string;
  kind: "read" | "search" | "edit" | "command" | "web" | "plan" | "helper" | "question" | "other";
  about?: string;
}

/** `queued` (keep or drop), `tasks` (keep or stop): what else ends; `reason` is in the end's event. */
export interface CancelParams {
  sessionId: string;
  runId?: string;
  queued?: "keep" | "drop";
  tasks?: "keep" | "stop";
  reason?: string;
}

/** `state` is cancelling, notRunning or alreadyEnded; `kept` and `dropped` are waiting runs. `keptTasks` and `stoppedTasks` are background tasks, where there are any; the latter end in a moment. */
export interface CancelResult {
  state: string;
  kept: string[];
  dropped: string[];
  runId?: string;
  keptTasks?: string[];
  stoppedTasks?: string[];
}

/** One file as a tool call changed it; `patch` is a unified diff, `cells` one of a notebook's cells. */
export interface Change {
  uri: string;
  change: "added" | "modified" | "deleted";
  base: FileVersion;
  result: FileVersion;
  patch: string;
  via: "editor" | "disk";
  cells?: string;
}

/** The contents of these `files` (URIs) before a call, a command or a restore (`reason`) are kept. `checkpointId` is that call, for the action `checkpoint.diff`, or the restore, which it undoes. The event of a restore comes when the restore begins, without files, and again with each file. */
export interface CheckpointData {
  checkpointId: string;
  reason: string;
  files: string[];
}

/** What the client can. `protocolVersions` is best first; absent means `[1]`. `secrets`: it answers `agent/secret`. `diagnostics`: it answers `agent/diagnostics`. `codeQuery`: it answers `agent/codeQuery`. `notebooks`: it answers `agent/notebook` and `agent/editNotebook`. `languageModels`: it answers `agent/languageModel/ask`. */
export interface ClientBlock {
  protocolVersions?: number[];
  events?: EventWishes;
  permission?: PermissionSkills;
  askUser?: AskUserSkills;
  edits?: EditSkills;
  followAlong?: Marker;
  secrets?: Marker;
  diagnostics?: Marker;
  codeQuery?: Marker;
  notebooks?: Marker;
  languageModels?: Marker;
  tools?: ClientTool[];
}

/** A tool of the client, called with `agent/callTool`. `inputSchema` is a JSON Schema. */
export interface ClientTool {
  name: string;
  description: string;
  inputSchema?: Record<string, unknown>;
  readOnly?: boolean;
}

/** `result` as LSP has it; without `answered` no language server of the client knows such files. */
export interface CodeQueryAnswer {
  answered: boolean;
  result?: unknown;
}

/** `agent/codeQuery`: a request of LSP 3.17 to the language servers of the client, with its params. */
export interface CodeQueryParams {
  sessionId: string;
  method: string;
  params: Record<string, unknown>;
}

/** A command that was done: the action it names, its `input` as it was understood, and what came of it. */
export interface CommandResult {
  name: string;
  input: Record<string, unknown>;
  output: Content[];
  data?: Record<string, unknown>;
}

/** The slash commands there are, as in `agent/action/list`; full replacement value. */
export interface CommandsData {
  commands: Action[];
}

/** Most of what was before this was replaced by `text` in what the model sees: about so many tokens. */
export interface CompactionItem {
  itemId: string;
  status: string;
  text: string;
  kind: "compaction";
  tokensBefore?: number;
  tokensAfter?: number;
}

/** What is typed, and where in it: `cursor` counts from its beginning, in units of the position encoding. It is for a session, for a new one of the folder `cwd` (a URI), or else for one of the open folder. */
export interface CompleteParams {
  text: string;
  cursor: number;
  sessionId?: string;
  cwd?: string;
}

/** The best come first. When it `isIncomplete`, there are more: ask again with the next letter. */
export interface CompleteResult {
  items: CompletionItem[];
  isIncomplete: boolean;
}

/** A text that may take the place of what stands from `start` up to `end`, counted as `cursor` is. */
export interface CompletionItem {
  label: string;
  kind: "file" | "folder" | "symbol" | "source" | "command" | "argument" | "value";
  insertText: string;
  start: number;
  end: number;
  detail?: string;
}

/** A file that is left as it is, because somebody else changed it since. */
export interface Conflict {
  uri: string;
  reason: string;
}

export type Content = TextContent | ImageContent | ResourceContent | ResourceLinkContent;

/** How many tokens the last request and its answer took, of how many that the model holds (`size`). `sure` says where the count comes from: told (counted by the server), calibrated (estimated from its counts of other requests), guess. When it is absent, that is unknown. `cost` is US dollars of the whole session, as far as prices are known. */
export interface ContextUsageData {
  used: number;
  sure?: string;
  size?: number;
  cost?: number;
}

/** A place in a session's facts. */
export interface Cursor {
  epoch: string;
  seq: number;
}

/** The files that have any. */
export interface DiagnosticsAnswer {
  files: FileDiagnostics[];
}

/** `agent/diagnostics`: what the client shows as wrong, in all files, or in the one with this `uri`. `waitMs`: that file changed just now; wait so long at most until what is shown for it changes. */
export interface DiagnosticsParams {
  sessionId: string;
  uri?: string;
  waitMs?: number;
}

/** One version of an open document. */
export interface DocumentVersion {
  uri: string;
  version: number;
}

/** An edit that was asked for before: what was wanted, and the text that came. */
export interface EditAttempt {
  instruction: string;
  text: string;
}

/** `agent/editDelta`: more of the text of an edit that is under way. */
export interface EditDeltaParams {
  editId: string;
  text: string;
}

/** The `notebook` after the change; without it nothing was changed, and `failureReason` says why. */
export interface EditNotebookAnswer {
  notebook?: ShownNotebook;
  failureReason?: string;
}

/** `agent/editNotebook`: one change of one cell, if the notebook is still at this version. `action` is `replace`, `insert` (before `cell`; behind the last one it appends) or `delete`; `type` is that of an inserted cell. */
export interface EditNotebookParams {
  sessionId: string;
  uri: string;
  version: string;
  cell: number;
  action: string;
  label: string;
  source?: string;
  type?: string;
}

/** `agent/edit`: the text that shall take the place of `range` (LSP 3.17) in the file with this `uri`. `version` is that of the open document that the range is of; `text` is the whole text of a document that is no file (untitled, a cell of a notebook). `editId` is the client's name for this request: with it, the text comes piece by piece, too. `diagnostics` are those of LSP, near the range; `attempts` are earlier answers that were not what was wanted, the oldest first. */
export interface EditParams {
  uri: string;
  range: Record<string, unknown>;
  instruction: string;
  version?: number;
  text?: string;
  editId?: string;
  diagnostics?: Record<string, unknown>[];
  attempts?: EditAttempt[];
  sessionId?: string;
  cwd?: string;
}

/** `text` for `range`, which has the whole lines that were meant; nothing is changed yet. `version` is the version of the document that this is for; it is left out where none is open. */
export interface EditResult {
  text: string;
  range: Record<string, unknown>;
  model: string;
  usage: Record<string, unknown>;
  version?: number;
  cost?: number;
}

/** What the client does with documents. `confirm`: it shows a review and answers per hunk. `save`: it answers `agent/saveDocuments`. `fileEvents`: it wants `workspace/didChangeWatchedFiles`. */
export interface EditSkills {
  confirm?: Marker;
  save?: Marker;
  fileEvents?: Marker;
}

/** No members. */
export interface Empty {
}

/** `data` of every error: `kind` for programs, `hint` for people, and what the kind names besides. `capability` is what is unsupported; `which` limit is exceeded, and its `value`; `methods`: how to log in. */
export interface ErrorData {
  kind: string;
  retryable: boolean;
  hint?: string;
  retryAfterMs?: number;
  sessionId?: string;
  runId?: string;
  capability?: string;
  which?: string;
  value?: number;
  methods?: Record<string, unknown>[];
}

/** The envelope of every event. `ts` is ISO 8601 in UTC; `data` is by `type`. */
export interface Event {
  v: number;
  sessionId: string;
  epoch: string;
  ts: string;
  type: string;
  agentId: string;
  data: Record<string, unknown>;
  seq?: number;
  after?: number;
  runId?: string;
  turnId?: string;
  itemId?: string;
  parentItemId?: string;
  _meta?: Record<string, unknown>;
}

/** One or more consecutive events; all events of one fact are in the same notification. */
export interface EventParams {
  events: Event[];
}

/** Which events the client wants: not `exclude`, none above `maxBytes`, deltas every `coalesceMs`. */
export interface EventWishes {
  exclude?: string[];
  maxBytes?: number;
  coalesceMs?: number;
}

/** A page of history: the events before or after a cursor; `types` leaves out all others. It has `limit` events and `maxBytes` at most, but always those of one fact. */
export interface EventsParams {
  sessionId: string;
  before?: Cursor;
  after?: Cursor;
  limit?: number;
  types?: string[];
  maxBytes?: number;
}

/** Events in their order; without `nextCursor` there are no more in that direction. */
export interface EventsResult {
  events: Record<string, unknown>[];
  nextCursor?: Cursor;
}

/** One file as a whole run changed it. */
export interface FileChanged {
  uri: string;
  change: string;
  insertions: number;
  deletions: number;
}

/** A file that is attached to a prompt: base64 `data`, and what it is where that is known. An image becomes an `image`; any other file is kept, and stands in the message as a `resourceLink`. */
export interface FileContent {
  name: string;
  data: string;
  mimeType?: string;
  type: "file";
}

/** The diagnostics of a file (LSP 3.17, Diagnostic); positions are in the position encoding. */
export interface FileDiagnostics {
  uri: string;
  diagnostics: Record<string, unknown>[];
}

/** Files that changed outside of a tool call: a rewind, a hunk that was rejected. */
export interface FileEditItem {
  itemId: string;
  status: string;
  changes: Change[];
  kind: "fileEdit";
  title?: string;
}

/** One state of a file: SHA-256 of its bytes (hex, "" when absent) and the editor's version. */
export interface FileVersion {
  hash: string;
  version?: number;
}

/** Where the user looks: the active document, the selection in it, the visible lines (LSP ranges). The last one counts; without `uri` the user looks at no document. */
export interface FocusParams {
  uri?: string;
  selection?: Record<string, unknown>;
  visible?: Record<string, unknown>[];
}

/** Deltas of these items were left out: the client did not read. An `itemUpdated` of each follows. What is missing stood behind the facts `from` up to `to`, both included. */
export interface GapData {
  from: number;
  to: number;
  itemIds: string[];
}

/** The session lives: its last fact and its state, so that a client can compare. */
export interface HeartbeatData {
  seq: number;
  state: string;
}

/** The conversation (its last item is `lastItemId`, "" for none) or files went back. `checkpointId` names what stood before; `undoes` an earlier rewind whose before stands again. */
export interface HistoryRewoundData {
  checkpointId: string;
  lastItemId: string;
  conversation: boolean;
  changes: Change[];
  undoes?: string;
}

/** An image: base64 `data` and its media type. */
export interface ImageContent {
  data: string;
  mimeType: string;
  type: "image";
}

export type Item = MessageItem | ThoughtItem | UserMessageItem | ToolCallItem | NoticeItem | CompactionItem | TaskItem | FileEditItem | SubagentItem | PlanItem | SideAnswerItem;

/** The whole item. */
export interface ItemData {
  item: Item;
}

/** Text (`append`) for the end of `field`, at `offset`, counted in UTF-8 bytes. `coloured` is the same text with the colours in which a command printed it, as in `Terminal`. */
export interface ItemDeltaData {
  field: string;
  offset: number;
  append: string;
  coloured?: string;
}

/** One item; with `field` and `range`, a part of one of its texts, in UTF-8 bytes. `field` is a member, or a JSON Pointer (RFC 6901) to a text inside; the result has about `maxBytes`. */
export interface ItemParams {
  sessionId: string;
  itemId: string;
  field?: string;
  range?: ByteRange;
  maxBytes?: number;
}

/** The item, or a part of a field: `text`, which begins at byte `start` of `total`. */
export interface ItemResult {
  item?: MessageItem | ThoughtItem | UserMessageItem | ToolCallItem | NoticeItem | CompactionItem | TaskItem | FileEditItem | SubagentItem | PlanItem | SideAnswerItem;
  text?: string;
  start?: number;
  total?: number;
}

/** A JSON merge patch (RFC 7396) of the item. */
export interface ItemUpdatedData {
  patch: Record<string, unknown>;
}

/** A model of the client: `id` names it there, `editor/ID` here. `maxInputTokens` is what it takes. */
export interface LanguageModel {
  id: string;
  maxInputTokens?: number;
}

/** `agent/languageModel/delta`: more of the answer to a request. */
export interface LanguageModelDeltaParams {
  requestId: string;
  text?: string;
  thinking?: string;
  toolCall?: AskedToolCall;
}

/** Why a model did not answer: `kind` as in `Errors`, and the client's words. */
export interface LanguageModelFailure {
  kind: string;
  message: string;
}

/** `agent/languageModel/list`: all models that the client has now. */
export interface LanguageModelsParams {
  models: LanguageModel[];
}

/** What a run may spend; what is left out is unlimited. Cost is US dollars. `maxSessionTurns` counts the turns of all runs of the session. */
export interface Limits {
  maxTurns?: number;
  maxModelCalls?: number;
  maxToolCalls?: number;
  maxTotalTokens?: number;
  maxInputTokens?: number;
  maxOutputTokens?: number;
  maxCostUsd?: number;
  maxReasoningTokens?: number;
  maxDelegatedTasks?: number;
  maxSessionTurns?: number;
  maxSeconds?: number;
}

/** A model as its server names it. */
export interface ListedModel {
  name: string;
  contextWindow?: number;
}

/** What this process does: sessions with a run, runs that wait, bytes that the client has not read. */
export interface Load {
  running: number;
  queued: number;
  unreadBytes: number;
}

/** A model server on this machine, with the names of its models as they can be chosen. */
export interface LocalServerRow {
  kind: string;
  baseUrl: string;
  models: string[];
}

/** Supported. */
export interface Marker {
}

/** One MCP server of the session; `status` is connecting, connected, failed or stopped. One that `needsLogin` cannot be used before the user logs in (`mcp.login`), one that `needsInput` not before they gave it the input of this name (`mcp.input`). */
export interface McpServer {
  name: string;
  status: string;
  tools?: number;
  message?: string;
  needsLogin?: boolean;
  needsInput?: string;
}

/** The MCP servers of the session; full replacement value. */
export interface McpStatusData {
  servers: McpServer[];
}

/** What the model said. `discarded` marks a reply that broke off and was given up. */
export interface MessageItem {
  itemId: string;
  status: string;
  kind: "message";
  text?: string;
  discarded?: boolean;
}

/** A model that can be chosen; `default` marks the one that a run has when nothing else is said. */
export interface ModelRow {
  name: string;
  provider: string;
  contextWindow?: number;
  default?: boolean;
}

/** A document that was not saved, and why. */
export interface NotSaved {
  uri: string;
  message: string;
}

/** `notebook` is left out or `null` where it is not open as a notebook. */
export interface NotebookAnswer {
  notebook?: ShownNotebook;
}

/** `agent/notebook`: the notebook with this URI, as the client has it open. */
export interface NotebookParams {
  sessionId: string;
  uri: string;
}

/** Something the user should know; advisory only. `kind` detached: no more events, resume for the rest. */
export interface NoticeData {
  severity: string;
  title: string;
  text: string;
  kind?: string;
}

/** A message that stands in the user's place in the conversation; `title` names the room it is from. */
export interface NoticeItem {
  itemId: string;
  status: string;
  title: string;
  text: string;
  kind: "notice";
}

/** A tool that the model may call. `inputSchema` is a JSON Schema. */
export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** One answer to a permission question; `rule` is shown to the user verbatim. */
export interface Option {
  optionId: string;
  label: string;
  decision: "allow" | "reject";
  scope: string;
  rule?: string;
}

/** The session's options; full replacement values. */
export interface OptionsData {
  options: Record<string, unknown>;
}

/** All options of the session. */
export interface OptionsResult {
  options: Record<string, unknown>;
}

/** `selected` with `optionId`, or `dismissed`, which is reject once. `feedback` reaches the model. `input` is the call as the user changed it (of clients with `permission.editInput`), `hunks` the ids of the changes they took (with `edits.confirm`); absent means as it is, and all of them. */
export interface PermissionAnswer {
  outcome: string;
  optionId?: string;
  feedback?: string;
  input?: Record<string, unknown>;
  hunks?: string[];
}

/** `agent/requestPermission`: the question, and where it comes from. `hunks` are the single changes of an edit, for clients with `edits.confirm`. */
export interface PermissionParams {
  requestId: string;
  kind: "permission" | "plan" | "form";
  title: string;
  reason?: string;
  itemId?: string;
  subject?: Record<string, unknown>;
  options?: Option[];
  schema?: Record<string, unknown>;
  shown?: ShownText;
  sessionId: string;
  runId: string;
  agentId: string;
  hunks?: ShownHunk[];
}

/** The client answers `agent/requestPermission`; what it can do besides yes and no. */
export interface PermissionSkills {
  remember?: Marker;
  editInput?: Marker;
}

/** The plan of the work as it stands from here on; `text` has the entries for people, a line each. */
export interface PlanItem {
  itemId: string;
  status: string;
  title: string;
  text: string;
  entries: PlanItemEntry[];
  kind: "plan";
}

/** An entry of the plan; it waits until those with the ids in `after` are done or cancelled. */
export interface PlanItemEntry {
  id: number;
  text: string;
  state: "pending" | "inProgress" | "done" | "cancelled";
  after?: number[];
}

/** The key of a provider (its host): `state` is present, missing or none (nobody said that it has one). `variable` is the environment variable, `place` where else it is kept. The key itself is never sent. */
export interface ProviderAuth {
  provider: string;
  state: "present" | "missing" | "none";
  variable?: string;
  place?: string;
}

/** `looked` says whether model servers of this machine were looked for: the settings may forbid it. */
export interface ProviderListResult {
  providers: ProviderRow[];
  local: LocalServerRow[];
  looked: boolean;
}

/** A provider by its name, or another server by its `baseUrl`. */
export interface ProviderModelsParams {
  provider?: string;
  baseUrl?: string;
}

/** The models of a server; or why they cannot be listed, with what helps (`hint`). `baseUrl` is the whole address of the list that was found: `agent/provider/use` is to be given that one. */
export interface ProviderModelsResult {
  models: ListedModel[];
  problem?: string;
  hint?: string;
  kind?: string;
  baseUrl?: string;
}

/** A provider with a known address; `hasKey` is whether a key for its `host` is kept or given. */
export interface ProviderRow {
  name: string;
  host: string;
  hasKey: boolean;
}

/** The `model` of a provider or of the server at `baseUrl`; with neither, one that can be named. */
export interface ProviderUseParams {
  model: string;
  provider?: string;
  baseUrl?: string;
}

/** The name by which sessions choose the model, and the file in which it is the default now. */
export interface ProviderUseResult {
  model: string;
  configFile: string;
}

/** A question to the human: a permission, a plan (`options`, `subject`, `shown`), or a form (`schema`). */
export interface Question {
  requestId: string;
  kind: "permission" | "plan" | "form";
  title: string;
  reason?: string;
  itemId?: string;
  subject?: Record<string, unknown>;
  options?: Option[];
  schema?: Record<string, unknown>;
  shown?: ShownText;
}

/** The whole queue. */
export interface QueueChangedData {
  queue: Waiting[];
}

/** `op` is list, remove, replace or move; `itemId` is the waiting prompt, `to` its new place from 0. `expand` is as in `agent/run`, but a command is refused: it does not wait. */
export interface QueueParams {
  sessionId: string;
  op?: "list" | "remove" | "replace" | "move";
  itemId?: string;
  input?: (TextContent | ImageContent | ResourceContent | ResourceLinkContent | FileContent)[] | string;
  to?: number;
  clientKey?: string;
  maxBytes?: number;
  expand?: boolean;
}

/** The queue as it is now. */
export interface QueueResult {
  queue: Queued[];
}

/** A prompt that waits. */
export interface Queued {
  runId: string;
  itemId: string;
  content: Content[];
}

/** A fact with nothing to show; it keeps `seq` free of holes. Members are by `fact`. `limitsChanged` has the `limits` of the running run, all of them; `used` who spent what beside the loop. */
export interface RecordedData {
  fact: string;
  feature?: string;
  kind?: string;
  name?: string;
  by?: string;
  itemId?: string;
  runId?: string;
  content?: Content[];
  usage?: Usage;
  cost?: number;
  limits?: Limits;
}

/** How a question ended: selected, dismissed, accepted, declined, cancelled or unanswered. */
export interface RequestResolvedData {
  requestId: string;
  outcome: string;
  optionId?: string;
  feedback?: string;
  by?: string;
}

/** A named piece of text the user attached: a file, a selection, a diagnostic. */
export interface ResourceContent {
  uri: string;
  text: string;
  type: "resource";
}

/** A thing the user pointed at without its content. */
export interface ResourceLinkContent {
  uri: string;
  name?: string;
  type: "resourceLink";
}

/** The answer to an open question, for clients that cannot answer server requests. */
export interface RespondParams {
  requestId: string;
  response: PermissionAnswer | AskUserAnswer;
}

/** `outcome` is accepted or alreadyResolved. */
export interface RespondResult {
  outcome: string;
}

/** `replay` is none, tail (the last `tail` items), all (as many as fit), or since (all behind `after`). The result has `maxBytes` at most. The items of a snapshot are the last ones, or those in front of the item `before`. */
export interface ResumeParams {
  sessionId: string;
  after?: Cursor;
  replay?: string;
  tail?: number;
  takeControl?: boolean;
  before?: string;
  maxBytes?: number;
}

/** What was missed: `replayed` is nothing, events or snapshot. Live events follow it on the wire. `readOnly` is true while another process writes the session. */
export interface ResumeResult {
  sessionId: string;
  epoch: string;
  seq: number;
  state: string;
  replayed: string;
  openItems: Item[];
  openRequests: Question[];
  events?: Record<string, unknown>[];
  snapshot?: Snapshot;
  readOnly?: boolean;
}

/** A prompt was accepted; `admission` is started or queued. */
export interface RunAdmittedData {
  admission: string;
  itemId: string;
  content: Content[];
  recovers?: string;
}

/** `outcome` is started, queued, injected or action; with `wait` it also says how the run ended. `output` is the answer as JSON that fits the option `outputSchema`. `action` is what a command came to; `runId` is then the run that it began, "" for none. */
export interface RunAnswer {
  runId: string;
  outcome: string;
  itemId?: string;
  stopReason?: string;
  usage?: Usage;
  cost?: number;
  filesChanged?: FileChanged[];
  error?: RunError;
  output?: unknown;
  action?: CommandResult;
}

/** A run is over; `unpriced` counts model calls whose cost is not in `cost` (US dollars). `estimated` counts model calls whose tokens nobody counted: of those that were answered, `usage` has an estimate; those that were cancelled or broke off are in neither `usage` nor `cost`. `output` is the answer as JSON that fits the option `outputSchema`. */
export interface RunEndedData {
  stopReason: string;
  filesChanged: FileChanged[];
  usage?: Usage;
  cost?: number;
  unpriced?: number;
  estimated?: number;
  unanswered?: number;
  detail?: string;
  error?: RunError;
  output?: unknown;
}

/** Why a run ended with `stopReason: error`. `kind` is for programs; `message` is for people, and `title` stands above it. Of a model that failed: the `httpStatus` of its answer, its `provider`, how often it was asked (`attempts`), and from when on it may be asked again, if it said so (`resetsAt`, ISO 8601). */
export interface RunError {
  kind: string;
  message: string;
  title?: string;
  httpStatus?: number;
  provider?: string;
  attempts?: number;
  resetsAt?: string;
}

/** `admission` is ifIdle, queue, steer or interrupt; `input` is content blocks or a bare string. `chosenBy` is "user" when a person chose the option `mode`. With `expand` the text is what somebody typed: what it points at comes beside it, and a command is done instead. */
export interface RunParams {
  sessionId: string;
  input?: (TextContent | ImageContent | ResourceContent | ResourceLinkContent | FileContent)[] | string;
  admission?: string;
  continueRun?: boolean;
  expectedRunId?: string;
  wait?: boolean;
  options?: Record<string, unknown>;
  clientKey?: string;
  chosenBy?: string;
  expand?: boolean;
  workDoneToken?: string | number;
}

/** An admitted run began. */
export interface RunStartedData {
  limits?: Limits;
}

/** The documents that were saved, and those that were not. */
export interface SaveDocumentsAnswer {
  saved: string[];
  failed?: NotSaved[];
}

/** `agent/saveDocuments`: save these versions as the user would; the answer follows their `didSave`. */
export interface SaveDocumentsParams {
  sessionId: string;
  documents: DocumentVersion[];
  reason: string;
}

/** Which schema the server speaks: the SHA-256 of its `schema.json`, the day it was changed last. */
export interface SchemaName {
  sha256: string;
  revision?: string;
}

/** The key; absent when there is none. */
export interface SecretAnswer {
  value?: string;
}

/** `agent/secret`: the key that the user keeps in the client for this host, and for no other. */
export interface SecretParams {
  host: string;
}

/** What the server can: exact lists, so that nobody has to try. With `mismatch` only the versions. */
export interface ServerBlock {
  protocolVersion?: number;
  schema?: SchemaName;
  methods?: string[];
  eventTypes?: string[];
  itemKinds?: string[];
  commands?: string[];
  session?: SessionSkills;
  input?: string[];
  steer?: Marker;
  queue?: Marker;
  tasks?: Marker;
  compact?: Marker;
  checkpoints?: Marker;
  limits?: ServerLimits;
  mismatch?: boolean;
  supportedVersions?: number[];
}

/** What a client has to keep in mind: bytes, events, milliseconds, runs. */
export interface ServerLimits {
  maxFrameBytes?: number;
  maxEventBytes?: number;
  replayEvents?: number;
  cancelGraceMs?: number;
  maxQueued?: number;
}

/** Cancels the session's work; its data stays. */
export interface SessionCloseParams {
  sessionId: string;
}

/** A fork holds everything up to the item `atItemId`, that included; without it, everything. */
export interface SessionForkParams {
  sessionId: string;
  atItemId?: string;
  title?: string;
  clientKey?: string;
}

/** The new session; resume it to receive its events. */
export interface SessionForkResult {
  sessionId: string;
  epoch: string;
  seq: number;
}

/** `agent/session/delete` removes it for good; after `agent/detach` its work goes on without us. */
export interface SessionIdParams {
  sessionId: string;
}

/** What is known of the session; full replacement values. */
export interface SessionInfoData {
  cwd?: string;
  title?: string;
  parentSessionId?: string;
  additionalRoots?: string[];
}

/** `cwd` is a `file:` URI; `search` looks at titles and at what was said. */
export interface SessionListParams {
  cwd?: string;
  search?: string;
  cursor?: string;
  limit?: number;
  maxBytes?: number;
}

/** One page of sessions, newest first; without `nextCursor` it is the last. */
export interface SessionListResult {
  sessions: SessionRow[];
  nextCursor?: string;
}

/** `cwd` and `additionalRoots` are `file:` URIs; `mcpServers` have a `name` at least. `chosenBy` is "user" when a person chose the option `mode`. */
export interface SessionNewParams {
  cwd: string;
  additionalRoots?: string[];
  mcpServers?: Record<string, unknown>[];
  options?: Record<string, unknown>;
  title?: string;
  clientKey?: string;
  chosenBy?: string;
}

/** The session as it begins; `mcp` says of each of its `mcpServers` whether it is served. */
export interface SessionNewResult {
  sessionId: string;
  epoch: string;
  seq: number;
  options: Record<string, unknown>;
  commands: Record<string, unknown>[];
  mcp: McpServer[];
}

/** Gives a session another title. */
export interface SessionRenameParams {
  sessionId: string;
  title: string;
}

/** Back to `toItemId`, the last item kept ("" for none), or to what stood before the rewind `undo`. `what` is conversation, files or both; with `dryRun` nothing changes. */
export interface SessionRewindParams {
  sessionId: string;
  toItemId?: string;
  what?: string;
  dryRun?: boolean;
  undo?: string;
  clientKey?: string;
}

/** What changed, or would: `checkpointId` undoes it, `droppedItemIds` are no longer before the model. */
export interface SessionRewindResult {
  files: FileChanged[];
  conflicts: Conflict[];
  droppedItemIds: string[];
  lastItemId: string;
  checkpointId?: string;
}

/** One session; `state` is idle, running or requiresAction, times are ISO 8601. `interrupted` means: nobody works on it, and there is a run to go on with (`continueRun`). `parentItemId` is the tool call of the parent that a child works for; a fork has none. */
export interface SessionRow {
  sessionId: string;
  title: string;
  cwd: string;
  createdAt: string;
  updatedAt: string;
  state: string;
  parentSessionId?: string;
  tags?: string[];
  archived?: boolean;
  interrupted?: boolean;
  parentItemId?: string;
}

/** What can be done with sessions besides running them. */
export interface SessionSkills {
  attach?: Marker;
  fork?: Record<string, unknown>;
  rewind?: Record<string, unknown>;
  rename?: Marker;
  delete?: Marker;
}

/** A session that is open in this process. */
export interface SessionState {
  sessionId: string;
  state: string;
}

/** `state` is idle, running, requiresAction or closed (no more events of the session follow). */
export interface SessionStateData {
  state: string;
  queued: number;
  backgroundTasks: number;
}

/** Sets an option of the session for its next runs; null takes it back. `chosenBy` is "user" when a person chose the option `mode`. */
export interface SetOptionParams {
  sessionId: string;
  optionId: string;
  value?: unknown;
  chosenBy?: string;
}

/** A cell of a notebook. `type` is `code`, `markdown` or `raw`; `output` is what it printed, in words. */
export interface ShownCell {
  type: string;
  source: string;
  executionCount?: number;
  output?: string;
}

/** A single change of an edit that is asked about: `old` lines, from `line` (from 0) on, become `new`. */
export interface ShownHunk {
  hunkId: string;
  uri: string;
  line: number;
  old: string;
  new: string;
}

/** A notebook as the client has it open. `version` is the client's own word for its present content. */
export interface ShownNotebook {
  version: string;
  cells: ShownCell[];
  unsaved?: boolean;
}

/** What must be seen before a permission is given, as plain text; not `whole` when some is left out. */
export interface ShownText {
  text: string;
  whole: boolean;
}

/** The answer (`text`) to what the user asked beside the work (`title`): the model sees neither. */
export interface SideAnswerItem {
  itemId: string;
  status: string;
  title: string;
  text: string;
  background?: boolean;
  kind: "sideAnswer";
}

/** The session as it stands at `seq`; with `olderCursor` there are older items. `items` are those that are complete; the runs are those they and the open ones belong to. `info` is what `sessionInfo` said, `usage` what `contextUsage` said last, `queue` what waits. `rewound` is what `historyRewound` said last, if no run began since and it was not taken back. */
export interface Snapshot {
  seq: number;
  items: Item[];
  runs: SnapshotRun[];
  state: string;
  info: SessionInfoData;
  options: Record<string, unknown>;
  openRequests: Question[];
  queue: Waiting[];
  usage?: ContextUsageData;
  rewound?: HistoryRewoundData;
  olderCursor?: Record<string, unknown>;
}

/** A run of which a snapshot has items: these, in their order; and what `runEnded` said (`ended`). The one without `ended` goes on: it is there with or without items. */
export interface SnapshotRun {
  runId: string;
  itemIds: string[];
  ended?: RunEndedData;
}

/** How the server is: `problem` says in one sentence why no run could begin, where that is so. `problemFile` is the `file:` URI of the configuration with the mistake, if it is about one. The default is the first of the `models`. `configFile` is the `file:` URI of the user's settings, which may not be there yet. The models that it names are read again before the next run when it has changed. `calls` has the words for calls of the tools that this server may offer. */
export interface StatusResult {
  version: string;
  protocolVersion: number;
  models: ModelRow[];
  auth: ProviderAuth[];
  load: Load;
  sessions: SessionState[];
  configFile?: string;
  problem?: string;
  calls?: CallWords[];
  problemFile?: string;
}

/** `ifEnded` says what becomes of the message when the run is over: run, queue or return. `expand` is as in `agent/run`. */
export interface SteerParams {
  sessionId: string;
  input: (TextContent | ImageContent | ResourceContent | ResourceLinkContent | FileContent)[] | string;
  expectedRunId?: string;
  ifEnded?: string;
  clientKey?: string;
  expand?: boolean;
}

/** `outcome` is injected, queued, started, returned or action, which `action` describes. */
export interface SteerResult {
  outcome: string;
  runId?: string;
  itemId?: string;
  action?: CommandResult;
}

/** A child agent that works for a call, `running` until it ends; its events are of `childSessionId`. */
export interface SubagentItem {
  itemId: string;
  status: string;
  title: string;
  kind: "subagent";
  childSessionId?: string;
  text?: string;
}

/** A background task: `state` is running, completed, failed or stopped; `itemId` is its item. */
export interface TaskChangedData {
  taskId: string;
  state: string;
  title?: string;
  itemId?: string;
  exitCode?: number;
}

/** Work in the background: it may outlive its run. `truncated` bytes are missing in its output. */
export interface TaskItem {
  itemId: string;
  status: string;
  title: string;
  kind: "task";
  output?: string;
  terminal?: Terminal;
  background?: boolean;
  effects?: string;
  truncated?: number;
}

/** A command as it ran; `exit_code` is `null` when a signal or a time limit ended it. `unsaved` are the open files whose newer text it did not see, because the editor had not saved them. `coloured` is the `output` of the item with the colours that the command printed: SGR sequences, and no other control characters. It is left out where there are none. */
export interface Terminal {
  command: string;
  cwd: string;
  exitCode: number | null;
  signal?: string;
  unsaved?: string[];
  coloured?: string;
}

/** Plain text. */
export interface TextContent {
  text: string;
  type: "text";
}

/** What the model thought. */
export interface ThoughtItem {
  itemId: string;
  status: string;
  kind: "thought";
  text?: string;
  discarded?: boolean;
}

/** A tool call, from the model's request to its end. `effects` (none, applied, partial, unknown) says what is known of its traces; `truncated` counts the bytes that were left out of `output`; `malformed` holds arguments that were no JSON object. `images` are those that the call gave to the model; `output` says what they are. `refusedBy` says what kept it from running: rule, mode, policy, hook, limit, user, or nobody (nobody was there to allow it). */
export interface ToolCallItem {
  itemId: string;
  status: string;
  name: string;
  title: string;
  input: Record<string, unknown>;
  kind: "toolCall";
  refusedBy?: string;
  output?: string;
  effects?: string;
  changes?: Change[];
  terminal?: Terminal;
  truncated?: number;
  malformed?: string;
  images?: ImageContent[];
}

/** What the run changed so far, as a unified diff of each file; full replacement value. `truncated` counts the bytes of diffs that are left out; the action `changes` gives them all. */
export interface TurnDiffData {
  diff: string;
  truncated?: number;
}

/** The request and the tool calls it caused are done; `model` when another one answered than was asked. */
export interface TurnEndedData {
  usage?: Usage;
  cost?: number;
  finish?: string;
  overflowed?: boolean;
  model?: string;
}

/** The request failed and is sent again; `discardPartial` when something was shown of it. */
export interface TurnRetryingData {
  attempt: number;
  delayMs: number;
  cause: string;
  discardPartial: boolean;
}

/** One model request began. */
export interface TurnStartedData {
  model: string;
}

/** Tokens; a member nobody reported is left out. Input includes cached tokens. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
}

/** What the user said; `steer` marks what was said into a running run. */
export interface UserMessageItem {
  itemId: string;
  status: string;
  content: Content[];
  kind: "userMessage";
  steer?: boolean;
}

/** A run that waits for its turn. */
export interface Waiting {
  runId: string;
  itemId: string;
  content: Content[];
}

/** Every method: who sends it, with what, and what comes back (never, for notifications). */
export interface Methods {
  "agent/session/new": { params: SessionNewParams; result: SessionNewResult; direction: "toServer" };
  "agent/session/list": { params: SessionListParams; result: SessionListResult; direction: "toServer" };
  "agent/session/close": { params: SessionCloseParams; result: Empty; direction: "toServer" };
  "agent/session/fork": { params: SessionForkParams; result: SessionForkResult; direction: "toServer" };
  "agent/session/rewind": { params: SessionRewindParams; result: SessionRewindResult; direction: "toServer" };
  "agent/session/rename": { params: SessionRenameParams; result: Empty; direction: "toServer" };
  "agent/session/delete": { params: SessionIdParams; result: Empty; direction: "toServer" };
  "agent/detach": { params: SessionIdParams; result: Empty; direction: "toServer" };
  "agent/events": { params: EventsParams; result: EventsResult; direction: "toServer" };
  "agent/item": { params: ItemParams; result: ItemResult; direction: "toServer" };
  "agent/resume": { params: ResumeParams; result: ResumeResult; direction: "toServer" };
  "agent/run": { params: RunParams; result: RunAnswer; direction: "toServer" };
  "agent/steer": { params: SteerParams; result: SteerResult; direction: "toServer" };
  "agent/cancel": { params: CancelParams; result: CancelResult; direction: "toServer" };
  "agent/respond": { params: RespondParams; result: RespondResult; direction: "toServer" };
  "agent/queue": { params: QueueParams; result: QueueResult; direction: "toServer" };
  "agent/setOption": { params: SetOptionParams; result: OptionsResult; direction: "toServer" };
  "agent/action/list": { params: ActionListParams; result: ActionListResult; direction: "toServer" };
  "agent/action/invoke": { params: ActionInvokeParams; result: ActionInvokeResult; direction: "toServer" };
  "agent/complete": { params: CompleteParams; result: CompleteResult; direction: "toServer" };
  "agent/edit": { params: EditParams; result: EditResult; direction: "toServer" };
  "agent/focus": { params: FocusParams; result: never; direction: "toServer" };
  "agent/languageModel/list": { params: LanguageModelsParams; result: never; direction: "toServer" };
  "agent/languageModel/delta": { params: LanguageModelDeltaParams; result: never; direction: "toServer" };
  "agent/status": { params: Empty; result: StatusResult; direction: "toServer" };
  "agent/provider/list": { params: Empty; result: ProviderListResult; direction: "toServer" };
  "agent/provider/models": { params: ProviderModelsParams; result: ProviderModelsResult; direction: "toServer" };
  "agent/provider/use": { params: ProviderUseParams; result: ProviderUseResult; direction: "toServer" };
  "agent/ack": { params: AckParams; result: never; direction: "toServer" };
  "agent/event": { params: EventParams; result: never; direction: "toClient" };
  "agent/editDelta": { params: EditDeltaParams; result: never; direction: "toClient" };
  "agent/requestPermission": { params: PermissionParams; result: PermissionAnswer; direction: "toClient" };
  "agent/askUser": { params: AskUserParams; result: AskUserAnswer; direction: "toClient" };
  "agent/saveDocuments": { params: SaveDocumentsParams; result: SaveDocumentsAnswer; direction: "toClient" };
  "agent/diagnostics": { params: DiagnosticsParams; result: DiagnosticsAnswer; direction: "toClient" };
  "agent/codeQuery": { params: CodeQueryParams; result: CodeQueryAnswer; direction: "toClient" };
  "agent/notebook": { params: NotebookParams; result: NotebookAnswer; direction: "toClient" };
  "agent/editNotebook": { params: EditNotebookParams; result: EditNotebookAnswer; direction: "toClient" };
  "agent/secret": { params: SecretParams; result: SecretAnswer; direction: "toClient" };
  "agent/languageModel/ask": { params: AskLanguageModelParams; result: AskLanguageModelAnswer; direction: "toClient" };
  "agent/callTool": { params: CallToolParams; result: CallToolAnswer; direction: "toClient" };
}

/** The `data` of every event. */
export interface Events {
  sessionState: SessionStateData;
  sessionInfo: SessionInfoData;
  options: OptionsData;
  runAdmitted: RunAdmittedData;
  runStarted: RunStartedData;
  runEnded: RunEndedData;
  turnStarted: TurnStartedData;
  turnRetrying: TurnRetryingData;
  turnEnded: TurnEndedData;
  itemStarted: ItemData;
  itemDelta: ItemDeltaData;
  itemUpdated: ItemUpdatedData;
  itemCompleted: ItemData;
  requestOpened: Question;
  requestResolved: RequestResolvedData;
  queueChanged: QueueChangedData;
  contextUsage: ContextUsageData;
  commands: CommandsData;
  mcpStatus: McpStatusData;
  turnDiff: TurnDiffData;
  taskChanged: TaskChangedData;
  checkpoint: CheckpointData;
  notice: NoticeData;
  heartbeat: HeartbeatData;
  gap: GapData;
  historyRewound: HistoryRewoundData;
  recorded: RecordedData;
}

/** An event together with the data of its type. */
export type AgentEvent = {
  [T in keyof Events]: Omit<Event, "type" | "data"> & { type: T; data: Events[T] };
}[keyof Events];

/** Every error. */
export const ERRORS = [
  { code: -32700, kind: "parseError", retryable: false },
  { code: -32600, kind: "invalidRequest", retryable: false },
  { code: -32600, kind: "limitExceeded", retryable: false },
  { code: -32601, kind: "methodNotFound", retryable: false },
  { code: -32602, kind: "invalidParams", retryable: false },
  { code: -32602, kind: "noSuchItem", retryable: false },
  { code: -32602, kind: "noSuchAction", retryable: false },
  { code: -32602, kind: "cursorExpired", retryable: false },
  { code: -32603, kind: "internal", retryable: false },
  { code: -32002, kind: "notInitialized", retryable: false },
  { code: -32800, kind: "cancelled", retryable: false },
  { code: -32801, kind: "contentModified", retryable: true },
  { code: -32802, kind: "serverCancelled", retryable: true },
  { code: -32803, kind: "failed", retryable: false },
  { code: -32803, kind: "journal", retryable: false },
  { code: -32803, kind: "actionFailed", retryable: false },
  { code: -33001, kind: "runActive", retryable: true },
  { code: -33002, kind: "noActiveRun", retryable: false },
  { code: -33003, kind: "runMismatch", retryable: true },
  { code: -33004, kind: "notSteerable", retryable: false },
  { code: -33005, kind: "sessionNotFound", retryable: false },
  { code: -33006, kind: "sessionBusyElsewhere", retryable: true },
  { code: -33007, kind: "overloaded", retryable: true },
  { code: -33008, kind: "authRequired", retryable: false },
  { code: -33009, kind: "configInvalid", retryable: false },
  { code: -33010, kind: "keyConflict", retryable: false },
  { code: -33011, kind: "limitExceeded", retryable: false },
  { code: -33012, kind: "unsupported", retryable: false },
  { code: -33013, kind: "requestResolved", retryable: false },
  { code: -33014, kind: "untrustedMode", retryable: false },
] as const;
