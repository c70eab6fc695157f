// Drives the agent by `agent rpc`: node client.js "write notes.txt hello", after tsc client.ts.
//
// It answers the questions about tool calls at the terminal, prints the answer as it arrives, and
// ends with 0 if the prompt was completed. Flags of agent can follow the prompt.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { StreamLine } from "../api/stream";

type Message = { id?: number; method?: string; params?: any; error?: { message: string } };

class Agent {
  private process: ReturnType<typeof spawn>;
  private sent = 0;

  constructor(flags: string[]) {
    this.process = spawn("agent", ["rpc", ...flags], { stdio: ["pipe", "pipe", "inherit"] });
  }

  send(method: string, params: object = {}): number {
    const message = { jsonrpc: "2.0", id: ++this.sent, method, params };
    this.process.stdin!.write(JSON.stringify(message) + "\n");
    return this.sent;
  }

  async *messages(): AsyncGenerator<Message> {
    for await (const line of createInterface({ input: this.process.stdout! })) {
      yield JSON.parse(line);
    }
  }
}

const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function approve(agent: Agent, request: { id: string; tool: string; args: object }) {
  console.error(`\n${request.tool} ${JSON.stringify(request.args)}? (y/n)`);
  const { value } = await answers.next();
  agent.send("ui.respond", { id: request.id, decision: value === "y" ? "once" : "reject" });
}

function show(event: StreamLine) {
  if (event.event === "message_delta") process.stdout.write(event.delta);
  if (event.event === "tool_result") console.log(`[${event.tool} is done]`);
}

async function run(text: string, flags: string[]): Promise<number> {
  const agent = new Agent(flags);
  agent.send("initialize", { protocol: 1, client: { name: "client.ts" },
    capabilities: { ui: true }, events: ["message_delta", "tool_result"] });
  const prompt = agent.send("prompt", { text });
  let status = "failed";
  for await (const { id, method, params, error } of agent.messages()) {
    if (method === "ui.request" && params.kind === "approve") await approve(agent, params);
    if (method === "event") show(params);
    if (method === "prompt.end") {
      status = params.status;
      console.error(params.reason ?? "");
    }
    if (error) console.error(error.message);
    if (method === "prompt.end" || (error && (id === 1 || id === prompt))) agent.send("shutdown");
  }
  console.log();
  return status === "completed" ? 0 : 1;
}

run(process.argv[2], process.argv.slice(3)).then((code) => process.exit(code));
