#!/usr/bin/env python3
"""Drives the agent by `agent rpc`: python3 client.py "write notes.txt hello"

It answers the questions about tool calls at the terminal, prints the answer as it arrives, and ends
with 0 if the prompt was completed. Flags of agent can follow the prompt.
"""
import json
import subprocess
import sys


class Agent:
    def __init__(self, flags):
        self.process = subprocess.Popen(
            ["agent", "rpc", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            encoding="utf-8")
        self.sent = 0

    def send(self, method, **params):
        self.sent += 1
        message = {"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params}
        print(json.dumps(message), file=self.process.stdin, flush=True)
        return self.sent

    def messages(self):
        for line in self.process.stdout:
            yield json.loads(line)


def approve(agent, request):
    print(f"\n{request['tool']} {json.dumps(request['args'])}? (y/n)", file=sys.stderr)
    decision = "once" if sys.stdin.readline().strip() == "y" else "reject"
    agent.send("ui.respond", id=request["id"], decision=decision)


def run(text, flags):
    agent = Agent(flags)
    agent.send("initialize", protocol=1, client={"name": "client.py"},
               capabilities={"ui": True}, events=["message_delta", "tool_result"])
    prompt = agent.send("prompt", text=text)
    status = "failed"
    for message in agent.messages():
        params = message.get("params", {})
        match message.get("method"):
            case "ui.request" if params["kind"] == "approve":
                approve(agent, params)
            case "event" if params["event"] == "message_delta":
                print(params["delta"], end="", flush=True)
            case "event" if params["event"] == "tool_result":
                print(f"[{params['tool']} is done]")
            case "prompt.end":
                status = params["status"]
                print(params.get("reason", ""), file=sys.stderr)
                agent.send("shutdown")
        if "error" in message:
            print(message["error"]["message"], file=sys.stderr)
            if message["id"] in (1, prompt):
                agent.send("shutdown")
    print()
    return 0 if status == "completed" else 1


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
