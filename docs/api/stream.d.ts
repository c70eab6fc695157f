// The lines of agent --json, and the events of agent rpc, made from the tables of the program.

/** The first line. */
export interface StreamHeader {
  event: "stream";
  version: 1;
  agent_version: string;
}

/** What every event has. */
export interface StreamEvent {
  /** its name */
  event: string;
  /** of the event, unique in this run of the program */
  id: string;
  /** seconds since 1970 */
  time: number;
  session_id?: string;
  /** the file; left out if it is not written down */
  session_path?: string;
  /** working directory */
  cwd: string;
  /** its root */
  project: string;
  /** of git */
  branch?: string;
  /** name: main, or that of a sub-agent's kind */
  agent: string;
  /** main, or the id of the sub-agent */
  agent_id: string;
  /** of a sub-agent */
  parent_agent_id?: string;
  /** 0 = the main agent */
  depth: number;
  /** provider/id */
  model?: string;
  /** the entry of the current prompt */
  prompt_id?: string;
  /** of the prompt, 1-based */
  turn?: number;
  mode: "tui" | "print" | "json" | "rpc" | "acp";
  /** a user is available */
  interactive: boolean;
  /** the permission mode */
  permission: string;
  /** model, user, script:NAME, command:NAME, mcp:SERVER or subagent */
  origin?: string;
  /** {tokens, limit, percent, estimated} of the model's window */
  window?: {
    tokens: number;
    /** 0 = unknown */
    limit: number;
    /** 0 to 100 */
    percent: number;
    /** the model's server does not count tokens */
    estimated: boolean;
  };
  /** US dollars, whole session, as far as prices are known; nil = none is */
  cost?: number;
}

/** A script was loaded or reloaded. */
export interface ScriptLoadLine extends StreamEvent {
  event: "script_load";
  /** file name */
  script: string;
  path: string;
  generation: number;
  /** start, save or manual */
  cause: string;
  /** how many */
  handlers: number;
  /** milliseconds */
  ms: number;
  /** SHA-256 */
  version: string;
  grants?: any[];
}

/** A version of a script is unloaded; it gets this event too. */
export interface ScriptUnloadLine extends StreamEvent {
  event: "script_unload";
  script: string;
  path: string;
  generation: number;
  /** save, manual, removed, disabled or off */
  cause: string;
  handlers: number;
  ms: number;
  version: string;
}

/** A script failed: while loading, or in a handler. */
export interface ScriptErrorLine extends StreamEvent {
  event: "script_error";
  script: string;
  path: string;
  generation: number;
  handler: string;
  file: string;
  /** 1-based */
  line?: number;
  /** 1-based */
  column?: number;
  message: string;
  /** the line and its neighbours, with a caret */
  excerpt?: string;
  /** innermost call first */
  stack?: string;
  /** what to do */
  hint?: string;
  /** the last good version stays */
  kept_previous: boolean;
  /** a new version waits */
  waits: boolean;
}

/** A session starts. */
export interface SessionStartLine extends StreamEvent {
  event: "session_start";
  cause: "startup" | "resume" | "new" | "clear" | "fork" | "compact" | "reload";
}

/** The user is about to switch to another session. */
export interface SessionBeforeSwitchLine extends StreamEvent {
  event: "session_before_switch";
  cause: "new" | "clear" | "resume";
  /** first prompt of the new session */
  prompt?: string;
}

/** The conversation is about to continue from an earlier entry. */
export interface SessionBeforeForkLine extends StreamEvent {
  event: "session_before_fork";
  entry_id: string;
  is_user_message: boolean;
  /** of the entry */
  text: string;
}

/** Earlier messages are about to be replaced by a summary. */
export interface SessionBeforeCompactLine extends StreamEvent {
  event: "session_before_compact";
  cause: "manual" | "threshold" | "overflow";
  /** id of the first message that stays; "" = none */
  keep_from: string;
  /** of the user */
  instructions?: string;
  input_tokens: number;
  output_tokens: number;
  /** tokens, 0 = unknown */
  limit: number;
}

/** Earlier messages were replaced by a summary, for the model; the session file keeps them. */
export interface SessionCompactLine extends StreamEvent {
  event: "session_compact";
  cause: "manual" | "threshold" | "overflow";
  summary: string;
  tokens_before: number;
  /** an estimate */
  tokens_after: number;
  /** messages */
  dropped: number;
  /** messages */
  kept: number;
}

/** The session ends; also on a signal. */
export interface SessionEndLine extends StreamEvent {
  event: "session_end";
  cause: "exit" | "clear" | "switch" | "signal";
}

/** The user has entered input; fired when it takes effect. */
export interface InputLine extends StreamEvent {
  event: "input";
  kind: "prompt" | "steer" | "follow_up";
  text: string;
  /** image blocks */
  images?: any[];
  source: "interactive" | "cli" | "queue" | "rpc" | "script";
}

/** Input waits because the agent is busy. */
export interface InputQueuedLine extends StreamEvent {
  event: "input_queued";
  kind: "steer" | "follow_up";
  /** number of waiting inputs, including this one */
  waiting: number;
}

/** Input was added to the current prompt. */
export interface SteeringInjectedLine extends StreamEvent {
  event: "steering_injected";
  count: number;
  texts: any[];
}

/** The prompt is interrupted: by input, after the tool batch, or at once. */
export interface InterruptLine extends StreamEvent {
  event: "interrupt";
  kind: "steering" | "graceful" | "hard";
}

/** The program waits for the user; idle: no input is pending, and a new session can be started. */
export interface WaitInputLine extends StreamEvent {
  event: "wait_input";
  cause: "idle" | "approval" | "question";
}

/** The user has run a command with ! or !!. */
export interface UserShellLine extends StreamEvent {
  event: "user_shell";
  command: string;
  /** the model will see it */
  in_context: boolean;
}

/** A prompt is about to start. */
export interface AgentBeforeStartLine extends StreamEvent {
  event: "agent_before_start";
  prompt: string;
  system_prompt: string;
}

/** A prompt has started. */
export interface AgentStartLine extends StreamEvent {
  event: "agent_start";
  prompt: string;
}

/** The model has finished; continue_with adds a message to continue with. */
export interface AgentBeforeEndLine extends StreamEvent {
  event: "agent_before_end";
  response: string;
  last_user_message: string;
  /** of this prompt */
  tool_calls: number;
}

/** A prompt has ended. */
export interface AgentEndLine extends StreamEvent {
  event: "agent_end";
  /** the model's last text */
  response: string;
  status: "completed" | "cancelled" | "blocked" | "stopped" | "limit" | "error";
  error?: string;
  turns: number;
  tool_calls: number;
  tool_names: any[];
  /** {input, output, cache_read, cache_write} */
  usage: {
    input: number;
    output: number;
    cache_read: number;
    cache_write: number;
  };
  /** US dollars */
  cost?: number;
  duration_ms: number;
}

/** The agent has become busy or idle. */
export interface BusyChangeLine extends StreamEvent {
  event: "busy_change";
  state: "working" | "idle";
  previous: "working" | "idle";
}

/** A model call is about to be made. */
export interface TurnStartLine extends StreamEvent {
  event: "turn_start";
  /** 1-based */
  turn: number;
}

/** The messages that the model will see in this request; ids are stable, the list is lazy. */
export interface ContextLine extends StreamEvent {
  event: "context";
}

/** A message as the model will see it; fired once per message and content, then remembered. */
export interface LlmMessageLine extends StreamEvent {
  event: "llm_message";
  purpose: "agent" | "subagent" | "compact" | "script";
}

/** A model request is about to be sent. */
export interface LlmRequestLine extends StreamEvent {
  event: "llm_request";
  purpose: "agent" | "subagent" | "compact" | "script";
  /** provider/id */
  model: string;
  /** names, or {name, description, schema} */
  tools: any[];
  /** auto, none, required, or a tool's name */
  tool_choice?: string;
  /** {temperature, max_tokens, ...} */
  options: { [key: string]: any };
  /** turn of the prompt, 1-based */
  iteration: number;
  /** true: the model should not call more tools */
  last_turn: boolean;
}

/** A model has answered. */
export interface LlmResponseLine extends StreamEvent {
  event: "llm_response";
  purpose: "agent" | "subagent" | "compact" | "script";
  /** provider/id */
  model: string;
  /** {input, output, cache_read, cache_write} */
  usage: {
    input: number;
    output: number;
    cache_read: number;
    cache_write: number;
  };
  /** US dollars; nil = unknown price */
  cost?: number;
  finish_reason?: string;
  duration_ms: number;
}

/** A request has failed and is retried. */
export interface LlmRetryLine extends StreamEvent {
  event: "llm_retry";
  /** the attempt that failed, 1-based */
  attempt: number;
  max: number;
  /** rate_limit, overloaded, network, timeout, overflow or other */
  cause: string;
  error: string;
  /** until the next attempt */
  backoff_ms: number;
}

/** A provider has sent a warning. */
export interface LlmWarningLine extends StreamEvent {
  event: "llm_warning";
  /** texts */
  warnings: any[];
}

/** A model has named a source. */
export interface LlmSourceLine extends StreamEvent {
  event: "llm_source";
  kind: string;
  source_id?: string;
  url?: string;
  title?: string;
}

/** A model call and its tool batch have ended. */
export interface TurnEndLine extends StreamEvent {
  event: "turn_end";
  cause: "normal" | "continue" | "steered" | "error" | "cancelled" | "blocked" | "loop_detected" | "stopped" | "limit";
  error?: string;
  finish_reason?: string;
  /** {input, output, cache_read, cache_write} */
  usage: {
    input: number;
    output: number;
    cache_read: number;
    cache_write: number;
  };
  has_tool_calls: boolean;
}

/** A message of the model has started. */
export interface MessageStartLine extends StreamEvent {
  event: "message_start";
  message_id: string;
}

/** A piece of a message of the model has arrived. */
export interface MessageDeltaLine extends StreamEvent {
  event: "message_delta";
  message_id: string;
  kind: "text" | "reasoning";
  delta: string;
}

/** A message of the model is complete. */
export interface MessageEndLine extends StreamEvent {
  event: "message_end";
  message_id: string;
  text: string;
  reasoning?: string;
  /** if scripts changed it, or its display: {by = {{script, line, changed}}} */
  rewritten?: { [key: string]: any };
  /** for the user: the script that hides the text or the reasoning, and its reason */
  hidden?: string;
}

/** A message of the model, complete or partial, is about to be displayed; scripts and the model keep the original text. */
export interface AssistantMessageLine extends StreamEvent {
  event: "assistant_message";
  message_id: string;
  text: string;
  kind: "text" | "reasoning";
  /** false: more of it will follow */
  final: boolean;
}

/** The model has started a tool call. */
export interface ToolInputStartLine extends StreamEvent {
  event: "tool_input_start";
  call_id: string;
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
}

/** A piece of a tool call's arguments has arrived, as JSON text. */
export interface ToolInputDeltaLine extends StreamEvent {
  event: "tool_input_delta";
  call_id: string;
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
  delta: string;
}

/** The model has completed a tool call. */
export interface ToolInputEndLine extends StreamEvent {
  event: "tool_input_end";
  call_id: string;
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
}

/** The model has called a tool, which may not exist. */
export interface ToolCallLine extends StreamEvent {
  event: "tool_call";
  call_id: string;
  /** name */
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
  read_only: boolean;
  args: { [key: string]: any };
  /** absolute paths, with links followed, that the call reads, as far as known; for a command, according to its words */
  reads: any[];
  /** paths that it writes, creates or removes */
  writes: any[];
  /** there may be others: the command is opaque */
  unknown_writes: boolean;
  /** if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}: who changed what, and the original; by the user if script is absent */
  rewritten?: { [key: string]: any };
  /** the original arguments */
  original: { [key: string]: any };
}

/** The user is about to be asked for approval of a call. */
export interface ToolPermissionLine extends StreamEvent {
  event: "tool_permission";
  call_id: string;
  /** name */
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
  read_only: boolean;
  args: { [key: string]: any };
  /** absolute paths, with links followed, that the call reads, as far as known; for a command, according to its words */
  reads: any[];
  /** paths that it writes, creates or removes */
  writes: any[];
  /** there may be others: the command is opaque */
  unknown_writes: boolean;
  /** if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}: who changed what, and the original; by the user if script is absent */
  rewritten?: { [key: string]: any };
  original: { [key: string]: any };
  /** {who, why} */
  asks: any[];
  rule?: string;
  /** shown in the dialog */
  detail?: { [key: string]: any };
}

/** A call has been allowed or refused. */
export interface ToolApprovalLine extends StreamEvent {
  event: "tool_approval";
  call_id: string;
  /** name */
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
  read_only: boolean;
  args: { [key: string]: any };
  /** absolute paths, with links followed, that the call reads, as far as known; for a command, according to its words */
  reads: any[];
  /** paths that it writes, creates or removes */
  writes: any[];
  /** there may be others: the command is opaque */
  unknown_writes: boolean;
  /** if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}: who changed what, and the original; by the user if script is absent */
  rewritten?: { [key: string]: any };
  decision: "allow" | "deny" | "cancelled";
  source: "yolo" | "mode" | "session_allow" | "rule_allow" | "rule_deny" | "script" | "guard" | "read_only" | "only_reads" | "user_once" | "user_session" | "user_always" | "user_rejected" | "cancelled" | "headless" | "sandbox";
  /** who decided */
  script?: string;
  /** where the handler was registered */
  line?: number;
}

/** A call has ended without running its tool. */
export interface ToolSkippedLine extends StreamEvent {
  event: "tool_skipped";
  call_id: string;
  /** name */
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
  read_only: boolean;
  args: { [key: string]: any };
  /** absolute paths, with links followed, that the call reads, as far as known; for a command, according to its words */
  reads: any[];
  /** paths that it writes, creates or removes */
  writes: any[];
  /** there may be others: the command is opaque */
  unknown_writes: boolean;
  /** if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}: who changed what, and the original; by the user if script is absent */
  rewritten?: { [key: string]: any };
  cause: "denied" | "aborted" | "steered" | "unknown" | "invalid";
  /** the message for the model */
  reason: string;
  /** who refused */
  script?: string;
  /** where the handler was registered */
  line?: number;
}

/** A tool has started. */
export interface ToolStartLine extends StreamEvent {
  event: "tool_start";
  call_id: string;
  /** name */
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
  read_only: boolean;
  args: { [key: string]: any };
  /** absolute paths, with links followed, that the call reads, as far as known; for a command, according to its words */
  reads: any[];
  /** paths that it writes, creates or removes */
  writes: any[];
  /** there may be others: the command is opaque */
  unknown_writes: boolean;
  /** if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}: who changed what, and the original; by the user if script is absent */
  rewritten?: { [key: string]: any };
}

/** A running tool has printed output. */
export interface ToolOutputLine extends StreamEvent {
  event: "tool_output";
  call_id: string;
  /** name */
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
  read_only: boolean;
  args: { [key: string]: any };
  /** absolute paths, with links followed, that the call reads, as far as known; for a command, according to its words */
  reads: any[];
  /** paths that it writes, creates or removes */
  writes: any[];
  /** there may be others: the command is opaque */
  unknown_writes: boolean;
  /** if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}: who changed what, and the original; by the user if script is absent */
  rewritten?: { [key: string]: any };
  chunk: string;
  stderr: boolean;
}

/** A tool has finished. */
export interface ToolEndLine extends StreamEvent {
  event: "tool_end";
  call_id: string;
  /** name */
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
  read_only: boolean;
  args: { [key: string]: any };
  /** absolute paths, with links followed, that the call reads, as far as known; for a command, according to its words */
  reads: any[];
  /** paths that it writes, creates or removes */
  writes: any[];
  /** there may be others: the command is opaque */
  unknown_writes: boolean;
  /** if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}: who changed what, and the original; by the user if script is absent */
  rewritten?: { [key: string]: any };
  duration_ms: number;
  is_error: boolean;
}

/** A call's result is about to be sent to the model. */
export interface ToolResultLine extends StreamEvent {
  event: "tool_result";
  call_id: string;
  /** name */
  tool: string;
  kind: "read" | "edit" | "execute" | "search" | "agent" | "other";
  read_only: boolean;
  args: { [key: string]: any };
  /** absolute paths, with links followed, that the call reads, as far as known; for a command, according to its words */
  reads: any[];
  /** paths that it writes, creates or removes */
  writes: any[];
  /** there may be others: the command is opaque */
  unknown_writes: boolean;
  /** if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}: who changed what, and the original; by the user if script is absent */
  rewritten?: { [key: string]: any };
  /** blocks */
  content: string | any[];
  details?: { [key: string]: any };
  is_error: boolean;
  duration_ms: number;
  for_user?: string;
  silent: boolean;
  /** the script that answered instead of the tool */
  answered_by?: string;
  /** where the handler was registered */
  answered_line?: number;
  /** for observers, if scripts changed the result: {by = {{script, line, changed}}, content}: who changed it, and the original content, unless a handler with scrub or on_error = "block" changed that */
  result_rewritten?: { [key: string]: any };
  /** {title, kind, lang, text}: how to draw it */
  display?: {
    title?: string;
    kind?: "text" | "markdown" | "diff" | "code";
    /** of code, and of a diff's file: go, js, ... */
    lang?: string;
    /** what is drawn; absent: the content */
    text?: string;
  };
}

/** All tool calls of one message have ended. */
export interface ToolBatchEndLine extends StreamEvent {
  event: "tool_batch_end";
  calls: number;
  errors: number;
}

/** The model has made the same call several times. */
export interface LoopDetectedLine extends StreamEvent {
  event: "loop_detected";
  tool: string;
  /** in a row, including this one */
  count: number;
  args_hash: string;
}

/** A sub-agent is about to start. */
export interface SubagentStartLine extends StreamEvent {
  event: "subagent_start";
  subagent_id: string;
  name: string;
  task: string;
  /** provider/id */
  model: string;
  /** names */
  tools: any[];
  /** of the agent tool */
  call_id?: string;
}

/** A sub-agent has fired an event. */
export interface SubagentEventLine extends StreamEvent {
  event: "subagent_event";
  subagent_id: string;
  kind: "text" | "reasoning" | "tool_start" | "tool_end" | "turn";
  data: { [key: string]: any };
}

/** A sub-agent has ended. */
export interface SubagentEndLine extends StreamEvent {
  event: "subagent_end";
  subagent_id: string;
  name: string;
  parent_session_id: string;
  status: "completed" | "cancelled" | "blocked" | "stopped" | "limit" | "error";
  response: string;
  error?: string;
  /** {input, output, cache_read, cache_write} */
  usage: {
    input: number;
    output: number;
    cache_read: number;
    cache_write: number;
  };
  /** US dollars */
  cost?: number;
  /** false: nothing uses the result */
  delivered: boolean;
}

/** Another agent runs. */
export interface AgentSwitchLine extends StreamEvent {
  event: "agent_switch";
  from: string;
  to: string;
  kind: "transfer" | "handoff" | "return";
  to_model: string;
  /** {provider, model, base_url, unload_api} */
  from_models: any[];
}

/** The model has changed. */
export interface ModelChangeLine extends StreamEvent {
  event: "model_change";
  new: string;
  previous: string;
  source: "user" | "script" | "fallback";
}

/** The thinking level has changed. */
export interface ThinkingChangeLine extends StreamEvent {
  event: "thinking_change";
  new: string;
  previous: string;
  source: "user" | "script" | "fallback";
}

/** The permission mode has changed. */
export interface PermissionChangeLine extends StreamEvent {
  event: "permission_change";
  new: string;
  previous: string;
  source: "user" | "script" | "fallback";
}

/** A limit of the prompt is reached; extend raises it by that much. */
export interface LimitReachedLine extends StreamEvent {
  event: "limit_reached";
  kind: "turns" | "cost" | "tokens" | "time";
  value: number;
  /** turns, US dollars, tokens, seconds */
  limit: number;
}

/** A limit has been raised. */
export interface LimitExtendedLine extends StreamEvent {
  event: "limit_extended";
  kind: "turns" | "cost" | "tokens" | "time";
  previous: number;
  new: number;
  by: "user" | "script";
}

/** A notice is shown to the user. */
export interface NotificationLine extends StreamEvent {
  event: "notification";
  level: "info" | "success" | "warn" | "error";
  message: string;
  /** a script's name, or "agent" */
  source: string;
  /** what failed, if an error event reports the same; limit: a limit has ended the prompt */
  stage?: string;
}

/** Markdown is shown in the transcript; the model does not get it (ext.say, a command's display). */
export interface SayLine extends StreamEvent {
  event: "say";
  /** a script's name, or "agent" */
  source: string;
  markdown: string;
}

/** Something failed outside of scripts. The user is shown a notification. */
export interface ErrorLine extends StreamEvent {
  event: "error";
  /** where */
  stage: string;
  message: string;
  retryable: boolean;
}

/** The size of the terminal has changed. */
export interface TerminalResizeLine extends StreamEvent {
  event: "terminal_resize";
  /** columns */
  width: number;
  /** rows */
  height: number;
}

/** A handler has run (for traces; never fired for its own handlers). */
export interface HookFinishedLine extends StreamEvent {
  event: "hook_finished";
  /** the event that was handled */
  hook: string;
  script: string;
  /** where the handler was registered */
  line?: number;
  handler: string;
  duration_us: number;
  /** pass, rewrite, block, ask, allow, respond, error, ... */
  outcome: string;
  /** of a command hook */
  exit_code?: number;
  /** of a command hook */
  stderr?: string;
}

/** A script has called ext.emit("custom:NAME", value). */
export interface CustomLine extends StreamEvent {
  event: `custom:${string}`;
  value: any;
  /** the script that sent it */
  source: string;
}

/** A line. Ignore events and fields that you do not know. */
export type StreamLine =
  | StreamHeader
  | ScriptLoadLine
  | ScriptUnloadLine
  | ScriptErrorLine
  | SessionStartLine
  | SessionBeforeSwitchLine
  | SessionBeforeForkLine
  | SessionBeforeCompactLine
  | SessionCompactLine
  | SessionEndLine
  | InputLine
  | InputQueuedLine
  | SteeringInjectedLine
  | InterruptLine
  | WaitInputLine
  | UserShellLine
  | AgentBeforeStartLine
  | AgentStartLine
  | AgentBeforeEndLine
  | AgentEndLine
  | BusyChangeLine
  | TurnStartLine
  | ContextLine
  | LlmMessageLine
  | LlmRequestLine
  | LlmResponseLine
  | LlmRetryLine
  | LlmWarningLine
  | LlmSourceLine
  | TurnEndLine
  | MessageStartLine
  | MessageDeltaLine
  | MessageEndLine
  | AssistantMessageLine
  | ToolInputStartLine
  | ToolInputDeltaLine
  | ToolInputEndLine
  | ToolCallLine
  | ToolPermissionLine
  | ToolApprovalLine
  | ToolSkippedLine
  | ToolStartLine
  | ToolOutputLine
  | ToolEndLine
  | ToolResultLine
  | ToolBatchEndLine
  | LoopDetectedLine
  | SubagentStartLine
  | SubagentEventLine
  | SubagentEndLine
  | AgentSwitchLine
  | ModelChangeLine
  | ThinkingChangeLine
  | PermissionChangeLine
  | LimitReachedLine
  | LimitExtendedLine
  | NotificationLine
  | SayLine
  | ErrorLine
  | TerminalResizeLine
  | HookFinishedLine
  | CustomLine;
