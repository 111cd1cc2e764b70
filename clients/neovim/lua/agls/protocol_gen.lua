-- Generated from the protocol's schema (`python protocol/generate.py`): do not edit.
-- Strings that name a kind are open, and unknown members are ignored (protocol/README.md).

---The client has taken in the events of a session up to fact `seq`, and what was shown behind it.
---@class agls.AckParams
---@field sessionId string
---@field seq integer

---Something the user can do; `slash` is how it is written in a prompt, `when` is idle, running or any. `group` is the heading under which it stands.
---@class agls.Action
---@field name string
---@field title string
---@field description string
---@field inputSchema table<string, any>
---@field slash string
---@field when string
---@field group? string

---Does it; `input` is what its `inputSchema` describes.
---@class agls.ActionInvokeParams
---@field sessionId string
---@field name string
---@field input? table<string, any>
---@field clientKey? string

---What came of it: `output` for people, `data` for programs, `runId` when it began a run.
---@class agls.ActionInvokeResult
---@field output agls.Content[]
---@field data? table<string, any>
---@field runId? string

---The actions of a session; without one, those that a new session of the open folder would have.
---@class agls.ActionListParams
---@field sessionId? string

---The actions, in their order.
---@class agls.ActionListResult
---@field actions agls.Action[]

---The answer is complete, and how it ended (`finish`: stop, length or refusal); or why there is none.
---@class agls.AskLanguageModelAnswer
---@field finish? string
---@field error? agls.LanguageModelFailure

---`agent/languageModel/ask`: the client asks its `model`, and sends the answer in pieces.
---@class agls.AskLanguageModelParams
---@field requestId string
---@field model string
---@field system string
---@field messages agls.AskedMessage[]
---@field tools? agls.OfferedTool[]
---@field maxOutputTokens? integer

---`accept` with `content`, `decline`, or `cancel`.
---@class agls.AskUserAnswer
---@field outcome string
---@field content? table<string, any>

---`agent/askUser`: `mode` form, to fill in (`schema` is a restricted JSON Schema), or url, to open. An address is opened in a browser only when the user wants that; `accept` says that they are done there.
---@class agls.AskUserParams
---@field requestId string
---@field sessionId string
---@field runId string
---@field agentId string
---@field message string
---@field schema table<string, any>
---@field mode? string
---@field itemId? string
---@field url? string

---The client answers `agent/askUser`: forms, addresses to open.
---@class agls.AskUserSkills
---@field form? agls.Marker
---@field url? agls.Marker

---A message: its `role` is user or assistant, its `content` a list of parts by `type`. The parts are `text` (`text`), `image` (`data`, `mimeType`), `toolCall` (`callId`, `name`, `input`) and `toolResult` (`callId`, `text`).
---@class agls.AskedMessage
---@field role string
---@field content table<string, any>[]

---A call that the model wants, whole.
---@class agls.AskedToolCall
---@field callId string
---@field name string
---@field input table<string, any>

---Bytes from `start` up to, not including, `end`.
---@class agls.ByteRange
---@field start integer
---@field end integer

---`output` is content blocks or a bare string.
---@class agls.CallToolAnswer
---@field output? agls.Content[]|string
---@field isError? boolean

---`agent/callTool`: a call of a tool that the client offered; `itemId` is the call.
---@class agls.CallToolParams
---@field sessionId string
---@field itemId string
---@field name string
---@field input table<string, any>

---The words for the calls of one tool: "Read" and "Reading", before what a call is about. `kind` groups tools that look alike to people; `about` is the argument that says what a call is about.
---@class agls.CallWords
---@field name string
---@field done string
---@field doing string
---@field kind "read"|"search"|"edit"|"command"|"web"|"plan"|"helper"|"question"|"other"
---@field about? string

---`queued` (keep or drop), `tasks` (keep or stop): what else ends; `reason` is in the end's event.
---@class agls.CancelParams
---@field sessionId string
---@field runId? string
---@field queued? "keep"|"drop"
---@field tasks? "keep"|"stop"
---@field reason? string

---`state` is cancelling, notRunning or alreadyEnded; `kept` and `dropped` are waiting runs. `keptTasks` and `stoppedTasks` are background tasks, where there are any; the latter end in a moment.
---@class agls.CancelResult
---@field state string
---@field kept string[]
---@field dropped string[]
---@field runId? string
---@field keptTasks? string[]
---@field stoppedTasks? string[]

---One file as a tool call changed it; `patch` is a unified diff, `cells` one of a notebook's cells.
---@class agls.Change
---@field uri string
---@field change "added"|"modified"|"deleted"
---@field base agls.FileVersion
---@field result agls.FileVersion
---@field patch string
---@field via "editor"|"disk"
---@field cells? string

---The contents of these `files` (URIs) before a call, a command or a restore (`reason`) are kept. `checkpointId` is that call, for the action `checkpoint.diff`, or the restore, which it undoes. The event of a restore comes when the restore begins, without files, and again with each file.
---@class agls.CheckpointData
---@field checkpointId string
---@field reason string
---@field files string[]

---What the client can. `protocolVersions` is best first; absent means `[1]`. `secrets`: it answers `agent/secret`. `diagnostics`: it answers `agent/diagnostics`. `codeQuery`: it answers `agent/codeQuery`. `notebooks`: it answers `agent/notebook` and `agent/editNotebook`. `languageModels`: it answers `agent/languageModel/ask`.
---@class agls.ClientBlock
---@field protocolVersions? integer[]
---@field events? agls.EventWishes
---@field permission? agls.PermissionSkills
---@field askUser? agls.AskUserSkills
---@field edits? agls.EditSkills
---@field followAlong? agls.Marker
---@field secrets? agls.Marker
---@field diagnostics? agls.Marker
---@field codeQuery? agls.Marker
---@field notebooks? agls.Marker
---@field languageModels? agls.Marker
---@field tools? agls.ClientTool[]

---A tool of the client, called with `agent/callTool`. `inputSchema` is a JSON Schema.
---@class agls.ClientTool
---@field name string
---@field description string
---@field inputSchema? table<string, any>
---@field readOnly? boolean

---`result` as LSP has it; without `answered` no language server of the client knows such files.
---@class agls.CodeQueryAnswer
---@field answered boolean
---@field result? any

---`agent/codeQuery`: a request of LSP 3.17 to the language servers of the client, with its params.
---@class agls.CodeQueryParams
---@field sessionId string
---@field method string
---@field params table<string, any>

---A command that was done: the action it names, its `input` as it was understood, and what came of it.
---@class agls.CommandResult
---@field name string
---@field input table<string, any>
---@field output agls.Content[]
---@field data? table<string, any>

---The slash commands there are, as in `agent/action/list`; full replacement value.
---@class agls.CommandsData
---@field commands agls.Action[]

---Most of what was before this was replaced by `text` in what the model sees: about so many tokens.
---@class agls.CompactionItem
---@field itemId string
---@field status string
---@field text string
---@field kind "compaction"
---@field tokensBefore? integer
---@field tokensAfter? integer

---What is typed, and where in it: `cursor` counts from its beginning, in units of the position encoding. It is for a session, for a new one of the folder `cwd` (a URI), or else for one of the open folder.
---@class agls.CompleteParams
---@field text string
---@field cursor integer
---@field sessionId? string
---@field cwd? string

---The best come first. When it `isIncomplete`, there are more: ask again with the next letter.
---@class agls.CompleteResult
---@field items agls.CompletionItem[]
---@field isIncomplete boolean

---A text that may take the place of what stands from `start` up to `end`, counted as `cursor` is.
---@class agls.CompletionItem
---@field label string
---@field kind "file"|"folder"|"symbol"|"source"|"command"|"argument"|"value"
---@field insertText string
---@field start integer
---@field end integer
---@field detail? string

---A file that is left as it is, because somebody else changed it since.
---@class agls.Conflict
---@field uri string
---@field reason string

---@alias agls.Content agls.TextContent|agls.ImageContent|agls.ResourceContent|agls.ResourceLinkContent

---How many tokens the last request and its answer took, of how many that the model holds (`size`). `sure` says where the count comes from: told (counted by the server), calibrated (estimated from its counts of other requests), guess. When it is absent, that is unknown. `cost` is US dollars of the whole session, as far as prices are known.
---@class agls.ContextUsageData
---@field used integer
---@field sure? string
---@field size? integer
---@field cost? number

---A place in a session's facts.
---@class agls.Cursor
---@field epoch string
---@field seq integer

---The files that have any.
---@class agls.DiagnosticsAnswer
---@field files agls.FileDiagnostics[]

---`agent/diagnostics`: what the client shows as wrong, in all files, or in the one with this `uri`. `waitMs`: that file changed just now; wait so long at most until what is shown for it changes.
---@class agls.DiagnosticsParams
---@field sessionId string
---@field uri? string
---@field waitMs? integer

---One version of an open document.
---@class agls.DocumentVersion
---@field uri string
---@field version integer

---An edit that was asked for before: what was wanted, and the text that came.
---@class agls.EditAttempt
---@field instruction string
---@field text string

---`agent/editDelta`: more of the text of an edit that is under way.
---@class agls.EditDeltaParams
---@field editId string
---@field text string

---The `notebook` after the change; without it nothing was changed, and `failureReason` says why.
---@class agls.EditNotebookAnswer
---@field notebook? agls.ShownNotebook
---@field failureReason? string

---`agent/editNotebook`: one change of one cell, if the notebook is still at this version. `action` is `replace`, `insert` (before `cell`; behind the last one it appends) or `delete`; `type` is that of an inserted cell.
---@class agls.EditNotebookParams
---@field sessionId string
---@field uri string
---@field version string
---@field cell integer
---@field action string
---@field label string
---@field source? string
---@field type? string

---`agent/edit`: the text that shall take the place of `range` (LSP 3.17) in the file with this `uri`. `version` is that of the open document that the range is of; `text` is the whole text of a document that is no file (untitled, a cell of a notebook). `editId` is the client's name for this request: with it, the text comes piece by piece, too. `diagnostics` are those of LSP, near the range; `attempts` are earlier answers that were not what was wanted, the oldest first.
---@class agls.EditParams
---@field uri string
---@field range table<string, any>
---@field instruction string
---@field version? integer
---@field text? string
---@field editId? string
---@field diagnostics? table<string, any>[]
---@field attempts? agls.EditAttempt[]
---@field sessionId? string
---@field cwd? string

---`text` for `range`, which has the whole lines that were meant; nothing is changed yet. `version` is the version of the document that this is for; it is left out where none is open.
---@class agls.EditResult
---@field text string
---@field range table<string, any>
---@field model string
---@field usage table<string, any>
---@field version? integer
---@field cost? number

---What the client does with documents. `confirm`: it shows a review and answers per hunk. `save`: it answers `agent/saveDocuments`. `fileEvents`: it wants `workspace/didChangeWatchedFiles`.
---@class agls.EditSkills
---@field confirm? agls.Marker
---@field save? agls.Marker
---@field fileEvents? agls.Marker

---No members.
---@class agls.Empty

---`data` of every error: `kind` for programs, `hint` for people, and what the kind names besides. `capability` is what is unsupported; `which` limit is exceeded, and its `value`; `methods`: how to log in.
---@class agls.ErrorData
---@field kind string
---@field retryable boolean
---@field hint? string
---@field retryAfterMs? integer
---@field sessionId? string
---@field runId? string
---@field capability? string
---@field which? string
---@field value? integer
---@field methods? table<string, any>[]

---The envelope of every event. `ts` is ISO 8601 in UTC; `data` is by `type`.
---@class agls.Event
---@field v integer
---@field sessionId string
---@field epoch string
---@field ts string
---@field type string
---@field agentId string
---@field data table<string, any>
---@field seq? integer
---@field after? integer
---@field runId? string
---@field turnId? string
---@field itemId? string
---@field parentItemId? string
---@field _meta? table<string, any>

---One or more consecutive events; all events of one fact are in the same notification.
---@class agls.EventParams
---@field events agls.Event[]

---Which events the client wants: not `exclude`, none above `maxBytes`, deltas every `coalesceMs`.
---@class agls.EventWishes
---@field exclude? string[]
---@field maxBytes? integer
---@field coalesceMs? integer

---A page of history: the events before or after a cursor; `types` leaves out all others. It has `limit` events and `maxBytes` at most, but always those of one fact.
---@class agls.EventsParams
---@field sessionId string
---@field before? agls.Cursor
---@field after? agls.Cursor
---@field limit? integer
---@field types? string[]
---@field maxBytes? integer

---Events in their order; without `nextCursor` there are no more in that direction.
---@class agls.EventsResult
---@field events table<string, any>[]
---@field nextCursor? agls.Cursor

---One file as a whole run changed it.
---@class agls.FileChanged
---@field uri string
---@field change string
---@field insertions integer
---@field deletions integer

---A file that is attached to a prompt: base64 `data`, and what it is where that is known. An image becomes an `image`; any other file is kept, and stands in the message as a `resourceLink`.
---@class agls.FileContent
---@field name string
---@field data string
---@field mimeType? string
---@field type "file"

---The diagnostics of a file (LSP 3.17, Diagnostic); positions are in the position encoding.
---@class agls.FileDiagnostics
---@field uri string
---@field diagnostics table<string, any>[]

---Files that changed outside of a tool call: a rewind, a hunk that was rejected.
---@class agls.FileEditItem
---@field itemId string
---@field status string
---@field changes agls.Change[]
---@field kind "fileEdit"
---@field title? string

---One state of a file: SHA-256 of its bytes (hex, "" when absent) and the editor's version.
---@class agls.FileVersion
---@field hash string
---@field version? integer

---Where the user looks: the active document, the selection in it, the visible lines (LSP ranges). The last one counts; without `uri` the user looks at no document.
---@class agls.FocusParams
---@field uri? string
---@field selection? table<string, any>
---@field visible? table<string, any>[]

---Deltas of these items were left out: the client did not read. An `itemUpdated` of each follows. What is missing stood behind the facts `from` up to `to`, both included.
---@class agls.GapData
---@field from integer
---@field to integer
---@field itemIds string[]

---The session lives: its last fact and its state, so that a client can compare.
---@class agls.HeartbeatData
---@field seq integer
---@field state string

---The conversation (its last item is `lastItemId`, "" for none) or files went back. `checkpointId` names what stood before; `undoes` an earlier rewind whose before stands again.
---@class agls.HistoryRewoundData
---@field checkpointId string
---@field lastItemId string
---@field conversation boolean
---@field changes agls.Change[]
---@field undoes? string

---An image: base64 `data` and its media type.
---@class agls.ImageContent
---@field data string
---@field mimeType string
---@field type "image"

---@alias agls.Item agls.MessageItem|agls.ThoughtItem|agls.UserMessageItem|agls.ToolCallItem|agls.NoticeItem|agls.CompactionItem|agls.TaskItem|agls.FileEditItem|agls.SubagentItem|agls.PlanItem|agls.SideAnswerItem

---The whole item.
---@class agls.ItemData
---@field item agls.Item

---Text (`append`) for the end of `field`, at `offset`, counted in UTF-8 bytes. `coloured` is the same text with the colours in which a command printed it, as in `Terminal`.
---@class agls.ItemDeltaData
---@field field string
---@field offset integer
---@field append string
---@field coloured? string

---One item; with `field` and `range`, a part of one of its texts, in UTF-8 bytes. `field` is a member, or a JSON Pointer (RFC 6901) to a text inside; the result has about `maxBytes`.
---@class agls.ItemParams
---@field sessionId string
---@field itemId string
---@field field? string
---@field range? agls.ByteRange
---@field maxBytes? integer

---The item, or a part of a field: `text`, which begins at byte `start` of `total`.
---@class agls.ItemResult
---@field item? agls.MessageItem|agls.ThoughtItem|agls.UserMessageItem|agls.ToolCallItem|agls.NoticeItem|agls.CompactionItem|agls.TaskItem|agls.FileEditItem|agls.SubagentItem|agls.PlanItem|agls.SideAnswerItem
---@field text? string
---@field start? integer
---@field total? integer

---A JSON merge patch (RFC 7396) of the item.
---@class agls.ItemUpdatedData
---@field patch table<string, any>

---A model of the client: `id` names it there, `editor/ID` here. `maxInputTokens` is what it takes.
---@class agls.LanguageModel
---@field id string
---@field maxInputTokens? integer

---`agent/languageModel/delta`: more of the answer to a request.
---@class agls.LanguageModelDeltaParams
---@field requestId string
---@field text? string
---@field thinking? string
---@field toolCall? agls.AskedToolCall

---Why a model did not answer: `kind` as in `Errors`, and the client's words.
---@class agls.LanguageModelFailure
---@field kind string
---@field message string

---`agent/languageModel/list`: all models that the client has now.
---@class agls.LanguageModelsParams
---@field models agls.LanguageModel[]

---What a run may spend; what is left out is unlimited. Cost is US dollars. `maxSessionTurns` counts the turns of all runs of the session.
---@class agls.Limits
---@field maxTurns? integer
---@field maxModelCalls? integer
---@field maxToolCalls? integer
---@field maxTotalTokens? integer
---@field maxInputTokens? integer
---@field maxOutputTokens? integer
---@field maxCostUsd? number
---@field maxReasoningTokens? integer
---@field maxDelegatedTasks? integer
---@field maxSessionTurns? integer
---@field maxSeconds? number

---A model as its server names it.
---@class agls.ListedModel
---@field name string
---@field contextWindow? integer

---What this process does: sessions with a run, runs that wait, bytes that the client has not read.
---@class agls.Load
---@field running integer
---@field queued integer
---@field unreadBytes integer

---A model server on this machine, with the names of its models as they can be chosen.
---@class agls.LocalServerRow
---@field kind string
---@field baseUrl string
---@field models string[]

---Supported.
---@class agls.Marker

---One MCP server of the session; `status` is connecting, connected, failed or stopped. One that `needsLogin` cannot be used before the user logs in (`mcp.login`), one that `needsInput` not before they gave it the input of this name (`mcp.input`).
---@class agls.McpServer
---@field name string
---@field status string
---@field tools? integer
---@field message? string
---@field needsLogin? boolean
---@field needsInput? string

---The MCP servers of the session; full replacement value.
---@class agls.McpStatusData
---@field servers agls.McpServer[]

---What the model said. `discarded` marks a reply that broke off and was given up.
---@class agls.MessageItem
---@field itemId string
---@field status string
---@field kind "message"
---@field text? string
---@field discarded? boolean

---A model that can be chosen; `default` marks the one that a run has when nothing else is said.
---@class agls.ModelRow
---@field name string
---@field provider string
---@field contextWindow? integer
---@field default? boolean

---A document that was not saved, and why.
---@class agls.NotSaved
---@field uri string
---@field message string

---`notebook` is left out or `null` where it is not open as a notebook.
---@class agls.NotebookAnswer
---@field notebook? agls.ShownNotebook

---`agent/notebook`: the notebook with this URI, as the client has it open.
---@class agls.NotebookParams
---@field sessionId string
---@field uri string

---Something the user should know; advisory only. `kind` detached: no more events, resume for the rest.
---@class agls.NoticeData
---@field severity string
---@field title string
---@field text string
---@field kind? string

---A message that stands in the user's place in the conversation; `title` names the room it is from.
---@class agls.NoticeItem
---@field itemId string
---@field status string
---@field title string
---@field text string
---@field kind "notice"

---A tool that the model may call. `inputSchema` is a JSON Schema.
---@class agls.OfferedTool
---@field name string
---@field description string
---@field inputSchema table<string, any>

---One answer to a permission question; `rule` is shown to the user verbatim.
---@class agls.Option
---@field optionId string
---@field label string
---@field decision "allow"|"reject"
---@field scope string
---@field rule? string

---The session's options; full replacement values.
---@class agls.OptionsData
---@field options table<string, any>

---All options of the session.
---@class agls.OptionsResult
---@field options table<string, any>

---`selected` with `optionId`, or `dismissed`, which is reject once. `feedback` reaches the model. `input` is the call as the user changed it (of clients with `permission.editInput`), `hunks` the ids of the changes they took (with `edits.confirm`); absent means as it is, and all of them.
---@class agls.PermissionAnswer
---@field outcome string
---@field optionId? string
---@field feedback? string
---@field input? table<string, any>
---@field hunks? string[]

---`agent/requestPermission`: the question, and where it comes from. `hunks` are the single changes of an edit, for clients with `edits.confirm`.
---@class agls.PermissionParams
---@field requestId string
---@field kind "permission"|"plan"|"form"
---@field title string
---@field reason? string
---@field itemId? string
---@field subject? table<string, any>
---@field options? agls.Option[]
---@field schema? table<string, any>
---@field shown? agls.ShownText
---@field sessionId string
---@field runId string
---@field agentId string
---@field hunks? agls.ShownHunk[]

---The client answers `agent/requestPermission`; what it can do besides yes and no.
---@class agls.PermissionSkills
---@field remember? agls.Marker
---@field editInput? agls.Marker

---The plan of the work as it stands from here on; `text` has the entries for people, a line each.
---@class agls.PlanItem
---@field itemId string
---@field status string
---@field title string
---@field text string
---@field entries agls.PlanItemEntry[]
---@field kind "plan"

---An entry of the plan; it waits until those with the ids in `after` are done or cancelled.
---@class agls.PlanItemEntry
---@field id integer
---@field text string
---@field state "pending"|"inProgress"|"done"|"cancelled"
---@field after? integer[]

---The key of a provider (its host): `state` is present, missing or none (nobody said that it has one). `variable` is the environment variable, `place` where else it is kept. The key itself is never sent.
---@class agls.ProviderAuth
---@field provider string
---@field state "present"|"missing"|"none"
---@field variable? string
---@field place? string

---`looked` says whether model servers of this machine were looked for: the settings may forbid it.
---@class agls.ProviderListResult
---@field providers agls.ProviderRow[]
---@field local agls.LocalServerRow[]
---@field looked boolean

---A provider by its name, or another server by its `baseUrl`.
---@class agls.ProviderModelsParams
---@field provider? string
---@field baseUrl? string

---The models of a server; or why they cannot be listed, with what helps (`hint`). `baseUrl` is the whole address of the list that was found: `agent/provider/use` is to be given that one.
---@class agls.ProviderModelsResult
---@field models agls.ListedModel[]
---@field problem? string
---@field hint? string
---@field kind? string
---@field baseUrl? string

---A provider with a known address; `hasKey` is whether a key for its `host` is kept or given.
---@class agls.ProviderRow
---@field name string
---@field host string
---@field hasKey boolean

---The `model` of a provider or of the server at `baseUrl`; with neither, one that can be named.
---@class agls.ProviderUseParams
---@field model string
---@field provider? string
---@field baseUrl? string

---The name by which sessions choose the model, and the file in which it is the default now.
---@class agls.ProviderUseResult
---@field model string
---@field configFile string

---A question to the human: a permission, a plan (`options`, `subject`, `shown`), or a form (`schema`).
---@class agls.Question
---@field requestId string
---@field kind "permission"|"plan"|"form"
---@field title string
---@field reason? string
---@field itemId? string
---@field subject? table<string, any>
---@field options? agls.Option[]
---@field schema? table<string, any>
---@field shown? agls.ShownText

---The whole queue.
---@class agls.QueueChangedData
---@field queue agls.Waiting[]

---`op` is list, remove, replace or move; `itemId` is the waiting prompt, `to` its new place from 0. `expand` is as in `agent/run`, but a command is refused: it does not wait.
---@class agls.QueueParams
---@field sessionId string
---@field op? "list"|"remove"|"replace"|"move"
---@field itemId? string
---@field input? (agls.TextContent|agls.ImageContent|agls.ResourceContent|agls.ResourceLinkContent|agls.FileContent)[]|string
---@field to? integer
---@field clientKey? string
---@field maxBytes? integer
---@field expand? boolean

---The queue as it is now.
---@class agls.QueueResult
---@field queue agls.Queued[]

---A prompt that waits.
---@class agls.Queued
---@field runId string
---@field itemId string
---@field content agls.Content[]

---A fact with nothing to show; it keeps `seq` free of holes. Members are by `fact`. `limitsChanged` has the `limits` of the running run, all of them; `used` who spent what beside the loop.
---@class agls.RecordedData
---@field fact string
---@field feature? string
---@field kind? string
---@field name? string
---@field by? string
---@field itemId? string
---@field runId? string
---@field content? agls.Content[]
---@field usage? agls.Usage
---@field cost? number
---@field limits? agls.Limits

---How a question ended: selected, dismissed, accepted, declined, cancelled or unanswered.
---@class agls.RequestResolvedData
---@field requestId string
---@field outcome string
---@field optionId? string
---@field feedback? string
---@field by? string

---A named piece of text the user attached: a file, a selection, a diagnostic.
---@class agls.ResourceContent
---@field uri string
---@field text string
---@field type "resource"

---A thing the user pointed at without its content.
---@class agls.ResourceLinkContent
---@field uri string
---@field name? string
---@field type "resourceLink"

---The answer to an open question, for clients that cannot answer server requests.
---@class agls.RespondParams
---@field requestId string
---@field response agls.PermissionAnswer|agls.AskUserAnswer

---`outcome` is accepted or alreadyResolved.
---@class agls.RespondResult
---@field outcome string

---`replay` is none, tail (the last `tail` items), all (as many as fit), or since (all behind `after`). The result has `maxBytes` at most. The items of a snapshot are the last ones, or those in front of the item `before`.
---@class agls.ResumeParams
---@field sessionId string
---@field after? agls.Cursor
---@field replay? string
---@field tail? integer
---@field takeControl? boolean
---@field before? string
---@field maxBytes? integer

---What was missed: `replayed` is nothing, events or snapshot. Live events follow it on the wire. `readOnly` is true while another process writes the session.
---@class agls.ResumeResult
---@field sessionId string
---@field epoch string
---@field seq integer
---@field state string
---@field replayed string
---@field openItems agls.Item[]
---@field openRequests agls.Question[]
---@field events? table<string, any>[]
---@field snapshot? agls.Snapshot
---@field readOnly? boolean

---A prompt was accepted; `admission` is started or queued.
---@class agls.RunAdmittedData
---@field admission string
---@field itemId string
---@field content agls.Content[]
---@field recovers? string

---`outcome` is started, queued, injected or action; with `wait` it also says how the run ended. `output` is the answer as JSON that fits the option `outputSchema`. `action` is what a command came to; `runId` is then the run that it began, "" for none.
---@class agls.RunAnswer
---@field runId string
---@field outcome string
---@field itemId? string
---@field stopReason? string
---@field usage? agls.Usage
---@field cost? number
---@field filesChanged? agls.FileChanged[]
---@field error? agls.RunError
---@field output? any
---@field action? agls.CommandResult

---A run is over; `unpriced` counts model calls whose cost is not in `cost` (US dollars). `estimated` counts model calls whose tokens nobody counted: of those that were answered, `usage` has an estimate; those that were cancelled or broke off are in neither `usage` nor `cost`. `output` is the answer as JSON that fits the option `outputSchema`.
---@class agls.RunEndedData
---@field stopReason string
---@field filesChanged agls.FileChanged[]
---@field usage? agls.Usage
---@field cost? number
---@field unpriced? integer
---@field estimated? integer
---@field unanswered? integer
---@field detail? string
---@field error? agls.RunError
---@field output? any

---Why a run ended with `stopReason: error`. `kind` is for programs; `message` is for people, and `title` stands above it. Of a model that failed: the `httpStatus` of its answer, its `provider`, how often it was asked (`attempts`), and from when on it may be asked again, if it said so (`resetsAt`, ISO 8601).
---@class agls.RunError
---@field kind string
---@field message string
---@field title? string
---@field httpStatus? integer
---@field provider? string
---@field attempts? integer
---@field resetsAt? string

---`admission` is ifIdle, queue, steer or interrupt; `input` is content blocks or a bare string. `chosenBy` is "user" when a person chose the option `mode`. With `expand` the text is what somebody typed: what it points at comes beside it, and a command is done instead.
---@class agls.RunParams
---@field sessionId string
---@field input? (agls.TextContent|agls.ImageContent|agls.ResourceContent|agls.ResourceLinkContent|agls.FileContent)[]|string
---@field admission? string
---@field continueRun? boolean
---@field expectedRunId? string
---@field wait? boolean
---@field options? table<string, any>
---@field clientKey? string
---@field chosenBy? string
---@field expand? boolean
---@field workDoneToken? string|integer

---An admitted run began.
---@class agls.RunStartedData
---@field limits? agls.Limits

---The documents that were saved, and those that were not.
---@class agls.SaveDocumentsAnswer
---@field saved string[]
---@field failed? agls.NotSaved[]

---`agent/saveDocuments`: save these versions as the user would; the answer follows their `didSave`.
---@class agls.SaveDocumentsParams
---@field sessionId string
---@field documents agls.DocumentVersion[]
---@field reason string

---Which schema the server speaks: the SHA-256 of its `schema.json`, the day it was changed last.
---@class agls.SchemaName
---@field sha256 string
---@field revision? string

---The key; absent when there is none.
---@class agls.SecretAnswer
---@field value? string

---`agent/secret`: the key that the user keeps in the client for this host, and for no other.
---@class agls.SecretParams
---@field host string

---What the server can: exact lists, so that nobody has to try. With `mismatch` only the versions.
---@class agls.ServerBlock
---@field protocolVersion? integer
---@field schema? agls.SchemaName
---@field methods? string[]
---@field eventTypes? string[]
---@field itemKinds? string[]
---@field commands? string[]
---@field session? agls.SessionSkills
---@field input? string[]
---@field steer? agls.Marker
---@field queue? agls.Marker
---@field tasks? agls.Marker
---@field compact? agls.Marker
---@field checkpoints? agls.Marker
---@field limits? agls.ServerLimits
---@field mismatch? boolean
---@field supportedVersions? integer[]

---What a client has to keep in mind: bytes, events, milliseconds, runs.
---@class agls.ServerLimits
---@field maxFrameBytes? integer
---@field maxEventBytes? integer
---@field replayEvents? integer
---@field cancelGraceMs? integer
---@field maxQueued? integer

---Cancels the session's work; its data stays.
---@class agls.SessionCloseParams
---@field sessionId string

---A fork holds everything up to the item `atItemId`, that included; without it, everything.
---@class agls.SessionForkParams
---@field sessionId string
---@field atItemId? string
---@field title? string
---@field clientKey? string

---The new session; resume it to receive its events.
---@class agls.SessionForkResult
---@field sessionId string
---@field epoch string
---@field seq integer

---`agent/session/delete` removes it for good; after `agent/detach` its work goes on without us.
---@class agls.SessionIdParams
---@field sessionId string

---What is known of the session; full replacement values.
---@class agls.SessionInfoData
---@field cwd? string
---@field title? string
---@field parentSessionId? string
---@field additionalRoots? string[]

---`cwd` is a `file:` URI; `search` looks at titles and at what was said.
---@class agls.SessionListParams
---@field cwd? string
---@field search? string
---@field cursor? string
---@field limit? integer
---@field maxBytes? integer

---One page of sessions, newest first; without `nextCursor` it is the last.
---@class agls.SessionListResult
---@field sessions agls.SessionRow[]
---@field nextCursor? string

---`cwd` and `additionalRoots` are `file:` URIs; `mcpServers` have a `name` at least. `chosenBy` is "user" when a person chose the option `mode`.
---@class agls.SessionNewParams
---@field cwd string
---@field additionalRoots? string[]
---@field mcpServers? table<string, any>[]
---@field options? table<string, any>
---@field title? string
---@field clientKey? string
---@field chosenBy? string

---The session as it begins; `mcp` says of each of its `mcpServers` whether it is served.
---@class agls.SessionNewResult
---@field sessionId string
---@field epoch string
---@field seq integer
---@field options table<string, any>
---@field commands table<string, any>[]
---@field mcp agls.McpServer[]

---Gives a session another title.
---@class agls.SessionRenameParams
---@field sessionId string
---@field title string

---Back to `toItemId`, the last item kept ("" for none), or to what stood before the rewind `undo`. `what` is conversation, files or both; with `dryRun` nothing changes.
---@class agls.SessionRewindParams
---@field sessionId string
---@field toItemId? string
---@field what? string
---@field dryRun? boolean
---@field undo? string
---@field clientKey? string

---What changed, or would: `checkpointId` undoes it, `droppedItemIds` are no longer before the model.
---@class agls.SessionRewindResult
---@field files agls.FileChanged[]
---@field conflicts agls.Conflict[]
---@field droppedItemIds string[]
---@field lastItemId string
---@field checkpointId? string

---One session; `state` is idle, running or requiresAction, times are ISO 8601. `interrupted` means: nobody works on it, and there is a run to go on with (`continueRun`). `parentItemId` is the tool call of the parent that a child works for; a fork has none.
---@class agls.SessionRow
---@field sessionId string
---@field title string
---@field cwd string
---@field createdAt string
---@field updatedAt string
---@field state string
---@field parentSessionId? string
---@field tags? string[]
---@field archived? boolean
---@field interrupted? boolean
---@field parentItemId? string

---What can be done with sessions besides running them.
---@class agls.SessionSkills
---@field attach? agls.Marker
---@field fork? table<string, any>
---@field rewind? table<string, any>
---@field rename? agls.Marker
---@field delete? agls.Marker

---A session that is open in this process.
---@class agls.SessionState
---@field sessionId string
---@field state string

---`state` is idle, running, requiresAction or closed (no more events of the session follow).
---@class agls.SessionStateData
---@field state string
---@field queued integer
---@field backgroundTasks integer

---Sets an option of the session for its next runs; null takes it back. `chosenBy` is "user" when a person chose the option `mode`.
---@class agls.SetOptionParams
---@field sessionId string
---@field optionId string
---@field value? any
---@field chosenBy? string

---A cell of a notebook. `type` is `code`, `markdown` or `raw`; `output` is what it printed, in words.
---@class agls.ShownCell
---@field type string
---@field source string
---@field executionCount? integer
---@field output? string

---A single change of an edit that is asked about: `old` lines, from `line` (from 0) on, become `new`.
---@class agls.ShownHunk
---@field hunkId string
---@field uri string
---@field line integer
---@field old string
---@field new string

---A notebook as the client has it open. `version` is the client's own word for its present content.
---@class agls.ShownNotebook
---@field version string
---@field cells agls.ShownCell[]
---@field unsaved? boolean

---What must be seen before a permission is given, as plain text; not `whole` when some is left out.
---@class agls.ShownText
---@field text string
---@field whole boolean

---The answer (`text`) to what the user asked beside the work (`title`): the model sees neither.
---@class agls.SideAnswerItem
---@field itemId string
---@field status string
---@field title string
---@field text string
---@field background? boolean
---@field kind "sideAnswer"

---The session as it stands at `seq`; with `olderCursor` there are older items. `items` are those that are complete; the runs are those they and the open ones belong to. `info` is what `sessionInfo` said, `usage` what `contextUsage` said last, `queue` what waits. `rewound` is what `historyRewound` said last, if no run began since and it was not taken back.
---@class agls.Snapshot
---@field seq integer
---@field items agls.Item[]
---@field runs agls.SnapshotRun[]
---@field state string
---@field info agls.SessionInfoData
---@field options table<string, any>
---@field openRequests agls.Question[]
---@field queue agls.Waiting[]
---@field usage? agls.ContextUsageData
---@field rewound? agls.HistoryRewoundData
---@field olderCursor? table<string, any>

---A run of which a snapshot has items: these, in their order; and what `runEnded` said (`ended`). The one without `ended` goes on: it is there with or without items.
---@class agls.SnapshotRun
---@field runId string
---@field itemIds string[]
---@field ended? agls.RunEndedData

---How the server is: `problem` says in one sentence why no run could begin, where that is so. `problemFile` is the `file:` URI of the configuration with the mistake, if it is about one. The default is the first of the `models`. `configFile` is the `file:` URI of the user's settings, which may not be there yet. The models that it names are read again before the next run when it has changed. `calls` has the words for calls of the tools that this server may offer.
---@class agls.StatusResult
---@field version string
---@field protocolVersion integer
---@field models agls.ModelRow[]
---@field auth agls.ProviderAuth[]
---@field load agls.Load
---@field sessions agls.SessionState[]
---@field configFile? string
---@field problem? string
---@field calls? agls.CallWords[]
---@field problemFile? string

---`ifEnded` says what becomes of the message when the run is over: run, queue or return. `expand` is as in `agent/run`.
---@class agls.SteerParams
---@field sessionId string
---@field input (agls.TextContent|agls.ImageContent|agls.ResourceContent|agls.ResourceLinkContent|agls.FileContent)[]|string
---@field expectedRunId? string
---@field ifEnded? string
---@field clientKey? string
---@field expand? boolean

---`outcome` is injected, queued, started, returned or action, which `action` describes.
---@class agls.SteerResult
---@field outcome string
---@field runId? string
---@field itemId? string
---@field action? agls.CommandResult

---A child agent that works for a call, `running` until it ends; its events are of `childSessionId`.
---@class agls.SubagentItem
---@field itemId string
---@field status string
---@field title string
---@field kind "subagent"
---@field childSessionId? string
---@field text? string

---A background task: `state` is running, completed, failed or stopped; `itemId` is its item.
---@class agls.TaskChangedData
---@field taskId string
---@field state string
---@field title? string
---@field itemId? string
---@field exitCode? integer

---Work in the background: it may outlive its run. `truncated` bytes are missing in its output.
---@class agls.TaskItem
---@field itemId string
---@field status string
---@field title string
---@field kind "task"
---@field output? string
---@field terminal? agls.Terminal
---@field background? boolean
---@field effects? string
---@field truncated? integer

---A command as it ran; `exit_code` is `null` when a signal or a time limit ended it. `unsaved` are the open files whose newer text it did not see, because the editor had not saved them. `coloured` is the `output` of the item with the colours that the command printed: SGR sequences, and no other control characters. It is left out where there are none.
---@class agls.Terminal
---@field command string
---@field cwd string
---@field exitCode integer|nil
---@field signal? string
---@field unsaved? string[]
---@field coloured? string

---Plain text.
---@class agls.TextContent
---@field text string
---@field type "text"

---What the model thought.
---@class agls.ThoughtItem
---@field itemId string
---@field status string
---@field kind "thought"
---@field text? string
---@field discarded? boolean

---A tool call, from the model's request to its end. `effects` (none, applied, partial, unknown) says what is known of its traces; `truncated` counts the bytes that were left out of `output`; `malformed` holds arguments that were no JSON object. `images` are those that the call gave to the model; `output` says what they are. `refusedBy` says what kept it from running: rule, mode, policy, hook, limit, user, or nobody (nobody was there to allow it).
---@class agls.ToolCallItem
---@field itemId string
---@field status string
---@field name string
---@field title string
---@field input table<string, any>
---@field kind "toolCall"
---@field refusedBy? string
---@field output? string
---@field effects? string
---@field changes? agls.Change[]
---@field terminal? agls.Terminal
---@field truncated? integer
---@field malformed? string
---@field images? agls.ImageContent[]

---What the run changed so far, as a unified diff of each file; full replacement value. `truncated` counts the bytes of diffs that are left out; the action `changes` gives them all.
---@class agls.TurnDiffData
---@field diff string
---@field truncated? integer

---The request and the tool calls it caused are done; `model` when another one answered than was asked.
---@class agls.TurnEndedData
---@field usage? agls.Usage
---@field cost? number
---@field finish? string
---@field overflowed? boolean
---@field model? string

---The request failed and is sent again; `discardPartial` when something was shown of it.
---@class agls.TurnRetryingData
---@field attempt integer
---@field delayMs integer
---@field cause string
---@field discardPartial boolean

---One model request began.
---@class agls.TurnStartedData
---@field model string

---Tokens; a member nobody reported is left out. Input includes cached tokens.
---@class agls.Usage
---@field inputTokens? integer
---@field outputTokens? integer
---@field reasoningTokens? integer
---@field cacheReadTokens? integer
---@field cacheWriteTokens? integer

---What the user said; `steer` marks what was said into a running run.
---@class agls.UserMessageItem
---@field itemId string
---@field status string
---@field content agls.Content[]
---@field kind "userMessage"
---@field steer? boolean

---A run that waits for its turn.
---@class agls.Waiting
---@field runId string
---@field itemId string
---@field content agls.Content[]

local M = {}

M.version = 1

---Every method, and who sends it.
M.methods = {
  ["agent/session/new"] = "toServer",
  ["agent/session/list"] = "toServer",
  ["agent/session/close"] = "toServer",
  ["agent/session/fork"] = "toServer",
  ["agent/session/rewind"] = "toServer",
  ["agent/session/rename"] = "toServer",
  ["agent/session/delete"] = "toServer",
  ["agent/detach"] = "toServer",
  ["agent/events"] = "toServer",
  ["agent/item"] = "toServer",
  ["agent/resume"] = "toServer",
  ["agent/run"] = "toServer",
  ["agent/steer"] = "toServer",
  ["agent/cancel"] = "toServer",
  ["agent/respond"] = "toServer",
  ["agent/queue"] = "toServer",
  ["agent/setOption"] = "toServer",
  ["agent/action/list"] = "toServer",
  ["agent/action/invoke"] = "toServer",
  ["agent/complete"] = "toServer",
  ["agent/edit"] = "toServer",
  ["agent/focus"] = "toServer",
  ["agent/languageModel/list"] = "toServer",
  ["agent/languageModel/delta"] = "toServer",
  ["agent/status"] = "toServer",
  ["agent/provider/list"] = "toServer",
  ["agent/provider/models"] = "toServer",
  ["agent/provider/use"] = "toServer",
  ["agent/ack"] = "toServer",
  ["agent/event"] = "toClient",
  ["agent/editDelta"] = "toClient",
  ["agent/requestPermission"] = "toClient",
  ["agent/askUser"] = "toClient",
  ["agent/saveDocuments"] = "toClient",
  ["agent/diagnostics"] = "toClient",
  ["agent/codeQuery"] = "toClient",
  ["agent/notebook"] = "toClient",
  ["agent/editNotebook"] = "toClient",
  ["agent/secret"] = "toClient",
  ["agent/languageModel/ask"] = "toClient",
  ["agent/callTool"] = "toClient",
}

---Every type of event, and the class of its data.
M.events = {
  sessionState = "agls.SessionStateData",
  sessionInfo = "agls.SessionInfoData",
  options = "agls.OptionsData",
  runAdmitted = "agls.RunAdmittedData",
  runStarted = "agls.RunStartedData",
  runEnded = "agls.RunEndedData",
  turnStarted = "agls.TurnStartedData",
  turnRetrying = "agls.TurnRetryingData",
  turnEnded = "agls.TurnEndedData",
  itemStarted = "agls.ItemData",
  itemDelta = "agls.ItemDeltaData",
  itemUpdated = "agls.ItemUpdatedData",
  itemCompleted = "agls.ItemData",
  requestOpened = "agls.Question",
  requestResolved = "agls.RequestResolvedData",
  queueChanged = "agls.QueueChangedData",
  contextUsage = "agls.ContextUsageData",
  commands = "agls.CommandsData",
  mcpStatus = "agls.McpStatusData",
  turnDiff = "agls.TurnDiffData",
  taskChanged = "agls.TaskChangedData",
  checkpoint = "agls.CheckpointData",
  notice = "agls.NoticeData",
  heartbeat = "agls.HeartbeatData",
  gap = "agls.GapData",
  historyRewound = "agls.HistoryRewoundData",
  recorded = "agls.RecordedData",
}

---Every error.
M.errors = {
  { code = -32700, kind = "parseError", retryable = false },
  { code = -32600, kind = "invalidRequest", retryable = false },
  { code = -32600, kind = "limitExceeded", retryable = false },
  { code = -32601, kind = "methodNotFound", retryable = false },
  { code = -32602, kind = "invalidParams", retryable = false },
  { code = -32602, kind = "noSuchItem", retryable = false },
  { code = -32602, kind = "noSuchAction", retryable = false },
  { code = -32602, kind = "cursorExpired", retryable = false },
  { code = -32603, kind = "internal", retryable = false },
  { code = -32002, kind = "notInitialized", retryable = false },
  { code = -32800, kind = "cancelled", retryable = false },
  { code = -32801, kind = "contentModified", retryable = true },
  { code = -32802, kind = "serverCancelled", retryable = true },
  { code = -32803, kind = "failed", retryable = false },
  { code = -32803, kind = "journal", retryable = false },
  { code = -32803, kind = "actionFailed", retryable = false },
  { code = -33001, kind = "runActive", retryable = true },
  { code = -33002, kind = "noActiveRun", retryable = false },
  { code = -33003, kind = "runMismatch", retryable = true },
  { code = -33004, kind = "notSteerable", retryable = false },
  { code = -33005, kind = "sessionNotFound", retryable = false },
  { code = -33006, kind = "sessionBusyElsewhere", retryable = true },
  { code = -33007, kind = "overloaded", retryable = true },
  { code = -33008, kind = "authRequired", retryable = false },
  { code = -33009, kind = "configInvalid", retryable = false },
  { code = -33010, kind = "keyConflict", retryable = false },
  { code = -33011, kind = "limitExceeded", retryable = false },
  { code = -33012, kind = "unsupported", retryable = false },
  { code = -33013, kind = "requestResolved", retryable = false },
  { code = -33014, kind = "untrustedMode", retryable = false },
}

return M
