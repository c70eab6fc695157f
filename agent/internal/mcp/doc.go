// Package mcp makes the tools of MCP servers (modelcontextprotocol.io) tools of the engine, with
// the same guards and hooks as any other tool.
//
//	m := mcp.Start(ctx, mcp.Options{Engine: e, Servers: settings.MCP, Dir: project, Notify: tell})
//	defer m.Close()
//	m.Wait(ctx) // not needed: tools come into force as their servers connect
//
// Each server is a plugin of the engine: its tools come, change and go in one step. A server that
// dies, hangs, sends too much or breaks the protocol results in a failed call or a notice, in
// bounded time and memory.
//
// It offers servers the project as their root, and neither sampling nor elicitation. It reads no
// resources and prompts, and does not tell the model what a server's instructions say. A server
// process is not sandboxed: it can do whatever the user can.
package mcp
